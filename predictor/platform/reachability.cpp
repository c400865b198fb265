#include "predictor/platform/reachability.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace farcast::platform {

namespace {

class Check {
public:
  explicit Check(const Platform& platform) : platform_(platform) {}

  // Looks from `source` to `destination`; remembers the first pair without a way.
  bool way(HostId source, HostId destination) {
    links_.clear();
    if (platform_.topology.route(source, destination, links_)) {
      return true;
    }
    error_ = fmt::format("platform {}: found no route from host {} to host {}, expected one between all hosts with ranks",
                         platform_.name, platform_.hosts[source].name, platform_.hosts[destination].name);
    return false;
  }
  bool both_ways(HostId a, HostId b) { return way(a, b) && way(b, a); }

  bool all_pairs(const std::vector<HostId>& hosts) {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!both_ways(hosts[i], hosts[j])) return false;
      }
    }
    return true;
  }

  [[nodiscard]] const std::string& error() const { return error_; }

private:
  const Platform& platform_;
  std::vector<LinkId> links_;
  std::string error_;
};

} // namespace

base::Result<void> check_routes(const Platform& platform, const std::vector<HostId>& hosts) {
  std::vector<HostId> used = hosts;
  std::sort(used.begin(), used.end());
  Check check(platform);
  for (std::size_t i = 1; i < used.size(); ++i) {
    const bool first_repetition = used[i] == used[i - 1] && (i == 1 || used[i - 2] != used[i]);
    if (first_repetition && !check.way(used[i], used[i])) {
      return base::fail(check.error());
    }
  }
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::map<ZoneId, std::vector<HostId>> by_zone;
  for (const HostId host : used) {
    by_zone[platform.topology.place(host).zone].push_back(host);
  }
  std::vector<HostId> representatives; // who stands for its zone in what lies between zones
  for (const auto& entry : by_zone) {
    const std::vector<HostId>& members = entry.second;
    const Zone* rule = platform.topology.rule(entry.first);
    const Reach reach = rule == nullptr ? Reach::listed : rule->reach();
    const auto connected = [&](HostId host) { return host == members.front() || check.both_ways(host, members.front()); };
    const bool fine = reach == Reach::all || (reach == Reach::listed ? check.all_pairs(members)
                                                                     : std::all_of(members.begin(), members.end(), connected));
    if (!fine) {
      return base::fail(check.error());
    }
    representatives.insert(representatives.end(), members.begin(), reach == Reach::listed ? members.end() : members.begin() + 1);
  }
  return by_zone.size() == 1 || check.all_pairs(representatives) ? base::Result<void>() : base::fail(check.error());
}

} // namespace farcast::platform
