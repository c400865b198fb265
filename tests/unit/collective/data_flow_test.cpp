// Block by block: every rank ends with what MPI says the collective delivers; in reductions each
// contribution counts once.
#include "data_flow_play.h"

using namespace farcast::collective;
using namespace farcast::collective::test;

TEST_CASE("the models find a block that is not there, and a contribution that comes twice") {
  TellingBlocks lacking(3, false);
  play(
      3,
      [](Place at, Schedule& out) {
        if (at.rank == 0) send(out, 1, 4);
        if (at.rank == 1) receive(out, 0, 4);
      },
      &lacking);
  CHECK(lacking.fault() == "rank 0 sends block 2 to 1, which it has not got");
  Windows twice(2, 8);
  play(
      2,
      [](Place at, Schedule& out) {
        for (int i = 0; i < 2; ++i) {
          if (at.rank == 0) send(out, 1, 8);
          if (at.rank == 1) {
            receive(out, 0, 8);
            reduce(out, 8);
          }
        }
      },
      &twice);
  CHECK(twice.fault() == "rank 1 adds a contribution twice");
}

TEST_CASE("allgather: every rank ends with every block") {
  const auto algorithms = named<ByBlocks>({
      {"bruck", bruck_allgather},
      {"ring", ring_allgather},
      {"linear", linear_allgather},
      {"recursive_doubling", recursive_doubling_allgatherv},
      {"neighbor", neighbor_exchange_allgather},
  });
  for (const auto& [name, algorithm] : algorithms)
    for (const int p : flow_sizes()) {
      if (name == "recursive_doubling" && !is_power_of_two(p)) continue;
      if (name == "neighbor" && p % 2 != 0) continue;
      CAPTURE(name, p);
      const auto model = played(p, false, -1, algorithm);
      for (int rank = 0; rank < p; ++rank) REQUIRE(has_all_blocks(model->end(rank), p));
    }
}

TEST_CASE("reduce_scatter: every rank ends with its block of all contributions, each once") {
  const auto algorithms = named<ByBlocks>({
      {"recursive_halving", recursive_halving_reduce_scatter},
      {"ring", ring_reduce_scatter},
      {"pairwise", pairwise_reduce_scatter},
      {"recursive_doubling", recursive_doubling_reduce_scatter},
      {"butterfly", butterfly_reduce_scatter},
      {"linear", linear_reduce_scatter},
  });
  for (const auto& [name, algorithm] : algorithms)
    for (const int p : flow_sizes()) {
      CAPTURE(name, p);
      const auto model = played(p, true, -1, algorithm);
      for (int rank = 0; rank < p; ++rank) {
        CAPTURE(rank);
        REQUIRE(model->end(rank).at(rank) == first_ranks(p));
      }
    }
}

TEST_CASE("the ring allreduce's two halves: every rank ends with all blocks of all contributions") {
  for (const int p : flow_sizes()) {
    CAPTURE(p);
    const auto model = played(p, true, -1, [](Place at, const Blocks& blocks, Schedule& out) {
      ring_reduce_scatter_phase(at, blocks, 0, out);
      ring_allgather_phase(at, blocks, 1, out);
    });
    for (int rank = 0; rank < p; ++rank)
      for (int block = 0; block < p; ++block) REQUIRE(model->end(rank).at(block) == first_ranks(p));
  }
}

TEST_CASE("scatter and gather of unequal blocks, and the broadcast that scatters first") {
  for (const int p : flow_sizes()) {
    CAPTURE(p);
    const auto scattered = played(p, false, 0, linear_scatter_blocks);
    for (int rank = 0; rank < p; ++rank) REQUIRE(scattered->end(rank).contains(rank));
    const auto gathered = played(p, false, -1, linear_gather_blocks);
    REQUIRE(has_all_blocks(gathered->end(0), p));
    for (const int root : roots(p)) {
      CAPTURE(root);
      const auto spread = played(p, false, root, [root](Place at, const Blocks& blocks, Schedule& out) {
        binomial_scatter_phase(at, root, blocks, out);
        ring_allgather_phase(at, blocks, at.size - root, out);
      });
      for (int rank = 0; rank < p; ++rank)
        for (int block = 0; block < p; ++block) REQUIRE(spread->end(rank).at(block).test(static_cast<std::size_t>(root)));
    }
  }
}

TEST_CASE("reduce: the root ends with every contribution, each once") {
  const auto algorithms = named<Rooted>({
      {"linear", linear_reduce},
      {"binomial", [](Place at, int root, double n, Schedule& out) { binomial_reduce(at, root, n, 0, out); }},
      {"binary", [](Place at, int root, double n, Schedule& out) { binary_reduce(at, root, n, 0, out); }},
      {"chain", [](Place at, int root, double n, Schedule& out) { chain_reduce(at, root, n, 0, 4, out); }},
      {"pipeline", [](Place at, int root, double n, Schedule& out) { pipeline_reduce(at, root, n, 0, out); }},
      {"in-order_binary", [](Place at, int root, double n, Schedule& out) { in_order_binary_reduce(at, root, n, 0, out); }},
      {"rabenseifner", rabenseifner_reduce},
      {"reduce_scatter_gather", folded_rabenseifner_reduce},
  });
  for (const auto& [name, algorithm] : algorithms)
    for (const int p : flow_sizes())
      for (const int root : roots(p))
        for (const double n : {8.0, 1023.0, 4099.0, 1048576.0}) {
          if (n < p) continue; // the halving ones are never asked for fewer elements than ranks
          check_reduction(name, p, root, n, [&, run = algorithm](Place at, Schedule& out) { run(at, root, n, out); });
        }
}

TEST_CASE("allreduce: every rank ends with every contribution, each once") {
  const auto algorithms = named<Unrooted>({
      {"recursive_doubling", recursive_doubling_allreduce},
      {"rabenseifner", rabenseifner_allreduce},
      {"reduce_scatter_allgather", folded_rabenseifner_allreduce},
  });
  for (const auto& [name, algorithm] : algorithms)
    for (const int p : flow_sizes())
      for (const double n : {8.0, 1023.0, 4099.0, 1048576.0}) {
        if (n < p) continue;
        check_reduction(name, p, -1, n, [&, run = algorithm](Place at, Schedule& out) { run(at, n, out); });
      }
}

TEST_CASE("bcast: every rank ends with the root's whole buffer") {
  const auto algorithms = named<Rooted>({
      {"linear", linear_bcast},
      {"binomial", [](Place at, int root, double n, Schedule& out) { binomial_bcast(at, root, n, 0, out); }},
      {"binary", [](Place at, int root, double n, Schedule& out) { binary_bcast(at, root, n, 0, out); }},
      {"chain", [](Place at, int root, double n, Schedule& out) { chain_bcast(at, root, n, 0, 4, out); }},
      {"pipeline", [](Place at, int root, double n, Schedule& out) { pipeline_bcast(at, root, n, 0, out); }},
      {"knomial", [](Place at, int root, double n, Schedule& out) { knomial_bcast(at, root, n, 0, 4, out); }},
      {"in-order binomial", in_order_binomial_bcast},
  });
  for (const auto& [name, algorithm] : algorithms)
    for (const int p : flow_sizes())
      for (const int root : roots(p)) {
        CAPTURE(name, p, root);
        Windows model(p, 1000);
        model.only_root(root);
        const Outcome outcome = play(
            p, [&, run = algorithm](Place at, Schedule& out) { run(at, root, 1000, out); }, &model);
        REQUIRE(outcome.fault == "");
        REQUIRE(model.fault() == "");
        for (int rank = 0; rank < p; ++rank) {
          REQUIRE(model.end(rank).high == 1000);
          REQUIRE(model.end(rank).from.test(static_cast<std::size_t>(root)));
        }
      }
}

TEST_CASE("alltoall by Bruck: every block reaches its rank, none twice") {
  for (const int p : flow_sizes())
    for (const double block : {1.0, 1000.0}) {
      CAPTURE(p, block);
      Bruck model(p, block);
      const Outcome outcome = play(
          p, [&](Place at, Schedule& out) { bruck_alltoall(at, block, out); }, &model);
      REQUIRE(outcome.fault == "");
      REQUIRE(model.fault() == "");
      for (int rank = 0; rank < p; ++rank) REQUIRE(model.delivered(rank));
    }
}
