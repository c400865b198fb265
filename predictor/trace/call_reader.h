// Slots -> calls: puts one call's own slot and its extensions together, and unfolds rows of
// repeated calls.
//
// In: a cursor on one thread's stream. Out: calls in order, each complete. Definitions (members of
// communicators, stacks) come with the call that they arrived with, and are valid from then on.
#pragma once

#include "libinterpose/stream/record.h"
#include "predictor/trace/slot_stream.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace farcast::trace {

struct GroupDefinition {
  std::uint32_t comm = 0;
  stream::SlotKind kind = stream::SlotKind::members;
  std::vector<int> ranks;
};

struct RecordedCall {
  stream::CallSlot slot{};
  bool bare = true; // all that follows is empty
  std::vector<std::uint64_t> handles;
  std::vector<std::uint64_t> restarted; // MPI_Startall: its handles afterwards, where it changed any
  std::vector<double> send_counts;
  std::vector<double> receive_counts;
  std::vector<stream::StatusEntry> statuses;
  std::vector<std::uint32_t> indices;
  std::vector<std::uint64_t> stack;
  std::vector<std::uint64_t> counters; // of the region before the call, [event]
  std::vector<GroupDefinition> groups;
  std::optional<std::vector<int>> group; // that the call itself names; world ranks
  std::optional<stream::ReceiveHalf> receive_half;
  std::optional<std::uint64_t> region_cpu_ns;
  std::optional<stream::Aside> region_aside;
  std::optional<stream::Aside> call_aside;
  std::optional<stream::Others> region_others;
  std::optional<stream::Others> call_others;
  std::optional<std::uint64_t> ticket;
  std::optional<std::uint64_t> message;
  std::optional<stream::Fold> fold;
  double fold_aside_s = 0; // what others had of the row's polls, which is not in its duration
  bool has_send_counts = false;
  bool has_receive_counts = false;
  bool has_statuses = false;
};

// Repeated calls that follow one: they have its arguments, and neither lists nor outcomes of their
// own.
struct Repetitions {
  struct Times { // ticks: each of the calls takes `least`, the first `longer` of them one more
    std::uint64_t least = 0;
    std::uint64_t longer = 0;
  };
  std::uint64_t calls = 0;
  Times compute; // before each of them
  Times in;
  std::span<const std::uint64_t> started; // [call] the request that it started; empty: none
};

// Returns: whether its receive half, beside a send, takes what comes first.
inline bool receives_from_anybody(const RecordedCall& call) {
  return call.receive_half && call.receive_half->source == stream::kAnyPeer;
}

// Returns: what is left of ticks when `less` of them are taken out.
inline std::uint64_t beyond(std::uint64_t ticks, std::uint64_t less) { return ticks > less ? ticks - less : 0; }

// Returns: false for a call that the end of a truncated stream left without results.
inline bool returned(const RecordedCall& call) { return call.slot.result != 0; }

// Returns: seconds that a region or call took, less what others took from it and what reading that took.
inline double without(double time_s, const std::optional<stream::Aside>& aside) {
  if (!aside) return time_s;
  return std::max(time_s - (static_cast<double>(aside->ns) + static_cast<double>(aside->own_ns)) * 1e-9, 0.0);
}

// A receive whose source or tag only its outcome tells.
inline bool is_wildcard(int source, int tag) {
  return source == stream::kAnyPeer || (tag == stream::kAnyTag && source != stream::kNoPeer);
}

class CallReader {
public:
  // `world_size`: of the job, which bounds the groups that one slot may claim to hold; 0: unknown.
  // `reading`: fetching: calls of a coupled run come in two, the announcement and what came of it;
  // otherwise as one.
  explicit CallReader(const SlotStream& stream, int world_size = 0, Reading reading = Reading::at_once);
  // Puts the next call into `out`. Blocks while the stream is open and holds no complete call.
  // Returns: false at the end.
  bool next(RecordedCall& out);
  // Returns: how many calls repeat the one that next() gave last, which is a repetition itself;
  // they come next, one by one or by take_repetitions().
  [[nodiscard]] std::uint64_t repetitions() const { return repetition_ == 0 ? 0 : row_.calls - repetition_; }
  [[nodiscard]] bool repetitions_start() const { return !started_.empty(); } // requests
  // Requires: repetitions() > 0. Returns: them, valid until next(), which goes on behind them.
  Repetitions take_repetitions();
  [[nodiscard]] std::uint64_t slots_read() const { return slots_read_; }
  // SlotCursor::has_come(), of next().
  [[nodiscard]] bool has_come(bool waits) const { return at_ < window_.size() || cursor_.has_come(waits); }
  // A slot that cannot be: the call before it was the last one.
  [[nodiscard]] bool corrupt() const { return corrupt_; }

private:
  const stream::Slot* take();
  bool read(RecordedCall& out);
  // Returns: whether the slot is the result half of `call`, which has it now.
  bool add_answer(const stream::CallSlot& slot, RecordedCall& call) const;
  void open_row(const RecordedCall& call);
  void repeat(RecordedCall& out);
  [[nodiscard]] Repetitions::Times rest_of(std::uint64_t sum, std::uint64_t most) const;
  void keep_requests(RecordedCall& call);
  void add(const stream::ExtensionSlot& extension, RecordedCall& call);
  static bool add_list(const stream::ExtensionSlot& extension, RecordedCall& call);
  void add_handles(const stream::ExtensionSlot& extension, std::vector<std::uint64_t>& handles);
  void add_definition(const stream::ExtensionSlot& extension, RecordedCall& call);
  void add_row(const stream::ExtensionSlot& extension);
  void add_ranges(const stream::ExtensionSlot& extension, std::vector<int>& ranks);
  void start(RecordedCall& call, const stream::CallSlot& slot);

  SlotCursor cursor_;
  std::size_t most_ranks_;  // of one group
  bool announced_;          // announcements are calls of their own
  std::size_t defined_ = 0; // ranks of all communicators so far
  std::span<const stream::Slot> window_;
  std::size_t at_ = 0;
  std::uint64_t slots_read_ = 0;
  std::optional<stream::CallSlot> pending_;   // the call whose extensions are being collected
  std::vector<GroupDefinition> early_groups_; // definitions before the first call
  RecordedCall early_;                        // where extensions before the first call go
  // The requests of the last fruitless polls, oldest first: a repetition of one of them comes
  // without its own.
  struct OpenPoll {
    stream::CallSlot slot{};
    std::vector<std::uint64_t> requests;
  };
  std::vector<OpenPoll> open_polls_;
  // The row behind the call that was read last: what it holds, and what is left of it.
  stream::Row row_{};
  std::vector<std::uint64_t> started_;
  stream::CallSlot repeated_{};
  // How many of its calls were given.
  std::uint64_t repetition_ = 0;
  std::vector<std::uint64_t> known_handles_ = std::vector<std::uint64_t>(stream::kKnownHandles); // [place]
  bool corrupt_ = false;
};

} // namespace farcast::trace
