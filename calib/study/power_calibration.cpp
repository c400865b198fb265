#include "calib/study/power_calibration.h"

#include "calib/fit/statistics.h"
#include "calib/study/node_records.h"
#include "predictor/base/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace farcast::study {

namespace {

constexpr std::size_t kSamplesPerStep = 4;
constexpr double kSettleShare = 0.2; // of a step: clocks, fans and meters follow a load late
constexpr double kUnknownClock = 1e9;
constexpr double kSameClock = 0.1; // clocks wander a little: what is within a tenth is one setting

using base::trimmed;

std::optional<double> number(std::string_view text) {
  const auto value = base::number_in<double>(trimmed(text));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// "2026-01-31T12:00:00[.5][Z]", with a blank for the T too; UTC.
std::optional<double> calendar_time(std::string_view text) {
  text = trimmed(text);
  if (text.ends_with('Z')) text.remove_suffix(1);
  constexpr std::size_t kWhole = 19;
  if (text.size() < kWhole || (text[10] != 'T' && text[10] != ' ')) return std::nullopt;
  const auto part = [&](std::size_t at, std::size_t size) { return base::number_in<int>(text.substr(at, size)).value_or(-1); };
  std::tm day{};
  day.tm_year = part(0, 4) - 1900;
  day.tm_mon = part(5, 2) - 1;
  day.tm_mday = part(8, 2);
  day.tm_hour = part(11, 2);
  day.tm_min = part(14, 2);
  day.tm_sec = part(17, 2);
  if (day.tm_year < 70 || day.tm_mon < 0 || day.tm_mon > 11 || day.tm_mday < 1 || day.tm_hour < 0 || day.tm_min < 0 ||
      day.tm_sec < 0)
    return std::nullopt;
  const std::optional<double> rest = text.size() == kWhole ? std::optional(0.0) : number(text.substr(kWhole));
  return rest ? std::optional(static_cast<double>(timegm(&day)) + *rest) : std::nullopt;
}

// Returns: nothing for a blank line, a comment, or the words of a first line.
base::Result<std::optional<PowerReading>> read_line(std::string_view line, bool first, const std::string& place) {
  line = trimmed(line.substr(0, line.find('#')));
  if (line.empty()) return std::optional<PowerReading>();
  const std::size_t comma = line.find_first_of(",;\t");
  const std::string_view when = line.substr(0, comma);
  const std::optional<double> seconds = number(when);
  const std::optional<double> time = seconds ? seconds : calendar_time(when);
  const std::optional<double> watts = comma == std::string_view::npos ? std::nullopt : number(line.substr(comma + 1));
  if (time && watts && *watts >= 0.0) return std::optional(PowerReading{*time, *watts});
  if (first && !time) return std::optional<PowerReading>();
  return base::fail(fmt::format("{}: found '{:.60}', expected time,watts with the time in seconds since 1970 or as "
                                "2026-01-31T12:00:00Z",
                                place, line));
}

// Adds up to kSamplesPerStep samples, each the mean of readings in a row: how far a setting is from
// itself is the noise.
void summarize(LoadStep& step, std::span<const PowerReading> readings, std::vector<fit::PowerSample>& samples) {
  const double from = step.begin_s + kSettleShare * (step.end_s - step.begin_s);
  std::vector<double> watts;
  for (const PowerReading& reading : readings) {
    if (reading.time_s > from && reading.time_s <= step.end_s) watts.push_back(reading.watts);
  }
  step.readings = watts.size();
  if (watts.empty()) return;
  step.watts = fit::mean(watts);
  double squares = 0.0;
  for (const double value : watts) squares += (value - step.watts) * (value - step.watts);
  step.deviation_w = watts.size() > 1 ? std::sqrt(squares / static_cast<double>(watts.size() - 1)) : 0.0;
  const std::size_t parts = std::min(kSamplesPerStep, watts.size());
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t begin = i * watts.size() / parts;
    const std::size_t end = (i + 1) * watts.size() / parts;
    samples.push_back(
        {step.active_cores, step.frequency_hz, step.workload, fit::mean(std::span(watts).subspan(begin, end - begin))});
  }
}

// The highest frequency at which the node was seen idle and computing.
const fit::HeinrichPower* power_at_full_clock(const PowerCalibration& calibration, int cores) {
  const auto& powers = calibration.fit.heinrich;
  const auto whole = [&](const fit::HeinrichPower& power) { return power.idle_w && power(cores, "compute"); };
  const auto found = std::find_if(powers.rbegin(), powers.rend(), whole);
  return found == powers.rend() ? nullptr : &*found;
}

// The figures that platform files take: SimGrid's idle, static and all-cores watts, and ours of
// polling, probing and computing that is bound by memory.
void add_properties(PowerCalibration& calibration, int cores) {
  const fit::HeinrichPower* power = power_at_full_clock(calibration, cores);
  if (power == nullptr) return;
  const double idle = power->idle_w->value, computing = *(*power)(cores, "compute");
  calibration.properties.emplace_back("wattage_per_state",
                                      fmt::format("{:.2f}:{:.2f}:{:.2f}", idle, power->static_w.value, computing));
  for (const auto& [workload, name] :
       {std::pair("polling", "farcast:polling_watts"), std::pair("probing", "farcast:probing_watts"),
        std::pair("memory", "farcast:memory_watts")}) {
    if (const auto watts = (*power)(cores, workload)) calibration.properties.emplace_back(name, fmt::format("{:.2f}", *watts));
  }
  if (const auto errors = errors_of(*power, cores))
    calibration.properties.emplace_back(
        "farcast:uncertainty:watts", fmt::format("{:.3g}:{:.3g}:{:.3g}:{:.3g}:{:.3g}:{:.3g}", errors->idle, errors->static_active,
                                                 errors->computing, errors->polling, errors->probing, errors->memory));
  if (idle > power->static_w.value + (computing - power->static_w.value) / cores) // Heinrich17 IV-C
    calibration.notes.emplace_back("the idle node draws more than with one active core: eq. (1) fits it badly");
}

} // namespace

base::Result<std::vector<PowerReading>> read_power_log(std::string_view text, const std::string& file_name) {
  std::vector<PowerReading> readings;
  std::size_t line = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string place = fmt::format("{}:{}", file_name, ++line);
    const auto reading = read_line(text.substr(0, end), line == 1, place);
    if (!reading) return tl::make_unexpected(reading.error());
    if (*reading && !readings.empty() && (*reading)->time_s < readings.back().time_s)
      return base::fail(fmt::format("{}: found a time before that of the line above, expected times that go on", place));
    if (*reading) readings.push_back(**reading);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return readings;
}

std::vector<std::string> settle_frequencies(std::vector<LoadStep>& steps) {
  std::vector<double> unset;
  for (const LoadStep& step : steps) {
    if (step.frequency_hz <= 0.0 && step.active_cores > 0 && step.running_hz > 0.0) unset.push_back(step.running_hz);
  }
  const double usual = unset.empty() ? kUnknownClock : fit::median(unset);
  std::size_t astray = 0;
  double lowest = 0.0, highest = 0.0;
  for (LoadStep& step : steps) {
    if (step.frequency_hz <= 0.0) step.frequency_hz = usual;
    if (step.active_cores == 0 || step.running_hz <= 0.0) continue; // an idle core's clock says nothing
    if (std::fabs(step.running_hz / step.frequency_hz - 1.0) > kSameClock) ++astray;
    lowest = lowest == 0.0 ? step.running_hz : std::min(lowest, step.running_hz);
    highest = std::max(highest, step.running_hz);
  }
  if (astray == 0) return {};
  return {
      fmt::format("in {} of {} steps the clock was more than a tenth away from the frequency that the table tells (clocks from "
                  "{:.2f} to {:.2f} GHz were seen): powers of different loads are not at one frequency",
                  astray, steps.size(), lowest / 1e9, highest / 1e9)};
}

base::Result<PowerCalibration> calibrate_power(std::vector<LoadStep> steps, std::span<const PowerReading> readings, int cores,
                                               std::string source) {
  PowerCalibration calibration;
  calibration.source = std::move(source);
  std::vector<fit::PowerSample> samples;
  for (LoadStep& step : steps) {
    summarize(step, readings, samples);
    if (step.readings == 0)
      return base::fail(fmt::format("no power reading while {} cores did {} at {:.4g} GHz: the readings do not cover the steps",
                                    step.active_cores, step.workload, step.frequency_hz / 1e9));
  }
  fit::PowerOptions options;
  options.cores = cores;
  options.hardware_threads = cores;
  auto fitted = fit::fit_power(samples, options);
  if (!fitted) return tl::make_unexpected(fitted.error());
  calibration.fit = *std::move(fitted);
  calibration.steps = std::move(steps);
  add_properties(calibration, cores);
  return calibration;
}

std::string power_table(const PowerCalibration& calibration) {
  std::string text = fmt::format("power from {}\n\n  {:<10} {:>6} {:>9} {:>10} {:>10} {:>9}\n", calibration.source, "workload",
                                 "cores", "GHz", "watts", "deviation", "readings");
  for (const LoadStep& step : calibration.steps)
    text += fmt::format("  {:<10} {:>6} {:>9.2f} {:>10.2f} {:>10.2f} {:>9}\n", step.workload, step.active_cores,
                        step.frequency_hz / 1e9, step.watts, step.deviation_w, step.readings);
  text += fmt::format("\n  {:<22} {:>8} {:>8} {:>22}\n", "model", "R^2", "samples", "unseen settings: W");
  for (const fit::PowerQuality& quality : calibration.fit.quality) {
    if (!quality.fitted)
      text += fmt::format("  {:<22} not fitted: {}\n", fit::name_of(quality.model), quality.reason);
    else
      text += fmt::format("  {:<22} {:>8.4f} {:>8} {:>22}\n", fit::name_of(quality.model), quality.r_squared, quality.samples,
                          quality.cross_samples == 0 ? "-" : fmt::format("{:.2f}", quality.cross_rms_w));
  }
  text += fmt::format("  {}\n", calibration.fit.verdict);
  for (const std::string& note : calibration.notes) text += fmt::format("note: {}\n", note);
  if (!calibration.properties.empty()) text += "\nfor a <cluster> or <host> of a platform file:\n";
  for (const auto& [id, value] : calibration.properties) text += fmt::format("  <prop id=\"{}\" value=\"{}\"/>\n", id, value);
  return text;
}

std::string power_file(const PowerCalibration& calibration, const Provenance& provenance) {
  nlohmann::ordered_json file;
  file["farcast_calibration"] = "power";
  file["version"] = 1;
  for (const auto& [name, value] : to_entries(provenance)) file["provenance"][name] = value;
  file["notes"] = calibration.notes;
  file["source"] = calibration.source;
  for (const LoadStep& step : calibration.steps)
    file["steps"].push_back({{"workload", step.workload},
                             {"active_cores", step.active_cores},
                             {"frequency_hz", step.frequency_hz},
                             {"watts", step.watts},
                             {"deviation_w", step.deviation_w},
                             {"readings", step.readings}});
  for (const fit::PowerQuality& quality : calibration.fit.quality)
    file["models"].push_back({{"model", fit::name_of(quality.model)},
                              {"fitted", quality.fitted},
                              {"reason", quality.reason},
                              {"r_squared", quality.r_squared},
                              {"samples", quality.samples},
                              {"cross_rms_w", quality.cross_rms_w},
                              {"cross_samples", quality.cross_samples}});
  file["best"] = calibration.fit.best ? fit::name_of(*calibration.fit.best) : "";
  file["properties"] = nlohmann::ordered_json::object();
  for (const auto& [id, value] : calibration.properties) file["properties"][id] = value;
  return file.dump(2) + "\n";
}

} // namespace farcast::study
