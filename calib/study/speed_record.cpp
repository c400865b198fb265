#include "calib/study/speed_record.h"

#include "calib/study/speed_comparison.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace farcast::study {

namespace {

constexpr int kVersion = 1;
constexpr std::size_t kFrequenciesForALaw = 3;
constexpr const char* kExpected = "expected a file that `farcast calibrate speed` wrote";

std::string text_of_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;
  if (bytes == 0) return "";
  if (bytes >= kMiB) return fmt::format("{:.3g} MiB", static_cast<double>(bytes) / static_cast<double>(kMiB));
  return fmt::format("{:.3g} KiB", static_cast<double>(bytes) / static_cast<double>(kKiB));
}

std::string per_unit(double seconds) {
  return seconds < 1e-6 ? fmt::format("{:.4g} ns", seconds * 1e9) : fmt::format("{:.4g} us", seconds * 1e6);
}

SpeedMeasurement read_measurement(const nlohmann::json& from) {
  SpeedMeasurement out;
  out.kernel = from.at("kernel").get<std::string>();
  out.bound = from.at("bound").get<std::string>();
  out.bytes = from.at("bytes").get<std::uint64_t>();
  out.cores = from.at("cores").get<int>();
  out.frequency_hz = from.at("frequency_hz").get<double>();
  out.seconds = from.at("seconds_per_unit").get<std::vector<double>>();
  return out;
}

// Returns: what cannot be about it; empty: nothing.
std::string problem_of(const SpeedMeasurement& measurement) {
  const auto bad = std::find_if(measurement.seconds.begin(), measurement.seconds.end(),
                                [](double seconds) { return !std::isfinite(seconds) || seconds <= 0.0; });
  if (measurement.seconds.empty()) return "found no seconds_per_unit, expected at least one";
  if (bad != measurement.seconds.end()) return fmt::format("found {} seconds per unit, expected a number above 0", *bad);
  if (measurement.cores < 1) return fmt::format("found {} cores, expected 1 or more", measurement.cores);
  if (!std::isfinite(measurement.frequency_hz) || measurement.frequency_hz < 0.0)
    return fmt::format("found frequency_hz {}, expected 0 or more", measurement.frequency_hz);
  return "";
}

using Key = std::tuple<std::string, std::uint64_t, int>;
Key key_of(const SpeedMeasurement& m) { return {m.kernel, m.bytes, m.cores}; }

// The measurements at the highest frequency of their kernel and cores.
std::vector<const SpeedMeasurement*> at_full_clock(const SpeedRecord& record) {
  std::map<Key, const SpeedMeasurement*> best;
  for (const SpeedMeasurement& m : record.measurements) {
    const SpeedMeasurement*& slot = best[key_of(m)];
    if (slot == nullptr || m.frequency_hz > slot->frequency_hz) slot = &m;
  }
  std::vector<const SpeedMeasurement*> in_order;
  for (const SpeedMeasurement& m : record.measurements) {
    if (best.at(key_of(m)) == &m) in_order.push_back(&m);
  }
  return in_order;
}

} // namespace

std::string name_of(const SpeedMeasurement& measurement) {
  const std::string size = text_of_bytes(measurement.bytes);
  return size.empty() ? measurement.kernel : measurement.kernel + " " + size;
}

fit::Estimate time_of(const SpeedMeasurement& measurement) {
  return fit::percentile_estimate(measurement.seconds, kTypicalPercent);
}

std::vector<SpeedLaw> frequency_laws(const SpeedRecord& record) {
  std::vector<SpeedLaw> laws;
  for (const SpeedMeasurement* top : at_full_clock(record)) {
    std::vector<fit::FrequencySample> samples;
    std::set<double> frequencies;
    for (const SpeedMeasurement& m : record.measurements) {
      if (key_of(m) != key_of(*top) || m.frequency_hz <= 0.0) continue;
      frequencies.insert(m.frequency_hz);
      for (const double seconds : m.seconds) samples.push_back({m.frequency_hz, seconds});
    }
    if (frequencies.size() < kFrequenciesForALaw) continue;
    if (auto law = fit::fit_frequency_law(samples))
      laws.push_back({name_of(*top), top->bound, top->bytes, top->kernel, top->cores, *std::move(law)});
  }
  return laws;
}

std::string speed_file(const SpeedRecord& record) {
  nlohmann::ordered_json file;
  file["farcast_calibration"] = "speed";
  file["version"] = kVersion;
  for (const auto& [name, value] : to_entries(record.provenance)) file["provenance"][name] = value;
  file["notes"] = record.notes;
  file["kernels"] = record.kernels;
  file["cores"] = record.cores;
  file["measurements"] = nlohmann::ordered_json::array();
  for (const SpeedMeasurement& m : record.measurements)
    file["measurements"].push_back({{"kernel", m.kernel},
                                    {"bound", m.bound},
                                    {"bytes", m.bytes},
                                    {"cores", m.cores},
                                    {"frequency_hz", m.frequency_hz},
                                    {"seconds_per_unit", m.seconds}});
  file["frequency_laws"] = nlohmann::ordered_json::array();
  for (const SpeedLaw& law : frequency_laws(record))
    file["frequency_laws"].push_back({{"kernel", law.kernel},
                                      {"bytes", law.bytes},
                                      {"cores", law.cores},
                                      {"clock_share", law.law.clock_share.value},
                                      {"low", law.law.clock_share.interval.low},
                                      {"high", law.law.clock_share.interval.high},
                                      {"seconds_at_max", law.law.seconds_at_max.value},
                                      {"r_squared", law.law.r_squared}});
  return file.dump(2) + "\n";
}

base::Result<SpeedRecord> read_speed_file(std::string_view text, const std::string& file_name) {
  SpeedRecord record;
  try {
    const auto file = nlohmann::json::parse(text);
    const auto kind = file.at("farcast_calibration").get<std::string>();
    if (kind != "speed") return base::fail(fmt::format("{}: found a calibration of kind '{}', {}", file_name, kind, kExpected));
    if (const int version = file.at("version").get<int>(); version != kVersion)
      return base::fail(fmt::format("{}: found version {}, expected {}", file_name, version, kVersion));
    std::vector<std::pair<std::string, std::string>> entries;
    for (const auto& [name, value] : file.at("provenance").items()) entries.emplace_back(name, value.get<std::string>());
    record.provenance = from_entries(entries);
    record.notes = file.at("notes").get<std::vector<std::string>>();
    record.kernels = file.at("kernels").get<std::string>();
    record.cores = file.at("cores").get<int>();
    for (const auto& measurement : file.at("measurements")) record.measurements.push_back(read_measurement(measurement));
  } catch (const nlohmann::json::parse_error& error) { // whose own words repeat what they found, be it binary
    return base::fail(fmt::format("{}: found JSON that ends or breaks at byte {}, {}", file_name, error.byte, kExpected));
  } catch (const nlohmann::json::exception& error) {
    return base::fail(fmt::format("{}: {}; {}", file_name, error.what(), kExpected));
  }
  for (const SpeedMeasurement& m : record.measurements) {
    if (const std::string problem = problem_of(m); !problem.empty())
      return base::fail(fmt::format("{}: {} on {} cores: {}", file_name, name_of(m), m.cores, problem));
  }
  if (record.measurements.empty()) return base::fail(fmt::format("{}: found no measurement, {}", file_name, kExpected));
  return record;
}

std::string speed_table(const SpeedRecord& record) {
  std::string text = fmt::format(
      "kernels {} on {} ({}, {} cores)\ntime of one unit of work that a quarter of the runs stay below, with its 95 % "
      "interval (of fewer than 6 runs: their range)\n\n  {:<20} {:<8} {:>6} {:>6} {:>11} {:>11} {:>11} {:>5}\n",
      record.kernels, record.provenance.host, record.provenance.cpu, record.cores, "kernel", "bound", "cores", "GHz", "time",
      "low", "high", "runs");
  for (const SpeedMeasurement* m : at_full_clock(record)) {
    const fit::Estimate time = time_of(*m);
    text += fmt::format("  {:<20} {:<8} {:>6} {:>6} {:>11} {:>11} {:>11} {:>5}\n", name_of(*m), m->bound, m->cores,
                        m->frequency_hz > 0.0 ? fmt::format("{:.2f}", m->frequency_hz / 1e9) : "-", per_unit(time.value),
                        m->seconds.size() > 1 ? per_unit(time.interval.low) : "-",
                        m->seconds.size() > 1 ? per_unit(time.interval.high) : "-", m->seconds.size());
  }
  for (const std::string& note : record.notes) text += fmt::format("note: {}\n", note);
  return text;
}

std::string law_table(const SpeedRecord& record) {
  const std::vector<SpeedLaw> laws = frequency_laws(record);
  std::set<double> frequencies;
  for (const SpeedMeasurement& m : record.measurements) frequencies.insert(m.frequency_hz);
  std::vector<FrequencyUse> uses;
  uses.reserve(laws.size());
  for (const SpeedLaw& law : laws)
    uses.push_back({fmt::format("{}, {}", law.name, law.cores == 1 ? "one core" : "all cores"), law.law});
  return use_table(uses, {frequencies.begin(), frequencies.end()});
}

} // namespace farcast::study
