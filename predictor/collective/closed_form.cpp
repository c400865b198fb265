#include "predictor/collective/closed_form.h"

#include "predictor/collective/formulas.h"
#include "predictor/collective/selector.h"

#include <algorithm>

namespace farcast::collective {

namespace {

using Kind = trace::CollectiveKind;

constexpr double kAgreementBytes = 8; // of Kind::synchronize

std::optional<Flow> flow_of(Kind kind) {
  switch (kind) {
  case Kind::bcast:
  case Kind::scatter:
  case Kind::scatterv:
    return Flow::from_root;
  case Kind::reduce:
  case Kind::gather:
  case Kind::gatherv:
    return Flow::to_root;
  case Kind::scan:
  case Kind::exscan:
    return Flow::upwards;
  case Kind::neighbor_allgather:
  case Kind::neighbor_allgatherv:
  case Kind::neighbor_alltoall:
  case Kind::neighbor_alltoallv:
  case Kind::neighbor_alltoallw:
    return std::nullopt;
  default:
    return Flow::everyone;
  }
}

bool agrees(Kind kind) { return kind == Kind::synchronize || kind == Kind::construct; }

// Bytes as the formulas count them: the whole buffer, or one rank's block where every rank has one
// (the mean of listed ones).
double formula_bytes(const trace::Collective& c, int size) {
  switch (c.kind) {
  case Kind::synchronize:
  case Kind::construct:
    return kAgreementBytes;
  case Kind::gatherv:
    return c.receive_counts ? c.receive_bytes / size : c.send_bytes;
  case Kind::scatterv:
    return c.send_counts ? c.send_bytes / size : c.receive_bytes;
  case Kind::reduce_scatter:
  case Kind::allgatherv:
    return std::max(c.receive_bytes, c.send_bytes) / size;
  case Kind::alltoallv:
  case Kind::alltoallw:
    return std::max(c.send_bytes, c.receive_bytes) / size;
  default:
    return std::max(c.send_bytes, c.receive_bytes);
  }
}

// What the rules ask for, with no two members on one node.
Call rule_call(const trace::Collective& c, Place at, double bytes, const Context& context) {
  Call call{.kind = c.kind,
            .at = at,
            .root = c.root,
            .bytes = bytes,
            .commutative = c.commutative,
            .in_place = c.in_place,
            .ignored_bytes = c.ignored_bytes,
            .context = &context};
  if (c.element_bytes > 0) call.element_bytes = c.element_bytes;
  if (agrees(c.kind)) call.kind = Kind::allreduce;
  return call;
}

// `bytes`: of the whole buffer of bcast, of one rank's block otherwise.
double block_seconds(const model::BlockParameters& parameters, Kind kind, double bytes, int size) {
  using model::Block;
  switch (kind) {
  case Kind::bcast:
    return model::block_time(Block::broadcast, parameters, size, bytes);
  case Kind::scatter:
    return model::block_time(Block::scatter, parameters, size, bytes * size);
  case Kind::gather:
    return model::block_time(Block::gather, parameters, size, bytes * size);
  case Kind::alltoall:
    return model::block_time(Block::all_to_all, parameters, size, bytes);
  default: // selection.cpp lets nothing else through
    return model::block_time(Block::barrier, parameters, size, 0);
  }
}

} // namespace

double Wire::link_s(double bytes) const {
  const double size = bytes + p2p->envelope_bytes;
  const double factor = p2p->bandwidth_factor.empty() ? 1 : platform::factor_at(p2p->bandwidth_factor, size);
  return size / (factor * bandwidth);
}

double Wire::message_s(double bytes) const {
  const double factor = p2p->latency_factor.empty() ? 1 : platform::factor_at(p2p->latency_factor, bytes + p2p->envelope_bytes);
  double overhead = 0;
  if (bytes < p2p->detached_below_bytes)
    overhead = platform::message_overhead_at(*p2p, p2p->send_overhead, bytes).value() +
               platform::message_overhead_at(*p2p, p2p->receive_overhead, bytes).value();
  return overhead + factor * latency_s + link_s(bytes);
}

double Wire::send_s(double bytes) const {
  if (bytes < p2p->detached_below_bytes) return platform::message_overhead_at(*p2p, p2p->send_overhead, bytes).value();
  return message_s(bytes);
}

std::optional<Cost> closed_form(const trace::Collective& collective, int rank, int size, const Context& context,
                                const Wire& wire) {
  const auto flow = flow_of(collective.kind);
  if (!flow) return std::nullopt;
  Context flat = context;
  flat.nodes = nullptr;
  const double bytes = formula_bytes(collective, size);
  const bool moves_nothing = collective.kind != Kind::barrier && !(bytes > 0);
  if (size <= 1 || moves_nothing) return Cost{*flow, 0, 0};
  if (const Selection* selection = context.selection)
    if (const auto& block = selection->blocks[static_cast<std::size_t>(collective.kind)]) {
      const double seconds = block_seconds(*block, collective.kind, bytes, size);
      return Cost{*flow, seconds, std::min(seconds, wire.send_s(bytes))};
    }
  const Call call = rule_call(collective, Place{rank, size}, bytes, flat);
  // Agreements are always made by the same algorithm.
  const double seconds = agrees(collective.kind) ? critical_path_of("recursive_doubling", call, wire) : critical_path(call, wire);
  const double alone = *flow == Flow::from_root ? std::min(seconds, wire.send_s(bytes) * ceil_log2(size)) : wire.send_s(bytes);
  return Cost{*flow, seconds, std::min(alone, seconds)};
}

} // namespace farcast::collective
