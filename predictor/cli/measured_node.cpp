#include "predictor/cli/measured_node.h"

#include "predictor/base/read_file.h"
#include "predictor/energy/measured_power.h"
#include "predictor/model/frequency_law.h"
#include "predictor/platform/clock_share.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace farcast::cli {

namespace {

constexpr double kWithin95 = 1.96; // standard deviations of a normal distribution

std::string measured_on(const study::Provenance& provenance) {
  return fmt::format("measured on {}{}{}", provenance.host.empty() ? "an unknown node" : provenance.host,
                     provenance.cpu.empty() ? "" : fmt::format(" ({})", provenance.cpu),
                     provenance.date.empty() ? "" : fmt::format(", {}", provenance.date));
}

base::Result<void> use_power(const study::PowerRecord& record, const std::string& file, platform::Platform& platform) {
  const double low = record.states.front().frequency.value() / 1e9, high = record.states.back().frequency.value() / 1e9;
  const std::string range = low < high ? fmt::format("from {:g} to {:g} GHz", low, high) : fmt::format("at {:g} GHz", high);
  const auto used =
      energy::use_measured_power(platform, {record.states, record.cores, record.polling_measured, record.memory_measured});
  if (!used) return base::fail(fmt::format("--power {}, platform {}: {}", file, platform.name, used.error().message));
  platform.uncertainty.watts = record.errors;
  const auto named = [](const platform::Host& host) {
    return host.processor != nullptr && host.processor->states[host.state].frequency;
  };
  const bool known = std::all_of(platform.hosts.begin(), platform.hosts.end(), named);
  platform.warnings.push_back(fmt::format(
      "watts of the nodes are those of {}, {}, by {}, {}; each node has those of {}", file, measured_on(record.provenance),
      record.source, range, known ? "its clock" : "the highest clock where the platform names none (farcast:frequencies)"));
  return {};
}

// Returns: T(f) / T(fmax) at the slowest clock that a host has, by a share b.
double slower_by(const platform::Platform& platform, double share) {
  double out = 1.0;
  for (const platform::Host& host : platform.hosts) {
    if (host.processor == nullptr) continue;
    const double clock = host.processor->clock(host.state);
    out = std::max(out, model::clock_factor(share, base::Hertz(1.0), base::Hertz(clock)));
  }
  return out;
}

void use_speed(const study::ClockShare& law, const study::Provenance& from, const std::string& file,
               platform::Platform& platform) {
  platform::set_clock_share(platform, law.share);
  platform.uncertainty.clock_share = (law.high - law.low) / 2 / kWithin95;
  platform.warnings.push_back(fmt::format(
      "computing follows the clock by b = {:.3f}, from {:.3f} to {:.3f}: the mean and the ends of kernels bound by {} in {}, {}; "
      "a "
      "program of one kind has its own. At the lowest clock here computing takes {:.4g} times as long as at the highest, from "
      "{:.4g} to {:.4g} times",
      law.share, law.low, law.high, fmt::join(law.groups, ", "), file, measured_on(from), slower_by(platform, law.share),
      slower_by(platform, law.low), slower_by(platform, law.high)));
}

void use_blocks(const study::BlockRecord& record, const std::string& file, platform::Platform& platform) {
  platform.blocks = {};
  for (const auto& [block, figures] : record.formulas) platform.blocks.at(static_cast<std::size_t>(block)) = figures;
  platform.warnings.push_back(fmt::format("block formulas are those of {}, {}", file, measured_on(record.provenance)));
}

// Returns: the file as `read(text, path)` understands it. Errors: of the file, or of `read`.
template <class Read> auto read_as(const std::string& path, Read read) -> decltype(read(std::string_view(), path)) {
  const auto text = base::read_file(path);
  if (!text) return tl::make_unexpected(text.error());
  return read(*text, path);
}

} // namespace

base::Result<NodeRecords> read_records(const live::Settings& settings) {
  NodeRecords out;
  if (!settings.power_record.empty()) {
    auto record = read_as(settings.power_record, study::read_power_file);
    if (!record) return tl::make_unexpected(record.error());
    out.power = std::move(*record);
  }
  if (!settings.speed_record.empty()) {
    const auto record = read_as(settings.speed_record, study::read_speed_file);
    if (!record) return tl::make_unexpected(record.error());
    auto law = study::clock_share_of(*record);
    if (!law) return base::fail(fmt::format("--speed {}: {}", settings.speed_record, law.error().message));
    out.clock = std::move(*law);
    out.clock_from = record->provenance;
  }
  if (!settings.block_record.empty()) {
    auto record = read_as(settings.block_record, study::read_block_file);
    if (!record) return tl::make_unexpected(record.error());
    out.blocks = std::move(*record);
  }
  return out;
}

base::Result<void> use_records(const NodeRecords& records, const live::Settings& settings, platform::Platform& platform) {
  if (records.power) {
    if (auto used = use_power(*records.power, settings.power_record, platform); !used) return used;
  }
  if (records.blocks) use_blocks(*records.blocks, settings.block_record, platform);
  if (records.clock) use_speed(*records.clock, records.clock_from, settings.speed_record, platform);
  return {};
}

} // namespace farcast::cli
