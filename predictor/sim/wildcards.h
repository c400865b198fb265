// Receives and probes that take a message from any source or with any tag, in the order of MPI's
// matching rules (MPI 4.0 section 3.5).
//
// A message meets the receive that was posted first of those that fit, and a receive the message
// that became visible first (MessageLayer). It knows the receives with unknown keys, in which order
// the others were posted, and the messages that wait, by their destination; the matching queues
// hold the rest. On where timelines ask for outcomes (trace::Timelines::asks), else it costs nothing.
// Threads: none; one owner.
#pragma once

#include "predictor/sim/request.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace farcast::sim {

// What such a receive or probe takes.
struct Pattern {
  static constexpr std::uint32_t kAny = UINT32_MAX;
  std::uint32_t destination = 0;
  std::uint32_t context = 0;
  std::uint32_t source = kAny; // world rank
  std::uint32_t tag = kAny;

  [[nodiscard]] bool fits(const MatchKey& key) const {
    return key.context == context && (source == kAny || key.source == source) && (tag == kAny || key.tag == tag);
  }
};

class Wildcards {
public:
  // ranks 0: off.
  Wildcards(RequestPool& pool, std::size_t ranks) : pool_(pool), receives_(ranks), unexpected_(ranks), probes_(ranks) {}

  [[nodiscard]] bool on() const { return !receives_.empty(); }
  // A receive that names its message waits in the matching queues.
  void note_posted(std::uint32_t receive);
  // The same of one that does not; it waits here.
  void post(std::uint32_t receive, const Pattern& pattern);
  // Returns: the waiting receive that a message of that key meets, taken out; kNone: it does not
  // meet one of these. `exact`: the first receive of that key in the matching queues, or kNone.
  std::uint32_t take_receive(const MatchKey& key, std::uint32_t exact);
  // Returns: whether one of them would meet it.
  [[nodiscard]] bool has_receive(const MatchKey& key) const;
  // It is withdrawn. Returns: whether it waited here.
  bool withdraw(std::uint32_t destination, std::uint32_t receive);

  // A message waits for its receive; it has met one.
  void add_unexpected(std::uint32_t send) { unexpected_[pool_[send].key.destination].push_back(send); }
  void drop_unexpected(std::uint32_t send);
  // Returns: the first message that fits, or kNone. It stays.
  [[nodiscard]] std::uint32_t first_unexpected(const Pattern& pattern);

  // A strand waits until a message fits.
  void wait(std::uint32_t strand, const Pattern& pattern) { probes_[pattern.destination].push_back({strand, pattern}); }
  // Returns: the strands that waited for such a message; they do not any more.
  std::vector<std::uint32_t> take_probes(const MatchKey& key);

private:
  struct Receive {
    std::uint32_t request;
    std::uint64_t order;
    Pattern pattern;
  };
  struct Probe {
    std::uint32_t strand;
    Pattern pattern;
  };

  RequestPool& pool_;
  std::uint64_t posted_ = 0;
  std::vector<std::uint64_t> order_;                  // [request] of receives in the matching queues
  std::vector<std::deque<Receive>> receives_;         // [destination]
  std::vector<std::deque<std::uint32_t>> unexpected_; // [destination] sends
  std::vector<std::vector<Probe>> probes_;            // [destination]
};

} // namespace farcast::sim
