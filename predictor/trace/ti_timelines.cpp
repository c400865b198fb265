// TI traces: from lines to actions, rank by rank.
#include "predictor/trace/ti_trace.h"

#include "predictor/base/fetch_ahead.h"
#include "predictor/trace/function_info.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <numeric>

namespace farcast::trace {

namespace {

constexpr std::size_t kOpenFiles = 512;                     // beyond it files are closed between pieces
constexpr std::size_t kBuffers = std::size_t{4} << 20;      // of all files together
constexpr std::size_t kLargestPiece = std::size_t{1} << 16; // of one
constexpr std::size_t kSmallestPiece = 1024;

constexpr const char* kBehindFinalize = "found a line behind finalize, expected no more of this rank";

std::uint16_t function_number(std::string_view name) {
  const std::vector<FunctionInfo>& infos = function_infos();
  const auto found = std::find_if(infos.begin(), infos.end(), [name](const FunctionInfo& info) { return info.name == name; });
  return found == infos.end() ? std::uint16_t{0} : static_cast<std::uint16_t>(found - infos.begin());
}

bool take_suffix(std::string_view& name, std::string_view suffix) {
  if (name.size() <= suffix.size() || !name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return true;
}

} // namespace

TiTimelines::TiTimelines(const TiTraceFiles& files, std::vector<double> flops_per_second, base::Seconds test_cost)
    : copy_(files.copy), shared_(files.shared), in_flops_(flops_per_second.empty()),
      states_(static_cast<std::size_t>(files.ranks)), test_cost_(test_cost) {
  const std::size_t count = files.paths.size();
  const std::size_t piece = std::clamp(kBuffers / std::max<std::size_t>(count, 1), kSmallestPiece, kLargestPiece);
  files_.reserve(count);
  for (const std::string& path : files.paths)
    files_.emplace_back(path, files.name.empty() ? path : files.name, piece, count <= kOpenFiles,
                        shared_ ? TiPrefix() : TiPrefix(files_.size()));
  for (std::size_t rank = 0; rank < states_.size(); ++rank)
    states_[rank].flops_per_second = rank < flops_per_second.size() ? flops_per_second[rank] : 1.0;
  if (shared_) waiting_ = WaitingLines(states_.size());
  auto world = std::make_shared<Communicator>();
  world->members.resize(states_.size());
  std::iota(world->members.begin(), world->members.end(), 0);
  world_ = std::move(world);
  for (std::size_t i = 0; i < kNoTiAction; ++i) {
    functions_.push_back(function_number(ti_action(i).function));
    functions_.push_back(function_number(ti_action(i).function_beside));
  }
}

std::string TiTimelines::place(int rank) const {
  const TiLines& file = files_[shared_ ? 0 : static_cast<std::size_t>(rank)];
  return fmt::format("{}:{}", file.path(), states_[static_cast<std::size_t>(rank)].line);
}

void TiTimelines::fail(std::size_t rank, const std::string& what) {
  if (error_.empty()) error_ = fmt::format("{}: rank {}: {}", place(static_cast<int>(rank)), rank, what);
}

TiNames& TiTimelines::names(State& state) const {
  if (state.names == nullptr) state.names = std::make_unique<TiNames>();
  return *state.names;
}

bool TiTimelines::next(int timeline, Operation& out) {
  const auto rank = static_cast<std::size_t>(timeline);
  State& state = states_[rank];
  if (state.taken < state.more.size()) {
    if (!error_.empty()) return false;
    out = std::move(state.more[state.taken++]);
    flops_.clear();
    return true;
  }
  if (!state.more.empty()) {
    state.more.clear();
    state.taken = 0;
  }
  while (!state.finalized && error_.empty()) {
    if (!read_line(rank)) {
      if (error_.empty()) fail(rank, "the trace ends without finalize: it was cut short");
      break;
    }
    if (act(rank, out)) return error_.empty();
  }
  return false;
}

void TiTimelines::fetch(int timeline) const {
  const auto rank = static_cast<std::size_t>(timeline);
  base::fetch_lines(states_[rank]);
  if (shared_) waiting_.fetch(rank);
}

// Puts the words of that rank's next line into the action. Returns: false at the end.
bool TiTimelines::read_line(std::size_t rank) {
  if (shared_) return take_shared(rank);
  TiLines& file = files_[rank];
  const bool there = file.next(action_.words);
  if (there)
    states_[rank].line = file.number();
  else if (!file.error().empty() && error_.empty())
    error_ = file.error();
  return there;
}

// Puts the words of the next line of any rank that has not ended into the action. Returns: false at
// the end or an error.
bool TiTimelines::next_shared() {
  TiLines& file = files_.front();
  const TiWords& words = action_.words;
  do {
    if (!file.next(action_.words)) {
      if (!file.error().empty() && error_.empty()) error_ = file.error();
      return false;
    }
  } while (words.size() == 0 || words[0].text[0] == '#');
  const TiWord& owner = words[0];
  if (owner.whole && static_cast<std::size_t>(owner.value) < states_.size()) {
    const auto number = static_cast<std::size_t>(owner.value);
    if (!states_[number].finalized) return true;
    states_[number].line = file.number();
    fail(number, kBehindFinalize);
    return false;
  }
  if (error_.empty()) // not what find_ti_trace saw
    error_ = fmt::format("{}:{}: found '{:.60}' at the start of a line, expected a rank below {}", file.path(), file.number(),
                         owner.view(), states_.size());
  return false;
}

// That rank has ended: nothing may come behind.
void TiTimelines::check_end(std::size_t rank) {
  State& state = states_[rank];
  if (shared_) {
    if (!waiting_.empty(rank)) {
      state.line = waiting_.take(rank, line_);
      fail(rank, kBehindFinalize);
    }
    // Lines of others tell as they come; behind the last finalize nobody asks for them.
    if (finalized_ == states_.size()) next_shared();
    return;
  }
  TiLines& file = files_[rank];
  const TiWords& words = action_.words;
  while (file.next(action_.words)) {
    if (words.size() == 0 || words[0].text[0] == '#') continue;
    state.line = file.number();
    return fail(rank, kBehindFinalize);
  }
  if (!file.error().empty() && error_.empty()) error_ = file.error();
}

bool TiTimelines::take_shared(std::size_t rank) {
  const TiLines& file = files_.front();
  while (waiting_.empty(rank)) {
    if (!next_shared()) return false;
    const TiWords& words = action_.words;
    const TiWord& owner = words[0];
    const auto number = static_cast<std::size_t>(owner.value);
    if (number == rank) {
      states_[rank].line = file.number();
      return true;
    }
    const TiWord& last = words[words.size() - 1];
    waiting_.push(number, file.number(), {owner.text, static_cast<std::size_t>(last.text + last.size - owner.text)});
  }
  states_[rank].line = waiting_.take(rank, line_);
  action_.words.split(line_);
  return true;
}

// Reads a line. Returns: whether it has made an operation.
bool TiTimelines::act(std::size_t rank, Operation& out) {
  Action& action = action_;
  if (action.words.size() == 0 || action.words[0].text[0] == '#') return false;
  action.rank = rank;
  const TiWord& who = action.words[0];
  if (!who.whole || who.value != static_cast<std::int64_t>(rank)) {
    fail(fmt::format("found '{:.60}', expected the rank {} at the start of its line", who.view(), rank));
    return false;
  }
  if (action.words.size() == 1) {
    fail("the line has no action");
    return false;
  }
  action.name = action.words[1].view();
  action.communicator = nullptr;
  action.numbers.clear();
  action.beside = action.persistent = action.ordered = action.in_place = false;
  action.index = find_ti_action(action.name);
  if (action.index == kNoTiAction && !understand(action.name)) return false;
  action.what = &ti_action(action.index);
  return act_on(states_[rank], out);
}

// A name with what ti_trace.md adds to it:
// [i]NAME[_in_place][_ordered][_init][@COMMUNICATOR][#REQUEST,...].
bool TiTimelines::understand(std::string_view word) {
  const std::size_t modifiers = word.find_first_of("@#");
  std::string_view name = word.substr(0, modifiers);
  action_.name = name;
  action_.index = find_ti_action(name);
  if (action_.index == kNoTiAction) {
    action_.persistent = take_suffix(name, "_init");
    action_.ordered = take_suffix(name, "_ordered");
    action_.in_place = take_suffix(name, "_in_place");
    action_.index = find_ti_action(name);
    if (action_.index == kNoTiAction && name.starts_with('i')) {
      action_.index = find_ti_action(name.substr(1));
      action_.beside = action_.index != kNoTiAction && ti_action(action_.index).verb == TiVerb::collective;
      if (!action_.beside) action_.index = kNoTiAction;
    }
  }
  const bool known = action_.index != kNoTiAction;
  const TiVerb verb = known ? ti_action(action_.index).verb : TiVerb::nothing;
  const bool collective = verb == TiVerb::collective;
  const bool message = verb == TiVerb::send || verb == TiVerb::receive;
  if (!known || ((action_.ordered || action_.in_place) && !collective) || (action_.persistent && !collective && !message)) {
    fail(fmt::format("the action '{:.60}' is unknown", word));
    return false;
  }
  if (action_.persistent) action_.beside = true;
  return modifiers == std::string_view::npos || read_modifiers(word.substr(modifiers));
}

bool TiTimelines::read_modifiers(std::string_view modifiers) {
  const TiVerb verb = ti_action(action_.index).verb;
  const bool defines = verb == TiVerb::communicator || verb == TiVerb::inter_communicator;
  char what = 0;
  for (const char *at = modifiers.data(), *const end = at + modifiers.size(); at != end;) {
    const bool listed = what == '#' && *at == ',';
    if (!listed && *at != '@' && *at != '#') break;
    if (!listed) what = *at;
    std::uint32_t value = 0;
    const auto [behind, problem] = std::from_chars(at + 1, end, value);
    if (problem != std::errc()) break;
    at = behind;
    if (at == end) modifiers = {};
    if (what == '#' || defines) {
      action_.numbers.push_back(value);
      continue;
    }
    TiNames& known = names(states_[action_.rank]);
    const auto found = known.communicators.find(value);
    if (value != 0 && found == known.communicators.end()) {
      fail(fmt::format("{} is on communicator {}, which this rank has not defined (comm@{} RANKS)", action_.name, value, value));
      return false;
    }
    action_.communicator = value == 0 ? nullptr : &found->second;
  }
  if (modifiers.empty()) return true;
  fail(fmt::format("found '{:.60}' behind {}, expected @COMMUNICATOR or #REQUEST,REQUEST...", modifiers, action_.name));
  return false;
}

std::uint32_t TiTimelines::region_of(State& state) {
  const auto [at, fresh] =
      region_numbers_.try_emplace({state.last_site, state.site}, static_cast<std::uint32_t>(regions_.size()));
  if (fresh) regions_.emplace_back(state.last_site, state.site);
  state.last_site = state.site;
  return at->second;
}

// One more operation of the same line.
// One more operation of the line at hand, behind its first, which has the computation.
Operation& TiTimelines::also(State& state, OperationKind kind) {
  std::vector<double> flops = std::exchange(flops_, {});
  Operation& made = prepare(state, kind, state.more.emplace_back());
  flops_ = std::move(flops);
  return made;
}

} // namespace farcast::trace
