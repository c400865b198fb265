#include "calib/study/network_calibration.h"

#include "calib/fit/statistics.h"
#include "calib/study/curves.h"
#include "calib/study/slopes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace farcast::study {

namespace {

constexpr std::array<std::string_view, 5> kClasses = {"same-cache", "same-socket", "other-socket", "same-node", "other-node"};
constexpr std::string_view kOtherNode = kClasses.back();
constexpr std::array<std::string_view, 5> kFlows = {"both", "both-slow", "many-to-one", "one-to-many", "pairs"};
constexpr double kSteepest = 1e4;             // bandwidth factor of a section whose time does not grow with size
constexpr double kFlattest = 1e-9;            // latency factor of a section without a base
constexpr double kEagerHeader = 22.0;         // of Open MPI over TCP (platform.h has all of them)
constexpr std::size_t kMostFlowSamples = 500; // slopes grow with the square
constexpr double kLeastLatencyShare = 0.05;
constexpr double kReadingShare = 0.5; // of what processes add to a small message beyond the call that sends it
constexpr double kUsual = 25.0;      // percentile of messages and round trips, ordered by time: late ones are not among the first
constexpr double kPipeline = 8.0;    // packets; fewer, but for one, make a message whose time on the wire the sections tell badly
constexpr double kSteeper = 1.2;     // than the wire: per byte, of a section that is not a matter of sharing it
constexpr int kSteps = 16;           // of such a section: what they are off by is below 1 % of a message's time
constexpr double kInTrain = 1024.0;  // bytes of the largest messages whose trains are a matter of calls
constexpr double kSmall = 40.0;      // a size where nothing is copied worth speaking of
constexpr double kLinksOfAWay = 2.0; // of the platform that is written; each hands a packet on when it has it whole

// Returns: whether the kernel tells of the connection, so that the wire's part of a message is known.
bool round_trip_known(const PairCalibration& pair) {
  return pair.tcp && (pair.tcp->round_trip_s > 0.0 || pair.tcp->least_rtt_s > 0.0);
}

// Bytes that a full packet takes of the wire besides its payload.
double packet_overhead(const TcpFigures& tcp) { return std::max(0.0, tcp.path_mtu - tcp.payload_bytes) + kFrameOverhead; }

// Seconds that so many bytes of payload take of the links, latency apart: the first packet passes
// all links but the last alone.
double wire_time(const PairCalibration& pair, double bytes) {
  const double per_byte = pair.one_way.fit.sections.back().per_byte_s.value;
  return per_byte * (bytes + (kLinksOfAWay - 1.0) * std::min(bytes, pair.tcp->payload_bytes));
}

// How much longer messages of one packet take in the mean than those at that percentile.
double mean_lateness(const PairCalibration& pair, double percent) {
  std::vector<double> residuals;
  for (const fit::TimedSize& sample : pair.one_way.samples) {
    if (sample.bytes <= pair.tcp->payload_bytes) residuals.push_back(sample.seconds - pair.one_way.fit(sample.bytes));
  }
  return residuals.size() < kLeastSamples ? 0.0 : -std::min(0.0, fit::percentile(residuals, percent));
}

// Half of the round trip of packets without payload and without processes, in the mean. Cards and
// switches are late at times, and how late differs by more than what a process takes. So round trips
// stand beside messages that are as early among theirs: against the mean, all lateness would be taken
// for the processes', and wake-ups would be several times too long. The earliest of all are chance.
double way_without_processes(const PairCalibration& pair) {
  if (pair.tcp->round_trip_s > 0.0) return pair.tcp->round_trip_s / 2.0 + mean_lateness(pair, kUsual);
  return pair.tcp->least_rtt_s / 2.0 + mean_lateness(pair, 0.0);
}

// What an eager message takes beyond that, the wire and its send.
double software_time(const PairCalibration& pair, double bytes) {
  const double wire = wire_time(pair, bytes + kEagerHeader);
  return pair.one_way.fit(bytes) - way_without_processes(pair) - wire - overhead(pair.send_overhead, bytes);
}

// A receive is measured after a pause, and finds caches colder than one that waits inside MPI. Of
// what processes add to a small message beyond its send, at most kReadingShare is reading; the rest
// is the wake-up. (In the kernel's traces of Open MPI over TCP a process that waits runs 2-4 us after
// its host has got a message, reads 3 us later, and has read it 2 us after that.) What a larger one
// takes more than that and the wire's time per byte, which rendezvous messages give, is all that its
// reading can take more.
void bound_reading(PairCalibration& pair) {
  if (!round_trip_known(pair)) return;
  const double software = std::max(0.0, software_time(pair, kSmall));
  const double excess = overhead(pair.receive_overhead, kSmall) - kReadingShare * software;
  std::vector<OverheadLine>& lines = pair.receive_overhead;
  if (excess > 0.0) {
    for (OverheadLine& line : lines) line.base_s = std::max(0.0, line.base_s - excess);
  }
  if (!pair.rendezvous_seen) return; // the wire's time per byte is not known apart
  const double small = overhead(lines, kSmall);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    double end = std::min(pair.eager_limit, i + 1 < lines.size() ? lines[i + 1].above_bytes : HUGE_VAL);
    if (end < kPipeline * pair.tcp->payload_bytes) end = std::min(end, pair.tcp->payload_bytes);
    if (end <= lines[i].above_bytes) continue;
    const double most = small + std::max(0.0, software_time(pair, end) - software);
    lines[i].base_s = std::min(lines[i].base_s, most);
    lines[i].per_byte_s = std::min(lines[i].per_byte_s, (most - lines[i].base_s) / end);
  }
}

void fit_overheads(PairCalibration& pair, const ProbeOutput& output, std::vector<std::string>& notes) {
  auto send = timed_sizes(output.of("send", pair.name));
  bound_samples(send, pair.one_way, {});
  pair.send = fit_curve("send", std::move(send), std::nullopt, pair.name, notes);
  pair.send_overhead = overhead_lines(pair.send);
  pair.isend = fit_curve("isend", timed_sizes(output.of("isend", pair.name)),
                         pair.rendezvous_seen ? std::optional(pair.eager_limit) : std::nullopt, pair.name, notes);
  pair.isend_overhead = overhead_lines(pair.isend);
  auto receive = timed_sizes(output.of("receive", pair.name));
  bound_samples(receive, pair.one_way, pair.send_overhead);
  pair.receive = fit_curve("receive", std::move(receive), std::nullopt, pair.name, notes);
  pair.receive_overhead = overhead_lines(pair.receive);
  bound_reading(pair);
}

std::optional<TcpFigures> tcp_figures(const ProbeOutput& output, const std::string& pair_class) {
  TcpFigures tcp;
  tcp.payload_bytes = output.number("tcp_payload." + pair_class, 0.0);
  tcp.path_mtu = output.number("tcp_mtu." + pair_class, 0.0);
  tcp.least_rtt_s = output.number("tcp_rtt." + pair_class, 0.0);
  std::vector<double> round_trips;
  for (const Sample& sample : output.of("round-trip", pair_class)) round_trips.push_back(sample.seconds);
  if (round_trips.size() >= kLeastSamples) tcp.round_trip_s = fit::percentile(round_trips, kUsual);
  return tcp.payload_bytes > 0.0 ? std::optional(tcp) : std::nullopt;
}

void separate_wakeup(PairCalibration& pair, double start_s) {
  pair.latency_s = start_s;
  if (!round_trip_known(pair)) return;
  const double overhead_bytes = packet_overhead(*pair.tcp);
  const double wire = way_without_processes(pair) - kLinksOfAWay * overhead_bytes / pair.bytes_per_second;
  pair.latency_s = std::clamp(wire, kLeastLatencyShare * start_s, start_s);
  const double headers = kLinksOfAWay * (kEagerHeader + overhead_bytes) / pair.bytes_per_second;
  pair.wakeup_latency_s = std::max(0.0, start_s - pair.latency_s - headers);
}

void add_factors(PairCalibration& pair, double above, const Line& line) {
  pair.latency_factor.push_back({above, std::max(kFlattest, line.base_s / pair.latency_s)});
  const double slope = std::max(line.per_byte_s, 1.0 / (kSteepest * pair.bytes_per_second));
  pair.bandwidth_factor.push_back({above, 1.0 / (slope * pair.bytes_per_second)});
}

// A message of few packets takes more per byte than the wire, for each link begins when it has a
// whole packet: time that others behind it need not wait for. So it is put into latency, which does
// not hold the link, in steps; the rate is the wire's.
void add_steps(PairCalibration& pair, double above, double end, const Line& line, double wire_per_byte_s) {
  const double width = (end - above) / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const double from = std::floor(above + i * width);
    const double middle = above + (i + 0.5) * width;
    add_factors(pair, from, {line.base_s + (line.per_byte_s - wire_per_byte_s) * middle, wire_per_byte_s, {}});
  }
}

void fit_factors(PairCalibration& pair) {
  const fit::PiecewiseFit& fit = pair.network.fit;
  std::vector<Line> lines;
  for (std::size_t i = 0; i < fit.sections.size(); ++i)
    lines.push_back(non_negative(fit.sections[i], pair.network.samples, end_of(fit, i), kEnvelopeBytes));
  // The last section that grows: a few samples of largest messages may lie flat.
  Line bulk{0.0, 1e-12, {}};
  for (const Line& line : lines) bulk = line.per_byte_s > 0.0 ? line : bulk;
  pair.payload_per_second = 1.0 / bulk.per_byte_s;
  const double wire = pair.tcp ? (pair.tcp->payload_bytes + packet_overhead(*pair.tcp)) / pair.tcp->payload_bytes : 1.0;
  pair.bytes_per_second = wire * pair.payload_per_second;
  const fit::Interval per_byte = bulk.per_byte_interval;
  pair.bytes_per_second_interval = {per_byte.high > 0.0 ? wire / per_byte.high : 0.0,
                                    per_byte.low > 0.0 ? wire / per_byte.low : HUGE_VAL};
  pair.start_s = pair.one_way.fit.sections.front().base_s;
  const double start = std::max(1e-9, lines.front().base_s + (kEnvelopeBytes + 1.0) * lines.front().per_byte_s);
  separate_wakeup(pair, start);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double above = fit.sections[i].from_bytes > 0.0 ? fit.sections[i].from_bytes + kEnvelopeBytes : 0.0;
    const double end = end_of(fit, i) + kEnvelopeBytes;
    const bool few_packets = pair.tcp && end <= kPipeline * pair.tcp->payload_bytes;
    if (few_packets && lines[i].per_byte_s > kSteeper * bulk.per_byte_s)
      add_steps(pair, above, end, lines[i], bulk.per_byte_s);
    else
      add_factors(pair, above, lines[i]);
  }
}

// What a call takes per byte: the median of the slopes between samples of one batch. Value 0: too
// few samples.
BulkCall bulk_call(std::vector<Sample> samples) {
  thin_out(samples, kMostFlowSamples);
  BulkCall call{{}, samples.size()};
  if (samples.size() < kLeastSamples) return call;
  std::vector<fit::TimedSize> slopes; // in order of time
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t j = i; j-- > 0 && samples[j].batch == samples[i].batch;) {
      if (const auto slope = slope_between(samples[i], samples[j])) slopes.push_back({0.0, *slope, samples[i].batch});
    }
  }
  call.per_byte_s = middle_of(slopes);
  call.per_byte_s.value = std::max(0.0, call.per_byte_s.value);
  return call;
}

void measure_contention(PairCalibration& pair, const ProbeOutput& output) {
  for (const std::string_view kind : kFlows) {
    std::vector<Sample> bulk = output.of(kind, pair.name);
    std::erase_if(bulk, [&](const Sample& sample) { // its time is latency: nothing to share
      return sample.bytes / pair.payload_per_second < pair.one_way.fit(sample.bytes) / 2.0;
    });
    thin_out(bulk, kMostFlowSamples);
    const double slope = median_slope(bulk);
    if (!(slope > 0.0)) continue;
    pair.contention.push_back({std::string(kind), bulk.front().messages, slope * pair.payload_per_second, bulk.size()});
  }
  pair.bulk_write = bulk_call(output.of("bulk-write", pair.name));
  pair.bulk_read = bulk_call(output.of("bulk-read", pair.name));
  // An eager message is copied once more. Where that is quicker, the kernel did not keep all of the
  // data for its receiver.
  const double copied = overhead(pair.receive_overhead, pair.eager_limit);
  if (!pair.receive_overhead.empty() && pair.bulk_read.per_byte_s.value * pair.eager_limit > copied) pair.bulk_read = {};
  std::vector<fit::TimedSize> more;
  for (const Sample& sample : output.of("isend-again", pair.name)) {
    if (sample.bytes > kInTrain) continue;
    more.push_back({sample.bytes, overhead(pair.isend_overhead, sample.bytes) - sample.seconds, sample.batch});
  }
  pair.cold_call_s = middle_of(more);
  pair.cold_call_s.value = std::max(0.0, pair.cold_call_s.value);
  std::vector<fit::TimedSize> gaps;
  for (const Sample& sample : output.of("train", pair.name)) {
    if (sample.bytes > kInTrain || sample.messages < 2) continue;
    const double ends = pair.one_way.fit(sample.bytes) + pair.one_way.fit(1.0);
    gaps.push_back({sample.bytes, std::max(0.0, sample.seconds - ends) / (sample.messages - 1), sample.batch});
  }
  pair.message_gap_s = middle_of(gaps);
}

base::Result<PairCalibration> calibrate_pair(const ProbeOutput& output, const std::string& pair_class,
                                             std::vector<std::string>& notes) {
  PairCalibration pair;
  pair.name = pair_class;
  pair.where = output.fact("pair." + pair_class);
  pair.tcp = tcp_figures(output, pair_class);
  const double largest = output.number("max_bytes", 0.0);
  pair.eager_limit = output.number("eager_limit." + pair_class, -1.0);
  pair.rendezvous_seen = pair.eager_limit < largest;
  if (!pair.rendezvous_seen)
    notes.push_back(
        fmt::format("{}: messages up to the largest, {} B, are eager; the switch lies above (--max-bytes)", pair_class, largest));
  const std::optional<double> at_limit =
      pair.rendezvous_seen && pair.eager_limit > 0 ? std::optional(pair.eager_limit) : std::nullopt;
  pair.one_way = fit_curve("one-way", timed_sizes(output.of("one-way", pair_class)), at_limit, pair_class, notes);
  if (pair.one_way.fit.sections.empty()) return base::fail(notes.back());
  fit_overheads(pair, output, notes);
  std::vector<fit::TimedSize> network = pair.one_way.samples;
  for (fit::TimedSize& sample : network) {
    double before = 0.0;
    if (sample.bytes <= pair.eager_limit)
      before = overhead(pair.send_overhead, sample.bytes) + overhead(pair.receive_overhead, sample.bytes);
    sample.seconds = std::max((1.0 - kMostOverhead) * sample.seconds, sample.seconds - before);
  }
  pair.network = fit_curve("network", std::move(network), at_limit, pair_class, notes);
  if (pair.network.fit.sections.empty()) return base::fail(notes.back());
  fit_factors(pair);
  measure_contention(pair, output);
  return pair;
}

fit::Estimate median_of(const ProbeOutput& output, std::string_view kind) {
  std::vector<fit::TimedSize> figures;
  for (const Sample& sample : output.samples) {
    if (sample.kind == kind) figures.push_back({sample.bytes, sample.seconds, sample.batch});
  }
  return middle_of(figures);
}

// Each message is sent and received by one process: nothing of it is the network's.
void fit_self(NetworkCalibration& calibration, const ProbeOutput& output) {
  auto samples = timed_sizes(output.of("self", "self"));
  if (samples.empty()) {
    calibration.notes.emplace_back("messages of a rank to itself were not measured");
    return;
  }
  calibration.self = fit_curve("self", std::move(samples), std::nullopt, "a rank", calibration.notes);
  calibration.self_message = overhead_lines(calibration.self);
}

// What collectives do beside messages.
void fit_local(NetworkCalibration& calibration, const ProbeOutput& output) {
  for (Curve* curve : {&calibration.reduction, &calibration.copy}) {
    const std::string name = curve == &calibration.copy ? "copy" : "reduction";
    auto samples = timed_sizes(output.of(name, "self"));
    if (samples.empty())
      calibration.notes.push_back(name + " inside a rank was not measured");
    else
      *curve = fit_curve(name, std::move(samples), std::nullopt, "a rank", calibration.notes);
  }
}

platform::TransportKind transport_of(const NetworkCalibration& calibration) {
  using platform::TransportKind;
  const PairCalibration& pair = calibration.main_pair();
  if (pair.name != kOtherNode) return TransportKind::smpi;
  if (!pair.tcp) return TransportKind::rdma;
  return calibration.mpi.starts_with("Open MPI") ? TransportKind::tcp_openmpi : TransportKind::smpi;
}

} // namespace

const PairCalibration* NetworkCalibration::pair_within_node() const {
  const auto within = std::find_if(pairs.rbegin(), pairs.rend(), [](const auto& pair) { return pair.name != kOtherNode; });
  return within == pairs.rend() ? nullptr : &*within;
}

base::Result<NetworkCalibration> calibrate_network(const ProbeOutput& output) {
  NetworkCalibration calibration;
  calibration.mpi = output.fact("mpi");
  calibration.cores = static_cast<int>(output.number("cores", 1.0));
  calibration.hosts = static_cast<int>(output.number("hosts", 1.0));
  calibration.ranks = static_cast<int>(output.number("ranks", 2.0));
  for (const std::string_view name : kClasses) {
    const std::string pair_class(name);
    if (output.fact("pair." + pair_class).empty()) continue;
    auto pair = calibrate_pair(output, pair_class, calibration.notes);
    if (!pair) return tl::make_unexpected(pair.error());
    calibration.pairs.push_back(std::move(*pair));
  }
  if (calibration.pairs.empty()) return base::fail("the probe measured no pair of ranks");
  std::set<int> batches;
  for (const Sample& sample : output.samples) {
    ++calibration.samples[sample.kind];
    if (sample.batch != fit::kNoBatch) batches.insert(sample.batch);
  }
  calibration.batches = static_cast<int>(batches.size());
  fit_self(calibration, output);
  fit_local(calibration, output);
  if (calibration.pair_within_node() == nullptr)
    calibration.notes.emplace_back(
        "messages between ranks of one node were not measured, for no node had two of the ranks: in the "
        "file they take the way to the switch and back");
  calibration.iprobe_s = median_of(output, "iprobe");
  calibration.test_s = median_of(output, "test");
  if (calibration.iprobe_s.value == 0.0 || calibration.test_s.value == 0.0)
    calibration.notes.emplace_back("fruitless polls were not measured, for processes slept in them: predictions take those of a "
                                   "recorded run as they were measured there");
  calibration.transport = transport_of(calibration);
  return calibration;
}

double factor_time(const PairCalibration& pair, double bytes) {
  const double size = bytes + kEnvelopeBytes;
  const auto factor_of = [&](const std::vector<FactorLine>& lines) {
    double factor = lines.front().factor;
    for (const FactorLine& line : lines) factor = size > line.above_bytes ? line.factor : factor;
    return factor;
  };
  return factor_of(pair.latency_factor) * pair.latency_s + size / (factor_of(pair.bandwidth_factor) * pair.bytes_per_second);
}

} // namespace farcast::study
