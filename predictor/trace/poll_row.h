// Polls of one thread (Test, Iprobe and their like) with nothing but polls and local calls between
// them: is it waiting, or work?
//
// In: fruitless polls and the local calls among them, as operations; then the poll that found
// something, or whatever else comes.
// Out: the operations, in few, to be played before what comes next. Waiting are the polls from the
// first one on that asks for what was found in the end, if there is less computation between two of
// them, on average, than a poll takes. They keep no time of their own: the operation that found
// something waits in their place. All others keep what they took and what lay between. Local calls
// (MPI_Wtime, MPI_Comm_rank) do not end the row; they are computation as far as they take longer
// than a poll. A program that works between two polls finds what comes when it looks next: how long
// it works is learnt per call site, for what comes later elsewhere than it did here.
// Bounded: operations of one call site are one, up to the first poll that asks for something new;
// kMostParts of those are kept.
// Threads: one owner. Source: Heinrich17 V-C.
#pragma once

#include "predictor/trace/call_reader.h"
#include "predictor/trace/operation.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace farcast::trace {

class PollRow {
public:
  static constexpr std::size_t kMostParts = 4096;
  struct Held {
    Operation operation;
    std::uint64_t from = 0; // ticks: its computation lies from..to; equal: it has none
    std::uint64_t to = 0;
  };

  [[nodiscard]] bool empty() const { return operations_.empty(); }
  // What there is has to be taken out before the next poll.
  [[nodiscard]] bool full() const { return parts_.size() >= kMostParts; }
  // One fruitless poll or several: `compute` lay before and between them, `measured` was spent in them.
  void add_poll(const RecordedCall& call, Held poll);
  // A call that does not end the row.
  void add_call(Held call);
  // A poll at `site` has found something, `compute` after the last call. Returns: whether the row
  // was waiting for that.
  bool end(const RecordedCall& found, std::uint32_t site, base::Seconds compute);
  // Returns: how long the program works between two polls of the site that found something at last,
  // in the mean so far; 0 where it only polls, or none has been in vain yet.
  [[nodiscard]] base::Seconds between_looks(std::uint32_t site) const;
  // Returns: the operations; the row is empty then.
  std::vector<Held> take();
  // Returns: what one poll takes, where a call that found something took `measured`: the rest was
  // handling of what came.
  [[nodiscard]] base::Seconds of_one(base::Seconds measured) const;

private:
  struct Sums { // of the row so far
    double compute = 0;
    double in_polls = 0;
    double in_calls = 0;
    double polls = 0;
    double calls = 0;
  };
  struct Part { // from the first poll that asks for something on
    Sums before;
    std::size_t first = 0;    // in operations_
    base::Seconds compute{0}; // before its first poll
    std::uint64_t from = 0;
    std::uint64_t to = 0;
  };
  struct Looks { // of a site, in rows that ended there
    double between = 0;
    double in_polls = 0;
    double polls = 0;
  };
  void add(Held held);

  std::vector<Held> operations_;
  std::vector<Part> parts_;
  std::unordered_map<std::uint64_t, std::size_t> part_of_; // what is asked for -> in parts_
  std::unordered_map<std::uint32_t, Looks> looks_;         // [site]
  Sums sums_;
  double polls_ever_ = 0; // fruitless ones of this thread
  double in_polls_ever_ = 0;
};

} // namespace farcast::trace
