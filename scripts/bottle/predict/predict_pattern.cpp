// farcast_bottle_predict: plays one pattern of probe/probe.c on a flat cluster of ordered channels, and prints the time of each
// rank.
//
//   farcast_bottle_predict PATTERN RANKS BYTES MESSAGES smpi|channel BYTES_PER_SECOND LATENCY_US HANDLING_US
// The time of a rank is that between the two marks of the probe: here, local calls of their own.
#include "predictor/platform/cluster.h"
#include "predictor/sim/predict.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace farcast;
using trace::OperationKind;

struct Request {
  std::string pattern;
  int ranks = 2;
  double bytes = 1;
  int messages = 1;
  bool channel = true;
  double bytes_per_second = 0;
  double latency_s = 0;
  double handling_s = 0;
};

platform::Platform cluster(const Request& request) {
  platform::Cluster cluster;
  cluster.id = "bottle";
  cluster.prefix = "bottle";
  for (int i = 0; i < request.ranks; ++i) cluster.radicals.push_back(static_cast<std::uint32_t>(i));
  cluster.bandwidth = base::BytesPerSecond(request.bytes_per_second);
  cluster.latency = base::Seconds(request.latency_s / 2);
  platform::Platform result = platform::build_platform(cluster);
  if (request.channel) { // the ping-pong's software time stands in `handling`; nothing is charged twice
    result.p2p.send_overhead.clear();
    result.p2p.isend_overhead.clear();
    result.p2p.receive_overhead.clear();
    result.transport.kind = platform::TransportKind::tcp_openmpi;
    result.transport.handling = base::Seconds(request.handling_s);
  }
  return result;
}

// The pattern's calls, the same as the probe's. Between barriers it is played kRounds times, as the probe repeats it.
class Pattern final : public trace::Timelines {
public:
  static constexpr int kRounds = 3;
  static constexpr double kLate = 0.01; // of rank 0 before the barrier of both_ways, as in the probe

  explicit Pattern(const Request& request) : request_(request), calls_(static_cast<std::size_t>(request.ranks)) {
    auto world = std::make_shared<trace::Communicator>();
    world->id = 1;
    world->members.resize(calls_.size());
    std::iota(world->members.begin(), world->members.end(), 0);
    world_ = std::move(world);
    for (int rank = 0; rank < request.ranks; ++rank) write(rank);
    position_.assign(calls_.size(), 0);
  }
  [[nodiscard]] int ranks() const override { return request_.ranks; }
  [[nodiscard]] int timelines() const override { return request_.ranks; }
  [[nodiscard]] int rank_of(int timeline) const override { return timeline; }
  bool next(int timeline, trace::Operation& out) override {
    const auto index = static_cast<std::size_t>(timeline);
    if (position_[index] >= calls_[index].size()) return false;
    out = calls_[index][position_[index]++];
    return true;
  }
  // Sites by which the report tells the pattern's calls from the barriers.
  static constexpr std::uint32_t kTimed = 1;
  static constexpr std::uint32_t kAround = 0;

private:
  trace::Operation& add(int rank, OperationKind kind, std::uint32_t site = kTimed) {
    trace::Operation& call = calls_[static_cast<std::size_t>(rank)].emplace_back();
    call.kind = kind;
    call.communicator = world_;
    call.site = timed_ ? site : kAround;
    return call;
  }
  void message(int rank, OperationKind kind, int peer, double bytes, int tag, std::uint32_t request = 0) {
    trace::Operation& call = add(rank, kind);
    call.peer = peer;
    call.bytes = bytes;
    call.tag = tag;
    call.request = request;
  }
  void wait(int rank, std::uint32_t count) {
    trace::Operation& call = add(rank, OperationKind::wait);
    for (std::uint32_t i = 0; i < count; ++i) call.requests.push_back(i);
  }
  void collective(int rank, trace::CollectiveKind kind, double bytes, std::uint32_t site) {
    auto arguments = std::make_shared<trace::Collective>();
    arguments->kind = kind;
    arguments->send_bytes = arguments->receive_bytes = bytes;
    add(rank, OperationKind::collective, site).collective = std::move(arguments);
  }
  void write(int rank) {
    add(rank, OperationKind::init, kAround);
    for (int round = 0; round <= kRounds; ++round) {
      timed_ = round > 0;
      collective(rank, trace::CollectiveKind::barrier, 0, kAround);
      if (request_.pattern == "both_ways" && rank == 0) calls_[0].back().compute = base::Seconds(kLate);
      play(rank);
    }
    add(rank, OperationKind::finalize, kAround);
  }
  void play(int rank) {
    if (request_.pattern == "halo") return halo(rank);
    if (request_.pattern == "allreduce") {
      for (int i = 0; i < request_.messages; ++i) collective(rank, trace::CollectiveKind::allreduce, request_.bytes, kTimed);
      return;
    }
    if (rank > 1) return;
    const int peer = 1 - rank;
    if (request_.pattern == "ping_pong") {
      if (rank == 0) message(rank, OperationKind::send, peer, request_.bytes, 0);
      message(rank, OperationKind::receive, peer, 0, 0);
      if (rank == 1) message(rank, OperationKind::send, peer, request_.bytes, 0);
    } else if (request_.pattern == "both_ways") {
      message(rank, OperationKind::ireceive, peer, 0, 0, 0);
      message(rank, OperationKind::isend, peer, request_.bytes, 0, 1);
      wait(rank, 1);
      add(rank, OperationKind::wait, kAround).requests.push_back(1);
    } else {
      in_flight(rank, peer);
    }
  }
  void in_flight(int rank, int peer) {
    for (int i = 0; i < request_.messages; ++i) {
      message(rank, rank == 0 ? OperationKind::isend : OperationKind::ireceive, peer, rank == 0 ? request_.bytes : 0, i,
              static_cast<std::uint32_t>(i));
    }
    wait(rank, static_cast<std::uint32_t>(request_.messages));
    message(rank, OperationKind::send_receive, peer, 1, request_.messages);
    calls_[static_cast<std::size_t>(rank)].back().receive_peer = peer;
    calls_[static_cast<std::size_t>(rank)].back().receive_tag = request_.messages;
  }
  void halo(int rank) {
    const int left = (rank + request_.ranks - 1) % request_.ranks;
    const int right = (rank + 1) % request_.ranks;
    for (int i = 0; i < request_.messages; ++i) {
      message(rank, OperationKind::ireceive, left, 0, 0, 0);
      message(rank, OperationKind::ireceive, right, 0, 1, 1);
      message(rank, OperationKind::isend, right, request_.bytes, 0, 2);
      message(rank, OperationKind::isend, left, request_.bytes, 1, 3);
      wait(rank, 4);
    }
  }

  Request request_;
  bool timed_ = false; // the first round opens, as the probe's
  std::shared_ptr<const trace::Communicator> world_;
  std::vector<std::vector<trace::Operation>> calls_;
  std::vector<std::size_t> position_;
};

bool parse(int argc, char** argv, Request& request) {
  if (argc != 9) return false;
  request.pattern = argv[1];
  bool known = false;
  for (const char* name : {"ping_pong", "both_ways", "in_flight", "halo", "allreduce"}) known = known || request.pattern == name;
  request.ranks = static_cast<int>(std::strtol(argv[2], nullptr, 10));
  request.bytes = std::strtod(argv[3], nullptr);
  request.messages = static_cast<int>(std::strtol(argv[4], nullptr, 10));
  request.channel = std::strcmp(argv[5], "channel") == 0;
  request.bytes_per_second = std::strtod(argv[6], nullptr);
  request.latency_s = std::strtod(argv[7], nullptr) * 1e-6;
  request.handling_s = std::strtod(argv[8], nullptr) * 1e-6;
  return known && (request.channel || std::strcmp(argv[5], "smpi") == 0) && request.ranks >= 2 && request.bytes >= 0 &&
         request.messages >= 1 && request.bytes_per_second > 0 && request.latency_s >= 0 && request.handling_s >= 0;
}

} // namespace

int main(int argc, char** argv) {
  Request request;
  if (!parse(argc, argv, request)) {
    fmt::print(stderr, "usage: farcast_bottle_predict PATTERN RANKS BYTES MESSAGES smpi|channel BYTES_PER_SECOND LATENCY_US "
                       "HANDLING_US\n");
    return 2;
  }
  const platform::Platform platform = cluster(request);
  platform::Placement placement;
  for (int i = 0; i < request.ranks; ++i) placement.host_of.push_back(static_cast<platform::HostId>(i));
  placement.core_of.assign(placement.host_of.size(), 0);
  Pattern pattern(request);
  const sim::Prediction prediction = sim::predict(pattern, platform, placement, sim::Options{});
  if (!prediction.complete) {
    fmt::print(stderr, "farcast_bottle_predict: {}\n",
               prediction.problems.empty() ? std::string("incomplete") : prediction.problems.front().text);
    return 1;
  }
  const bool one_way = request.pattern == "ping_pong";
  const bool each = request.pattern == "halo" || request.pattern == "allreduce";
  std::string text;
  for (std::size_t rank = 0; rank < placement.host_of.size(); ++rank) {
    double time = prediction.sites.count(Pattern::kTimed) > 0 ? prediction.sites.at(Pattern::kTimed)[rank].total.value() : 0;
    time /= Pattern::kRounds * (one_way ? 2 : 1) * (each ? request.messages : 1);
    text += fmt::format("{}{:.9f}", rank > 0 ? ", " : "", time);
  }
  fmt::print("{{\"seconds\": [{}]}}\n", text);
  return 0;
}
