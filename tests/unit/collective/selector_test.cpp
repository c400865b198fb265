// What the libraries choose: figures of Open MPI 4.1.4 and MPICH 4.0.2 at and around their
// boundaries, and names given by hand.
#include "executor.h"
#include "predictor/collective/node_layout.h"
#include "predictor/collective/ranges.h"
#include "predictor/collective/selector.h"

#include <catch2/catch.hpp>

using namespace farcast::collective;
using namespace farcast::collective::test;
using farcast::trace::Collective;
using Kind = farcast::trace::CollectiveKind;

namespace {

std::string name(std::string_view selection, Kind kind, int size, double bytes, bool commutative = true,
                 bool nonblocking = false) {
  const auto parsed = parse_selection(selection);
  REQUIRE(parsed);
  const Context context{.selection = &*parsed, .nonblocking = nonblocking};
  Schedule schedule;
  return std::string(build(Collective{.kind = kind, .send_bytes = bytes, .receive_bytes = bytes, .commutative = commutative},
                           size - 1, size, 0, context, schedule));
}

struct Expected {
  Kind kind;
  int size;
  double bytes;
  const char* algorithm;
};

NodeLayout layout(int size, int per_node, bool round_robin) {
  std::vector<std::uint32_t> hosts;
  hosts.reserve(static_cast<std::size_t>(size));
  const int nodes = (size + per_node - 1) / per_node;
  for (int rank = 0; rank < size; ++rank)
    hosts.push_back(static_cast<std::uint32_t>(round_robin ? rank % nodes : rank / per_node));
  return NodeLayout(hosts);
}

bool has_root(Kind kind) { return kind == Kind::bcast || kind == Kind::reduce || kind == Kind::gather || kind == Kind::scatter; }

// Whether everybody who has to has heard from everybody that it has to hear from.
bool informed(const Outcome& outcome, Kind kind, int root) {
  const RankSet everyone = first_ranks(static_cast<int>(outcome.heard.size()));
  switch (kind) {
  case Kind::bcast:
  case Kind::scatter:
    return all_heard(outcome, root);
  case Kind::reduce:
  case Kind::gather:
    return outcome.heard[static_cast<std::size_t>(root)] == everyone;
  case Kind::scan:
  case Kind::exscan:
    for (std::size_t rank = 0; rank < outcome.heard.size(); ++rank) {
      const RankSet below = first_ranks(static_cast<int>(rank) + 1);
      if ((outcome.heard[rank] & below) != below) return false;
    }
    return true;
  default:
    return all_heard_all(outcome);
  }
}

void play_one(Kind kind, int size, int root, double bytes, bool commutative, const Context& context) {
  std::string taken;
  const Outcome outcome = play(size, [&](Place at, Schedule& out) {
    const std::string_view algorithm =
        build(Collective{.kind = kind, .root = root, .send_bytes = bytes, .receive_bytes = bytes, .commutative = commutative},
              at.rank, at.size, 0, context, out);
    if (at.rank == 0) taken = algorithm;
    if (algorithm != taken) FAIL("rank " << at.rank << " takes " << algorithm << ", rank 0 " << taken);
  });
  CAPTURE(name_of(kind), size, root, bytes, commutative, taken);
  REQUIRE(outcome.fault.empty());
  REQUIRE(informed(outcome, kind, root));
}

const std::vector<Kind> kUniformKinds{
    Kind::barrier, Kind::bcast,   Kind::reduce,    Kind::allreduce, Kind::reduce_scatter_block, Kind::scan, Kind::exscan,
    Kind::gather,  Kind::scatter, Kind::allgather, Kind::alltoall,  Kind::reduce_scatter};

const std::vector<Expected> kOpenMpiTable{
    {Kind::barrier, 3, 0, "recursive_doubling"},
    {Kind::barrier, 4, 0, "linear"},
    {Kind::barrier, 7, 0, "linear"},
    {Kind::barrier, 8, 0, "recursive_doubling"},
    {Kind::barrier, 63, 0, "recursive_doubling"},
    {Kind::barrier, 64, 0, "bruck"},
    {Kind::barrier, 256, 0, "tree"},
    {Kind::barrier, 512, 0, "bruck"},
    {Kind::barrier, 1024, 0, "tree"},
    {Kind::barrier, 4096, 0, "bruck"},
    {Kind::bcast, 3, 31, "pipeline"},
    {Kind::bcast, 3, 32, "binary_tree"},
    {Kind::bcast, 3, 512, "knomial"},
    {Kind::bcast, 3, 131072, "chain"},
    {Kind::bcast, 4, 127, "binomial"},
    {Kind::bcast, 8, 7, "knomial"},
    {Kind::bcast, 8, 32768, "basic_linear"},
    {Kind::bcast, 16, 1048575, "binomial"},
    {Kind::bcast, 16, 1048576, "scatter_allgather"},
    {Kind::bcast, 256, 16383, "knomial"},
    {Kind::bcast, 256, 16384, "split_binary_tree"},
    {Kind::bcast, 256, 32768, "knomial"},
    {Kind::bcast, 65536, 262144, "basic_linear"}, // fewer doubles than ranks: nothing to scatter
    {Kind::reduce, 3, 7, "linear"},               // Rabenseifner's needs two elements
    {Kind::reduce, 3, 8, "binary"},
    {Kind::reduce, 3, 16, "pipeline"},
    {Kind::reduce, 3, 32, "linear"},
    {Kind::reduce, 7, 4096, "chain"},
    {Kind::reduce, 8, 8191, "binary"},
    {Kind::reduce, 8, 8192, "binomial"},
    {Kind::reduce, 300, 8192, "in-order_binary"},
    {Kind::allreduce, 2, 8, "recursive_doubling"},
    {Kind::allreduce, 2, 4096, "ring"},
    {Kind::allreduce, 4, 8191, "recursive_doubling"},
    {Kind::allreduce, 4, 8192, "rabenseifner"},
    {Kind::allreduce, 16, 63, "recursive_doubling"}, // the segmented ring hands over: fewer elements than ranks
    {Kind::allreduce, 127, 262143, "recursive_doubling"},
    {Kind::allreduce, 128, 131071, "nonoverlapping"},
    {Kind::allreduce, 1024, 8, "nonoverlapping"},
    {Kind::allreduce, 1024, 2048, "recursive_doubling"},
    {Kind::allreduce, 1024, 16384, "rabenseifner"},
    {Kind::reduce_scatter, 3, 65536 * 3, "ring"},
    {Kind::reduce_scatter_block, 8, 3, "basic_linear"},
    {Kind::reduce_scatter_block, 8, 4, "recursive_halving"},
    {Kind::reduce_scatter_block, 8, 32, "butterfly"},
    {Kind::reduce_scatter_block, 32, 65536, "basic_linear"},
    {Kind::gather, 3, 1, "linear_sync"},
    {Kind::gather, 3, 2, "basic_linear"},
    {Kind::gather, 3, 4, "binomial"},
    {Kind::gather, 7, 262144, "linear_sync"},
    {Kind::gather, 8, 262144, "binomial"},
    {Kind::gather, 256, 2048, "basic_linear"},
    {Kind::scatter, 7, 2048, "basic_linear"},
    {Kind::scatter, 16, 16383, "binomial"},
    {Kind::scatter, 64, 512, "linear_nb"},
    {Kind::allgather, 2, 8, "two_proc"},
    {Kind::allgather, 16, 8, "recursive_doubling"},
    {Kind::allgather, 31, 8, "bruck"}, // recursive doubling hands over
    {Kind::allgather, 32, 1024, "neighbor"},
    {Kind::allgather, 33, 1024, "ring"},
    {Kind::allgather, 32, 65536, "ring"},
    {Kind::alltoall, 2, 1, "pairwise"},
    {Kind::alltoall, 2, 2, "two_proc"},
    {Kind::alltoall, 7, 8192, "linear"},
    {Kind::alltoall, 16, 511, "modified_bruck"},
    {Kind::alltoall, 16, 512, "linear_sync"},
    {Kind::alltoall, 256, 32768, "pairwise"},
    {Kind::scan, 64, 8, "linear"},
    {Kind::exscan, 64, 8, "linear"},
};

} // namespace

TEST_CASE("Open MPI 4.1's choices at the boundaries of its tables") {
  for (const Expected& e : kOpenMpiTable) {
    CAPTURE(name_of(e.kind), e.size, e.bytes);
    CHECK(name("openmpi", e.kind, e.size, e.bytes) == e.algorithm);
  }
  CHECK(name("openmpi", Kind::allreduce, 3, 131072, false) == "basic_linear");
  CHECK(name("openmpi", Kind::allreduce, 8, 1048576, false) == "nonoverlapping");
  CHECK(name("openmpi", Kind::reduce, 16, 8, false) == "in-order_binary");
  CHECK(name("openmpi", Kind::reduce_scatter_block, 8, 64, false) == "basic_linear");
}

TEST_CASE("libnbc's choices for non-blocking calls") {
  CHECK(name("openmpi", Kind::barrier, 4, 0, true, true) == "dissemination");
  CHECK(name("openmpi", Kind::bcast, 4, 8, true, true) == "linear");
  CHECK(name("openmpi", Kind::bcast, 5, 1 << 20, true, true) == "binomial");
  CHECK(name("openmpi", Kind::reduce, 2, 65536, true, true) == "chain");
  CHECK(name("openmpi", Kind::reduce, 8, 63, true, true) == "binomial");
  CHECK(name("openmpi", Kind::reduce, 8, 64, true, true) == "rabenseifner");
  CHECK(name("openmpi", Kind::allreduce, 8, 65535, true, true) == "binomial");
  CHECK(name("openmpi", Kind::allreduce, 8, 65536, true, true) == "rabenseifner");
  CHECK(name("openmpi", Kind::allreduce, 8, 65536, false, true) == "binomial");
  CHECK(name("mpich", Kind::alltoall, 8, 2048, true, true) == "brucks");
  CHECK(name("mpich", Kind::allreduce, 8, 2048, true, true) == "recursive_doubling");
}

TEST_CASE("MPICH 4.0's choices at the boundaries of its tables") {
  const std::vector<Expected> table{
      {Kind::barrier, 64, 0, "dissemination"},
      {Kind::bcast, 7, 1 << 20, "binomial"},
      {Kind::bcast, 8, 12288, "binomial"},
      {Kind::bcast, 8, 12289, "scatter_recursive_doubling_allgather"},
      {Kind::bcast, 8, 524289, "scatter_ring_allgather"},
      {Kind::bcast, 9, 12289, "scatter_ring_allgather"},
      {Kind::reduce, 8, 2048, "binomial"},
      {Kind::reduce, 8, 2049, "reduce_scatter_gather"},
      {Kind::allreduce, 2, 8, "recursive_doubling"},
      {Kind::allreduce, 2, 16, "reduce_scatter_allgather"},
      {Kind::allreduce, 8, 63, "recursive_doubling"},
      {Kind::allreduce, 8, 64, "reduce_scatter_allgather"},
      {Kind::allgather, 8, 65535, "recursive_doubling"},
      {Kind::allgather, 8, 65536, "ring"},
      {Kind::allgather, 10, 8191, "brucks"},
      {Kind::allgather, 10, 8192, "ring"},
      {Kind::reduce_scatter_block, 8, 65535, "recursive_halving"},
      {Kind::reduce_scatter_block, 8, 65536, "pairwise"},
      {Kind::alltoall, 7, 256, "scattered"},
      {Kind::alltoall, 8, 256, "brucks"},
      {Kind::alltoall, 8, 257, "scattered"},
      {Kind::alltoall, 8, 32769, "pairwise"},
      {Kind::gather, 8, 1 << 20, "binomial"},
      {Kind::scan, 8, 8, "recursive_doubling"},
  };
  for (const Expected& e : table) {
    CAPTURE(name_of(e.kind), e.size, e.bytes);
    CHECK(name("mpich", e.kind, e.size, e.bytes) == e.algorithm);
  }
  CHECK(name("mpich", Kind::reduce_scatter_block, 8, 64, false) == "noncommutative");
  CHECK(name("mpich", Kind::reduce_scatter_block, 9, 64, false) == "recursive_doubling");
  CHECK(name("mpich", Kind::allreduce, 8, 1 << 20, false) == "recursive_doubling");
}

TEST_CASE("every algorithm that a library has by name runs to its end and informs whom it has to") {
  for (const Library library : {Library::openmpi, Library::mpich})
    for (const Kind kind : kUniformKinds)
      for (const std::string_view algorithm : algorithms_of(library, kind)) {
        Selection selection{.library = library};
        selection.named[static_cast<std::size_t>(kind)] = algorithm;
        for (int size = 2; size <= 40; ++size)
          for (const double bytes : {40.0, 40000.0})
            for (const bool commutative : {true, false})
              for (const int root : {0, 1, size - 1}) {
                if (root > 0 && !has_root(kind)) continue;
                play_one(kind, size, root, bytes, commutative, Context{.selection = &selection});
              }
      }
}

TEST_CASE("MPICH's two levels, with blocks of ranks and with ranks dealt out") {
  const Selection mpich{.library = Library::mpich};
  for (const bool round_robin : {false, true})
    for (const int per_node : {2, 3, 8})
      for (int size = 2; size <= 40; ++size) {
        const NodeLayout nodes = layout(size, per_node, round_robin);
        for (const Kind kind : kUniformKinds)
          for (const double bytes : {8.0, 20000.0, 600000.0})
            for (const int root : {0, 1, size - 1}) {
              if (root > 0 && !has_root(kind)) continue;
              play_one(kind, size, root, bytes, true, Context{.selection = &mpich, .nodes = &nodes});
            }
      }
  // Leaders only talk across nodes: 2 nodes of 4 ranks exchange one pair of messages in an allreduce.
  const NodeLayout nodes = layout(8, 4, false);
  int across = 0;
  for (int rank = 0; rank < 8; ++rank) {
    Schedule schedule;
    const Context context{.selection = &mpich, .nodes = &nodes};
    CHECK(build(Collective{.kind = Kind::allreduce, .send_bytes = 8, .receive_bytes = 8}, rank, 8, 0, context, schedule) ==
          "composition_alpha");
    for (const Step& step : schedule)
      if (step.kind == StepKind::send && step.peer / 4 != rank / 4) ++across;
  }
  CHECK(across == 2);
}

TEST_CASE("MPICH's forms that only a name takes") {
  using farcast::trace::Collective;
  const NodeLayout nodes = layout(8, 4, false);
  const auto schedule = [&](const std::string& text, Kind kind, double bytes, int rank) {
    const Selection selection = parse_selection(text).value();
    Schedule steps;
    build({.kind = kind, .send_bytes = bytes, .receive_bytes = bytes}, rank, 8, 0,
          Context{.selection = &selection, .nodes = &nodes}, steps);
    return steps;
  };
  const auto same = [](const Schedule& a, const Schedule& b) {
    return std::ranges::equal(
        a, b, [](const Step& x, const Step& y) { return x.kind == y.kind && x.peer == y.peer && x.bytes == y.bytes; });
  };
  for (int rank = 0; rank < 8; ++rank) {
    CHECK(same(schedule("mpich,allreduce=smp", Kind::allreduce, 8, rank),
               schedule("mpich,allreduce=composition_alpha", Kind::allreduce, 8, rank)));
    CHECK(
        same(schedule("mpich,bcast=smp", Kind::bcast, 8, rank), schedule("mpich,bcast=composition_alpha", Kind::bcast, 8, rank)));
    CHECK(same(schedule("mpich,bcast=smp", Kind::bcast, 20000, rank),
               schedule("mpich,bcast=composition_beta", Kind::bcast, 20000, rank)));
    CHECK(same(schedule("mpich,reduce=smp", Kind::reduce, 8, rank),
               schedule("mpich,reduce=composition_beta", Kind::reduce, 8, rank)));
    CHECK(same(schedule("mpich,barrier=nb", Kind::barrier, 0, rank),
               schedule("mpich,barrier=dissemination", Kind::barrier, 0, rank)));
    // The non-blocking alltoall keeps Bruck's up to 2048 bytes, the blocking one up to 256.
    CHECK(same(schedule("mpich,alltoall=nb", Kind::alltoall, 2000, rank),
               schedule("mpich,alltoall=brucks", Kind::alltoall, 2000, rank)));
  }
  const Selection selection = parse_selection("mpich").value();
  Schedule steps;
  const auto counts = std::make_shared<const std::vector<double>>(8, 100.0);
  CHECK(build({.kind = Kind::alltoallv, .receive_bytes = 800, .in_place = true, .send_counts = counts, .receive_counts = counts},
              0, 8, 0, Context{.selection = &selection}, steps) == "pairwise_sendrecv_replace");
}

TEST_CASE("an element's size decides where elements are compared with ranks") {
  using farcast::trace::Collective;
  const auto taken = [](double element) {
    Schedule steps;
    return build({.kind = Kind::allreduce, .send_bytes = 8, .receive_bytes = 8, .element_bytes = element}, 0, 4, 0, steps);
  };
  CHECK(taken(0) == "recursive_doubling"); // not known: one double
  CHECK(taken(8) == "recursive_doubling");
  CHECK(taken(1) == "ring");
}

TEST_CASE("non-blocking forms run to their end") {
  for (const Library library : {Library::openmpi, Library::mpich}) {
    const Selection selection{.library = library};
    for (const Kind kind : kUniformKinds)
      for (int size = 2; size <= 20; ++size)
        for (const double bytes : {8.0, 1000.0, 100000.0})
          play_one(kind, size, has_root(kind) ? size / 2 : 0, bytes, true, Context{.selection = &selection, .nonblocking = true});
  }
}

TEST_CASE("names are read, and what is wrong with them is said") {
  CHECK(name("alltoall=pairwise", Kind::alltoall, 8, 8) == "pairwise");
  CHECK(name("alltoall=pairwise", Kind::bcast, 8, 8) == "binary_tree");
  CHECK(name("mpich,bcast=knomial", Kind::bcast, 8, 8) == "knomial"); // the other library's
  CHECK(name("bcast=binomial,mpich", Kind::alltoall, 8, 8) == "brucks");
  CHECK(parse_selection("mpich")->library == Library::mpich);
  CHECK(!parse_selection("bcast=chain")->library);
  CHECK(!parse_selection("bcast=chain")->closed_form);
  CHECK(parse_selection("mpich,closed-form")->closed_form);
  CHECK(!parse_selection("closed-form")->library);
  const Selection blocks = parse_selection("bcast=block:1.7e-6:1.88e-9,barrier=block:-1.2e-6:2e-5:1").value();
  CHECK(blocks.by_formula(Kind::bcast));
  CHECK(blocks.by_formula(Kind::barrier));
  CHECK_FALSE(blocks.by_formula(Kind::gather));
  CHECK(blocks.blocks[static_cast<std::size_t>(Kind::bcast)]->unit_bytes == 2048);
  CHECK(blocks.blocks[static_cast<std::size_t>(Kind::barrier)]->start_s == -1.2e-6);
  CHECK(library_named("MPICH") == Library::mpich);
  CHECK(library_named("Open MPI") == Library::openmpi);
  const auto complaint = [](std::string_view text) {
    const auto parsed = parse_selection(text);
    return parsed ? std::string() : parsed.error().message;
  };
  CHECK(complaint("opnmpi") ==
        "'opnmpi' is no library (did you mean openmpi?); there are openmpi, mpich, closed-form, or CALL=ALGORITHM");
  CHECK(complaint("openmpi,mpich") == "found 'openmpi' and 'mpich', expected one library");
  CHECK(complaint("gather=binomal") == "'binomal' is no algorithm for gather (did you mean binomial?); Open MPI has "
                                       "basic_linear, binomial, linear_sync; MPICH has "
                                       "binomial, nb");
  CHECK(complaint("alreduce=ring").starts_with("'alreduce' is no collective call (did you mean allreduce?); there are barrier,"));
  for (const char* wrong : {"bcast=block:", "bcast=block:1", "bcast=block:1:", "bcast=block:1:2:0", "bcast=block:1:2:3:4",
                            "bcast=block:x:1", "bcast=block:1:inf"})
    CHECK(complaint(wrong).starts_with("found 'bcast=block:"));
  CHECK(complaint("scan=block:1:2") == "scan has no block formula; bcast, scatter, gather, alltoall and barrier have one");
  CHECK(complaint("").starts_with("'' is no library; there are"));
}

TEST_CASE("ranges have the selector's own boundaries") {
  const Selection openmpi{.library = Library::openmpi};
  const Context context{.selection = &openmpi};
  for (const Kind kind : kUniformKinds)
    for (const int size : {2, 3, 8, 31, 64, 1000})
      for (const bool commutative : {true, false}) {
        const std::vector<Range> found = ranges(kind, size, commutative, context);
        std::size_t at = 0;
        if (kind == Kind::barrier) continue;
        for (double bytes = 1; bytes < 5000; ++bytes) {
          while (at + 1 < found.size() && found[at + 1].first_bytes <= bytes) ++at;
          const Blocks blocks = Blocks::uniform(bytes, size);
          const Call call{.kind = kind,
                          .at = Place{0, size},
                          .bytes = bytes,
                          .blocks = &blocks,
                          .commutative = commutative,
                          .context = &context};
          CAPTURE(name_of(kind), size, commutative, bytes);
          REQUIRE(chosen(call) == found[at].algorithm);
        }
      }
}

TEST_CASE("MPI_IN_PLACE: other algorithms, by library") {
  const auto taken = [](std::string_view selection, Collective call, int size, bool nonblocking = false) {
    const auto parsed = parse_selection(selection);
    REQUIRE(parsed);
    const Context context{.selection = &*parsed, .nonblocking = nonblocking};
    call.in_place = true;
    call.receive_bytes = call.send_bytes;
    Schedule schedule;
    return std::string(build(call, 1, size, 0, context, schedule));
  };
  CHECK(name("openmpi", Kind::allreduce, 8, 1e6, true, true) == "rabenseifner");
  CHECK(taken("openmpi", {.kind = Kind::allreduce, .send_bytes = 1e6}, 8, true) == "binomial");
  CHECK(taken("openmpi", {.kind = Kind::alltoall, .send_bytes = 100}, 8) == "basic_inplace");
  CHECK(taken("openmpi", {.kind = Kind::alltoall, .send_bytes = 100}, 8, true) == "inplace");
  CHECK(taken("openmpi,alltoall=pairwise", {.kind = Kind::alltoall, .send_bytes = 100}, 8) == "basic_inplace");
  CHECK(taken("mpich", {.kind = Kind::alltoall, .send_bytes = 100}, 8) == "pairwise_sendrecv_replace");
  CHECK(taken("openmpi", {.kind = Kind::allgather, .send_bytes = 20000}, 34) == "bruck"); // no send count: 0 bytes
  CHECK(taken("openmpi", {.kind = Kind::allgather, .send_bytes = 20000, .ignored_bytes = 20000}, 34) == "neighbor");
}
