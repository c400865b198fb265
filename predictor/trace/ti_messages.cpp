// TI traces: computation, the frame of a run, messages and requests. ti_trace.md lists the actions.
#include "predictor/trace/ti_trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace farcast::trace {

namespace {

// Requests without a number that no source, destination and tag names: waitall takes them.
constexpr int kNameless = -1;

} // namespace

bool TiTimelines::act_on(State& state, Operation& out) {
  switch (action_.what->verb) {
  case TiVerb::compute:
    if (expect(1, 1)) compute(state, number(0));
    return false;
  case TiVerb::sleep:
    if (expect(1, 1)) prepare(state, OperationKind::local, out).measured = base::Seconds(number(0));
    return error_.empty();
  case TiVerb::init:
    if (!expect(0, 1)) return false;
    if (state.initialized) fail("init comes a second time");
    if (!error_.empty()) return false;
    state.initialized = true;
    state.default_size = action_.arguments() == 0 ? 1 : 8;
    prepare(state, OperationKind::init, out);
    return true;
  case TiVerb::finalize:
    return finish(state, out);
  case TiVerb::location:
    return act_on_location(state);
  case TiVerb::nothing:
    return false;
  case TiVerb::send:
  case TiVerb::isend:
    return act_on_send(state, out);
  case TiVerb::receive:
  case TiVerb::ireceive:
  case TiVerb::probe:
    return act_on_receive(state, out);
  case TiVerb::send_receive:
    return act_on_exchange(state, out);
  case TiVerb::wait:
  case TiVerb::test:
    return action_.numbers.empty() ? act_on_wait(state, out) : act_on_numbers(state, out);
  case TiVerb::wait_all:
    return action_.numbers.empty() ? act_on_wait_all(state, out) : act_on_numbers(state, out);
  case TiVerb::forget:
    return act_on_numbers(state, out);
  case TiVerb::start:
    return act_on_start(state, out);
  case TiVerb::put:
  case TiVerb::get:
  case TiVerb::transfer:
    return act_on_transfer(state, out);
  case TiVerb::lock:
  case TiVerb::unlock:
    return act_on_lock(state, out);
  case TiVerb::collective:
    return act_on_collective(state, out);
  case TiVerb::communicator:
  case TiVerb::inter_communicator:
    return act_on_communicator(state);
  }
  return false;
}

// Gives a non-blocking operation its request, under its number or under its source, destination and
// tag.
void TiTimelines::name_request(State& state, Operation& operation, int source, int destination, int tag) {
  operation.request = ++state.last_id;
  if (action_.numbers.empty()) {
    const std::uint32_t communicator = operation.communicator->id;
    state.requests.add({source, destination, tag, communicator}, operation.request);
    return;
  }
  TiNumberedRequest& request = names(state).requests[action_.numbers.front()];
  if (action_.numbers.size() > 1) fail(fmt::format("{} starts {} requests, expected one", action_.name, action_.numbers.size()));
  if (request.id != 0 || request.start != nullptr)
    fail(fmt::format("{} starts request {}, which has not been waited for", action_.name, action_.numbers.front()));
  request.id = operation.request;
}

// A persistent request: nothing starts yet. Returns: false.
bool TiTimelines::put_aside(State& state, const Operation& operation, double flops) {
  put_back(state, operation);
  if (action_.numbers.size() != 1) {
    fail(fmt::format("{} names {} requests, expected one: {}#1", action_.name, action_.numbers.size(), action_.name));
    return false;
  }
  TiNumberedRequest& request = names(state).requests[action_.numbers.front()];
  if (request.id != 0 || request.start != nullptr) {
    fail(fmt::format("{} makes request {}, which is there already", action_.name, action_.numbers.front()));
    return false;
  }
  Operation start = operation;
  start.compute = base::Seconds(0.0);
  request.start = std::make_unique<const Operation>(std::move(start));
  request.flops = flops;
  return false;
}

bool TiTimelines::act_on_send(State& state, Operation& out) {
  if (!expect(3, 4)) return false;
  const bool waits = action_.what->verb == TiVerb::send && !action_.persistent;
  Operation& operation = prepare(state, waits ? OperationKind::send : OperationKind::isend, out);
  operation.peer = rank_at(0);
  operation.tag = tag(1);
  operation.bytes = count(2) * type_size(state, 3);
  operation.mode = action_.what->mode;
  if (action_.persistent) return put_aside(state, operation, 0);
  if (!waits) name_request(state, operation, static_cast<int>(action_.rank), operation.peer, operation.tag);
  return true;
}

bool TiTimelines::act_on_receive(State& state, Operation& out) {
  if (action_.what->verb == TiVerb::probe) {
    if (!expect(2, 2)) return false;
    Operation& probe = prepare(state, OperationKind::probe, out);
    probe.peer = rank_at(0);
    probe.tag = tag(1);
    return true;
  }
  if (!expect(3, 4)) return false;
  const int peer = rank_at(0);
  const int at_tag = tag(1);
  const double size = number(2);
  const double element = type_size(state, 3);
  const bool waits = action_.what->verb == TiVerb::receive && !action_.persistent;
  const bool probes = size < 0 && !action_.persistent; // its size was not known: SimGrid probes first
  if (probes) {
    Operation& probe = prepare(state, OperationKind::probe, out);
    probe.peer = peer;
    probe.tag = at_tag;
  }
  const OperationKind kind = waits ? OperationKind::receive : OperationKind::ireceive;
  Operation& operation = probes ? also(state, kind) : prepare(state, kind, out);
  operation.peer = peer;
  operation.tag = at_tag;
  operation.bytes = size < 0 ? 0 : size * element;
  if (action_.persistent) return put_aside(state, operation, 0);
  if (!waits) name_request(state, operation, peer, static_cast<int>(action_.rank), at_tag);
  return true;
}

// sendRecv COUNT DESTINATION COUNT SOURCE [TYPE TYPE [TAG TAG]]
bool TiTimelines::act_on_exchange(State& state, Operation& out) {
  if (!expect(4, 8)) return false;
  Operation& operation = prepare(state, OperationKind::send_receive, out);
  operation.bytes = count(0) * type_size(state, 4);
  operation.peer = rank_at(1);
  operation.receive_peer = rank_at(3);
  if (action_.arguments() > 6) operation.tag = operation.receive_tag = tag(6);
  if (action_.arguments() > 7) operation.receive_tag = tag(7);
  return true;
}

bool TiTimelines::act_on_wait(State& state, Operation& out) {
  if (!expect(3, 3)) return false;
  const TiRequests::Key key{rank_at(0), rank_at(1), tag(2), action_.communicator ? action_.communicator->shared->id : 0};
  if (!error_.empty()) return false;
  if (action_.what->verb == TiVerb::test) { // the wait that follows completes it
    prepare(state, OperationKind::poll, out).measured = test_cost_;
    return true;
  }
  const std::uint32_t id = state.requests.take(key);
  if (id != 0) prepare(state, OperationKind::wait, out).requests.push_back(id);
  return id != 0;
}

// Whatever its count says: all that is pending, as SimGrid.
bool TiTimelines::act_on_wait_all(State& state, Operation& out) {
  prepare(state, OperationKind::wait, out);
  state.requests.take_all(out.requests);
  if (state.names != nullptr) {
    for (auto at = state.names->requests.begin(); at != state.names->requests.end();) {
      if (at->second.id != 0) out.requests.push_back(std::exchange(at->second.id, 0));
      at = at->second.start == nullptr ? state.names->requests.erase(at) : std::next(at);
    }
  }
  if (!out.requests.empty()) return true;
  put_back(state, out);
  return false;
}

// wait#1,2  test#1  cancel#1  request_free#1
bool TiTimelines::act_on_numbers(State& state, Operation& out) {
  const TiVerb verb = action_.what->verb;
  if (!expect(0, verb == TiVerb::wait_all ? 1 : 0)) return false;
  if (action_.numbers.empty()) {
    fail(fmt::format("{} names no request, expected {}#1", action_.name, action_.name));
    return false;
  }
  const OperationKind kind = verb == TiVerb::test     ? OperationKind::poll
                             : verb == TiVerb::forget ? OperationKind::forget
                                                      : OperationKind::wait;
  std::map<std::uint32_t, TiNumberedRequest>& requests = names(state).requests;
  prepare(state, kind, out);
  for (const std::uint32_t number : action_.numbers) {
    const auto found = requests.find(number);
    if (found == requests.end()) {
      fail(fmt::format("{} names request {}, which was never started or is complete", action_.name, number));
      return false;
    }
    if (verb == TiVerb::test) continue;
    const bool frees = verb == TiVerb::forget && action_.name != "cancel";
    out.freed = frees;
    if (found->second.id != 0) out.requests.push_back(std::exchange(found->second.id, 0));
    if (found->second.start == nullptr || frees) requests.erase(found);
  }
  if (verb == TiVerb::test) out.measured = test_cost_;
  if (verb == TiVerb::test || !out.requests.empty()) return true;
  put_back(state, out); // persistent requests that are not under way
  return false;
}

// start#1,2
bool TiTimelines::act_on_start(State& state, Operation& out) {
  if (!expect(0, 0)) return false;
  if (action_.numbers.empty()) fail("start names no request, expected start#1");
  bool first = true;
  double flops = 0;
  for (const std::uint32_t number : action_.numbers) {
    const auto found = names(state).requests.find(number);
    if (found == names(state).requests.end() || found->second.start == nullptr || found->second.id != 0) {
      fail(fmt::format("start names request {}, which is no persistent request at rest", number));
      return false;
    }
    TiNumberedRequest& request = found->second;
    Operation& operation = first ? prepare(state, request.start->kind, out) : also(state, request.start->kind);
    const base::Seconds compute = operation.compute;
    operation.function = request.start->function;
    operation.mode = request.start->mode;
    operation.peer = request.start->peer;
    operation.tag = request.start->tag;
    operation.bytes = request.start->bytes;
    operation.communicator = request.start->communicator;
    operation.collective = request.start->collective;
    operation.compute = compute;
    operation.request = request.id = ++state.last_id;
    flops += request.flops;
    first = false;
  }
  compute(state, flops);
  return !first;
}

// put TARGET COUNT [TYPE]; get TARGET COUNT [TYPE]; transfer TARGET COUNT REPLY [TYPE]
bool TiTimelines::act_on_transfer(State& state, Operation& out) {
  const bool both = action_.what->verb == TiVerb::transfer;
  if (!expect(both ? 3 : 2, both ? 4 : 3)) return false;
  Operation& operation = prepare(state, OperationKind::transfer, out);
  operation.peer = rank_at(0);
  const double element = type_size(state, both ? 3 : 2);
  if (action_.what->verb != TiVerb::get) operation.bytes = count(1) * element;
  if (action_.what->verb != TiVerb::put) operation.reply_bytes = count(both ? 2 : 1) * element;
  name_request(state, operation, kNameless, kNameless, kNameless);
  return true;
}

// lock TARGET WINDOW KIND, unlock TARGET WINDOW KIND
bool TiTimelines::act_on_lock(State& state, Operation& out) {
  if (!expect(3, 3)) return false;
  Operation& operation = prepare(state, OperationKind::transfer, out);
  operation.peer = rank_at(0);
  operation.tag = tag(1);
  const std::string_view kind = action_.argument(2).view();
  const auto* const known = std::find(kTiLocks.begin() + 1, kTiLocks.end(), kind);
  if (known == kTiLocks.end())
    fail(fmt::format("the kind of {} is '{:.60}', expected exclusive, shared or all", action_.name, kind));
  else
    operation.lock = static_cast<Lock>(known - kTiLocks.begin());
  if (action_.what->verb == TiVerb::unlock) return true;
  operation.reply_bytes = 0;
  name_request(state, operation, kNameless, kNameless, kNameless);
  return true;
}

// location FILE LINE: where the calls behind it stand.
bool TiTimelines::act_on_location(State& state) {
  if (!expect(2, 2)) return false;
  const double line = number(1);
  std::string text = fmt::format("{}:{:.0f}", action_.argument(0).view(), line);
  auto found = site_numbers_.find(text);
  if (found == site_numbers_.end()) {
    found = site_numbers_.emplace(text, static_cast<std::uint32_t>(sites_.size())).first;
    sites_.push_back(std::move(text));
  }
  state.site = found->second;
  return false;
}

// comm@NUMBER RANKS..; intercomm@NUMBER RANKS.. to RANKS..
bool TiTimelines::act_on_communicator(State& state) {
  const std::size_t count = action_.arguments();
  const bool inter = action_.what->verb == TiVerb::inter_communicator;
  std::size_t to = count;
  for (std::size_t i = 0; inter && i < count && to == count; ++i) to = action_.argument(i).view() == "to" ? i : count;
  if (action_.numbers.size() != 1 || action_.numbers.front() == 0 || to == 0 || (inter && to + 1 >= count)) {
    fail(inter ? "found no number or no ranks, expected intercomm@NUMBER RANKS to RANKS, with a number above 0"
               : "found no number or no ranks, expected comm@NUMBER RANKS, with a number above 0");
    return false;
  }
  std::vector<int> members;
  std::vector<int> remote;
  if (!group_at(0, to, members) || !group_at(inter ? to + 1 : count, count, remote)) return false;
  if (std::find(members.begin(), members.end(), static_cast<int>(action_.rank)) == members.end()) {
    fail(fmt::format("{} defines communicator {} without this rank among its members", action_.name, action_.numbers.front()));
    return false;
  }
  auto object = registry_.define(action_.numbers.front(), std::move(members), std::move(remote));
  if (!object) {
    fail(object.error().message);
    return false;
  }
  names(state).communicators.try_emplace(action_.numbers.front(), TiCommunicator{std::move(*object), 0});
  return false;
}

// What the trace leaves pending is waited for; SimGrid does the same when a rank's trace ends.
bool TiTimelines::finish(State& state, Operation& out) {
  const bool waits = act_on_wait_all(state, out);
  if (waits) out.function = functions_[2 * find_ti_action("waitall")];
  if (waits)
    also(state, OperationKind::finalize);
  else
    prepare(state, OperationKind::finalize, out);
  state.finalized = true;
  ++finalized_;
  check_end(action_.rank);
  return true;
}

} // namespace farcast::trace
