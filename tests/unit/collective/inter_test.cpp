// Inter-communicators: two groups, every rank's peers >= its own group's size are ranks of the
// other group.
#include "executor.h"

#include <catch2/catch.hpp>

#include <functional>
#include <set>

using namespace farcast::collective;
using namespace farcast::collective::test;
using farcast::trace::Collective;
using farcast::trace::CollectiveKind;

namespace {

struct Groups {
  int first;  // ranks 0 .. first - 1 of the executor
  int second; // ranks first .. first + second - 1
};

const std::vector<Groups> kGroups{{1, 1}, {1, 4}, {4, 1}, {2, 3}, {5, 5}, {8, 12}, {17, 33}};

// Plays call(in_first, rank in its group) of all ranks of both groups.
Outcome play_groups(Groups groups, const std::function<Collective(bool in_first, int rank)>& call) {
  std::vector<Schedule> schedules;
  std::set<std::string_view> names;
  for (int i = 0; i < groups.first + groups.second; ++i) {
    const bool in_first = i < groups.first;
    const int rank = in_first ? i : i - groups.first;
    const int size = in_first ? groups.first : groups.second;
    Schedule schedule;
    names.insert(build(call(in_first, rank), rank, size, in_first ? groups.second : groups.first, schedule));
    for (Step& step : schedule)
      if (step.peer >= 0 && !in_first) step.peer = step.peer < size ? groups.first + step.peer : step.peer - size;
    schedules.push_back(std::move(schedule));
  }
  CHECK(names.size() == 1);
  return Executor(schedules).play();
}

RankSet members(Groups groups, bool of_first) {
  const RankSet first = first_ranks(groups.first);
  return of_first ? first : first_ranks(groups.first + groups.second) & ~first;
}

// Every rank has heard from the whole other group.
void check_both_ways(Groups groups, const Outcome& outcome) {
  REQUIRE(outcome.fault == "");
  for (int i = 0; i < groups.first + groups.second; ++i) {
    const RankSet others = members(groups, i >= groups.first);
    CHECK((outcome.heard[static_cast<std::size_t>(i)] & others) == others);
  }
}

// Collective::root as each rank sees it when rank `root` of the first group is the root.
int root_for(bool in_first, int rank, int root) {
  if (!in_first) return root;
  return rank == root ? farcast::trace::kInterRoot : farcast::trace::kProcNull;
}

std::shared_ptr<const std::vector<double>> equal(double bytes, int count) {
  return std::make_shared<const std::vector<double>>(static_cast<std::size_t>(count), bytes);
}

} // namespace

TEST_CASE("symmetric kinds: everybody hears from the whole other group") {
  for (const Groups groups : kGroups)
    for (const double bytes : message_sizes()) {
      CAPTURE(groups.first, groups.second, bytes);
      for (const CollectiveKind kind : {CollectiveKind::barrier, CollectiveKind::synchronize, CollectiveKind::allreduce,
                                        CollectiveKind::allgather, CollectiveKind::alltoall, CollectiveKind::allgatherv})
        check_both_ways(groups, play_groups(groups, [&](bool in_first, int) {
                          Collective collective{.kind = kind, .send_bytes = bytes, .receive_bytes = bytes};
                          if (kind == CollectiveKind::allgatherv)
                            collective.receive_counts = equal(bytes, in_first ? groups.second : groups.first);
                          return collective;
                        }));
    }
}

TEST_CASE("reduce_scatter: both groups' vectors have the same total") {
  for (const Groups groups : kGroups) {
    CAPTURE(groups.first, groups.second);
    const double total = 64.0 * groups.first * groups.second;
    for (const CollectiveKind kind : {CollectiveKind::reduce_scatter, CollectiveKind::reduce_scatter_block})
      check_both_ways(groups, play_groups(groups, [&](bool in_first, int) {
                        const int size = in_first ? groups.first : groups.second;
                        Collective collective{.kind = kind, .send_bytes = total / size, .receive_bytes = total / size};
                        if (kind == CollectiveKind::reduce_scatter) {
                          collective.send_bytes = total;
                          collective.receive_counts = equal(total / size, size);
                        }
                        return collective;
                      }));
  }
}

TEST_CASE("rooted kinds run between the root and the other group") {
  for (const Groups groups : kGroups)
    for (const int root : roots(groups.first))
      for (const double bytes : {0.0, 8.0, 65536.0}) {
        if (root >= groups.first) continue;
        CAPTURE(groups.first, groups.second, root, bytes);
        for (const CollectiveKind kind : {CollectiveKind::bcast, CollectiveKind::scatter, CollectiveKind::scatterv}) {
          const Outcome outcome = play_groups(groups, [&](bool in_first, int rank) {
            Collective collective{
                .kind = kind, .root = root_for(in_first, rank, root), .send_bytes = bytes, .receive_bytes = bytes};
            if (kind == CollectiveKind::scatterv && in_first && rank == root)
              collective.send_counts = equal(bytes, groups.second);
            return collective;
          });
          REQUIRE(outcome.fault == "");
          for (int i = groups.first; i < groups.first + groups.second; ++i)
            CHECK(outcome.heard[static_cast<std::size_t>(i)].test(static_cast<std::size_t>(root)));
        }
        for (const CollectiveKind kind : {CollectiveKind::reduce, CollectiveKind::gather, CollectiveKind::gatherv}) {
          const Outcome outcome = play_groups(groups, [&](bool in_first, int rank) {
            Collective collective{
                .kind = kind, .root = root_for(in_first, rank, root), .send_bytes = bytes, .receive_bytes = bytes};
            if (kind == CollectiveKind::gatherv && in_first && rank == root)
              collective.receive_counts = equal(bytes, groups.second);
            return collective;
          });
          REQUIRE(outcome.fault == "");
          const RankSet others = members(groups, false);
          CHECK((outcome.heard[static_cast<std::size_t>(root)] & others) == others);
          if (kind != CollectiveKind::reduce) CHECK(outcome.received[static_cast<std::size_t>(root)] == groups.second * bytes);
        }
      }
}

TEST_CASE("the rest of the root's group has no part in a rooted kind") {
  Schedule schedule;
  build(Collective{.kind = CollectiveKind::bcast, .root = farcast::trace::kProcNull, .send_bytes = 8, .receive_bytes = 8}, 2, 4,
        3, schedule);
  CHECK(schedule.empty());
}

TEST_CASE("alltoallv and alltoallw between the groups move each pair's bytes") {
  const auto amount = [](bool from_first, int from, int to) { return (from_first ? 1000.0 : 0.0) + from * 31 + to; };
  for (const Groups groups : kGroups)
    for (const CollectiveKind kind : {CollectiveKind::alltoallv, CollectiveKind::alltoallw}) {
      CAPTURE(groups.first, groups.second);
      const Outcome outcome = play_groups(groups, [&](bool in_first, int rank) {
        std::vector<double> sent;
        std::vector<double> received;
        for (int peer = 0; peer < (in_first ? groups.second : groups.first); ++peer) {
          sent.push_back(amount(in_first, rank, peer));
          received.push_back(amount(!in_first, peer, rank));
        }
        return Collective{.kind = kind,
                          .send_counts = std::make_shared<const std::vector<double>>(sent),
                          .receive_counts = std::make_shared<const std::vector<double>>(received)};
      });
      REQUIRE(outcome.fault == "");
      CHECK(outcome.messages == 2 * groups.first * groups.second);
    }
}
