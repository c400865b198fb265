// The same for equal blocks, pipelines, halves, and MPICH's compositions over nodes.
#include "data_flow_play.h"
#include "predictor/collective/node_layout.h"
#include "predictor/collective/selection.h"

using namespace farcast::collective;
using namespace farcast::collective::test;

TEST_CASE("gather and scatter of equal blocks: a message is the part of the subtree behind it") {
  const auto gathers = named<Rooted>({
      {"linear", linear_gather},
      {"linear_sync", [](Place at, int root, double b, Schedule& out) { linear_sync_gather(at, root, b, 0, out); }},
      {"binomial", binomial_gather},
  });
  for (const auto& [name, gather] : gathers)
    for (const int p : flow_sizes())
      for (const int root : roots(p)) {
        CAPTURE(name, p, root);
        Gathered model(p, 1000);
        const Outcome outcome = play(
            p, [&, run = gather](Place at, Schedule& out) { run(at, root, 1000, out); }, &model);
        REQUIRE(outcome.fault == "");
        REQUIRE(model.fault() == "");
        REQUIRE(model.has(root) == first_ranks(p));
      }
  // A scatter's messages are a gather's the other way round, last first.
  const auto scatters =
      named<Rooted>({{"linear", linear_scatter}, {"linear_nb", linear_nb_scatter}, {"binomial", binomial_scatter}});
  for (const auto& [name, scatter] : scatters)
    for (const int p : flow_sizes())
      for (const int root : roots(p)) {
        CAPTURE(name, p, root);
        MessageLog log;
        const Outcome outcome = play(
            p, [&, run = scatter](Place at, Schedule& out) { run(at, root, 1000, out); }, &log);
        REQUIRE(outcome.fault == "");
        Gathered model(p, 1000);
        log.play_backwards(model);
        REQUIRE(model.fault() == "");
        REQUIRE(model.has(root) == first_ranks(p));
      }
}

TEST_CASE("alltoall: one block from each rank to each other, the right one") {
  using All = std::function<void(Place, const std::vector<double>&, const std::vector<double>&, Schedule&)>;
  const auto algorithms = named<All>({
      {"linear", linear_alltoallv},
      {"pairwise", pairwise_alltoallv},
      {"scattered",
       [](Place at, const auto& sent, const auto& received, Schedule& out) { scattered_alltoallv(at, sent, received, 4, out); }},
  });
  for (const auto& [name, algorithm] : algorithms)
    for (const int p : flow_sizes()) {
      CAPTURE(name, p);
      // The size names both ends.
      const auto bytes = [p](int from, int to) { return static_cast<double>(from * p + to + 1); };
      MessageLog log;
      const Outcome outcome = play(
          p,
          [&, run = algorithm](Place at, Schedule& out) {
            std::vector<double> sent;
            std::vector<double> received;
            for (int peer = 0; peer < p; ++peer) {
              sent.push_back(bytes(at.rank, peer));
              received.push_back(bytes(peer, at.rank));
            }
            run(at, sent, received, out);
          },
          &log);
      REQUIRE(outcome.fault == "");
      std::set<std::pair<int, int>> seen;
      for (const MessageLog::Message& message : log.messages()) {
        REQUIRE(message.bytes == bytes(message.from, message.to));
        REQUIRE(seen.insert({message.from, message.to}).second);
      }
      REQUIRE(static_cast<int>(seen.size()) == p * (p - 1));
    }
  const auto uniform = named<Unrooted>({
      {"linear", linear_alltoall},
      {"pairwise", pairwise_alltoall},
      {"xor pairwise", xor_pairwise_alltoall},
      {"replacing", replacing_alltoall},
      {"in order", in_order_alltoall},
      {"in place", [](Place at, double b, Schedule& out) { in_place_alltoall(at, b, true, out); }},
      {"in place, to the right first", [](Place at, double b, Schedule& out) { in_place_alltoall(at, b, false, out); }},
      {"scattered", [](Place at, double b, Schedule& out) { scattered_alltoall(at, b, 4, out); }},
  });
  for (const auto& [name, algorithm] : uniform)
    for (const int p : flow_sizes()) {
      CAPTURE(name, p);
      MessageLog log;
      REQUIRE(play(
                  p, [&, run = algorithm](Place at, Schedule& out) { run(at, 1000, out); }, &log)
                  .fault == "");
      std::set<std::pair<int, int>> seen;
      for (const MessageLog::Message& message : log.messages()) {
        REQUIRE(message.bytes == 1000);
        REQUIRE(seen.insert({message.from, message.to}).second);
      }
      REQUIRE(static_cast<int>(seen.size()) == p * (p - 1));
    }
}

TEST_CASE("scan: every rank ends with the contributions up to its own") {
  for (const int p : flow_sizes()) {
    CAPTURE(p);
    Windows model(p, 1000);
    REQUIRE(play(
                p, [&](Place at, Schedule& out) { linear_scan(at, 1000, out); }, &model)
                .fault == "");
    REQUIRE(model.fault() == "");
    for (int rank = 0; rank < p; ++rank) REQUIRE(model.end(rank).from == first_ranks(rank + 1));
  }
}

TEST_CASE("pipelines: every segment arrives, and every contribution to each counts once") {
  constexpr double kBytes = 10000;
  for (const double segment : {10000.0, 4096.0, 1000.0}) {
    const auto reduces = named<Rooted>({
        {"binomial", [=](Place at, int root, double n, Schedule& out) { binomial_reduce(at, root, n, segment, out); }},
        {"binary", [=](Place at, int root, double n, Schedule& out) { binary_reduce(at, root, n, segment, out); }},
        {"chain", [=](Place at, int root, double n, Schedule& out) { chain_reduce(at, root, n, segment, 4, out); }},
        {"pipeline", [=](Place at, int root, double n, Schedule& out) { pipeline_reduce(at, root, n, segment, out); }},
        {"in-order_binary",
         [=](Place at, int root, double n, Schedule& out) { in_order_binary_reduce(at, root, n, segment, out); }},
    });
    const auto bcasts = named<Rooted>({
        {"binomial", [=](Place at, int root, double n, Schedule& out) { binomial_bcast(at, root, n, segment, out); }},
        {"binary", [=](Place at, int root, double n, Schedule& out) { binary_bcast(at, root, n, segment, out); }},
        {"chain", [=](Place at, int root, double n, Schedule& out) { chain_bcast(at, root, n, segment, 4, out); }},
        {"pipeline", [=](Place at, int root, double n, Schedule& out) { pipeline_bcast(at, root, n, segment, out); }},
        {"knomial", [=](Place at, int root, double n, Schedule& out) { knomial_bcast(at, root, n, segment, 4, out); }},
    });
    for (const int p : flow_sizes())
      for (const int root : roots(p)) {
        for (const auto& [name, algorithm] : reduces) {
          if (name == "in-order_binary" && root != p - 1) continue; // the last rank hands it over whole
          CAPTURE(name, p, root, segment);
          Pipelined model(p, Blocks::segments(kBytes, segment));
          REQUIRE(play(
                      p, [&, run = algorithm](Place at, Schedule& out) { run(at, root, kBytes, out); }, &model)
                      .fault == "");
          const RankSet end = model.end(root);
          REQUIRE(model.fault() == "");
          REQUIRE(end == first_ranks(p));
        }
        for (const auto& [name, algorithm] : bcasts) {
          CAPTURE(name, p, root, segment);
          Pipelined model(p, Blocks::segments(kBytes, segment));
          REQUIRE(play(
                      p, [&, run = algorithm](Place at, Schedule& out) { run(at, root, kBytes, out); }, &model)
                      .fault == "");
          REQUIRE(model.fault() == "");
          RankSet only;
          only.set(static_cast<std::size_t>(root));
          for (int rank = 0; rank < p; ++rank) REQUIRE((model.end(rank) == only && model.end(rank, true) == only));
        }
      }
  }
}

TEST_CASE("split binary tree: every rank ends with both halves") {
  constexpr double kBytes = 3; // halves of 2 and 1
  for (const int p : flow_sizes())
    for (const int root : roots(p)) {
      CAPTURE(p, root);
      TellingBlocks model(p, false);
      TellingBlocks::give_all_to(root, 2, model);
      const auto run = [&](Place at, Schedule& out) { split_binary_tree_bcast(at, root, kBytes, 0, out); };
      REQUIRE(play(p, run, &model).fault == "");
      REQUIRE(model.fault() == "");
      for (int rank = 0; rank < p; ++rank) REQUIRE((model.end(rank).contains(0) && model.end(rank).contains(1)));
    }
}

TEST_CASE("recursive doubling: scattered parts, or one block each, become the whole buffer everywhere") {
  for (const int p : flow_sizes()) {
    CAPTURE(p);
    const double n = 1000.0 * p;
    Windows bcast(p, n);
    bcast.only_root(0);
    const auto scatter_doubling = [&](Place at, Schedule& out) { scatter_doubling_allgather_bcast(at, 0, n, out); };
    REQUIRE(play(p, scatter_doubling, &bcast).fault == "");
    REQUIRE(bcast.fault() == "");
    for (int rank = 0; rank < p; ++rank) {
      CAPTURE(rank);
      REQUIRE(bcast.end(rank).low == 0);
      REQUIRE(bcast.end(rank).high == n);
      REQUIRE(bcast.end(rank).from.test(0));
    }
    if (!is_power_of_two(p)) continue;
    Windows allgather(p, n);
    allgather.one_each(1000);
    const auto doubling = [&](Place at, Schedule& out) { recursive_doubling_allgather(at, 1000, out); };
    REQUIRE(play(p, doubling, &allgather).fault == "");
    REQUIRE(allgather.fault() == "");
    for (int rank = 0; rank < p; ++rank) REQUIRE((allgather.end(rank).low == 0 && allgather.end(rank).high == n));
  }
}

TEST_CASE("over nodes: reductions and broadcasts of MPICH's two levels deliver the whole") {
  const Selection mpich{.library = Library::mpich};
  for (const bool round_robin : {false, true})
    for (const int p : flow_sizes())
      for (const int root : roots(p))
        for (const double n : {8.0, 2048.0}) {
          CAPTURE(round_robin, p, root, n);
          std::vector<std::uint32_t> hosts;
          for (int rank = 0; rank < p; ++rank) hosts.push_back(static_cast<std::uint32_t>(round_robin ? rank % 4 : rank / 3));
          const NodeLayout nodes(hosts);
          const Context context{.selection = &mpich, .nodes = &nodes};
          const auto run = [&](farcast::trace::CollectiveKind kind) {
            return [&, kind](Place at, Schedule& out) {
              build({.kind = kind, .root = root, .send_bytes = n, .receive_bytes = n}, at.rank, p, 0, context, out);
            };
          };
          using Kind = farcast::trace::CollectiveKind;
          check_reduction("allreduce", p, -1, n, run(Kind::allreduce));
          check_reduction("reduce", p, root, n, run(Kind::reduce));
          Windows model(p, n);
          model.only_root(root);
          REQUIRE(play(p, run(Kind::bcast), &model).fault == "");
          REQUIRE(model.fault() == "");
          for (int rank = 0; rank < p; ++rank)
            REQUIRE((model.end(rank).high == n && model.end(rank).from.test(static_cast<std::size_t>(root))));
        }
}
