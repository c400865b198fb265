#include "predictor/collective/formulas.h"

#include <algorithm>
#include <cmath>

namespace farcast::collective {

namespace {

using Kind = trace::CollectiveKind;

constexpr int kKnomialRadix = 4;
constexpr int kThrottle = 32;        // MPICH's ALLTOALL_THROTTLE
constexpr double kNbcSegment = 8192; // libnbc's chain

// The terms that the formulas are made of; n is the whole buffer, b one rank's block.
class Terms {
public:
  Terms(const Call& call, const Wire& wire) : p(call.at.size), wire_(wire) {}

  const int p;
  [[nodiscard]] double message(double bytes) const { return wire_.message_s(bytes); }
  [[nodiscard]] int rounds() const { return ceil_log2(p); }
  [[nodiscard]] int power() const { return floor_power_of_two(p); }
  [[nodiscard]] bool folds() const { return !is_power_of_two(p); } // extra ranks take part before and after

  // `count` messages that leave, or reach, one rank together: its link carries one after the other,
  // and it pays for each.
  [[nodiscard]] double together(int count, double bytes) const {
    const double each =
        bytes < wire_.p2p->detached_below_bytes ? std::max(wire_.link_s(bytes), wire_.send_s(bytes)) : wire_.link_s(bytes);
    return count <= 0 ? 0 : message(bytes) + (count - 1) * each;
  }
  // `count` blocking sends of one rank: the next starts when the last has been delivered, or at
  // once when they are detached.
  [[nodiscard]] double in_turn(int count, double bytes) const {
    return bytes < wire_.p2p->detached_below_bytes ? together(count, bytes) : count * message(bytes);
  }
  // Thakur05 section 4.1: rounds in which the data doubles, block by block up to p.
  [[nodiscard]] double doubling(double block) const {
    double seconds = 0;
    for (int have = 1; have < p; have *= 2) seconds += message(block * std::min(have, p - have));
    return seconds;
  }
  // Thakur05 section 4.3: rounds in which n halves, among a power of two of ranks.
  [[nodiscard]] double halving(double n) const {
    double seconds = 0;
    for (int parts = 2; parts <= power(); parts *= 2) seconds += message(n / parts);
    return seconds;
  }
  [[nodiscard]] double pipeline(double n, double segment) const {
    if (segment <= 0 || segment >= n) return (p - 1) * message(n);
    return (p - 2 + std::ceil(n / segment)) * message(segment);
  }
  // Levels of a complete binary tree, each of which sends to two children.
  [[nodiscard]] double binary(double n) const {
    return p <= 2 ? (p - 1) * message(n) : (std::bit_width(static_cast<unsigned>(p)) - 1) * together(2, n);
  }
  [[nodiscard]] double split_binary(double n) const { return p == 2 ? 2 * message(n / 2) : binary(n / 2) + message(n / 2); }
  [[nodiscard]] double knomial(double n, int radix) const {
    double seconds = 0;
    for (int reach = 1; reach < p; reach *= radix) seconds += together(std::min(radix - 1, (p - 1) / reach), n);
    return seconds;
  }
  // The root of Rabenseifner's reduce and all ranks of his allreduce. Thakur05 section 4.5.
  [[nodiscard]] double rabenseifner(double n) const { return 2 * halving(n); }

private:
  const Wire& wire_;
};

double barrier(std::string_view name, const Terms& t) {
  const double empty = t.message(0);
  if (name == "linear") return t.together(t.p - 1, 0) + t.in_turn(t.p - 1, 0);
  if (name == "double_ring") return 2 * t.p * empty;
  if (name == "recursive_doubling") return (std::bit_width(static_cast<unsigned>(t.power())) - 1 + (t.folds() ? 2 : 0)) * empty;
  if (name == "two_proc") return empty;
  if (name == "tree") return 2 * t.rounds() * empty;
  if (name == "bruck" || name == "dissemination" || name == "k_dissemination" || name == "composition_alpha")
    return t.rounds() * empty;
  return -1;
}

double bcast(std::string_view name, const Terms& t, double n) {
  const double scatter = t.doubling(n / t.p);
  if (name == "basic_linear" || name == "linear") return t.together(t.p - 1, n);
  if (name == "chain" || name == "pipeline") return t.pipeline(n, 0);
  if (name == "split_binary_tree") return t.split_binary(n);
  if (name == "binary_tree") return t.binary(n);
  if (name == "binomial" || name == "composition_alpha" || name == "composition_beta") return t.rounds() * t.message(n);
  if (name == "knomial") return t.knomial(n, kKnomialRadix);
  if (name == "scatter_allgather" || name == "scatter_recursive_doubling_allgather") return 2 * scatter;
  if (name == "scatter_allgather_ring" || name == "scatter_ring_allgather") return scatter + (t.p - 1) * t.message(n / t.p);
  return -1;
}

double reduce(std::string_view name, const Terms& t, double n, bool nonblocking) {
  if (name == "linear") return (t.p - 1) * t.message(n); // the root receives one after the other
  if (name == "chain" || name == "pipeline") return t.pipeline(n, nonblocking ? kNbcSegment : 0);
  if (name == "binary" || name == "in-order_binary") return t.binary(n);
  if (name == "binomial" || name == "composition_alpha" || name == "composition_beta") return t.rounds() * t.message(n);
  if (name == "rabenseifner") return t.rabenseifner(n) + (t.folds() ? 2 * t.message(n / 2) : 0);
  if (name == "reduce_scatter_gather") return t.rabenseifner(n) + (t.folds() ? t.message(n) : 0);
  return -1;
}

double of(const Call& call, const Wire& wire, Kind kind, double bytes) { return critical_path(call.as(kind, bytes), wire); }

double allreduce(std::string_view name, const Terms& t, double n, const Call& call, const Wire& wire) {
  const double rounds = std::bit_width(static_cast<unsigned>(t.power())) - 1;
  if (name == "basic_linear") return (t.p - 1) * t.message(n) + t.together(t.p - 1, n);
  if (name == "nonoverlapping") return of(call, wire, Kind::reduce, n) + of(call, wire, Kind::bcast, n);
  if (name == "recursive_doubling") return (rounds + (t.folds() ? 2 : 0)) * t.message(n);
  if (name == "ring" || name == "segmented_ring") return 2 * (t.p - 1) * t.message(n / t.p);
  if (name == "rabenseifner") return t.rabenseifner(n) + (t.folds() ? 2 * t.message(n / 2) + t.message(n) : 0);
  if (name == "reduce_scatter_allgather") return t.rabenseifner(n) + (t.folds() ? 2 * t.message(n) : 0);
  if (name == "binomial" || name == "composition_alpha") return 2 * t.rounds() * t.message(n);
  return -1;
}

double reduce_scatter(std::string_view name, const Terms& t, double b, const Call& call, const Wire& wire) {
  const double n = b * t.p;
  const double fold = t.folds() ? t.message(n) + t.message(b) : 0;
  if (name == "non-overlapping" || name == "basic_linear") return of(call, wire, Kind::reduce, n) + t.together(t.p - 1, b);
  if (name == "binomial") return t.rounds() * t.message(n) + t.together(t.p - 1, b);
  if (name == "recursive_halving" || name == "butterfly") return t.halving(n) + fold;
  if (name == "noncommutative") return t.halving(n);
  if (name == "ring" || name == "pairwise") return (t.p - 1) * t.message(b);
  if (name != "recursive_doubling") return -1;
  double seconds = 0; // Thakur05 section 4.3: all but the blocks of one's own subtree
  for (int held = 1; held < t.p; held *= 2) seconds += t.message(n - b * std::min(held, t.p - held));
  return seconds;
}

// Whether a root exchanges with all others at once.
bool at_once(const Call& call) {
  const bool listed = call.kind == Kind::gatherv || call.kind == Kind::scatterv;
  return call.context->nonblocking || (listed && library_of(call) == Library::mpich);
}

double gather(std::string_view name, const Terms& t, double b, bool at_once) {
  if (name == "linear" && at_once) return t.together(t.p - 1, b);
  if (name == "basic_linear" || name == "linear") return (t.p - 1) * t.message(b); // receives one after the other
  if (name == "binomial") return t.doubling(b);
  if (name == "linear_sync") return (t.p - 1) * (t.message(0) + t.message(b)) + t.message(0);
  return -1;
}

double scatter(std::string_view name, const Terms& t, double b, bool at_once) {
  if (name == "linear_nb" || (name == "linear" && at_once)) return t.together(t.p - 1, b);
  if (name == "basic_linear" || name == "linear") return t.in_turn(t.p - 1, b);
  return name == "binomial" ? t.doubling(b) : -1;
}

double allgather(std::string_view name, const Terms& t, double b, const Call& call, const Wire& wire) {
  const bool rooted = (name == "linear" || name == "default") && !call.context->nonblocking;
  if (rooted) return of(call, wire, Kind::gather, b) + of(call, wire, Kind::bcast, b * t.p);
  if (name == "linear") return t.together(t.p - 1, b);
  if (name == "bruck" || name == "brucks" || name == "recursive_doubling") return t.doubling(b);
  if (name == "ring") return (t.p - 1) * t.message(b);
  const int pairs = t.p / 2;
  if (name == "neighbor") return t.message(b) + (pairs - 1) * t.message(2 * b);
  if (name == "two_proc") return t.message(b);
  return -1;
}

double alltoall(std::string_view name, const Terms& t, double b) {
  if (name == "linear" || name == "linear_sync" || name == "basic_linear") return t.together(t.p - 1, b);
  if (name == "pairwise" || name == "pairwise_sendrecv_replace" || name == "basic_inplace" || name == "inplace")
    return (t.p - 1) * t.message(b);
  if (name == "two_proc") return t.message(b);
  if (name == "scattered") {
    double seconds = 0;
    for (int left = t.p - 1; left > 0; left -= kThrottle) seconds += t.together(std::min(left, kThrottle), b);
    return seconds;
  }
  if (name != "modified_bruck" && name != "brucks") return -1;
  double seconds = 0; // Thakur05 section 4.4: in round k the blocks whose distance has bit k
  for (int bit = 1; bit < t.p; bit *= 2) {
    const int blocks = t.p / (2 * bit) * bit + std::max(0, t.p % (2 * bit) - bit);
    seconds += t.message(b * blocks);
  }
  return seconds;
}

} // namespace

double critical_path_of(std::string_view name, const Call& call, const Wire& wire) {
  if (name == "nb") { // MPICH's non-blocking form
    Context context = *call.context;
    context.nonblocking = true;
    Call started = call;
    started.context = &context;
    return critical_path(started, wire);
  }
  if (name == "smp") name = "composition_alpha";
  const Terms t(call, wire);
  const double bytes = call.bytes;
  switch (call.kind) {
  case Kind::barrier:
    return barrier(name, t);
  case Kind::bcast:
    return bcast(name, t, bytes);
  case Kind::reduce:
    return reduce(name, t, bytes, call.context->nonblocking);
  case Kind::allreduce:
    return allreduce(name, t, bytes, call, wire);
  case Kind::reduce_scatter:
  case Kind::reduce_scatter_block:
    return reduce_scatter(name, t, bytes, call, wire);
  case Kind::scan:
  case Kind::exscan:
    if (name == "linear") return (t.p - 1) * t.message(bytes);
    return name == "recursive_doubling" || name == "composition_alpha" ? t.rounds() * t.message(bytes) : -1;
  case Kind::gather:
  case Kind::gatherv:
    return gather(name, t, bytes, at_once(call));
  case Kind::scatter:
  case Kind::scatterv:
    return scatter(name, t, bytes, at_once(call));
  case Kind::allgather:
  case Kind::allgatherv:
    return allgather(name, t, bytes, call, wire);
  case Kind::alltoall:
  case Kind::alltoallv:
  case Kind::alltoallw:
    return alltoall(name, t, bytes);
  default:
    return -1;
  }
}

double critical_path(const Call& call, const Wire& wire) { return std::max(0.0, critical_path_of(chosen(call), call, wire)); }

} // namespace farcast::collective
