// Reads platform files with SimGrid's own library and with ours, and compares: hosts, and for every
// pair of hosts the links of the route (as a set with multiplicities: SimGrid's order is not ours
// in every zone), their bandwidth and the latency.
//
//   compare_routes FILE ...      exit 0: all agree; 1: a difference, the first of each file is printed
//
// SimGrid holds one platform per process, so each file is compared in a child of its own.
#include "predictor/platform/simgrid_xml.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <simgrid/s4u.hpp>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using farcast::platform::HostId;
using farcast::platform::Platform;

constexpr std::size_t kMostHosts = 400; // beyond it only some pairs are compared
constexpr double kTolerance = 1e-12;

struct Taken {
  std::vector<std::string> links; // "name bandwidth", sorted
  double latency = 0;
};

bool near(double a, double b) { return std::fabs(a - b) <= kTolerance * std::max(std::fabs(a), std::fabs(b)); }

Taken theirs(const simgrid::s4u::Host* source, const simgrid::s4u::Host* destination) {
  Taken taken;
  std::vector<simgrid::s4u::Link*> links;
  source->route_to(destination, links, &taken.latency);
  for (const simgrid::s4u::Link* link : links)
    taken.links.push_back(fmt::format("{} {:.9g}", link->get_name(), link->get_bandwidth()));
  std::sort(taken.links.begin(), taken.links.end());
  return taken;
}

Taken ours(const Platform& platform, HostId source, HostId destination) {
  const farcast::platform::Route route = platform.route(source, destination);
  Taken taken;
  taken.latency = route.latency.value();
  for (const auto link : route.links)
    taken.links.push_back(fmt::format("{} {:.9g}", platform.links[link].name, platform.links[link].bandwidth.value()));
  std::sort(taken.links.begin(), taken.links.end());
  return taken;
}

int compare(const char* program, const std::string& file) {
  const auto platform = farcast::platform::read_simgrid_xml(file);
  if (!platform) {
    fmt::print("{}: ours: {}\n", file, platform.error().message);
    return 1;
  }
  std::string name = program;
  std::vector<char*> arguments{name.data(), nullptr};
  int count = 1;
  simgrid::s4u::Engine engine(&count, arguments.data());
  engine.load_platform(file);
  engine.seal_platform();
  const auto hosts = engine.get_host_count();
  if (hosts != platform->hosts.size()) {
    fmt::print("{}: hosts: SimGrid {}, ours {}\n", file, hosts, platform->hosts.size());
    return 1;
  }
  std::vector<simgrid::s4u::Host*> named;
  for (const auto& host : platform->hosts) {
    named.push_back(simgrid::s4u::Host::by_name_or_null(host.name));
    if (named.back() == nullptr || named.back()->get_core_count() != host.cores ||
        !near(named.back()->get_speed(), host.speed.value())) {
      fmt::print("{}: host {}: another one in SimGrid\n", file, host.name);
      return 1;
    }
  }
  const std::size_t step = hosts > kMostHosts ? hosts / kMostHosts + 1 : 1;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < hosts; i += step) {
    for (std::size_t j = 0; j < hosts; j += step) {
      const Taken a = theirs(named[i], named[j]);
      const Taken b = ours(*platform, static_cast<HostId>(i), static_cast<HostId>(j));
      ++pairs;
      if (a.links == b.links && near(a.latency, b.latency)) continue;
      fmt::print("{}: {} -> {}:\n  SimGrid {} latency {:.17g}\n  ours    {} latency {:.17g}\n", file, platform->hosts[i].name,
                 platform->hosts[j].name, fmt::join(a.links, ", "), a.latency, fmt::join(b.links, ", "), b.latency);
      return 1;
    }
  }
  fmt::print("{}: {} hosts, {} links, {} routes agree\n", file, hosts, platform->links.size(), pairs);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  int bad = argc < 2 ? 1 : 0;
  for (int i = 1; i < argc; ++i) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      int result = 1;
      try {
        result = compare(argv[0], argv[i]);
      } catch (const std::exception& error) {
        fmt::print("{}: SimGrid: {}\n", argv[i], error.what());
      }
      std::fflush(stdout);
      _exit(result); // SimGrid's own ending is not ours to test
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status)) fmt::print("{}: SimGrid died of signal {}\n", argv[i], WTERMSIG(status));
    bad += status != 0 ? 1 : 0;
  }
  return bad == 0 ? 0 : 1;
}
