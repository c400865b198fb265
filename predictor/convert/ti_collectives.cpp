// Collectives: their actions and arguments, and, where SimGrid knows none, their messages.
#include "predictor/convert/ti_writer.h"

#include "predictor/collective/schedule.h"
#include "predictor/trace/ti_actions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace farcast::convert {

using collective::StepKind;
using trace::Collective;
using trace::CollectiveKind;
using trace::Operation;
using trace::OperationKind;
using Counts = std::shared_ptr<const std::vector<double>>;

namespace {

constexpr std::uint32_t kTagsPerComm = 0xffff;

bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::reduce || kind == CollectiveKind::allreduce || kind == CollectiveKind::reduce_scatter ||
         kind == CollectiveKind::reduce_scatter_block || kind == CollectiveKind::scan || kind == CollectiveKind::exscan;
}

bool in_simgrid(CollectiveKind kind) { return kind <= CollectiveKind::alltoallv && kind != CollectiveKind::reduce_scatter_block; }

const trace::TiAction& action_of(CollectiveKind kind) {
  return *std::find_if(
      std::begin(trace::ti_actions::kActions), std::end(trace::ti_actions::kActions),
      [kind](const trace::TiAction& action) { return action.verb == trace::TiVerb::collective && action.kind == kind; });
}

std::string list_of(const Counts& counts, std::size_t ranks, double element_bytes = 1) {
  std::string out;
  for (std::size_t i = 0; i < ranks; ++i)
    out += fmt::format(" {:.0f}", counts != nullptr && i < counts->size() ? (*counts)[i] / element_bytes : 0.0);
  return out;
}

std::string root_of(const Collective& c, bool inter) {
  if (!inter) return fmt::format(" {}", c.root);
  return c.root == trace::kInterRoot ? " root" : c.root == trace::kProcNull ? " -" : fmt::format(" {}", c.root);
}

std::string neighbors(const std::shared_ptr<const std::vector<int>>& ranks, const Counts& counts, bool lists) {
  std::string out;
  for (std::size_t i = 0; ranks != nullptr && i < ranks->size(); ++i) {
    const int rank = (*ranks)[i];
    out += rank < 0 ? std::string(" -") : fmt::format(" {}", rank);
    if (lists) out += fmt::format(":{:.0f}", counts != nullptr && i < counts->size() ? (*counts)[i] : 0.0);
  }
  return out;
}

// Algorithms depend on the number of elements: the type is as wide as the program's where there is
// a usual one; else the largest that the bytes are made of.
struct Element {
  double bytes;
  const char* type; // behind the other arguments; empty: the default
};
Element element_of(const Collective& c, double bytes) {
  constexpr std::array kUsual = {8.0, 4.0, 2.0, 1.0};
  const bool is_usual = std::find(kUsual.begin(), kUsual.end(), c.element_bytes) != kUsual.end();
  const auto fits = [&](double size) {
    const auto divides = [size](double all) { return std::fmod(all, size) == 0; };
    return (!is_usual || c.element_bytes == size) && divides(bytes) &&
           (c.receive_counts == nullptr || std::all_of(c.receive_counts->begin(), c.receive_counts->end(), divides));
  };
  return fits(8) ? Element{8, " 0"} : fits(4) ? Element{4, " 1"} : fits(2) ? Element{2, " 3"} : Element{1, ""};
}

} // namespace

std::string ti_arguments(const Collective& c, std::size_t ranks, bool inter) {
  using trace::TiShape;
  const trace::TiAction& what = action_of(c.kind);
  const std::string root = what.rooted ? root_of(c, inter) : std::string();
  const double most = std::max(c.send_bytes, c.receive_bytes); // MPI_IN_PLACE, or no root: one side is not given
  const Element element = element_of(c, most);
  switch (what.shape) {
  case TiShape::none:
  case TiShape::work:
    return {};
  case TiShape::whole:
    return fmt::format(" {:.0f}{}{}", most / element.bytes, root, element.type);
  case TiShape::reduction:
    return fmt::format(" {:.0f} 0{}{}", most / element.bytes, root, element.type);
  case TiShape::blocks:
    return fmt::format(" {:.0f} {:.0f}{}", c.send_bytes > 0 ? c.send_bytes : most, c.receive_bytes > 0 ? c.receive_bytes : most,
                       root);
  case TiShape::gather_list:
    return fmt::format(" {:.0f}{}{}", c.send_bytes, list_of(c.receive_counts, ranks), root);
  case TiShape::allgather_list:
    return fmt::format(" {:.0f}{}", c.send_bytes, list_of(c.receive_counts, ranks));
  case TiShape::scatter_list:
    return fmt::format("{} {:.0f}{}", list_of(c.send_counts, ranks), c.receive_bytes, root);
  case TiShape::reduce_list:
    return fmt::format("{} 0{}", list_of(c.receive_counts, ranks, element.bytes), element.type);
  case TiShape::both_lists: {
    const Counts& sent = c.send_counts != nullptr ? c.send_counts : c.receive_counts;
    const Counts& received = c.receive_counts != nullptr ? c.receive_counts : c.send_counts;
    return fmt::format(" {:.0f}{} {:.0f}{}", most, list_of(sent, ranks), most, list_of(received, ranks));
  }
  case TiShape::neighbors:
    return fmt::format(" {:.0f} {:.0f} to{} from{}", c.send_bytes, c.receive_bytes, neighbors(c.destinations, nullptr, false),
                       neighbors(c.sources, nullptr, false));
  case TiShape::neighbor_lists:
    return fmt::format(" to{} from{}", neighbors(c.destinations, c.send_counts, true),
                       neighbors(c.sources, c.receive_counts, true));
  }
  return {};
}

// Returns: "@3", and defines the communicator when it is this rank's first time.
std::string TiWriter::name_of(const Operation& operation, std::string& out) {
  const trace::Communicator& communicator = *operation.communicator;
  const bool beside = operation.kind == OperationKind::icollective;
  if (beside ? shared_.communicators.world(communicator) : shared_.communicators.everyone(communicator)) return {};
  const std::uint32_t number = shared_.communicators.number(communicator);
  if (defined_.insert(number).second) {
    if (communicator.remote.empty())
      line(out, "comm@{} {}", number, ranges(communicator.members));
    else
      line(out, "intercomm@{} {} to {}", number, ranges(communicator.members), ranges(communicator.remote));
  }
  return fmt::format("@{}", number);
}

void TiWriter::collective(const Operation& operation, std::string& out) {
  if (operation.communicator == nullptr || operation.collective == nullptr) return;
  flush(out);
  trace::Collective c = *operation.collective;
  const trace::Communicator& communicator = *operation.communicator;
  const bool agrees = c.kind == CollectiveKind::synchronize;
  if (c.works && !shared_.options.plain) // each member's, also one that worked for no time at all
    return line(out, "synchronize{} {:.9g}", name_of(operation, out), operation.measured.value());
  if (c.works && operation.measured.value() > 0)
    lose(function_name(operation) + " is an agreement: what its ranks work in it is left out");
  if (agrees) c.kind = CollectiveKind::allreduce; // of the same few bytes
  if (c.kind == CollectiveKind::construct && c.send_bytes > 0 && !shared_.options.plain) {
    collective_of(CollectiveKind::allgather, operation, out);
    c.send_bytes = c.receive_bytes = 0;
  }
  const bool beside = operation.kind == OperationKind::icollective;
  const bool ordered = reduces(c.kind) && !c.commutative && !agrees;
  // Without data the libraries send nothing in these; SimGrid's Open MPI selector dies of them.
  const bool one_size = c.kind == CollectiveKind::bcast || (reduces(c.kind) && c.kind != CollectiveKind::reduce_scatter);
  if (one_size && !beside && !(c.send_bytes > 0) && !(c.receive_bytes > 0)) return;
  const bool alltoall =
      c.kind == CollectiveKind::alltoall || c.kind == CollectiveKind::alltoallv || c.kind == CollectiveKind::alltoallw;
  if (c.in_place && alltoall && shared_.options.plain) lose(function_name(operation) + " with MPI_IN_PLACE has two buffers");
  const bool plain = !beside && in_simgrid(c.kind) && shared_.communicators.everyone(communicator);
  if (shared_.options.plain && !plain) return expand(operation, out);
  if (ordered && shared_.options.plain) lose(function_name(operation) + " has a commutative operator");
  const bool inter = !communicator.remote.empty();
  const std::string modifiers = name_of(operation, out);
  std::string action = beside ? "i" : "";
  action += action_of(c.kind).name;
  if (c.in_place && !shared_.options.plain) action += "_in_place";
  if (ordered && !shared_.options.plain) action += "_ordered";
  action += modifiers;
  if (beside) {
    action += fmt::format("#{}", operation.request);
    numbered_.insert(operation.request);
  }
  line(out, "{}{}", action, ti_arguments(c, inter ? communicator.remote.size() : communicator.members.size(), inter));
}

// A blocking call of another kind on the same communicator, with the same bytes.
void TiWriter::collective_of(CollectiveKind kind, const Operation& operation, std::string& out) {
  Operation other = operation;
  auto described = std::make_shared<trace::Collective>(*operation.collective);
  described->kind = kind;
  other.collective = std::move(described);
  other.kind = OperationKind::collective;
  collective(other, out);
}

// The messages of a blocking collective.
void TiWriter::expand(const Operation& operation, std::string& out) {
  const trace::Communicator& communicator = *operation.communicator;
  const int size = static_cast<int>(communicator.members.size());
  const int rank = rank_in(communicator.members, rank_);
  if (rank < 0) return;
  const int tag = TagNumbers::collective(shared_.communicators.number(communicator), calls_[communicator.id]++ & kTagsPerComm);
  collective::Schedule steps;
  const collective::Context context{.selection = &shared_.options.selection};
  collective::build(*operation.collective, rank, size, static_cast<int>(communicator.remote.size()), context, steps);
  std::vector<RequestBook::Key> open;
  const auto finish = [&](std::size_t spared) {
    const std::size_t last = open.size() - std::min(spared, open.size());
    for (std::size_t i = 0; i < last; ++i) line(out, "wait {} {} {}", open[i].source, open[i].destination, open[i].tag);
    open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(last));
  };
  for (const collective::Step& step : steps) {
    const int peer = peer_in(communicator, step.peer);
    switch (step.kind) {
    case StepKind::send:
      line(out, "send {} {} {:.0f}", peer, tag, whole(step.bytes));
      break;
    case StepKind::receive:
      line(out, "recv {} {} {:.0f}", peer, tag, whole(step.bytes));
      break;
    case StepKind::isend:
      if (step.bytes < kDetachedBelow) { // as in post()
        line(out, "send {} {} {:.0f}", peer, tag, whole(step.bytes));
        break;
      }
      line(out, "isend {} {} {:.0f}", peer, tag, whole(step.bytes));
      open.push_back({rank_, peer, tag});
      break;
    case StepKind::ireceive:
      line(out, "irecv {} {} {:.0f}", peer, tag, whole(step.bytes));
      open.push_back({peer, rank_, tag});
      break;
    case StepKind::wait_all:
      finish(0);
      break;
    case StepKind::wait_earlier:
      finish(1);
      break;
    case StepKind::wait_second:
      if (open.size() > 1) {
        const RequestBook::Key& second = open[open.size() - 2];
        line(out, "wait {} {} {}", second.source, second.destination, second.tag);
        open.erase(open.end() - 2);
      }
      break;
    case StepKind::reduce:
    case StepKind::copy: // take no time
    case StepKind::rest:
    case StepKind::work:
      break;
    }
  }
  finish(0);
}

} // namespace farcast::convert
