// One thread of control inside a simulated rank: a timeline, or a non-blocking collective that runs
// beside it.
#pragma once

#include "predictor/collective/closed_form.h"
#include "predictor/collective/schedule.h"
#include "predictor/sim/account.h"
#include "predictor/sim/communicators.h"
#include "predictor/sim/request.h"
#include "predictor/trace/operation.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace farcast::sim {

// What a strand does when it goes on.
enum class Stage : std::uint8_t {
  next,       // takes its next operation
  next_poll,  // plays the next part of a row of polls
  enter,      // its computation is over: enters the call
  collective, // enters the collective, whose power saving has begun
  post,       // the send overhead is paid: posts the message
  settle,     // a poll has looked, a wait for any of several is over: it is to be told what came of it (answers.h)
  leave,      // everything the call waited for has happened
  schedule,   // plays the steps of a collective
  post_step,  // as post, for the step at hand
  wait_steps, // in one of a schedule's waits
  ended,
};

// Where a rank's core stands in a collective that saves power (power_saving.h).
enum class Saving : std::uint8_t { none, inside, leaving };

// A non-blocking step that a later wait may name by its age.
struct OpenStep {
  std::uint32_t request = kNone; // while it is under way
  double owed = 0;               // the overhead of a receive that completed before it was waited for
};

// What playing a schedule needs; only there while a collective runs.
struct SchedulePlay {
  collective::Schedule steps;
  std::size_t at = 0;
  std::uint32_t open = 0;                                      // isend and ireceive steps under way
  OpenStep newest, second;                                     // the last one that was posted, and the one before
  double owed = 0;                                             // overheads of older receives that nobody has waited for yet
  collective::StepKind waits = collective::StepKind::wait_all; // in wait_steps: for which
  std::uint32_t context = 0;
  std::uint32_t tag = 0; // which call of the communicator this is
  double began = 0;      // when the call was entered
  trace::CollectiveKind kind{};
  int root = 0;                         // communicator rank
  bool works = false;                   // Communicators::take_work() is still to come
  std::optional<collective::Cost> cost; // by a closed formula: there are no steps
  int rank = 0;                         // in the communicator
  int remote_from = 0;                  // peers from here on are ranks of the remote group
  std::shared_ptr<const trace::Communicator> communicator;
};

struct alignas(64) Strand { // its first cache line is all that a message that arrives touches
  double clock = 0;         // its own virtual time
  double entered = 0;       // when it entered the present call
  double posted = 0;        // when its message was posted, or it began to wait
  double ready = 0;         // the latest time at which one of its partners was there
  double busy_until = 0;    // end of the overheads paid for receives that this call completed
  double called_until = -1; // when the last call that posted a send was over; of a rank's main strand, for all of the rank
  std::uint32_t rank = 0;
  std::uint32_t timeline = kNone;  // kNone: runs beside the timelines
  std::uint32_t completes = kNone; // the request of a non-blocking collective that this strand plays
  std::uint32_t outstanding = 0;   // what it waits for now
  Stage stage = Stage::next;
  bool started = false;    // its clock runs: MPI_Init has returned
  bool finalized = false;  // ended by MPI_Finalize
  bool main = false;       // the main timeline of its rank
  bool poll_given = false; // it is in a poll whose cost the platform gives
  trace::Operation operation;
  Saving saving = Saving::none;
  double pace = 1.0;            // how many times as long work inside the call takes
  double look_s = 0.0;          // it works while it waits, and looks so often (polls.h); 0: all the time
  double transition = 0.0;      // of its core's state, when the call begins and when it ends
  bool came_late = false;       // others have gone on while it was away (away.h)
  bool answered_ahead = false;  // its program knows already that the poll finds nothing (polls_ahead.h)
  std::uint64_t polls_left = 0; // of a row of polls of which `operation` is a part: those that come after it
  MatchKey sent;                // of its last message
  LastCall last_call;
  std::unique_ptr<SchedulePlay> play;
};

// Strands by index. They never move, and neighbours lie side by side.
class Strands {
public:
  Strand& emplace_back() {
    if (size_ % kPiece == 0) pieces_.push_back(std::make_unique<Strand[]>(kPiece));
    return (*this)[size_++];
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  Strand& operator[](std::size_t index) { return pieces_[index / kPiece][index % kPiece]; }
  const Strand& operator[](std::size_t index) const { return pieces_[index / kPiece][index % kPiece]; }

private:
  static constexpr std::size_t kPiece = 64;
  std::vector<std::unique_ptr<Strand[]>> pieces_;
  std::size_t size_ = 0;
};

} // namespace farcast::sim
