// TI traces: lines to operations, rank by rank.
#include "predictor/trace/ti_trace.h"

#include "predictor/trace/function_info.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <numeric>

namespace farcast::trace {

namespace {

constexpr std::size_t kOpenFiles = 512;                     // beyond it files are closed between pieces
constexpr std::size_t kBuffers = std::size_t{64} << 20;     // of all files together
constexpr std::size_t kLargestPiece = std::size_t{1} << 16; // of one
constexpr std::size_t kSmallestPiece = 1024;

// The names are string literals of ti_actions.cpp, so their addresses tell them apart.
std::uint16_t function_number(std::string_view name) {
  static thread_local std::vector<std::pair<const char*, std::uint16_t>> known;
  for (const auto& [address, number] : known) {
    if (address == name.data()) return number;
  }
  const std::vector<FunctionInfo>& infos = function_infos();
  std::uint16_t number = 0;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) number = static_cast<std::uint16_t>(i);
  }
  known.emplace_back(name.data(), number);
  return number;
}

} // namespace

TiTimelines::TiTimelines(const TiTraceFiles& files, std::vector<double> flops_per_second, base::Seconds test_cost)
    : shared_(files.shared), states_(static_cast<std::size_t>(files.ranks)), test_cost_(test_cost) {
  const std::size_t count = files.paths.size();
  const std::size_t piece = std::clamp(kBuffers / std::max<std::size_t>(count, 1), kSmallestPiece, kLargestPiece);
  files_.reserve(count);
  for (const std::string& path : files.paths) files_.emplace_back(path, piece, count <= kOpenFiles);
  for (std::size_t rank = 0; rank < states_.size(); ++rank)
    states_[rank].flops_per_second = rank < flops_per_second.size() ? flops_per_second[rank] : 1.0;
  if (shared_) waiting_.resize(states_.size());
  auto world = std::make_shared<Communicator>();
  world->members.resize(states_.size());
  std::iota(world->members.begin(), world->members.end(), 0);
  world_ = std::move(world);
}

std::string TiTimelines::place(int rank) const {
  const TiLines& file = files_[shared_ ? 0 : static_cast<std::size_t>(rank)];
  return fmt::format("{}:{}", file.path(), states_[static_cast<std::size_t>(rank)].line);
}

void TiTimelines::fail(std::size_t rank, const std::string& what) {
  if (error_.empty()) error_ = fmt::format("{}: rank {}: {}", place(static_cast<int>(rank)), rank, what);
}

bool TiTimelines::next(int timeline, Operation& out) {
  const auto rank = static_cast<std::size_t>(timeline);
  State& state = states_[rank];
  if (state.taken == state.queue.size()) {
    state.queue.clear();
    state.taken = 0;
  }
  while (state.queue.empty() && !state.finalized && error_.empty()) {
    std::string_view line;
    if (!read_line(rank, line)) {
      if (error_.empty()) fail(rank, "the trace ends without finalize: it was cut short");
      break;
    }
    act(rank, line);
  }
  if (!error_.empty() || state.queue.empty()) return false;
  out = std::move(state.queue[state.taken++]);
  return true;
}

// Puts the next line of that rank that says something into `line`. Returns: false at the end.
bool TiTimelines::read_line(std::size_t rank, std::string_view& line) {
  if (shared_) return take_shared(rank, line);
  TiLines& file = files_[rank];
  const bool there = file.next(line);
  if (there) states_[rank].line = file.number();
  if (!there && !file.error().empty() && error_.empty()) error_ = file.error();
  return there;
}

bool TiTimelines::take_shared(std::size_t rank, std::string_view& line) {
  TiLines& file = files_.front();
  auto& mine = waiting_[rank];
  while (mine.empty()) {
    std::string_view read;
    if (!file.next(read)) {
      if (!file.error().empty() && error_.empty()) error_ = file.error();
      return false;
    }
    std::size_t owner = 0;
    const std::size_t first = read.find_first_not_of(" \t");
    const char* begin = read.data() + std::min(first, read.size());
    const auto [end, problem] = std::from_chars(begin, read.data() + read.size(), owner);
    if (problem != std::errc() || owner >= states_.size()) continue; // blank lines and comments
    waiting_[owner].emplace_back(file.number(), std::string(read));
  }
  states_[rank].line = mine.front().first;
  line_ = std::move(mine.front().second);
  mine.pop_front();
  line = line_;
  return true;
}

// Splits a line and lets the group that knows its action translate it.
void TiTimelines::act(std::size_t rank, std::string_view line) {
  action_.words.clear();
  std::string_view who;
  action_.name = {};
  for (std::size_t at = 0; at < line.size();) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    std::size_t first = at;
    while (first < line.size() && blank(line[first])) ++first;
    if (first == line.size()) break;
    std::size_t end = first;
    while (end < line.size() && !blank(line[end])) ++end;
    const std::string_view word = line.substr(first, end - first);
    at = end;
    if (who.empty())
      who = word;
    else if (action_.name.empty())
      action_.name = word;
    else
      action_.words.push_back(word);
  }
  if (who.empty() || who.front() == '#') return;
  long named = -1;
  const auto [end, problem] = std::from_chars(who.data(), who.data() + who.size(), named);
  if (problem != std::errc() || end != who.data() + who.size() || named != static_cast<long>(rank))
    return fail(rank, fmt::format("found '{:.60}', expected the rank {} at the start of its line", who, rank));
  if (action_.name.empty()) return fail(rank, "the line has no action");
  action_.rank = static_cast<int>(rank);
  State& state = states_[rank];
  const bool known = act_on_messages(state, action_) || act_on_requests(state, action_) || act_on_collectives(state, action_) ||
                     act_on_lists(state, action_);
  if (!known) fail(rank, fmt::format("the action '{:.60}' is unknown", action_.name));
}

Operation& TiTimelines::push(State& state, OperationKind kind, std::string_view mpi_name) {
  Operation& operation = state.queue.emplace_back();
  operation.kind = kind;
  operation.function = function_number(mpi_name);
  operation.compute = base::Seconds(std::exchange(state.pending_s, 0.0));
  operation.communicator = world_;
  return operation;
}

bool TiTimelines::expect(const Action& action, std::size_t least, std::size_t most) {
  const std::size_t found = action.words.size();
  if (found >= least && found <= most) return true;
  fail(static_cast<std::size_t>(action.rank),
       least == most ? fmt::format("{} has {} arguments, expected {}", action.name, found, least)
                     : fmt::format("{} has {} arguments, expected {} to {}", action.name, found, least, most));
  return false;
}

double TiTimelines::number(const Action& action, std::size_t index) {
  const std::string_view word = action.words[index];
  if (word.size() <= 15) { // nearly all are plain integers, exact as doubles
    std::int64_t whole = 0;
    std::size_t digits = 0;
    while (digits < word.size() && word[digits] >= '0' && word[digits] <= '9') whole = whole * 10 + (word[digits++] - '0');
    if (digits == word.size()) return static_cast<double>(whole);
  }
  double value = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem == std::errc() && end == word.data() + word.size() && value - value == 0) return value;
  fail(static_cast<std::size_t>(action.rank),
       fmt::format("argument {} of {} is '{:.60}', expected a number", index + 1, action.name, word));
  return 0;
}

double TiTimelines::count(const Action& action, std::size_t index) {
  const double value = number(action, index);
  if (value >= 0) return static_cast<double>(static_cast<std::int64_t>(std::min(value, 9e18)));
  fail(static_cast<std::size_t>(action.rank),
       fmt::format("argument {} of {} is {}, expected no negative number", index + 1, action.name, value));
  return 0;
}

// A rank of the run; a root that is not given is rank 0.
int TiTimelines::rank_at(const Action& action, std::size_t index, bool optional_root) {
  if (optional_root && index >= action.words.size()) return 0;
  const double value = number(action, index);
  if (value >= 0 && value < static_cast<double>(states_.size()) && value == static_cast<int>(value))
    return static_cast<int>(value);
  if (error_.empty())
    fail(static_cast<std::size_t>(action.rank),
         fmt::format("{} names rank {:.60}, expected 0 to {}", action.name, action.words[index], states_.size() - 1));
  return 0;
}

// Bytes of an element of the datatype whose number stands there (SimGrid 3.32, src/smpi/mpi/smpi_datatype.cpp).
double TiTimelines::type_size(const State& state, const Action& action, std::size_t index) {
  static constexpr double kSizes[] = {8, 4, 1, 2,  8, 4,  1,  8,  1,  1, 2, 4,  8,  8,  16, 4,  1, 1,  2,
                                      4, 8, 1, 2,  4, 8,  8,  16, 32, 8, 8, 8,  16, 16, 8,  8,  8, 16, 16,
                                      4, 4, 8, 16, 8, 16, 16, 4,  2,  4, 8, 16, 32, 1,  8,  16, 32};
  if (index >= action.words.size()) return state.default_size;
  const double value = number(action, index);
  if (value >= 0 && value < static_cast<double>(std::size(kSizes)) && value == static_cast<int>(value))
    return kSizes[static_cast<std::size_t>(value)];
  if (error_.empty())
    fail(static_cast<std::size_t>(action.rank),
         fmt::format("{} has datatype {:.60}, expected 0 to {}", action.name, action.words[index], std::size(kSizes) - 1));
  return 1;
}

// One count per rank, in bytes.
std::shared_ptr<const std::vector<double>> TiTimelines::list(const Action& action, std::size_t first, double size) {
  auto out = std::make_shared<std::vector<double>>();
  out->reserve(states_.size());
  for (std::size_t i = 0; i < states_.size() && error_.empty(); ++i) out->push_back(count(action, first + i) * size);
  return out;
}

} // namespace farcast::trace
