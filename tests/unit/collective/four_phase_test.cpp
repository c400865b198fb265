// Kandalla10's all-to-all: who exchanges with whom, and that one half of each node rests meanwhile.
#include "predictor/collective/four_phase.h"

#include "data_flow_play.h"
#include "made_nodes.h"
#include "predictor/collective/power_aware.h"

using namespace farcast::collective;
using namespace farcast::collective::test;
using Kind = farcast::trace::CollectiveKind;

namespace {

constexpr std::string_view kFourPhase = "four_phase";

const Selection& by_four_phases() {
  static const Selection selection = parse_selection("alltoall=four_phase,alltoallv=four_phase").value();
  return selection;
}

// The size names both ends of a message.
std::string_view append(Place at, const NodeLayout& nodes, Schedule& out) {
  const Context context{.selection = &by_four_phases(), .nodes = &nodes};
  std::vector<double> sent, received;
  for (int peer = 0; peer < at.size; ++peer) {
    sent.push_back(at.rank * at.size + peer + 1);
    received.push_back(peer * at.size + at.rank + 1);
  }
  const Call call{.kind = Kind::alltoallv, .at = at, .sent = &sent, .received = &received, .context = &context};
  return choose(call, out);
}

} // namespace

TEST_CASE("four phases: one message from each rank to each other, on nodes of all sizes") {
  for (const int per_node : {2, 3, 4, 7, 8})
    for (const int size : flow_sizes()) {
      if (size <= per_node) continue;
      CAPTURE(per_node, size);
      const NodeLayout nodes = made_nodes(size, per_node);
      MessageLog log;
      const Outcome outcome = play(
          size, [&](Place at, Schedule& out) { REQUIRE(append(at, nodes, out) == kFourPhase); }, &log);
      REQUIRE(outcome.fault.empty());
      std::set<std::pair<int, int>> seen;
      for (const MessageLog::Message& message : log.messages()) {
        if (message.bytes == 0) { // who goes on is told within the node
          REQUIRE(nodes.node_of(message.from) == nodes.node_of(message.to));
          continue;
        }
        REQUIRE(message.bytes == message.from * size + message.to + 1);
        REQUIRE(seen.insert({message.from, message.to}).second);
      }
      REQUIRE(static_cast<int>(seen.size()) == size * (size - 1));
    }
}

TEST_CASE("four phases: messages between nodes leave one half of each node at a time") {
  constexpr int kSize = 24;
  const NodeLayout nodes = made_nodes(kSize, 4);
  MessageLog log;
  play(
      kSize, [&](Place at, Schedule& out) { append(at, nodes, out); }, &log);
  // In the order of causality, the halves of a node that send to other nodes follow each other: A
  // with A, B with B, then one half per pairing, and each of its changes is announced by a message
  // without data.
  for (int node = 0; node < 6; ++node) {
    int active = 0, announced = 0, changes = 0;
    for (const MessageLog::Message& message : log.messages()) {
      if (nodes.node_of(message.from) != node) continue;
      const int half = nodes.second_half(message.from) ? 1 : 0;
      if (message.bytes == 0) announced = half == active ? announced + 1 : announced;
      if (message.bytes == 0 || nodes.node_of(message.to) == node || half == active) continue;
      active = half;
      ++changes;
      REQUIRE(announced > 0);
      announced = 0;
    }
    REQUIRE(changes >= 6); // once to B, back and forth in each of five pairings
    REQUIRE(changes <= 11);
  }
}

TEST_CASE("four phases: one half of each node rests while the other communicates, in turn") {
  constexpr int kSize = 24;
  const NodeLayout nodes = made_nodes(kSize, 4);
  for (int rank = 0; rank < kSize; ++rank) {
    Schedule steps;
    append({rank, kSize}, nodes, steps);
    bool resting = false;
    int rests = 0;
    for (const Step& step : steps) {
      CAPTURE(rank);
      if (step.kind == StepKind::rest || step.kind == StepKind::work) {
        REQUIRE(resting == (step.kind == StepKind::work));
        resting = step.kind == StepKind::rest;
        rests += resting ? 1 : 0;
      } else if (resting) { // it hears when it goes on
        REQUIRE(step.kind == StepKind::receive);
        REQUIRE(step.bytes == 0);
        REQUIRE(nodes.node_of(step.peer) == nodes.node_of(rank));
      }
    }
    CHECK(rests >= 3); // in phase 2 or 3, and in five pairings unless the half that was done goes on
  }
}

TEST_CASE("four phases: sockets say who rests; without two halves or nodes the library's choice stands") {
  const std::vector<std::uint32_t> hosts{0, 0, 0, 0, 1, 1, 1, 1};
  const NodeLayout one_socket(hosts, std::vector<bool>(8, false));
  CHECK_FALSE(one_socket.rests());
  Schedule out;
  CHECK(append({0, 8}, one_socket, out) == "basic_linear");
  const NodeLayout one_node(std::vector<std::uint32_t>(8, 0));
  CHECK_FALSE(one_node.rests());
  CHECK(append({0, 8}, one_node, out) == "basic_linear");
  const NodeLayout alternating(hosts, {false, true, false, true, false, true, false, true});
  CHECK(alternating.rests());
  CHECK(append({0, 8}, alternating, out) == kFourPhase);
  CHECK_FALSE(made_nodes(8, 1).rests());
}

TEST_CASE("four phases: by name, for all-to-alls alone") {
  CHECK(parse_selection("alltoall=four_phase").value().named[static_cast<std::size_t>(Kind::alltoall)] == kFourPhase);
  const auto no_bcast = parse_selection("bcast=four_phase");
  REQUIRE_FALSE(no_bcast);
  CHECK(no_bcast.error().message.find("'four_phase' is no algorithm for bcast") != std::string::npos);
  const auto mistyped = parse_selection("alltoall=four_phases");
  REQUIRE_FALSE(mistyped);
  CHECK(mistyped.error().message.find("did you mean four_phase?") != std::string::npos);
}
