// build(): every kind, as the engine asks for it, is complete and free of deadlock, and takes the
// algorithm that it should.
#include "executor.h"
#include "predictor/collective/blocks.h"
#include "predictor/collective/selection.h"

#include <catch2/catch.hpp>

#include <functional>
#include <vector>

using namespace farcast::collective;
using namespace farcast::collective::test;
using farcast::trace::Collective;
using farcast::trace::CollectiveKind;

namespace {

struct Built {
  Outcome outcome;
  std::string name;
};

// Plays call(rank) of all ranks. Checks: all ranks take the same algorithm.
Built play_build(int size, const std::function<Collective(int rank)>& call) {
  Built built;
  built.outcome = play(size, [&](Place at, Schedule& out) {
    const std::string name(build(call(at.rank), at.rank, at.size, 0, out));
    if (at.rank == 0)
      built.name = name;
    else if (name != built.name)
      FAIL("rank " << at.rank << " takes " << name << ", rank 0 " << built.name);
  });
  return built;
}

Built play_build(int size, const Collective& collective) {
  return play_build(size, [&](int) { return collective; });
}

std::shared_ptr<const std::vector<double>> share(std::vector<double> counts) {
  return std::make_shared<const std::vector<double>>(std::move(counts));
}

// A block of each rank: 0, 1 and 2 times `scale` bytes in turn.
struct Uneven {
  Uneven(int size, double scale) {
    std::vector<double> counts;
    for (int rank = 0; rank < size; ++rank) counts.push_back(rank % 3 * scale);
    total = Blocks::listed(counts).total();
    all = share(std::move(counts));
  }
  [[nodiscard]] double of(int rank) const { return (*all)[static_cast<std::size_t>(rank)]; }

  std::shared_ptr<const std::vector<double>> all;
  double total = 0.0;
};

const std::vector<CollectiveKind> kAllToAllKinds{CollectiveKind::allreduce, CollectiveKind::reduce_scatter_block,
                                                 CollectiveKind::allgather, CollectiveKind::alltoall};

} // namespace

TEST_CASE("kinds after which everybody has heard from everybody") {
  for (const CollectiveKind kind : kAllToAllKinds)
    for (const int p : communicator_sizes())
      for (const double bytes : message_sizes())
        for (const bool commutative : {true, false}) {
          if (p > 17 && bytes > 100000)
            continue; // alltoall of 100 ranks and segments by the thousand: covered by the algorithms' own tests
          CAPTURE(static_cast<int>(kind), p, bytes, commutative);
          const Built built =
              play_build(p, {.kind = kind, .send_bytes = bytes, .receive_bytes = bytes, .commutative = commutative});
          REQUIRE(built.outcome.fault == "");
          if (bytes == 0) {
            CHECK(built.name == "none");
            CHECK(built.outcome.messages == 0);
          } else {
            CHECK(all_heard_all(built.outcome));
          }
          if (p == 1 && bytes > 0) CHECK(built.name == "local");
        }
}

TEST_CASE("barrier and the agreement of constructors always send messages") {
  for (const int p : communicator_sizes())
    for (const CollectiveKind kind : {CollectiveKind::barrier, CollectiveKind::synchronize}) {
      CAPTURE(p);
      const Built built = play_build(p, {.kind = kind});
      REQUIRE(built.outcome.fault == "");
      CHECK(all_heard_all(built.outcome));
    }
  CHECK(play_build(8, {.kind = CollectiveKind::synchronize}).outcome.total_sent() == 8 * 3 * 8); // p log2(p) messages of 8 bytes
}

TEST_CASE("a communicator is constructed by three agreements of Open MPI, or by one of MPICH, after a gathering") {
  // Binomial to rank 0 and back: 2 (p - 1) messages of 4 bytes each time.
  CHECK(play_build(8, {.kind = CollectiveKind::construct}).outcome.total_sent() == 3 * 2 * 7 * 4);
  const double gathered =
      play_build(8, {.kind = CollectiveKind::allgather, .send_bytes = 8, .receive_bytes = 8}).outcome.total_sent();
  CHECK(play_build(8, {.kind = CollectiveKind::construct, .send_bytes = 8, .receive_bytes = 8}).outcome.total_sent() ==
        3 * 2 * 7 * 4 + gathered);
  Selection mpich;
  mpich.library = Library::mpich;
  const Context of_mpich{.selection = &mpich};
  Schedule steps, allreduce;
  CHECK(build({.kind = CollectiveKind::construct}, 3, 8, 0, of_mpich, steps) == "allreduce");
  build({.kind = CollectiveKind::allreduce, .send_bytes = 260, .receive_bytes = 260}, 3, 8, 0, of_mpich, allreduce);
  const auto sent = [](const Schedule& of) {
    std::vector<double> bytes;
    for (const Step& step : of)
      if (step.kind == StepKind::send || step.kind == StepKind::isend) bytes.push_back(step.bytes);
    return bytes;
  };
  CHECK(!sent(steps).empty());
  CHECK(sent(steps) == sent(allreduce));
  Schedule none;
  build({.kind = CollectiveKind::construct}, 0, 1, 0, none);
  CHECK(none.empty());
}

TEST_CASE("rooted kinds from every root, with arguments given only where MPI reads them") {
  for (const int p : communicator_sizes())
    for (const int root : roots(p))
      for (const double bytes : {1.0, 1000.0, 20000.0, 100000.0, 400000.0}) {
        CAPTURE(p, root, bytes);
        for (const CollectiveKind kind : {CollectiveKind::bcast, CollectiveKind::scatter}) {
          const Built built = play_build(p, [&](int rank) {
            return Collective{
                .kind = kind, .root = root, .send_bytes = rank == root ? bytes : 0, .receive_bytes = rank == root ? 0 : bytes};
          });
          REQUIRE(built.outcome.fault == "");
          CHECK(all_heard(built.outcome, root));
        }
        for (const CollectiveKind kind : {CollectiveKind::reduce, CollectiveKind::gather}) {
          const Built built = play_build(p, [&](int rank) {
            return Collective{
                .kind = kind, .root = root, .send_bytes = rank == root ? 0 : bytes, .receive_bytes = rank == root ? bytes : 0};
          });
          REQUIRE(built.outcome.fault == "");
          CHECK(built.outcome.heard[static_cast<std::size_t>(root)] == first_ranks(p));
        }
      }
}

TEST_CASE("scans hear from all ranks below") {
  for (const CollectiveKind kind : {CollectiveKind::scan, CollectiveKind::exscan})
    for (const int p : communicator_sizes()) {
      const Built built = play_build(p, {.kind = kind, .send_bytes = 800, .receive_bytes = 800});
      REQUIRE(built.outcome.fault == "");
      for (int rank = 0; rank < p; ++rank)
        CHECK((built.outcome.heard[static_cast<std::size_t>(rank)] & first_ranks(rank + 1)) == first_ranks(rank + 1));
    }
}

TEST_CASE("v and w kinds, with empty blocks") {
  for (const int p : communicator_sizes())
    for (const double scale : {1.0, 5000.0}) {
      CAPTURE(p, scale);
      const Uneven blocks(p, scale);
      const int root = p / 2;

      const Outcome allgatherv = play_build(p, [&](int rank) {
                                   return Collective{.kind = CollectiveKind::allgatherv,
                                                     .send_bytes = blocks.of(rank),
                                                     .receive_bytes = blocks.total,
                                                     .receive_counts = blocks.all};
                                 }).outcome;
      REQUIRE(allgatherv.fault == "");
      RankSet with_data;
      for (int rank = 0; rank < p; ++rank) with_data.set(static_cast<std::size_t>(rank), blocks.of(rank) > 0);
      for (const RankSet& heard : allgatherv.heard) CHECK((heard & with_data) == with_data);
      CHECK(allgatherv.total_sent() >= (p - 1) * blocks.total);

      const Outcome reduce_scatter = play_build(p, [&](int rank) {
                                       return Collective{.kind = CollectiveKind::reduce_scatter,
                                                         .send_bytes = blocks.total,
                                                         .receive_bytes = blocks.of(rank),
                                                         .receive_counts = blocks.all};
                                     }).outcome;
      REQUIRE(reduce_scatter.fault == "");
      for (int rank = 0; rank < p; ++rank) // who gets nothing need not hear of anybody
        if (blocks.of(rank) > 0) CHECK(reduce_scatter.heard[static_cast<std::size_t>(rank)] == first_ranks(p));

      const Outcome gatherv = play_build(p, [&](int rank) {
                                return Collective{.kind = CollectiveKind::gatherv,
                                                  .root = root,
                                                  .send_bytes = blocks.of(rank),
                                                  .receive_bytes = rank == root ? blocks.total : 0,
                                                  .receive_counts = rank == root ? blocks.all : nullptr};
                              }).outcome;
      REQUIRE(gatherv.fault == "");
      CHECK(gatherv.received[static_cast<std::size_t>(root)] == blocks.total - blocks.of(root));
      CHECK(gatherv.copied[static_cast<std::size_t>(root)] == blocks.of(root));

      const Outcome scatterv = play_build(p, [&](int rank) {
                                 return Collective{.kind = CollectiveKind::scatterv,
                                                   .root = root,
                                                   .send_bytes = rank == root ? blocks.total : 0,
                                                   .receive_bytes = blocks.of(rank),
                                                   .send_counts = rank == root ? blocks.all : nullptr};
                               }).outcome;
      REQUIRE(scatterv.fault == "");
      CHECK(scatterv.sent[static_cast<std::size_t>(root)] == blocks.total - blocks.of(root));
    }
}

TEST_CASE("alltoallv and alltoallw, with empty blocks") {
  for (const int p : communicator_sizes())
    for (const double scale : {1.0, 5000.0}) {
      CAPTURE(p, scale);
      const Uneven blocks(p, scale);
      for (const CollectiveKind kind : {CollectiveKind::alltoallv, CollectiveKind::alltoallw}) {
        // Each rank sends rank j blocks.of(j) bytes, so it receives own(its rank) from everybody.
        const Outcome alltoall =
            play_build(p, [&](int rank) {
              return Collective{.kind = kind,
                                .send_bytes = blocks.total,
                                .receive_bytes = blocks.of(rank) * p,
                                .send_counts = blocks.all,
                                .receive_counts = share(std::vector<double>(static_cast<std::size_t>(p), blocks.of(rank)))};
            }).outcome;
        REQUIRE(alltoall.fault == "");
        CHECK(alltoall.total_sent() == (p - 1) * blocks.total);
      }
    }
}

TEST_CASE("MPI_IN_PLACE leaves the local copy out and nothing else, but for alltoalls") {
  for (const CollectiveKind kind : kAllToAllKinds) {
    const Built given = play_build(6, {.kind = kind, .send_bytes = 1000, .receive_bytes = 1000});
    const Built in_place = play_build(6, {.kind = kind, .send_bytes = 1000, .receive_bytes = 1000, .in_place = true});
    REQUIRE(given.outcome.fault == "");
    REQUIRE(in_place.outcome.fault == "");
    if (kind == CollectiveKind::alltoall) {
      CHECK(in_place.name == "basic_inplace");
      CHECK(in_place.outcome.total_sent() == 6 * 5 * 1000);
      continue;
    }
    CHECK(given.name == in_place.name);
    CHECK(given.outcome.sent == in_place.outcome.sent);
    CHECK(given.outcome.copied[0] == in_place.outcome.copied[0] + 1000);
  }
  const Built alltoallv = play_build(3, {.kind = CollectiveKind::alltoallv,
                                         .receive_bytes = 30,
                                         .in_place = true,
                                         .send_counts = share({10, 10, 10}),
                                         .receive_counts = share({10, 10, 10})});
  REQUIRE(alltoallv.outcome.fault == "");
  CHECK(alltoallv.name == "basic_inplace");
  CHECK(alltoallv.outcome.total_sent() == 60);
}

TEST_CASE("one rank alone does local work at most") {
  for (int kind = 0; kind <= static_cast<int>(CollectiveKind::construct); ++kind) {
    CAPTURE(kind);
    Schedule schedule;
    build(Collective{.kind = static_cast<CollectiveKind>(kind),
                     .send_bytes = 64,
                     .receive_bytes = 64,
                     .send_counts = share({64}),
                     .receive_counts = share({64})},
          0, 1, 0, schedule);
    for (const Step& step : schedule) CHECK(step.kind == StepKind::copy);
  }
}

TEST_CASE("a schedule is appended to what is there") {
  Schedule schedule{{StepKind::copy, -1, 1}};
  build(Collective{.kind = CollectiveKind::barrier}, 1, 8, 0, schedule); // recursive doubling: 3 exchanges
  CHECK(schedule.size() == 1 + 3 * 3);
  CHECK(schedule.front().kind == StepKind::copy);
}

TEST_CASE("one rank of a large communicator is built in the time of its own steps") {
  for (const CollectiveKind kind : {CollectiveKind::barrier, CollectiveKind::bcast, CollectiveKind::reduce,
                                    CollectiveKind::allreduce, CollectiveKind::synchronize, CollectiveKind::scan})
    for (int rank = 0; rank < (1 << 20); rank += 1 << 16) {
      Schedule schedule;
      build(Collective{.kind = kind, .send_bytes = 8, .receive_bytes = 8}, rank, (1 << 20) - 5, 0, schedule);
      CHECK(schedule.size() <= 20 * 5 + 5);
    }
}
