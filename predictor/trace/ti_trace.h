// Time-independent traces as timelines: what each rank did, without times, in lines `RANK action
// arguments`.
//
// In: files in SimGrid's format, or with the extensions of ti_trace.md. Out: operations;
// computation is flops / speed of the rank's host. All actions of SimGrid 3.32, with its meanings:
// an argument of `init` makes DOUBLE the default type instead of BYTE, a negative receive count is
// a probe first, waitall takes whatever is pending, a reduction's flops come after its messages.
// `location` names the call site of the calls behind it.
// Invariants: (1) the first thing that cannot be read, or that contradicts another rank, ends all
// timelines and is in error(); (2) `next` uses the memory of the operation that it is given: a
// usual line allocates nothing.
// Threads: one reader. Source: SimGrid 3.32, src/smpi/internals/smpi_replay.cpp.
#pragma once

#include "predictor/trace/operation.h"
#include "predictor/trace/ti_actions.h"
#include "predictor/trace/ti_lines.h"
#include "predictor/trace/ti_names.h"
#include "predictor/trace/ti_requests.h"
#include "predictor/trace/ti_words.h"
#include "predictor/trace/waiting_lines.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace farcast::trace {

class TiTimelines final : public Timelines {
public:
  // flops_per_second[rank]: of the core that the rank runs on; none: computation comes in flops,
  // test_cost counts tests, and who reads it makes them seconds (flops()). test_cost: what a test
  // takes.
  TiTimelines(const TiTraceFiles& files, std::vector<double> flops_per_second, base::Seconds test_cost);

  [[nodiscard]] int ranks() const override { return static_cast<int>(states_.size()); }
  [[nodiscard]] int timelines() const override { return ranks(); }
  [[nodiscard]] int rank_of(int timeline) const override { return timeline; }
  bool next(int timeline, Operation& out) override;
  void fetch(int timeline) const override;

  // Returns: where computation comes in flops, the parts that the operation that next() gave last
  // has of them, if several: in seconds each of them is rounded.
  [[nodiscard]] const std::vector<double>& flops() const { return flops_; }

  // The first error: a sentence with file, line and rank. Empty: none.
  [[nodiscard]] const std::string& error() const { return error_; }
  // Where a rank stands: "file:line".
  [[nodiscard]] std::string place(int rank) const;
  [[nodiscard]] bool ended(int rank) const { return states_[static_cast<std::size_t>(rank)].finalized; }
  // Call sites, [Operation::site]: "file:line" of a location; the first is the trace itself.
  [[nodiscard]] const std::vector<std::string>& sites() const { return sites_; }
  // (site, site), [Operation::region].
  [[nodiscard]] const std::vector<std::pair<std::uint32_t, std::uint32_t>>& regions() const { return regions_; }

private:
  struct State {
    double pending_s = 0; // computation before the next operation
    double default_size = 1;
    double flops_per_second = 1;
    std::vector<double> flops; // in_flops_: the parts of pending_s that are not 0
    std::uint64_t line = 0;
    std::uint32_t last_id = 0;
    std::uint32_t world_calls = 0; // collectives of all ranks so far
    std::uint32_t site = 0;        // of the location that was named last
    std::uint32_t last_site = 0;   // of the operation before
    bool initialized = false;
    bool finalized = false;
    TiRequests requests;
    std::unique_ptr<TiNames> names; // null: the trace has used none
    std::vector<Operation> more;    // of the line at hand, behind its first
    std::size_t taken = 0;          // of `more`
  };
  // The line at hand.
  struct Action {
    TiWords words;
    std::string_view name;
    const TiAction* what = nullptr;
    std::size_t index = 0;
    std::size_t rank = 0;
    TiCommunicator* communicator = nullptr; // null: all ranks
    std::vector<std::uint32_t> numbers;     // #5,6
    bool beside = false;                    // non-blocking
    bool persistent = false;
    bool ordered = false;
    bool in_place = false;
    [[nodiscard]] std::size_t arguments() const { return words.size() - 2; }
    [[nodiscard]] const TiWord& argument(std::size_t i) const { return words[i + 2]; }
  };
  // A collective that some of its members have called.
  struct OpenCall {
    std::size_t action = 0;
    bool beside = false;
    int root = 0;
    std::size_t rank = 0;
    std::uint64_t line = 0;
    std::size_t entered = 0;
  };

  // ti_timelines.cpp: from line to action.
  bool read_line(std::size_t rank);
  bool take_shared(std::size_t rank);
  bool next_shared();
  void check_end(std::size_t rank);
  bool act(std::size_t rank, Operation& out);
  bool understand(std::string_view word);
  bool read_modifiers(std::string_view modifiers);
  Operation& prepare(State& state, OperationKind kind, Operation& out);
  std::uint32_t region_of(State& state);
  Operation& also(State& state, OperationKind kind);
  void fail(std::size_t rank, const std::string& what);
  void fail(const std::string& what) { fail(action_.rank, what); }
  [[nodiscard]] TiNames& names(State& state) const;

  // ti_arguments.cpp: words as what they stand for.
  void compute(State& state, double flops) {
    state.pending_s += flops / state.flops_per_second;
    if (in_flops_ && flops != 0) state.flops.push_back(flops);
  }
  // The computation before an operation that is none is before the next.
  void put_back(State& state, const Operation& operation) {
    state.pending_s += operation.compute.value();
    if (in_flops_) state.flops.swap(flops_);
  }
  // The usual word is a plain integer; what is odd about others is found out of line.
  bool expect(std::size_t least, std::size_t most) {
    const std::size_t found = action_.arguments();
    return (found >= least && found <= most) || refuse_count(least, most);
  }
  double number(std::size_t index) {
    const TiWord& word = action_.argument(index);
    return word.whole ? static_cast<double>(word.value) : odd_number(index);
  }
  double count(std::size_t index) {
    const TiWord& word = action_.argument(index);
    return word.whole ? static_cast<double>(word.value) : odd_count(index);
  }
  int tag(std::size_t index) {
    const TiWord& word = action_.argument(index);
    return word.whole && word.value <= INT32_MAX ? static_cast<int>(word.value) : odd_tag(index);
  }
  // A rank of the communicator -> its world rank.
  int rank_at(std::size_t index) {
    const TiWord& word = action_.argument(index);
    const bool plain = action_.communicator == nullptr && word.whole && static_cast<std::size_t>(word.value) < states_.size();
    return plain ? static_cast<int>(word.value) : odd_rank(index);
  }
  // Bytes of an element of the datatype whose number stands there.
  double type_size(const State& state, std::size_t index) {
    return index >= action_.arguments() ? state.default_size : listed_size(index);
  }
  bool refuse_count(std::size_t least, std::size_t most);
  double odd_number(std::size_t index);
  double odd_count(std::size_t index);
  int odd_tag(std::size_t index);
  int odd_rank(std::size_t index);
  int root_at(std::size_t index);
  double listed_size(std::size_t index);
  std::shared_ptr<const std::vector<double>> list(std::size_t first, std::size_t count, double size);
  bool group_at(std::size_t first, std::size_t last, std::vector<int>& members);

  // ti_messages.cpp, ti_collectives.cpp: each puts the line's first operation into `out`. Returns:
  // whether there is one.
  bool act_on(State& state, Operation& out);
  bool act_on_send(State& state, Operation& out);
  bool act_on_receive(State& state, Operation& out);
  bool act_on_exchange(State& state, Operation& out);
  bool act_on_wait(State& state, Operation& out);
  bool act_on_wait_all(State& state, Operation& out);
  bool act_on_numbers(State& state, Operation& out);
  bool act_on_start(State& state, Operation& out);
  bool act_on_transfer(State& state, Operation& out);
  bool act_on_lock(State& state, Operation& out);
  bool act_on_location(State& state);
  bool act_on_communicator(State& state);
  bool finish(State& state, Operation& out);
  void name_request(State& state, Operation& operation, int source, int destination, int tag);
  bool put_aside(State& state, const Operation& operation, double flops);
  bool act_on_collective(State& state, Operation& out);
  bool describe(State& state, Collective& described, double& flops);
  bool describe_lists(State& state, Collective& described, double& flops);
  bool describe_neighbors(Collective& described);
  bool agree(State& state, const Collective& described);
  [[nodiscard]] std::size_t members() const;

  std::vector<TiLines> files_;            // [rank], or a single one
  std::shared_ptr<const TraceCopy> copy_; // what files_ reads, when it came through a pipe
  bool shared_;
  bool in_flops_;
  std::vector<double> flops_; // of the operation at hand
  std::vector<State> states_;
  std::size_t finalized_ = 0; // ranks that have ended
  WaitingLines waiting_;      // shared trace: lines read for other ranks
  std::shared_ptr<const Communicator> world_;
  TiCommunicatorRegistry registry_;
  std::unordered_map<std::uint64_t, OpenCall> open_calls_; // communicator << 32 | its how-manieth
  std::shared_ptr<const Collective> last_described_;       // ranks call the same: one object for all of them
  std::vector<std::string> sites_{"trace"};
  std::map<std::string, std::uint32_t, std::less<>> site_numbers_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> regions_{{0, 0}};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> region_numbers_{{{0, 0}, 0}};
  std::vector<std::uint16_t> functions_; // [2 * action + beside]: its number in the function table
  base::Seconds test_cost_;
  Action action_;
  std::string line_;
  std::string error_;
};

// Makes `out` an operation of this kind, with the computation before it.
inline Operation& TiTimelines::prepare(State& state, OperationKind kind, Operation& out) {
  const std::shared_ptr<const Communicator>& communicator = action_.communicator ? action_.communicator->shared : world_;
  if (out.communicator != communicator) out.communicator = communicator;
  if (out.collective != nullptr) out.collective = nullptr;
  out.requests.clear();
  out.compute = base::Seconds(std::exchange(state.pending_s, 0.0));
  if (in_flops_) {
    flops_.swap(state.flops);
    state.flops.clear();
  }
  out.alone_share = 1.0;
  out.measured = base::Seconds(0.0);
  out.times = 1;
  out.site = state.site;
  out.region = (state.site | state.last_site) == 0 ? 0 : region_of(state);
  out.function = functions_[2 * action_.index + (action_.beside ? 1 : 0)];
  out.kind = kind;
  out.mode = SendMode::standard;
  out.lock = Lock::none;
  out.polled = false;
  out.peer = out.receive_peer = kProcNull;
  out.tag = out.receive_tag = 0;
  out.bytes = 0;
  out.reply_bytes = kNoReply;
  out.request = 0;
  return out;
}

} // namespace farcast::trace
