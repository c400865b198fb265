// Kandalla10's bcast and reduce: the leaders of nodes alone communicate between nodes, and who
// rests meanwhile.
#include "predictor/collective/node_leaders.h"

#include "data_flow_play.h"
#include "made_nodes.h"
#include "predictor/collective/power_aware.h"

using namespace farcast::collective;
using namespace farcast::collective::test;
using Kind = farcast::trace::CollectiveKind;

namespace {

constexpr std::string_view kName = "node_leaders";

const Selection& by_leaders() {
  static const Selection selection = parse_selection("bcast=node_leaders,reduce=node_leaders").value();
  return selection;
}

std::string_view append(Kind kind, Place at, int root, double bytes, const NodeLayout& nodes, Schedule& out,
                        bool commutative = true) {
  const Context context{.selection = &by_leaders(), .nodes = &nodes};
  return choose({.kind = kind, .at = at, .root = root, .bytes = bytes, .commutative = commutative, .context = &context}, out);
}

struct Played {
  Outcome outcome;
  MessageLog log;
};

void play_one(Kind kind, int size, int root, double bytes, const NodeLayout& nodes, Played& out) {
  out.outcome = play(
      size, [&](Place at, Schedule& steps) { REQUIRE(append(kind, at, root, bytes, nodes, steps) == kName); }, &out.log);
  REQUIRE(out.outcome.fault.empty());
  for (const MessageLog::Message& message : out.log.messages()) {
    if (nodes.node_of(message.from) == nodes.node_of(message.to)) continue;
    REQUIRE(nodes.local_rank(message.from) == 0);
    REQUIRE(nodes.local_rank(message.to) == 0);
  }
}

} // namespace

TEST_CASE("node leaders: all hear from the root or the root from all, and leaders alone cross nodes") {
  for (const bool round_robin : {false, true})
    for (const int per_node : {1, 2, 3, 8})
      for (int size = per_node + 1; size <= 26; ++size)
        for (const double bytes : {8.0, 20000.0, 600000.0})
          for (const int root : {0, 1, size - 1}) {
            CAPTURE(round_robin, per_node, size, bytes, root);
            const NodeLayout nodes = made_nodes(size, per_node, round_robin);
            Played bcast, reduce;
            play_one(Kind::bcast, size, root, bytes, nodes, bcast);
            play_one(Kind::reduce, size, root, bytes, nodes, reduce);
            for (int rank = 0; rank < size; ++rank) {
              REQUIRE(bcast.outcome.heard[static_cast<std::size_t>(rank)].test(static_cast<std::size_t>(root)));
              REQUIRE((rank == root || bcast.outcome.received[static_cast<std::size_t>(rank)] >= bytes));
              REQUIRE(reduce.outcome.heard[static_cast<std::size_t>(root)].test(static_cast<std::size_t>(rank)));
            }
            REQUIRE(reduce.outcome.total_reduced() == Approx(bytes * (size - 1)));
          }
}

TEST_CASE("node leaders: of a large message Kandalla10 eq. (2), with the allgather of blocks of M / N") {
  constexpr int kNodes = 8, kPerNode = 4;
  constexpr double kBytes = 800000;
  const NodeLayout nodes = made_nodes(kNodes * kPerNode, kPerNode);
  Played played;
  play_one(Kind::bcast, kNodes * kPerNode, 0, kBytes, nodes, played);
  double across = 0;
  for (const MessageLog::Message& message : played.log.messages())
    across += nodes.node_of(message.from) == nodes.node_of(message.to) ? 0 : message.bytes;
  // A binomial scatter sends 4 + 2 * 2 + 4 * 1 blocks of M / N, a ring 7 to each of 8.
  CHECK(across == Approx(kBytes / kNodes * (12 + 7 * 8)));
}

TEST_CASE("node leaders: each rank rests once, in a bcast until the data reaches it, in a reduce until its leader is through") {
  constexpr int kSize = 12;
  const NodeLayout nodes = made_nodes(kSize, 4);
  for (const Kind kind : {Kind::bcast, Kind::reduce})
    for (int rank = 0; rank < kSize; ++rank) {
      Schedule steps;
      append(kind, {rank, kSize}, 0, 1000, nodes, steps);
      std::string text; // r, w, and a letter per step between them
      bool resting = false;
      for (const Step& step : steps) {
        if (step.kind == StepKind::rest) resting = true;
        if (resting)
          text += step.kind == StepKind::rest      ? 'r'
                  : step.kind == StepKind::work    ? 'w'
                  : step.kind == StepKind::receive ? '<'
                                                   : '.';
        if (step.kind == StepKind::work) resting = false;
      }
      CAPTURE(rank, text);
      REQUIRE(text.size() >= 2);
      CHECK(text.front() == 'r');
      CHECK(text.back() == 'w');
      CHECK(std::count(text.begin(), text.end(), 'r') == 1);
      if (nodes.local_rank(rank) != 0) CHECK(text == "r<w");
    }
}

TEST_CASE("node leaders: without a second node, or with an operator that does not commute, the library's choice stands") {
  Schedule out;
  const NodeLayout one_node(std::vector<std::uint32_t>(8, 0));
  CHECK(append(Kind::bcast, {0, 8}, 0, 8, one_node, out) != kName);
  CHECK(append(Kind::reduce, {0, 8}, 0, 8, made_nodes(8, 4), out, false) != kName);
  CHECK(append(Kind::reduce, {0, 8}, 0, 8, made_nodes(8, 4), out, true) == kName);
}

TEST_CASE("node leaders: by name, for bcast and reduce alone") {
  const auto no_allreduce = parse_selection("allreduce=node_leaders");
  REQUIRE_FALSE(no_allreduce);
  CHECK(no_allreduce.error().message.find("'node_leaders' is no algorithm for allreduce") != std::string::npos);
  const auto mistyped = parse_selection("bcast=node_leader");
  REQUIRE_FALSE(mistyped);
  CHECK(mistyped.error().message.find("did you mean node_leaders?") != std::string::npos);
  CHECK(mistyped.error().message.find("to save power there is node_leaders") != std::string::npos);
}
