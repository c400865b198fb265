// TI traces: collectives, and whether all members of a communicator call the same ones.
#include "predictor/trace/ti_trace.h"

#include <charconv>
#include <fmt/format.h>
#include <numeric>

namespace farcast::trace {

namespace {

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

std::string described_as(const TiAction& what, bool beside, int root) {
  std::string text = fmt::format("{}{}", beside ? "i" : "", what.name);
  if (what.rooted) text += fmt::format(" with root {}", root);
  return text;
}

} // namespace

// Ranks that a list of counts goes over.
std::size_t TiTimelines::members() const {
  return action_.communicator == nullptr ? states_.size() : action_.communicator->peers().size();
}

bool TiTimelines::act_on_collective(State& state, Operation& out) {
  Collective described;
  double flops = 0;
  described.kind = action_.what->kind;
  described.commutative = !action_.ordered;
  described.in_place = action_.in_place;
  if (!describe(state, described, flops) || !error_.empty()) return false;

  const bool beside = action_.beside;
  Operation& operation = prepare(state, beside ? OperationKind::icollective : OperationKind::collective, out);
  operation.bytes = described.send_bytes;
  if (described.works) operation.measured = base::Seconds(number(0));
  if (last_described_ == nullptr || described.has_lists() || *last_described_ != described)
    last_described_ = std::make_shared<const Collective>(described);
  operation.collective = last_described_;
  if (action_.persistent) return put_aside(state, operation, flops);
  if (!action_.numbers.empty() && !beside) {
    fail(fmt::format("{} starts no request, but i{} does", action_.name, action_.what->name));
    return false;
  }
  if (!agree(state, described)) return false;
  if (beside) name_request(state, operation, kProcNull, kProcNull, 0);
  compute(state, flops);
  return true;
}

// Returns: false when it has said what is wrong.
bool TiTimelines::describe(State& state, Collective& c, double& flops) {
  const bool rooted = action_.what->rooted;
  const std::size_t root = rooted ? 1 : 0; // words that it takes
  switch (action_.what->shape) {
  case TiShape::none:
    return true; // whatever SMPI writes behind barrier
  case TiShape::work:
    if (!expect(0, 1)) return false;
    c.works = action_.arguments() > 0;
    return true;
  case TiShape::whole:
    if (!expect(1, 3)) return false;
    c.element_bytes = type_size(state, 2);
    c.send_bytes = c.receive_bytes = count(0) * c.element_bytes;
    c.root = root_at(1);
    return true;
  case TiShape::reduction:
    if (!expect(2, 3 + root)) return false;
    c.element_bytes = type_size(state, 2 + root);
    c.send_bytes = c.receive_bytes = count(0) * c.element_bytes;
    if (rooted) c.root = root_at(2);
    flops = number(1);
    return true;
  case TiShape::blocks:
    if (!expect(2, 4 + root)) return false;
    c.send_bytes = count(0) * type_size(state, 2 + root);
    c.receive_bytes = count(1) * type_size(state, 3 + root);
    if (rooted) c.root = root_at(2);
    return true;
  case TiShape::neighbors:
  case TiShape::neighbor_lists:
    return describe_neighbors(c);
  default:
    return describe_lists(state, c, flops);
  }
}

// Collectives with a count per rank.
bool TiTimelines::describe_lists(State& state, Collective& c, double& flops) {
  const std::size_t ranks = members();
  const std::size_t words = action_.arguments();
  switch (action_.what->shape) {
  case TiShape::gather_list:
    if (!expect(1 + ranks, ranks + 4)) return false;
    c.root = root_at(1 + ranks);
    c.send_bytes = count(0) * type_size(state, 2 + ranks);
    c.receive_counts = list(1, ranks, type_size(state, 3 + ranks));
    c.receive_bytes = sum_of(*c.receive_counts);
    break;
  case TiShape::allgather_list: {
    if (!expect(1 + ranks, 2 * ranks + 3)) return false;
    // Displacements may stand behind the types or instead of them.
    const bool types = words != 1 + 2 * ranks || ranks <= 2;
    c.send_bytes = count(0) * (types ? type_size(state, 1 + ranks) : state.default_size);
    c.receive_counts = list(1, ranks, types ? type_size(state, 2 + ranks) : state.default_size);
    c.receive_bytes = sum_of(*c.receive_counts);
    break;
  }
  case TiShape::scatter_list:
    if (!expect(1 + ranks, ranks + 4)) return false;
    c.root = root_at(ranks + 1);
    c.send_counts = list(0, ranks, type_size(state, ranks + 2));
    c.send_bytes = sum_of(*c.send_counts);
    c.receive_bytes = count(ranks) * type_size(state, ranks + 3);
    break;
  case TiShape::reduce_list:
    if (!expect(ranks + 1, ranks + 2)) return false;
    c.element_bytes = type_size(state, ranks + 1);
    c.receive_counts = list(0, ranks, c.element_bytes);
    c.send_bytes = c.receive_bytes = sum_of(*c.receive_counts);
    flops = number(ranks);
    break;
  default:
    if (!expect(2 * ranks + 2, 2 * ranks + 4)) return false;
    c.send_counts = list(1, ranks, type_size(state, 2 * ranks + 2));
    c.receive_counts = list(ranks + 2, ranks, type_size(state, 2 * ranks + 3));
    c.send_bytes = sum_of(*c.send_counts);
    c.receive_bytes = sum_of(*c.receive_counts);
    break;
  }
  if (!action_.what->rooted) return true;
  // Only the root's lists mean anything.
  const std::vector<int>* peers = action_.communicator == nullptr ? nullptr : &action_.communicator->peers();
  const bool inter = action_.communicator != nullptr && !action_.communicator->shared->remote.empty();
  const bool is_root =
      inter ? c.root == kInterRoot
            : (peers == nullptr ? c.root : (*peers)[static_cast<std::size_t>(c.root)]) == static_cast<int>(action_.rank);
  if (!is_root) c.receive_counts = c.send_counts = nullptr;
  return true;
}

// SEND RECEIVE to RANK.. from RANK..; with lists: to RANK:BYTES.. from RANK:BYTES.. All in bytes; -
// is MPI_PROC_NULL.
bool TiTimelines::describe_neighbors(Collective& c) {
  const bool lists = action_.what->shape == TiShape::neighbor_lists;
  const std::size_t words = action_.arguments();
  const std::size_t ranks = members();
  auto sources = std::make_shared<std::vector<int>>();
  auto destinations = std::make_shared<std::vector<int>>();
  auto received = std::make_shared<std::vector<double>>();
  auto sent = std::make_shared<std::vector<double>>();
  std::size_t at = lists ? 0 : 2;
  if (words < at + 2 || action_.argument(at).view() != "to") {
    fail(lists ? fmt::format("{} is not as expected: to RANK:BYTES... from RANK:BYTES...", action_.name)
               : fmt::format("{} is not as expected: BYTES BYTES to RANK... from RANK...", action_.name));
    return false;
  }
  bool from = false;
  for (++at; at < words && error_.empty(); ++at) {
    const std::string_view word = action_.argument(at).view();
    if (word == "from" && !from) {
      from = true;
      continue;
    }
    const char* const end = word.data() + word.size();
    std::uint32_t peer = 0;
    double bytes = 0;
    std::from_chars_result read{word.data() + 1, {}};
    const bool nobody = word.front() == '-';
    if (!nobody) read = std::from_chars(word.data(), end, peer);
    if (lists && read.ec == std::errc() && read.ptr != end && *read.ptr == ':')
      read = std::from_chars(read.ptr + 1, end, bytes);
    else if (lists)
      read.ec = std::errc::invalid_argument;
    if (read.ec != std::errc() || read.ptr != end || !(bytes >= 0) || (!nobody && peer >= ranks)) {
      fail(fmt::format("{} lists '{:.60}', expected {} with ranks 0 to {}", action_.name, word, lists ? "RANK:BYTES" : "RANK",
                       ranks - 1));
      return false;
    }
    (from ? sources : destinations)->push_back(nobody ? kProcNull : static_cast<int>(peer));
    (from ? received : sent)->push_back(bytes);
  }
  if (lists) {
    c.send_bytes = sum_of(*sent);
    c.receive_bytes = sum_of(*received);
    c.send_counts = std::move(sent);
    c.receive_counts = std::move(received);
  } else {
    c.send_bytes = count(0);
    c.receive_bytes = count(1);
  }
  c.sources = std::move(sources);
  c.destinations = std::move(destinations);
  return true;
}

// Compares the call with what members that were here before call as this one of the communicator.
// Returns: false when it differs.
bool TiTimelines::agree(State& state, const Collective& described) {
  const Communicator& communicator = action_.communicator ? *action_.communicator->shared : *world_;
  const std::size_t everyone = communicator.members.size() + communicator.remote.size();
  const std::uint32_t ordinal = action_.communicator ? action_.communicator->calls++ : state.world_calls++;
  if (everyone < 2) return true;
  const std::uint64_t key = static_cast<std::uint64_t>(communicator.id) << 32 | ordinal;
  const auto [at, fresh] = open_calls_.try_emplace(key);
  OpenCall& call = at->second;
  if (fresh) call = {action_.index, action_.beside, described.root, action_.rank, state.line, 0};
  const bool roots = communicator.remote.empty() && action_.what->rooted;
  if (call.action == action_.index && call.beside == action_.beside && (!roots || call.root == described.root)) {
    if (++call.entered == everyone) open_calls_.erase(at);
    return true;
  }
  const std::string of = action_.communicator ? fmt::format("of communicator {}", communicator.id) : "of all ranks";
  fail(fmt::format("{} is collective number {} {}, but rank {} calls {} there ({}:{})",
                   described_as(*action_.what, action_.beside, described.root), ordinal + 1, of, call.rank,
                   described_as(ti_action(call.action), call.beside, call.root), files_[shared_ ? 0 : call.rank].path(),
                   call.line));
  return false;
}

} // namespace farcast::trace
