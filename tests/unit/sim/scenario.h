// What the engine's tests are written with: flat platforms, and programs as a list of operations
// per rank.
#pragma once

#include "predictor/platform/cluster.h"
#include "predictor/sim/predict.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace scenario {

using farcast::base::Bytes;
using farcast::base::BytesPerSecond;
using farcast::base::Seconds;
using farcast::base::Watts;
using namespace farcast;

inline constexpr double kBandwidth = 125e6; // bytes per second
inline constexpr double kLatency = 25e-6;   // of one link

// A flat cluster: a link up and one down per host, SimGrid's point-to-point model without
// cross-traffic.
inline platform::Platform flat(int hosts, double bandwidth = kBandwidth, double latency = kLatency, int cores = 1,
                               std::optional<platform::LinkFigures> backbone = {},
                               std::optional<platform::LinkFigures> loopback = {}) {
  platform::Cluster cluster;
  cluster.id = "flat";
  cluster.prefix = "host";
  for (int i = 0; i < hosts; ++i) cluster.radicals.push_back(static_cast<std::uint32_t>(i));
  cluster.cores = cores;
  cluster.bandwidth = BytesPerSecond(bandwidth);
  cluster.latency = Seconds(latency);
  cluster.backbone = backbone;
  cluster.loopback = loopback;
  platform::Platform result = platform::build_platform(cluster);
  result.name = "flat";
  result.p2p.crosstraffic = false;
  return result;
}

inline platform::Placement one_per_host(int ranks) {
  platform::Placement placement;
  for (int i = 0; i < ranks; ++i) placement.host_of.push_back(static_cast<platform::HostId>(i));
  placement.core_of.assign(static_cast<std::size_t>(ranks), 0);
  placement.description = "one rank per host";
  return placement;
}

// The time of a message alone in the network: LF(s) * lat + s / (BF(s) * min(bw, gamma / (2 * lat))).
inline double alone(const platform::Platform& p, double payload, double bandwidth = kBandwidth, double latency = 2 * kLatency) {
  const double size = payload + p.p2p.envelope_bytes;
  const double bound = std::min(bandwidth, p.p2p.tcp_gamma / (2 * latency));
  return platform::factor_at(p.p2p.latency_factor, size) * latency +
         size / (platform::factor_at(p.p2p.bandwidth_factor, size) * bound);
}

inline std::shared_ptr<const trace::Communicator> world(int ranks, std::uint32_t id = 1) {
  auto communicator = std::make_shared<trace::Communicator>();
  communicator->id = id;
  communicator->members.resize(static_cast<std::size_t>(ranks));
  std::iota(communicator->members.begin(), communicator->members.end(), 0);
  return communicator;
}

// One timeline, written call by call.
class Script {
public:
  explicit Script(std::shared_ptr<const trace::Communicator> communicator) : communicator_(std::move(communicator)) {}

  Script& compute(double seconds) {
    compute_ = seconds;
    return *this;
  }
  Script& init() { return add(trace::OperationKind::init); }
  Script& finalize() { return add(trace::OperationKind::finalize); }
  Script& local(double seconds) {
    add(trace::OperationKind::local).last().measured = Seconds(seconds);
    return *this;
  }
  Script& send(int peer, double bytes, int tag = 0, trace::SendMode mode = trace::SendMode::standard) {
    return message(trace::OperationKind::send, peer, bytes, tag).with_mode(mode);
  }
  Script& isend(int peer, double bytes, std::uint32_t request, int tag = 0) {
    message(trace::OperationKind::isend, peer, bytes, tag).last().request = request;
    return *this;
  }
  Script& receive(int peer, int tag = 0) { return message(trace::OperationKind::receive, peer, 0, tag); }
  Script& ireceive(int peer, std::uint32_t request, int tag = 0) {
    message(trace::OperationKind::ireceive, peer, 0, tag).last().request = request;
    return *this;
  }
  Script& send_receive(int to, double bytes, int from, int tag = 0) {
    message(trace::OperationKind::send_receive, to, bytes, tag);
    last().receive_peer = from;
    last().receive_tag = tag;
    return *this;
  }
  Script& transfer(int peer, double bytes, double reply, std::uint32_t request) {
    message(trace::OperationKind::transfer, peer, bytes, 0).last().request = request;
    last().reply_bytes = reply;
    return *this;
  }
  Script& lock(int target, trace::Lock kind, std::uint32_t request) {
    transfer(target, 0, 0, request).last().lock = kind;
    return wait({request});
  }
  Script& unlock(int target, trace::Lock kind) {
    transfer(target, 0, trace::kNoReply, 0).last().lock = kind;
    return *this;
  }
  Script& read(double bytes, std::optional<std::uint32_t> request = {}) { return access(-1, bytes, request); }
  Script& write(double bytes, std::optional<std::uint32_t> request = {}) { return access(bytes, -1, request); }
  Script& took(double seconds) {
    last().measured = Seconds(seconds);
    return *this;
  }
  // Seconds of cores that the rank's other threads used before the last call, and in it.
  Script& beside(double before, double in_call = 0) {
    last().others_s = static_cast<float>(before);
    last().others_in_call_s = static_cast<float>(in_call);
    return *this;
  }
  // In the last call, a collective, its members also work (trace::Collective::works).
  Script& works() {
    auto arguments = std::make_shared<trace::Collective>(*last().collective);
    arguments->works = true;
    last().collective = std::move(arguments);
    return *this;
  }
  // The same where they have agreed in a call before (met).
  Script& works_only() {
    works();
    auto arguments = std::make_shared<trace::Collective>(*last().collective);
    arguments->met = true;
    last().collective = std::move(arguments);
    return *this;
  }
  // The computation before the last call.
  Script& memory_bound() {
    last().memory_bound = true;
    return *this;
  }
  Script& probe(int peer, int tag = 0) { return message(trace::OperationKind::probe, peer, 0, tag); }
  // Of the last operation, a probe or a receive: MPI_Mprobe, MPI_Mrecv.
  Script& of_message(std::uint32_t number) {
    last().message = number;
    return *this;
  }
  Script& wait(std::vector<std::uint32_t> requests, bool polled = false) {
    add(trace::OperationKind::wait).last().requests = std::move(requests);
    last().polled = polled;
    return *this;
  }
  // A row of fruitless polls, or what the last wait or probe was made of.
  Script& polls(std::uint64_t times, double measured, bool probes = false) {
    add(trace::OperationKind::poll).last().times = times;
    last().probes = probes;
    return took(measured);
  }
  Script& polled() {
    last().polled = true;
    return *this;
  }
  // The same; between two looks it works.
  Script& looks_every(double seconds) {
    last().between_looks = Seconds(seconds);
    return polled();
  }
  // The program waits for what comes of the last operation.
  Script& asked() {
    last().asked = true;
    return *this;
  }
  // Nobody models what it does once it is answered.
  Script& away() {
    last().away = true;
    return asked();
  }
  // Of the call whose first part was the last operation.
  Script& rest(double seconds) {
    local(seconds).last().times = 0;
    return *this;
  }
  Script& wait_for(trace::Completes completes, std::vector<std::uint32_t> requests) {
    wait(std::move(requests)).last().completes = completes;
    return asked();
  }
  // MPI_Test and its like, MPI_Iprobe: one look.
  Script& test(trace::Completes completes, std::vector<std::uint32_t> requests, double cost) {
    polls(1, cost).last().completes = completes;
    last().requests = std::move(requests);
    return asked();
  }
  Script& iprobe(int peer, int tag, double cost) {
    polls(1, cost, true).last().peer = peer;
    last().tag = tag;
    return asked();
  }
  Script& forget(std::uint32_t request, bool freed = false) {
    add(trace::OperationKind::forget).last().requests = {request};
    last().freed = freed;
    return *this;
  }
  Script& collective(trace::CollectiveKind kind, double bytes, int root = 0) {
    return collective_of(trace::OperationKind::collective, kind, bytes, root);
  }
  Script& icollective(trace::CollectiveKind kind, double bytes, std::uint32_t request) {
    collective_of(trace::OperationKind::icollective, kind, bytes).last().request = request;
    return *this;
  }
  Script& on(std::shared_ptr<const trace::Communicator> communicator) {
    last().communicator = std::move(communicator);
    return *this;
  }
  Script& numbered(std::uint32_t call) {
    last().call_number = call;
    return *this;
  }
  Script& at_site(std::uint32_t site, std::uint32_t region = 0) {
    last().site = site;
    last().region = region;
    return *this;
  }
  [[nodiscard]] const std::vector<trace::Operation>& operations() const { return operations_; }

private:
  trace::Operation& last() { return operations_.back(); }
  Script& access(double written, double read, std::optional<std::uint32_t> request) {
    add(request ? trace::OperationKind::istorage : trace::OperationKind::storage).last().request = request.value_or(0);
    last().bytes = written;
    last().reply_bytes = read;
    return *this;
  }
  Script& with_mode(trace::SendMode mode) {
    last().mode = mode;
    return *this;
  }
  Script& add(trace::OperationKind kind) {
    operations_.emplace_back();
    last().kind = kind;
    last().compute = Seconds(compute_);
    last().communicator = communicator_;
    compute_ = 0;
    return *this;
  }
  Script& message(trace::OperationKind kind, int peer, double bytes, int tag) {
    add(kind);
    last().peer = peer;
    last().bytes = bytes;
    last().tag = tag;
    return *this;
  }
  Script& collective_of(trace::OperationKind kind, trace::CollectiveKind which, double bytes, int root = 0) {
    add(kind);
    auto arguments = std::make_shared<trace::Collective>();
    arguments->kind = which;
    arguments->root = root;
    arguments->send_bytes = arguments->receive_bytes = bytes;
    last().collective = std::move(arguments);
    return *this;
  }

  std::shared_ptr<const trace::Communicator> communicator_;
  std::vector<trace::Operation> operations_;
  double compute_ = 0;
};

// One script per rank; further threads are added with thread().
class Program final : public trace::Timelines {
public:
  explicit Program(int ranks) : ranks_(ranks), communicator_(world(ranks)) {
    for (int i = 0; i < ranks; ++i) {
      scripts_.emplace_back(communicator_);
      rank_of_.push_back(i);
    }
    position_.assign(static_cast<std::size_t>(ranks), 0);
  }
  Script& rank(int rank) { return scripts_[static_cast<std::size_t>(rank)]; }
  Script& thread(int rank) {
    scripts_.emplace_back(communicator_);
    rank_of_.push_back(rank);
    position_.push_back(0);
    return scripts_.back();
  }
  Program& all_init() {
    for (int i = 0; i < ranks_; ++i) rank(i).init();
    return *this;
  }
  Program& all_finalize() {
    for (int i = 0; i < ranks_; ++i) rank(i).finalize();
    return *this;
  }
  // What came of a timeline's asked operations. `then` may add to its script.
  std::vector<std::vector<trace::Answer>> answers;
  std::function<void(int, const trace::Answer&)> then;
  // Whether a rank that was away is back; none: each is at once.
  std::function<bool(int, bool waits)> back;
  [[nodiscard]] bool has_come(int timeline, bool waits) override { return !back || back(timeline, waits); }
  [[nodiscard]] bool asks() const override { return true; }
  void answer(int timeline, const trace::Answer& given) override {
    answers.resize(scripts_.size());
    answers[static_cast<std::size_t>(timeline)].push_back(given);
    if (then) then(timeline, given);
  }
  void rewind() { std::fill(position_.begin(), position_.end(), 0); }
  [[nodiscard]] const std::shared_ptr<const trace::Communicator>& communicator() const { return communicator_; }

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] int timelines() const override { return static_cast<int>(scripts_.size()); }
  [[nodiscard]] int rank_of(int timeline) const override { return rank_of_[static_cast<std::size_t>(timeline)]; }
  bool next(int timeline, trace::Operation& out) override {
    const auto index = static_cast<std::size_t>(timeline);
    if (position_[index] >= scripts_[index].operations().size()) return false;
    out = scripts_[index].operations()[position_[index]++];
    return true;
  }

  // Polls up to a question, and nothing else.
  [[nodiscard]] std::span<const trace::Operation> until_question(int timeline) override {
    const auto index = static_cast<std::size_t>(timeline);
    const std::span<const trace::Operation> rest = std::span(scripts_[index].operations()).subspan(position_[index]);
    const auto polls = [](const trace::Operation& one) { return one.kind == trace::OperationKind::poll; };
    return !rest.empty() && rest.back().asked && std::ranges::all_of(rest, polls) ? rest : std::span<const trace::Operation>{};
  }

private:
  int ranks_;
  std::shared_ptr<const trace::Communicator> communicator_;
  std::vector<Script> scripts_;
  std::vector<int> rank_of_;
  std::vector<std::size_t> position_;
};

inline sim::Prediction play(Program& program, const platform::Platform& platform) {
  program.rewind();
  sim::Options options;
  options.preconnected = true; // tests of connecting say otherwise
  return sim::predict(program, platform, one_per_host(program.ranks()), options);
}

inline double seconds(const sim::Prediction& p, int rank, sim::Activity activity) {
  return p.ranks[static_cast<std::size_t>(rank)].in[static_cast<std::size_t>(activity)].value();
}

} // namespace scenario
