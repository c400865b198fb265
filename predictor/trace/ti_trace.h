// SimGrid's time-independent traces as timelines: what each rank did, without times, in lines `RANK action arguments`.
//
// In: the index file that smpirun's -replay takes (a file per rank, one path per line), or a trace that holds the lines of all
// ranks. Out: operations; computation is flops / speed of the rank's host. All actions of SimGrid 3.32, with its meanings: an
// argument of `init` makes DOUBLE the default type instead of BYTE, a negative receive count is a probe first, waitall takes
// whatever is pending, a reduction's flops come after its messages. Communicator actions mean nothing there and here.
// Invariants: (1) files are read in pieces, the same bytes whatever their number (thousands are closed between pieces);
// (2) the first thing that cannot be read ends all timelines and is in error().
// Threads: one reader. Source: SimGrid 3.32, src/smpi/internals/smpi_replay.cpp.
#pragma once

#include "predictor/base/result.h"
#include "predictor/trace/operation.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace farcast::trace {

struct TiTraceFiles {
  std::vector<std::string> paths; // [rank]; a single one for all when `shared`
  int ranks = 0;
  bool shared = false;
};

// Errors: unreadable, no ranks, a line that is neither a file nor an action.
base::Result<TiTraceFiles> find_ti_trace(const std::string& path);

// Lines of a file, read in pieces.
class TiLines {
public:
  TiLines(std::string path, std::size_t piece, bool keep_open) : path_(std::move(path)), piece_(piece), keep_open_(keep_open) {}
  TiLines(TiLines&& other) noexcept;
  TiLines& operator=(TiLines&&) = delete;
  TiLines(const TiLines&) = delete;
  TiLines& operator=(const TiLines&) = delete;
  ~TiLines();
  // Puts the next line, valid until the next call, into `line`. Returns: false at the end, or when error() says something.
  bool next(std::string_view& line);
  [[nodiscard]] std::uint64_t number() const { return number_; } // of the last line
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& error() const { return error_; }

private:
  bool fill();
  std::string path_;
  std::size_t piece_;
  std::size_t at_ = 0; // in the buffer
  std::string buffer_;
  std::string error_;
  std::uint64_t offset_ = 0; // of the buffer's end in the file
  std::uint64_t number_ = 0;
  int file_ = -1;
  bool keep_open_;
  bool ended_ = false;
};

// Requests that an action named by (source, destination, tag); the oldest goes first.
class TiRequests {
public:
  void add(int source, int destination, int tag, std::uint32_t id);
  // Returns: 0 when there is none.
  std::uint32_t take(int source, int destination, int tag);
  // Returns: all that is left, oldest first.
  std::vector<std::uint32_t> take_all();
  [[nodiscard]] bool empty() const { return live_ == 0; }

private:
  struct Entry {
    int source, destination, tag;
    std::uint32_t id; // 0: taken
  };
  std::vector<Entry> entries_;
  std::size_t first_ = 0; // entries before it are taken
  std::size_t live_ = 0;
};

class TiTimelines final : public Timelines {
public:
  // flops_per_second[rank]: of the core that the rank runs on. test_cost: what a test takes.
  TiTimelines(const TiTraceFiles& files, std::vector<double> flops_per_second, base::Seconds test_cost);

  [[nodiscard]] int ranks() const override { return static_cast<int>(states_.size()); }
  [[nodiscard]] int timelines() const override { return ranks(); }
  [[nodiscard]] int rank_of(int timeline) const override { return timeline; }
  bool next(int timeline, Operation& out) override;

  // The first error: a sentence with file, line and rank. Empty: none.
  [[nodiscard]] const std::string& error() const { return error_; }
  // Where a rank stands: "file:line".
  [[nodiscard]] std::string place(int rank) const;
  [[nodiscard]] bool ended(int rank) const { return states_[static_cast<std::size_t>(rank)].finalized; }

private:
  struct State {
    double pending_s = 0; // computation before the next operation
    double default_size = 1;
    double flops_per_second = 1;
    std::uint32_t last_id = 0;
    std::uint64_t line = 0;
    TiRequests requests;
    std::vector<Operation> queue; // of the line at hand: two at most
    std::size_t taken = 0;        // of them
    bool finalized = false;
  };
  // One action's words with what is needed to read them as numbers.
  struct Action {
    int rank = 0;
    std::string_view name;
    std::vector<std::string_view> words; // behind the name
  };

  bool read_line(std::size_t rank, std::string_view& line);
  bool take_shared(std::size_t rank, std::string_view& line);
  void act(std::size_t rank, std::string_view line);
  bool act_on_messages(State& state, const Action& action);
  bool act_on_requests(State& state, const Action& action);
  bool act_on_collectives(State& state, const Action& action);
  bool act_on_lists(State& state, const Action& action);
  Operation& push(State& state, OperationKind kind, std::string_view mpi_name);
  Collective& push_collective(State& state, CollectiveKind kind, std::string_view mpi_name);
  void finish(State& state);

  bool expect(const Action& action, std::size_t least, std::size_t most);
  double number(const Action& action, std::size_t index);
  double count(const Action& action, std::size_t index);
  int rank_at(const Action& action, std::size_t index, bool optional_root = false);
  double type_size(const State& state, const Action& action, std::size_t index);
  std::shared_ptr<const std::vector<double>> list(const Action& action, std::size_t first, double size);
  void fail(std::size_t rank, const std::string& what);

  std::vector<TiLines> files_; // [rank], or a single one
  bool shared_;
  std::vector<State> states_;
  std::vector<std::deque<std::pair<std::uint64_t, std::string>>> waiting_; // shared trace: lines read for other ranks
  std::shared_ptr<const Communicator> world_;
  base::Seconds test_cost_;
  Action action_; // scratch
  std::string line_;
  std::string error_;
};

} // namespace farcast::trace
