#include "calib/study/quality_table.h"

#include "calib/study/provenance.h"
#include "predictor/base/format.h"

#include <fmt/format.h>

namespace farcast::study {

namespace {

std::string time_text(double seconds) { return base::format_time(base::Seconds(seconds)); }
std::string estimate_text(const fit::Estimate& time) {
  return fmt::format("{} ({} to {})", time_text(time.value), time_text(time.interval.low), time_text(time.interval.high));
}
std::string rate_text(double bytes_per_second) { return base::format_bytes(base::Bytes(bytes_per_second)) + "/s"; }

std::string sizes_text(const SectionQuality& quality, double end) {
  std::string text = fmt::format("{:.0f}", quality.above_bytes);
  if (quality.break_low_bytes < quality.break_high_bytes)
    text += fmt::format(" ({:.0f}-{:.0f})", quality.break_low_bytes, quality.break_high_bytes);
  return end > 0.0 ? fmt::format("{} to {:.0f}", text, end) : text + " up";
}

std::string base_text(const SectionQuality& quality) {
  const fit::Interval& interval = quality.base_interval_s;
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", quality.base_s * 1e6, interval.low * 1e6, interval.high * 1e6);
}

// Megabytes per second; where the time may as well not grow with size, there is no upper bound.
std::string slope_text(const SectionQuality& quality) {
  if (!(quality.per_byte_s > 0.0)) return "-";
  const fit::Interval& interval = quality.per_byte_interval_s;
  const std::string high = interval.low > 0.0 ? fmt::format("to {:.5g}", 1e-6 / interval.low) : "up";
  return fmt::format("{:.5g} ({:.5g} {})", 1e-6 / quality.per_byte_s, 1e-6 / interval.high, high);
}

std::string section_line(const SectionQuality& quality, double end) {
  return fmt::format("  {:<8} {:<34} {:>26} {:>27} {:>7.4f} {:>7.1f} {:>7.1f} {:>7.1f} {:>8} {:>8}\n", quality.curve,
                     sizes_text(quality, end), base_text(quality), slope_text(quality), quality.r_squared,
                     quality.residual_50 * 100.0, quality.residual_90 * 100.0, quality.residual_95 * 100.0, quality.samples,
                     quality.outliers);
}

void add_curve(std::string& text, const Curve& curve, const std::string& pair_class) {
  const auto sections = section_quality(curve.name, pair_class, curve.fit);
  for (std::size_t i = 0; i < sections.size(); ++i)
    text += section_line(sections[i], i + 1 < sections.size() ? sections[i + 1].above_bytes : 0.0);
}

std::string pair_paragraph(const PairCalibration& pair) {
  std::string text = fmt::format("\n{}: {}\n", pair.name, pair.where);
  if (pair.rendezvous_seen && pair.eager_limit >= 0.0)
    text += fmt::format("  a send returns before its receive is there up to {:.0f} B (eager), not beyond (rendezvous)\n",
                        pair.eager_limit);
  else
    text += pair.rendezvous_seen ? "  no send returns before its receive is there\n"
                                 : fmt::format("  sends of all sizes up to {:.0f} B return at once (eager)\n", pair.eager_limit);
  text += fmt::format("  latency {}, wake-up {}, {} ({} of payload)", time_text(pair.latency_s), time_text(pair.wakeup_latency_s),
                      rate_text(pair.bytes_per_second), rate_text(pair.payload_per_second));
  text += pair.tcp ? "; TCP, latency by the kernel's round-trip time\n" : "\n";
  text += fmt::format("  95 %: {:.6g} to {:.6g} MB/s, an empty message {:.5g} us ({:.5g} to {:.5g}) one way\n",
                      pair.bytes_per_second_interval.low * 1e-6, pair.bytes_per_second_interval.high * 1e-6,
                      pair.start_s.value * 1e6, pair.start_s.interval.low * 1e6, pair.start_s.interval.high * 1e6);
  if (pair.cold_call_s.value > 0.0)
    text += fmt::format("  a small isend right behind another is quicker by {}\n", estimate_text(pair.cold_call_s));
  if (pair.message_gap_s.value > 0.0)
    text += fmt::format("  many small messages in flight: one more every {}\n", estimate_text(pair.message_gap_s));
  for (const auto& [what, call] : {std::pair{"writes", &pair.bulk_write}, {"reads", &pair.bulk_read}}) {
    const auto& [per_byte_s, samples] = *call;
    if (per_byte_s.value > 0.0)
      text += fmt::format("  a call that {} bulk data: {:.4g} us per MB ({:.4g} to {:.4g}), {} samples\n", what,
                          per_byte_s.value * 1e12, per_byte_s.interval.low * 1e12, per_byte_s.interval.high * 1e12, samples);
  }
  for (const Contention& c : pair.contention)
    text +=
        fmt::format("  {} ({} flows): {:.3f} times one's time per byte, {} samples\n", c.kind, c.messages, c.slowdown, c.samples);
  text += fmt::format("  {:<8} {:<34} {:>26} {:>27} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8}\n", "", "bytes above (95 %)",
                      "base us (95 %)", "MB/s (95 %)", "R^2", "p50 %", "p90 %", "p95 %", "samples", "outliers");
  for (const Curve* curve : {&pair.one_way, &pair.send, &pair.isend, &pair.receive, &pair.network})
    add_curve(text, *curve, pair.name);
  return text;
}

} // namespace

std::string quality_table(const NetworkCalibration& calibration) {
  std::string text = fmt::format("{}\n{} ranks on {} node{}; transport {}\n", calibration.mpi, calibration.ranks,
                                 calibration.hosts, calibration.hosts == 1 ? "" : "s", name_of(calibration.transport));
  text += calibration.batches > 0
              ? fmt::format("in brackets: 95 % intervals, by what differs between {} batches\n", calibration.batches)
              : "in brackets: 95 % intervals\n";
  if (calibration.iprobe_s.value > 0.0 && calibration.test_s.value > 0.0)
    text += fmt::format("fruitless MPI_Iprobe {}, MPI_Test {}\n", estimate_text(calibration.iprobe_s),
                        estimate_text(calibration.test_s));
  for (const PairCalibration& pair : calibration.pairs) text += pair_paragraph(pair);
  if (!calibration.self.samples.empty()) {
    text += "\nself: messages of rank 0 to itself, all that they take\n";
    add_curve(text, calibration.self, "self");
  }
  if (!calibration.reduction.samples.empty() || !calibration.copy.samples.empty()) {
    text += "\nreduction, copy: what rank 0 sums up (doubles) or copies by itself, as inside a collective\n";
    for (const Curve* curve : {&calibration.reduction, &calibration.copy})
      if (!curve->samples.empty()) add_curve(text, *curve, "self");
  }
  for (const std::string& note : calibration.notes) text += "note: " + note + "\n";
  return text;
}

} // namespace farcast::study
