// farcast platform show: what was understood of a platform.
#include "predictor/base/format.h"
#include "predictor/base/nearest_name.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/effective_times.h"
#include "predictor/network/max_min.h"
#include "predictor/platform/builtin.h"
#include "predictor/platform/reachability.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace farcast::cli {

namespace {

using platform::Host;
using platform::HostId;
using platform::Link;
using platform::Platform;

std::string bandwidth_text(double bytes_per_second) { return base::format_bytes(base::Bytes(bytes_per_second)) + "/s"; }

std::string plural(std::size_t count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

std::string power_text(const Host& host) {
  if (!host.power) return "no power figures";
  const platform::NodePower& power = *host.power;
  return fmt::format("{} idle, {} computing, {} polling{}, {} probing", base::format_power(power.idle),
                     base::format_power(power.all_computing), base::format_power(power.all_polling),
                     power.polling_assumed ? " (assumed)" : "", base::format_power(power.all_probing)) +
         (power.all_memory ? fmt::format(", {} computing bound by memory", base::format_power(*power.all_memory)) : "");
}

// Empty where the link has no figures.
std::string power_text(const Platform& platform, platform::LinkId link) {
  const auto found = platform.link_power.find(link);
  if (found == platform.link_power.end()) return "";
  return fmt::format(", {} idle, {} busy", base::format_power(found->second.idle), base::format_power(found->second.busy));
}

std::string host_text(const Host& host) {
  std::string text =
      fmt::format("{}, {:.4g} Gflop/s each", plural(static_cast<std::size_t>(host.cores), "core"), host.speed.value() / 1e9);
  if (host.processor != nullptr && host.processor->states.front().frequency) {
    std::vector<double> ghz;
    for (const platform::ProcessorState& state : host.processor->states) ghz.push_back(state.frequency->value() / 1e9);
    text += fmt::format(", {:g} GHz", fmt::join(ghz, ", "));
  }
  if (host.relative_speed) text += fmt::format(", {:.4g} x the measuring machine's", *host.relative_speed);
  if (host.disk)
    text += fmt::format(", disk read {}, written {}", bandwidth_text(host.disk->read.value()),
                        bandwidth_text(host.disk->write.value()));
  if (host.failure_rate) text += fmt::format(", {:g} failures per second", host.failure_rate->value());
  return text + "; " + power_text(host);
}

// Hosts that stand in a row and are alike, in one line.
void print_hosts(const Platform& platform) {
  const std::size_t cores =
      std::accumulate(platform.hosts.begin(), platform.hosts.end(), std::size_t{0},
                      [](std::size_t sum, const Host& host) { return sum + static_cast<std::size_t>(host.cores); });
  fmt::print("\nHosts: {}, {}\n", platform.hosts.size(), plural(cores, "core"));
  constexpr int kMostLines = 40;
  int lines = 0;
  for (std::size_t first = 0; first < platform.hosts.size();) {
    const std::string text = host_text(platform.hosts[first]);
    std::size_t end = first + 1;
    while (end < platform.hosts.size() && host_text(platform.hosts[end]) == text) ++end;
    if (++lines > kMostLines) {
      fmt::print("  and {} more\n", platform.hosts.size() - first);
      return;
    }
    fmt::print("  {}{}: {}\n", platform.hosts[first].name, end - first > 1 ? " .. " + platform.hosts[end - 1].name : "", text);
    first = end;
  }
  if (platform.storage_host) fmt::print("  files are on {}\n", platform.hosts[*platform.storage_host].name);
}

void print_links(const Platform& platform) {
  struct Kind {
    std::size_t count = 0;
    std::string example;
  };
  std::map<std::tuple<double, double, platform::Sharing, std::string>, Kind> kinds;
  for (platform::LinkId id = 0; id < platform.links.size(); ++id) {
    const Link& link = platform.links[id];
    Kind& kind = kinds[{-link.bandwidth.value(), link.latency.value(), link.sharing, power_text(platform, id)}];
    if (kind.count++ == 0) kind.example = link.name;
  }
  fmt::print("\nLinks: {}\n", platform.links.size());
  constexpr std::size_t kMostLines = 20;
  std::size_t lines = 0;
  std::size_t rest = platform.links.size();
  for (const auto& [figures, kind] : kinds) {
    if (lines++ == kMostLines) break;
    rest -= kind.count;
    const auto& [bandwidth, latency, sharing, power] = figures;
    fmt::print("  {:>7} of {}, {}{}{}, such as {}\n", kind.count, bandwidth_text(-bandwidth),
               base::format_time(base::Seconds(latency)), sharing == platform::Sharing::fatpipe ? ", not shared" : "", power,
               kind.example);
  }
  if (rest > 0) fmt::print("  {:>7} of other kinds\n", rest);
}

// The sum of max-min fair rates when each host of the first half sends to its counterpart in the
// second one.
double bisection(const Platform& platform) {
  std::vector<double> capacities;
  for (const Link& link : platform.links) capacities.push_back(link.bandwidth.value());
  network::MaxMin shares(capacities);
  const auto half = static_cast<HostId>(platform.hosts.size() / 2);
  std::vector<network::MaxMin::Group> groups;
  for (HostId host = 0; host < half; ++host) {
    std::map<platform::LinkId, double> weights;
    double bound = std::numeric_limits<double>::max();
    for (const platform::LinkId link : platform.route(host, host + half).links) {
      bound = std::min(bound, platform.links[link].bandwidth.value());
      if (platform.links[link].sharing == platform::Sharing::shared) weights[link] += 1.0;
    }
    std::vector<network::MaxMin::Use> uses;
    uses.reserve(weights.size());
    for (const auto& [link, weight] : weights) uses.push_back({link, weight});
    groups.push_back(shares.add_group(uses, bound, 1.0));
    shares.change_flows(groups.back(), 1);
  }
  std::vector<network::MaxMin::Group> changed;
  shares.solve(changed);
  return std::accumulate(groups.begin(), groups.end(), 0.0,
                         [&](double sum, network::MaxMin::Group group) { return sum + shares.rate(group); });
}

// What the figures come to. Requires: the routes are there.
void print_times(const Platform& platform) {
  constexpr std::array<std::pair<const char*, double>, 3> kSizes{{{"0 B", 0}, {"1 KB", 1e3}, {"1 MB", 1e6}}};
  fmt::print("\nOne message alone, one way\n  {:<11}", "");
  for (const auto& [name, bytes] : kSizes) fmt::print("{:>12}", name);
  fmt::print("\n");
  for (const PairOfHosts& pair : pairs_to_show(platform)) {
    fmt::print("  {:<11}", pair.name);
    for (const auto& [name, bytes] : kSizes) fmt::print("{:>12}", base::format_time(message_time(platform, pair, bytes)));
    if (pair.from != pair.to) fmt::print("  {} to {}", platform.hosts[pair.from].name, platform.hosts[pair.to].name);
    fmt::print("\n");
  }
}

void print_network(const Platform& platform) {
  std::vector<HostId> all(platform.hosts.size());
  std::iota(all.begin(), all.end(), HostId{0});
  fmt::print("\nNetwork\n");
  if (const auto fine = platform::check_routes(platform, all); !fine) {
    fmt::print("  {}\n", fine.error().message);
    return;
  }
  if (platform.hosts.size() > 1)
    fmt::print("  bisection     {}: each host of the first half sends to one of the second, max-min fair\n",
               bandwidth_text(bisection(platform)));
  const platform::Route route = platform.route(0, static_cast<HostId>(platform.hosts.size() - 1));
  fmt::print("  first to last {}, {} of latency\n", plural(route.links.size(), "link"), base::format_time(route.latency));
  print_times(platform);
}

void print_messages(const Platform& platform) {
  const platform::Transport& transport = platform.transport;
  fmt::print("\nMessages\n");
  if (transport.kind == platform::TransportKind::smpi)
    fmt::print("  transport     smpi: independent flows (SimGrid's model)\n");
  else
    fmt::print("  transport     {}: ordered channels, eager up to {:.0f} B, wake-up latency {}\n", name_of(transport.kind),
               transport.eager_limit, base::format_time(transport.wakeup_latency));
  const platform::PointToPoint& p2p = platform.p2p;
  fmt::print("  smpi          detached below {:.0f} B, window {}, weight-S {:g}, {}\n", p2p.detached_below_bytes,
             base::format_bytes(base::Bytes(p2p.tcp_gamma)), p2p.weight_s,
             p2p.crosstraffic ? "cross-traffic" : "no cross-traffic");
  const auto poll = [](const std::optional<base::Seconds>& cost) { return cost ? base::format_time(*cost) : "as measured"; };
  fmt::print("  calls         Iprobe {}, Test {}; {}\n", poll(p2p.iprobe_cost), poll(p2p.test_cost),
             p2p.send_overhead.empty() && p2p.isend_overhead.empty() && p2p.receive_overhead.empty()
                 ? "no overhead of sends and receives"
                 : "overheads of sends and receives are given");
}

base::Result<HostId> host_named(const Platform& platform, const std::string& name) {
  const auto found =
      std::find_if(platform.hosts.begin(), platform.hosts.end(), [&](const Host& host) { return host.name == name; });
  if (found != platform.hosts.end()) return static_cast<HostId>(found - platform.hosts.begin());
  std::vector<std::string> names;
  for (const Host& host : platform.hosts) {
    if (names.size() < 4096) names.push_back(host.name);
  }
  const auto nearest = base::nearest_names(name, names);
  return base::fail(fmt::format("--route: found '{}', expected a host of platform {}{}", name, platform.name,
                                nearest.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(nearest, " or "))));
}

void print_route(const Platform& platform, HostId source, HostId destination) {
  const platform::Route route = platform.route(source, destination);
  fmt::print("\nRoute from {} to {}: {}, {} of latency\n", platform.hosts[source].name, platform.hosts[destination].name,
             plural(route.links.size(), "link"), base::format_time(route.latency));
  std::size_t width = 0;
  for (const platform::LinkId id : route.links) width = std::max(width, platform.links[id].name.size());
  for (const platform::LinkId id : route.links) {
    const Link& link = platform.links[id];
    fmt::print("  {:<{}} {:>12} {:>12}{}\n", link.name, width, bandwidth_text(link.bandwidth.value()),
               base::format_time(link.latency), link.sharing == platform::Sharing::fatpipe ? "  not shared" : "");
  }
}

} // namespace

int platform_show_command(const std::string& name, const std::vector<std::string>& ends) {
  const base::Result<Platform> platform = platform::find_platform(name);
  if (!platform) return refuse(platform.error().message);
  std::vector<HostId> hosts;
  for (const std::string& end : ends) {
    const base::Result<HostId> host = host_named(*platform, end);
    if (!host) return refuse(host.error().message);
    hosts.push_back(*host);
  }
  if (const auto fine = platform::check_routes(*platform, hosts); !fine) return refuse(fine.error().message);
  fmt::print("{}: {}\n", platform->name, platform->description);
  if (platform->source != platform->name) fmt::print("  figures from: {}\n", platform->source);
  for (const auto& [what, value] : platform->provenance) fmt::print("  {}: {}\n", what, value);
  print_hosts(*platform);
  print_links(*platform);
  print_network(*platform);
  print_messages(*platform);
  if (!hosts.empty()) print_route(*platform, hosts.front(), hosts.back());
  if (!platform->warnings.empty()) fmt::print("\nNot modelled\n");
  for (const std::string& warning : platform->warnings) fmt::print("  {}\n", warning);
  return 0;
}

} // namespace farcast::cli
