// What happens on one rank of a time line, event by event: it enters and leaves computation, calls and
// the waiting inside them, and sends and receives messages.
//
// Invariants: (1) times never descend; (2) what was entered last is left first; (3) at one instant:
// what is received comes first, then what is left, then what is entered, then what is sent, last
// what is received at the instant that it was sent at. Threads: one.
#pragma once

#include "predictor/timeline/time_line.h"

#include <optional>
#include <vector>

namespace farcast::timeline {

struct Slice {
  enum class Kind : std::uint8_t { compute, call, waiting, ended };
  Kind kind = Kind::compute;
  sim::Activity activity = sim::Activity::compute;
  std::uint32_t site = 0;   // of the call; of computation: that it leads to
  std::uint32_t region = 0; // of computation
};

// Returns: what tells slices of one time line that have one name from others.
constexpr std::uint64_t key_of(const Slice& slice) {
  const std::uint32_t index = slice.kind == Slice::Kind::compute ? slice.region
                              : slice.kind == Slice::Kind::call  ? slice.site
                                                                 : 0;
  return static_cast<std::uint64_t>(slice.kind) << 40 | static_cast<std::uint64_t>(slice.activity) << 32 | index;
}

struct Event {
  enum class Kind : std::uint8_t { received, leave, enter, sent, received_at_once }; // in their order at one instant
  double time = 0;
  Kind kind = Kind::enter;
  Slice slice{};     // entered or left
  Message message{}; // sent or received
};

class Track {
public:
  Track(const TimeLine& line, std::size_t rank)
      : intervals_(line.intervals, rank), sent_(line.sent, rank), received_(line.received, rank) {}
  // Returns: false at the end.
  bool next(Event& out);

private:
  void fill();
  void read_slices();

  RecordFile<Interval>::Reader intervals_;
  RecordFile<Message>::Reader sent_;
  RecordFile<Message>::Reader received_;
  std::optional<Interval> ahead_;
  bool begun_ = false;
  std::optional<Slice> call_; // that is open
  std::vector<Event> slices_; // of the interval at hand, from `at_` on
  std::size_t at_ = 0;
  std::optional<Event> next_sent_;
  std::optional<Event> next_received_;
};

} // namespace farcast::timeline
