// The virtual clock, the strands, and who goes on when.
//
// Time goes from instant to instant. At one instant strands that are ready go on in the order
// (rank, strand), then those that they made ready, until none is; then comes the next event.
// Nothing is done per rank and event. Threads: none; one owner.
#pragma once

#include "predictor/base/slots.h"
#include "predictor/network/flow_network.h"
#include "predictor/sim/cores.h"
#include "predictor/sim/event_queue.h"
#include "predictor/sim/strand.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace farcast::sim {

class Scheduler {
public:
  // Events that are not a strand's going on, in place of its number.
  static constexpr std::uint32_t kProgress = kNone;        // the rank's progress engine has read something
  static constexpr std::uint32_t kComputation = kNone - 1; // the end of the rank's computation among co-runners
  static constexpr std::uint32_t kSpun = kNone - 2;        // the rank's wait has spun long enough
  static constexpr std::uint32_t kCarried = kNone - 3;     // a formula's time is over; the rank is a request's number

  explicit Scheduler(Cores& cores) : cores_(cores) {}

  [[nodiscard]] double now() const { return now_; }
  // Events until then are of the present instant: what rounding tears apart is one.
  [[nodiscard]] double instant_end() const { return now_ * (1 + network::FlowNetwork::kInstant); }
  // Returns: false only where `time` is surely beyond the present instant.
  [[nodiscard]] bool may_be_due(double time) const { return time <= now_ * (1 + 2 * network::FlowNetwork::kInstant); }
  void move_to(double time) { now_ = std::max(now_, time); }
  // Something that belongs to the program's run has happened now.
  void note_event() { last_event_ = now_; }
  [[nodiscard]] double last_event() const { return last_event_; }

  // Strands: one per timeline first, then those of non-blocking collectives, whose numbers are used
  // again.
  Strand& operator[](std::uint32_t strand) { return strands_[strand]; }
  const Strand& operator[](std::uint32_t strand) const { return strands_[strand]; }
  void add_timeline(std::uint32_t timeline, std::uint32_t rank, bool main);
  // Returns: the number of a new strand beside the rank's timelines.
  std::uint32_t add_beside(std::uint32_t rank);
  // A strand beside the timelines is over.
  void drop_beside(std::uint32_t strand) { free_.push_back(strand); }

  // The strand goes on at this instant.
  void make_ready(std::uint32_t rank, std::uint32_t strand) { ready_.push_back(static_cast<std::uint64_t>(rank) << 32 | strand); }
  // The strand, or what one of the numbers above stands for, goes on then.
  void at(double time, std::uint32_t rank, std::uint32_t what) { queue_.push(time, rank, what); }
  // Lets a strand's clock go on; a main strand's core is in `state` meanwhile. Returns: false when
  // it has to wait for the others to get there, by an event.
  bool advance(std::uint32_t strand, double seconds, CoreState state);
  // The core of a main strand is in `state` from now on.
  void set_core(const Strand& strand, CoreState state) {
    if (strand.main) cores_.set(strand.rank, state, now_);
  }
  // The strand goes on once it is through with the overheads that it owes.
  void wake(std::uint32_t strand);

  [[nodiscard]] bool anybody_ready() const { return !ready_.empty(); }
  // Returns: those who are ready, as rank << 32 | strand, in their order; they are not any more.
  // Valid until the next call. Each is to say when it acts.
  const std::vector<std::uint64_t>& take_ready();
  // The same for one alone. Returns: unset, and nothing is taken, where there are several.
  std::optional<std::uint64_t> take_only() {
    if (ready_.size() != 1) return std::nullopt;
    const std::uint64_t only = ready_.front();
    ready_.clear();
    waiting_turns_ = 1;
    return only;
  }
  void acts() { --waiting_turns_; }
  // Returns: whether strands other than the one that acts go on at this instant, or may.
  [[nodiscard]] bool others_act() const { return waiting_turns_ > 0 || !ready_.empty() || away_ > 0; }
  // How many strands may go on at any instant, because only the real run tells when (away.h).
  void set_away(std::size_t strands) { away_ = strands; }
  [[nodiscard]] double next_event() const { return queue_.next_time(); }
  template <class See> void for_each_event(See see) const { queue_.for_each(see); }
  // The same for a rank that other ranks' strands reach so many seconds after they go on.
  [[nodiscard]] double next_for(std::uint32_t rank, double delay) const {
    double next = std::numeric_limits<double>::infinity();
    queue_.for_each([&](const EventQueue::Event& event) {
      const bool far = event.strand < kCarried && event.rank != rank;
      next = std::min(next, event.time + (far ? delay : 0));
    });
    return next;
  }
  // Takes out the events of this instant: strands get ready, others are given to `other(event)`.
  template <class Other> void take_events(Other other) {
    const double due = instant_end();
    while (!queue_.empty() && queue_.next_time() <= due) {
      const EventQueue::Event event = queue_.pop();
      if (event.strand >= kCarried)
        other(event);
      else
        make_ready(event.rank, event.strand);
    }
  }

private:
  Cores& cores_;
  double now_ = 0;
  double last_event_ = 0;
  EventQueue queue_;
  Strands strands_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint64_t> ready_;
  std::vector<std::uint64_t> running_;
  std::size_t waiting_turns_ = 0; // of running_
  std::size_t away_ = 0;
};

} // namespace farcast::sim
