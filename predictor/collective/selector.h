// Takes a library's choice, or an algorithm by name, and appends its steps.
//
// A library is a list of families, one per kind of call: its algorithms in the library's own order
// and the rules that choose among them. Threads: all data here is constant.
#pragma once

#include "predictor/collective/algorithms.h"
#include "predictor/collective/rule.h"
#include "predictor/collective/selection.h"

#include <span>
#include <string_view>

namespace farcast::collective {

// One call over one group, as a member sees it.
struct Call {
  trace::CollectiveKind kind;
  Place at;
  int root = 0;
  double bytes = 0;               // the whole buffer; one rank's block where every rank has one of its own
  const Blocks* blocks = nullptr; // allgatherv, reduce_scatter: all ranks' blocks; null: as many of `bytes` each
  bool commutative = true;
  double element_bytes = 8;                      // where not known: as "fewer elements than ranks" is right for doubles
  bool one_element = false;                      // the buffer is one element of a derived type: it cannot be cut
  const std::vector<double>* sent = nullptr;     // alltoallv, alltoallw, scatterv: [rank]
  const std::vector<double>* received = nullptr; // alltoallv, alltoallw, gatherv: [rank]
  bool in_place = false;                         // MPI_IN_PLACE
  double ignored_bytes = 0;                      // trace::Collective
  const Context* context = nullptr;

  // The same group and library with another kind of call.
  [[nodiscard]] Call as(trace::CollectiveKind other, double other_bytes, int other_root = 0) const {
    Call call = *this;
    call.kind = other;
    call.bytes = other_bytes;
    call.root = other_root;
    call.blocks = nullptr;
    return call;
  }
};

// Whose choices are played.
Library library_of(const Call& call);
// Elements of the buffer.
double elements_of(const Call& call);

enum class Measure : std::uint8_t {
  given,   // Call::bytes
  sent,    // the same; in place, the send count's, which the standard ignores
  total,   // of all ranks' blocks
  average, // block, rounded down
};

struct Algorithm {
  std::string_view name; // as the library spells it
  void (*append)(const Call& call, Schedule& out);
};

struct Family {
  trace::CollectiveKind kind;
  std::span<const Algorithm> algorithms;
  std::span<const Rule> rules;
  std::span<const Rule> in_order_rules = {}; // operators that do not commute; empty: `rules`
  std::span<const Rule> node_rules = {};     // asked first when nodes hold several members and the operator commutes
  Measure measure = Measure::given;
  int (*settle)(const Call& call, int number) = nullptr; // the algorithm that an unsuited one hands over to
};

std::span<const Family> openmpi_families();
std::span<const Family> openmpi_nonblocking_families(); // libnbc
std::span<const Family> mpich_families();
std::span<const Family> mpich_nonblocking_families(); // only where they differ from the blocking ones

const Family* family_of(std::span<const Family> library, trace::CollectiveKind kind);

// Appends the steps of the rank at call.at. Returns: the algorithm's name; "local" for a group of one.
std::string_view choose(const Call& call, Schedule& out);
// Returns: the algorithm that choose() would take, without its steps.
std::string_view chosen(const Call& call);

// The constructor of a communicator over the members; `gathered`: bytes of each that are gathered
// before.
std::string_view build_communicator(const Call& call, double gathered, Schedule& out);

// For an inter-communicator: `at` is the place in this rank's own group.
std::string_view build_inter(const trace::Collective& collective, Place at, int remote_size, const Context& context,
                             Schedule& out);

} // namespace farcast::collective
