#include "predictor/cli/measured_node.h"

#include "calib/study/node_records.h"
#include "predictor/base/read_file.h"
#include "predictor/energy/measured_power.h"
#include "predictor/model/frequency_law.h"
#include "predictor/platform/clock_share.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace farcast::cli {

namespace {

using live::PlacedPlatform;

std::string measured_on(const study::Provenance& provenance) {
  return fmt::format("measured on {}{}{}", provenance.host.empty() ? "an unknown node" : provenance.host,
                     provenance.cpu.empty() ? "" : fmt::format(" ({})", provenance.cpu),
                     provenance.date.empty() ? "" : fmt::format(", {}", provenance.date));
}

base::Result<void> use_power(const std::string& file, std::vector<PlacedPlatform>& platforms) {
  const auto text = base::read_file(file);
  if (!text) return tl::make_unexpected(text.error());
  const auto record = study::read_power_file(*text, file);
  if (!record) return tl::make_unexpected(record.error());
  const double low = record->states.front().frequency.value() / 1e9, high = record->states.back().frequency.value() / 1e9;
  const std::string range = low < high ? fmt::format("from {:g} to {:g} GHz", low, high) : fmt::format("at {:g} GHz", high);
  for (PlacedPlatform& one : platforms) {
    const auto used = energy::use_measured_power(one.platform, {record->states, record->cores, record->polling_measured});
    if (!used) return base::fail(fmt::format("--power {}, platform {}: {}", file, one.platform.name, used.error().message));
    const auto named = [](const platform::Host& host) {
      return host.processor != nullptr && host.processor->states[host.state].frequency;
    };
    const bool known = std::all_of(one.platform.hosts.begin(), one.platform.hosts.end(), named);
    one.platform.warnings.push_back(fmt::format(
        "watts of the nodes are those of {}, {}, by {}, {}; each node has those of {}", file, measured_on(record->provenance),
        record->source, range, known ? "its clock" : "the highest clock where the platform names none (farcast:frequencies)"));
  }
  return {};
}

// Returns: T(f) / T(fmax) of the slowest clock that a rank's host has, by a share b.
double slower_by(const PlacedPlatform& one, double share) {
  double out = 1.0;
  for (const platform::HostId id : one.placement.host_of) {
    const platform::Host& host = one.platform.hosts[id];
    if (host.processor == nullptr) continue;
    const double clock = host.processor->clock(host.state);
    out = std::max(out, model::clock_factor(share, base::Hertz(1.0), base::Hertz(clock)));
  }
  return out;
}

base::Result<void> use_speed(const std::string& file, std::vector<PlacedPlatform>& platforms) {
  const auto text = base::read_file(file);
  if (!text) return tl::make_unexpected(text.error());
  const auto record = study::read_speed_file(*text, file);
  if (!record) return tl::make_unexpected(record.error());
  const auto law = study::clock_share_of(*record);
  if (!law) return base::fail(fmt::format("--speed {}: {}", file, law.error().message));
  for (PlacedPlatform& one : platforms) {
    platform::set_clock_share(one.platform, law->share);
    one.platform.warnings.push_back(fmt::format(
        "of computing the clock rules b = {:.3f}, from {:.3f} to {:.3f}: the mean and the ends of kernels bound by {} in {}, {}; "
        "a "
        "program of one kind has its own. At the lowest clock here computing takes {:.4g} times as long as at the highest, from "
        "{:.4g} to {:.4g} times",
        law->share, law->low, law->high, fmt::join(law->groups, ", "), file, measured_on(record->provenance),
        slower_by(one, law->share), slower_by(one, law->low), slower_by(one, law->high)));
  }
  return {};
}

} // namespace

base::Result<void> use_records(const live::Settings& settings, std::vector<PlacedPlatform>& platforms) {
  if (!settings.power_record.empty()) {
    if (auto used = use_power(settings.power_record, platforms); !used) return used;
  }
  if (settings.speed_record.empty()) return {};
  return use_speed(settings.speed_record, platforms);
}

} // namespace farcast::cli
