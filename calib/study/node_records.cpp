#include "calib/study/node_records.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace farcast::study {

namespace {

constexpr const char* kExpected = "expected a file that `farcast calibrate power` wrote";
constexpr int kMostCores = 1 << 20;

// Returns: unset where the frequency has no idle or no computing steps. Notes in the record what was
// not measured.
std::optional<model::PowerState> state_of(const fit::HeinrichPower& power, PowerRecord& record) {
  const int cores = record.cores;
  const auto computing = power(cores, "compute");
  if (!power.idle_w || !computing) return std::nullopt;
  const auto polling = power(cores, "polling"), probing = power(cores, "probing");
  const auto memory = power(cores, "memory");
  record.polling_measured = record.polling_measured && polling.has_value();
  record.memory_measured = record.memory_measured && memory.has_value();
  const double polls = polling.value_or(probing.value_or(*computing));
  return model::PowerState{base::Hertz(power.frequency_hz),
                           base::Watts(power.idle_w->value),
                           base::Watts(power.static_w.value),
                           {base::Watts(*computing), base::Watts(polls), base::Watts(probing.value_or(polls)),
                            base::Watts(memory.value_or(*computing))}};
}

} // namespace

std::optional<platform::WattErrors> errors_of(const fit::HeinrichPower& power, int cores) {
  const auto share = [](double error, double watts) { return watts > 0 ? error / watts : 0.0; };
  const auto all_active = [&](const char* workload, double otherwise) {
    const auto found = std::find_if(power.dynamic.begin(), power.dynamic.end(),
                                    [&](const fit::HeinrichPower::Dynamic& one) { return one.workload == workload; });
    const auto watts = power(cores, workload);
    if (found == power.dynamic.end() || !watts) return otherwise;
    return share(std::hypot(power.static_w.standard_error, cores * found->watts_per_core.standard_error), *watts);
  };
  platform::WattErrors out;
  out.idle = share(power.idle_w->standard_error, power.idle_w->value);
  out.static_active = share(power.static_w.standard_error, power.static_w.value);
  out.computing = all_active("compute", 0);
  out.probing = all_active("probing", all_active("polling", out.computing));
  out.polling = all_active("polling", out.probing);
  out.memory = all_active("memory", out.computing);
  for (const double error : {out.idle, out.static_active, out.computing, out.polling, out.probing, out.memory})
    if (!std::isfinite(error)) return std::nullopt;
  return out.computing > 0 || out.idle > 0 ? std::optional(out) : std::nullopt;
}

namespace {

void least_sure(platform::WattErrors& errors, const platform::WattErrors& others) {
  using Errors = platform::WattErrors;
  for (double Errors::*one :
       {&Errors::idle, &Errors::static_active, &Errors::computing, &Errors::polling, &Errors::probing, &Errors::memory})
    errors.*one = std::max(errors.*one, others.*one);
}

// Errors: a sentence without the file's name.
base::Result<void> fit_states(std::span<const fit::PowerSample> samples, PowerRecord& record) {
  fit::PowerOptions options;
  options.cores = options.hardware_threads = record.cores;
  const auto fitted = fit::fit_power(samples, options);
  if (!fitted) return tl::make_unexpected(fitted.error());
  record.polling_measured = record.memory_measured = true;
  for (const fit::HeinrichPower& power : fitted->heinrich) {
    const auto state = state_of(power, record);
    if (!state) continue;
    if (const auto good = model::check(*state); !good) return good;
    const auto errors = errors_of(power, record.cores);
    if (record.states.empty()) record.errors = errors;
    if (record.errors && errors) least_sure(*record.errors, *errors);
    if (!errors) record.errors.reset();
    record.states.push_back(*state);
  }
  if (record.states.empty()) return base::fail("found no frequency with idle and computing steps, expected at least one");
  std::sort(record.states.begin(), record.states.end(), [](const auto& a, const auto& b) { return a.frequency < b.frequency; });
  return {};
}

} // namespace

base::Result<PowerRecord> read_power_file(std::string_view text, const std::string& file_name) {
  PowerRecord record;
  std::vector<fit::PowerSample> samples;
  try {
    const auto file = nlohmann::json::parse(text);
    const auto kind = file.at("farcast_calibration").get<std::string>();
    if (kind != "power") return base::fail(fmt::format("{}: found a calibration of kind '{}', {}", file_name, kind, kExpected));
    if (const int version = file.at("version").get<int>(); version != 1)
      return base::fail(fmt::format("{}: found version {}, expected 1", file_name, version));
    std::vector<std::pair<std::string, std::string>> entries;
    for (const auto& [name, value] : file.at("provenance").items()) entries.emplace_back(name, value.get<std::string>());
    record.provenance = from_entries(entries);
    record.source = file.at("source").get<std::string>();
    for (const auto& step : file.at("steps")) {
      fit::PowerSample sample{step.at("active_cores").get<int>(), step.at("frequency_hz").get<double>(),
                              step.at("workload").get<std::string>(), step.at("watts").get<double>()};
      if (sample.active_cores < 0 || sample.active_cores > kMostCores || !(sample.watts > 0) || !std::isfinite(sample.watts) ||
          !(sample.frequency_hz > 0) || !std::isfinite(sample.frequency_hz))
        return base::fail(fmt::format("{}: found a step of {} W on {} cores at {} Hz, expected watts and hertz above 0",
                                      file_name, sample.watts, sample.active_cores, sample.frequency_hz));
      record.cores = std::max(record.cores, sample.active_cores);
      samples.push_back(std::move(sample));
    }
  } catch (const nlohmann::json::parse_error& error) { // whose own words repeat what they found, be it binary
    return base::fail(fmt::format("{}: found JSON that ends or breaks at byte {}, {}", file_name, error.byte, kExpected));
  } catch (const nlohmann::json::exception& error) {
    return base::fail(fmt::format("{}: {}; {}", file_name, error.what(), kExpected));
  }
  if (record.cores == 0) return base::fail(fmt::format("{}: found no step with an active core, {}", file_name, kExpected));
  if (const auto fitted = fit_states(samples, record); !fitted)
    return base::fail(fmt::format("{}: {}", file_name, fitted.error().message));
  return record;
}

base::Result<ClockShare> clock_share_of(const SpeedRecord& record) {
  const std::vector<SpeedLaw> laws = frequency_laws(record);
  const auto on_all = [&](const SpeedLaw& law) { return law.cores == record.cores; };
  const bool full = std::any_of(laws.begin(), laws.end(), on_all);
  struct Group {
    double share = 0, low = 0, high = 0;
    int kernels = 0;
  };
  std::map<std::string, Group> groups;
  for (const SpeedLaw& law : laws) {
    if (full != on_all(law)) continue;
    Group& group = groups[law.bound];
    group.share += law.law.clock_share.value;
    group.low += law.law.clock_share.interval.low;
    group.high += law.law.clock_share.interval.high;
    ++group.kernels;
  }
  if (groups.empty()) return base::fail("found no kernel measured at three frequencies or more, expected one");
  ClockShare out{0.0, 1.0, 0.0, {}};
  for (const auto& [name, group] : groups) {
    out.share += group.share / group.kernels / static_cast<double>(groups.size());
    out.low = std::min(out.low, group.low / group.kernels);
    out.high = std::max(out.high, group.high / group.kernels);
    out.groups.push_back(name);
  }
  out.share = std::clamp(out.share, 0.0, 1.0);
  out.low = std::clamp(out.low, 0.0, out.share);
  out.high = std::clamp(out.high, out.share, 1.0);
  return out;
}

} // namespace farcast::study
