#include "predictor/platform/hostfile.h"

#include "predictor/base/nearest_name.h"
#include "predictor/platform/quantity_text.h"

#include <fmt/format.h>
#include <limits>
#include <optional>
#include <unordered_map>

namespace farcast::platform {

namespace {

constexpr std::string_view kExpected = "a host, 'host slots=N' or 'host:N'";

struct Line {
  HostId host = 0;
  std::optional<int> slots; // as written
  std::size_t number = 0;   // in the file
};

class HostfileReader {
public:
  HostfileReader(const std::string& file_name, const Platform& platform, int cpus_per_rank)
      : file_name_(file_name), platform_(platform), cpus_per_rank_(cpus_per_rank) {
    for (HostId host = 0; host < platform.hosts.size(); ++host) {
      ids_.emplace(platform.hosts[host].name, host);
    }
  }

  base::Result<void> read_line(std::string_view text, std::size_t number) {
    const std::string_view words = trimmed(text.substr(0, text.find('#')));
    if (words.empty()) {
      return {};
    }
    std::string_view name = words.substr(0, words.find_first_of(" \t"));
    std::string_view slots = trimmed(words.substr(name.size()));
    constexpr std::string_view kSlots = "slots=";
    if (slots.starts_with(kSlots)) {
      slots.remove_prefix(kSlots.size());
    } else if (!slots.empty()) {
      return base::fail(fmt::format("{}:{}: found {}, expected {}", file_name_, number, in_quotes(words), kExpected));
    } else if (const std::size_t colon = name.rfind(':'); colon != std::string_view::npos && !ids_.contains(std::string(name))) {
      slots = name.substr(colon + 1);
      name = name.substr(0, colon);
    } else {
      return add(name, std::nullopt, number);
    }
    const base::Result<std::int64_t> count = parse_integer(slots, 1, std::numeric_limits<int>::max());
    if (!count) {
      return at_place(fmt::format("{}:{}: slots of {}", file_name_, number, in_quotes(name)), count.error());
    }
    return add(name, static_cast<int>(*count), number);
  }

  base::Result<std::vector<HostSlots>> finish() {
    if (lines_.empty()) {
      return base::fail(fmt::format("{}: found no host, expected lines with {}", file_name_, kExpected));
    }
    std::unordered_map<HostId, int> bare_lines;
    for (const Line& line : lines_) {
      bare_lines[line.host] += line.slots ? 0 : 1;
    }
    std::unordered_map<HostId, std::int64_t> total;
    std::vector<HostSlots> result;
    for (const Line& line : lines_) {
      const Host& host = platform_.hosts[line.host];
      const int slots = line.slots.value_or(bare_lines[line.host] > 1 ? 1 : host.cores / cpus_per_rank_);
      if ((total[line.host] += slots) * cpus_per_rank_ > host.cores) {
        const std::string each = cpus_per_rank_ > 1 ? fmt::format(" of {} cores each", cpus_per_rank_) : "";
        return base::fail(fmt::format("{}:{}: found {} slots{} for host {}, expected at most its {} cores", file_name_,
                                      line.number, total[line.host], each, in_quotes(host.name), host.cores));
      }
      result.push_back({line.host, slots});
    }
    return result;
  }

private:
  base::Result<void> add(std::string_view name, std::optional<int> slots, std::size_t number) {
    const auto id = ids_.find(std::string(name));
    if (id == ids_.end()) {
      std::vector<std::string> names;
      for (const Host& host : platform_.hosts) {
        names.push_back(host.name);
      }
      const std::vector<std::string> nearest = base::nearest_names(name, names);
      return base::fail(fmt::format("{}:{}: found host {}, expected one of the {} hosts of platform {} ({})", file_name_, number,
                                    in_quotes(name), names.size(), platform_.name,
                                    nearest.empty() ? fmt::format("{} to {}", names.front(), names.back())
                                                    : fmt::format("nearest: {}", fmt::join(nearest, ", "))));
    }
    lines_.push_back({id->second, slots, number});
    return {};
  }

  const std::string& file_name_;
  const Platform& platform_;
  const int cpus_per_rank_;
  std::unordered_map<std::string, HostId> ids_;
  std::vector<Line> lines_;
};

} // namespace

base::Result<std::vector<HostSlots>> parse_hostfile(std::string_view text, const std::string& file_name, const Platform& platform,
                                                    int cpus_per_rank) {
  HostfileReader reader(file_name, platform, cpus_per_rank);
  for (std::size_t number = 1;; ++number) {
    const std::size_t end = text.find('\n');
    if (const base::Result<void> done = reader.read_line(text.substr(0, end), number); !done) {
      return tl::make_unexpected(done.error());
    }
    if (end == std::string_view::npos) {
      return reader.finish();
    }
    text.remove_prefix(end + 1);
  }
}

} // namespace farcast::platform
