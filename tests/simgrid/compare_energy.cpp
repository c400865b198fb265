// Energy by SimGrid's host_energy plugin and by ours, where traces cannot say it: smpi/host-speed,
// which turns measured seconds into flops, and hosts without ranks that are switched off.
//
//   compare_energy      exit 0: all agree; 1: a difference, which is printed
//
// Each rank computes and waits for the others to end; on SimGrid's side an actor executes seconds x
// host-speed flops. SimGrid holds one platform per process, so each case runs in a child of its own.
#include "predictor/platform/simgrid_xml.h"
#include "unit/sim/scenario.h"

#include <cmath>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <fstream>
#include <simgrid/plugins/energy.h>
#include <simgrid/s4u.hpp>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using farcast::platform::HostId;

constexpr double kTolerance = 1e-6;
constexpr double kWattsOff = 7;

struct Node {
  std::string speeds; // of each processor state
  std::string watts;
  int state = 0;
  double seconds = 0; // measured on the recording machine; 0: no rank, and switched off
};

struct Case {
  std::string name;
  double host_speed; // flop/s of the machine that was measured on
  std::vector<Node> nodes;
};

std::vector<Case> cases() {
  const std::string one = "1000:2000", two = "1000:2000,800:1200";
  std::vector<Case> out;
  for (const double speed : {1e9, 2.5e9, 10e9, 37e9}) {
    const std::string name = fmt::format("host-speed {:g}", speed);
    out.push_back({name + ", alike", speed, {{"10Gf", one, 0, 1.5}, {"10Gf", one, 0, 4}}});
    out.push_back({name + ", unequal", speed, {{"10Gf", one, 0, 1.5}, {"3Gf", "700:900", 0, 4}, {"1Gf", "650:651", 0, 0.25}}});
    out.push_back({name + ", states", speed, {{"10Gf,4Gf", two, 1, 1.5}, {"8Gf,2Gf", two, 0, 4}, {"8Gf,2Gf", two, 1, 2}}});
    out.push_back({name + ", off", speed, {{"10Gf", one, 0, 3}, {"10Gf", one, 0, 0}, {"5Gf", one, 0, 1}, {"5Gf", one, 0, 0}}});
  }
  return out;
}

std::string platform_of(const Case& one) {
  std::string hosts;
  for (std::size_t i = 0; i < one.nodes.size(); ++i) {
    const Node& node = one.nodes[i];
    std::string idle; // polling draws what an idle node does: SimGrid knows no polling
    for (std::size_t at = 0; at != std::string::npos; at = node.watts.find(',', at)) {
      if (at > 0) ++at;
      idle += (at > 0 ? "," : "") + node.watts.substr(at, node.watts.find(':', at) - at);
    }
    hosts += fmt::format(R"(<host id="n{}" speed="{}" pstate="{}"><prop id="wattage_per_state" value="{}"/>)"
                         R"(<prop id="wattage_off" value="{}"/><prop id="farcast:polling_watts" value="{}"/></host>)",
                         i, node.speeds, node.state, node.watts, kWattsOff, idle);
  }
  return fmt::format(
      R"(<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">)"
      R"(<config><prop id="smpi/host-speed" value="{:.17g}"/></config><zone id="z" routing="Full">{}</zone></platform>)",
      one.host_speed, hosts);
}

struct Outcome {
  double time = 0;
  std::vector<double> joules; // [host]
};

Outcome theirs(const Case& one, const std::string& file, const char* program) {
  std::string name = program;
  std::vector<char*> arguments{name.data(), nullptr};
  int count = 1;
  simgrid::s4u::Engine engine(&count, arguments.data());
  sg_host_energy_plugin_init();
  engine.load_platform(file);
  std::vector<simgrid::s4u::Host*> hosts, unused;
  for (std::size_t i = 0; i < one.nodes.size(); ++i) {
    hosts.push_back(simgrid::s4u::Host::by_name(fmt::format("n{}", i)));
    const double flops = one.nodes[i].seconds * one.host_speed;
    if (flops > 0)
      simgrid::s4u::Actor::create("rank", hosts.back(), [flops] { simgrid::s4u::this_actor::execute(flops); });
    else
      unused.push_back(hosts.back());
  }
  // Only a host that is switched off while the simulation runs is off for the plugin.
  simgrid::s4u::Actor::create("switch", hosts.front(), [unused] {
    for (simgrid::s4u::Host* const host : unused) host->turn_off();
  });
  engine.run();
  Outcome out;
  out.time = simgrid::s4u::Engine::get_clock();
  for (const simgrid::s4u::Host* host : hosts) out.joules.push_back(sg_host_get_consumed_energy(host));
  return out;
}

farcast::base::Result<Outcome> ours(const Case& one, const std::string& file) {
  auto platform = farcast::platform::read_simgrid_xml(file);
  if (!platform) return tl::make_unexpected(platform.error());
  farcast::platform::Placement placement;
  for (std::size_t i = 0; i < one.nodes.size(); ++i) {
    if (one.nodes[i].seconds > 0) placement.host_of.push_back(static_cast<HostId>(i));
  }
  const auto ranks = static_cast<int>(placement.host_of.size());
  placement.core_of.assign(placement.host_of.size(), 0);
  scenario::Program program(ranks);
  program.all_init();
  for (int rank = 0; rank < ranks; ++rank)
    program.rank(rank).compute(one.nodes[placement.host_of[static_cast<std::size_t>(rank)]].seconds);
  program.all_finalize();
  const auto prediction = farcast::sim::predict(program, *platform, placement, farcast::sim::Options{});
  Outcome out{prediction.time.value(), std::vector<double>(one.nodes.size(), 0.0)};
  for (const farcast::sim::NodeEnergy& node : prediction.nodes) out.joules[node.host] = node.total.value();
  return out;
}

bool near(double a, double b) { return std::fabs(a - b) <= kTolerance * std::fabs(b); }

int compare(const char* program, const Case& one) {
  const std::string file = fmt::format("/tmp/farcast-energy-{}.xml", getpid());
  std::ofstream(file) << platform_of(one);
  const auto found = ours(one, file);
  const Outcome expected = theirs(one, file, program);
  std::remove(file.c_str());
  if (!found) {
    fmt::print("{}: ours: {}\n", one.name, found.error().message);
    return 1;
  }
  int bad = near(found->time, expected.time) ? 0 : 1;
  double used = 0, off = 0;
  for (std::size_t i = 0; i < one.nodes.size(); ++i) {
    const bool has_rank = one.nodes[i].seconds > 0;
    (has_rank ? used : off) += expected.joules[i];
    // A node that is off draws its watts in SimGrid; here nodes without ranks are not the run's.
    const bool same = has_rank ? near(found->joules[i], expected.joules[i])
                               : found->joules[i] == 0 && near(kWattsOff * expected.time, expected.joules[i]);
    if (!same) fmt::print("{}: host n{}: SimGrid {:.9f} J, ours {:.9f} J\n", one.name, i, expected.joules[i], found->joules[i]);
    bad += same ? 0 : 1;
  }
  fmt::print("{:<28} {:>12.6f} s {:>12.6f} s, {:>14.6f} J with ranks{}{}\n", one.name, expected.time, found->time, used,
             off > 0 ? fmt::format(", {:.6f} J switched off, which are not counted here", off) : "",
             bad > 0 ? "  DIFFERENT" : "");
  return bad;
}

} // namespace

int main(int, char** argv) {
  int bad = 0;
  for (const Case& one : cases()) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      int result = 1;
      try {
        result = compare(argv[0], one) == 0 ? 0 : 1;
      } catch (const std::exception& error) {
        fmt::print("{}: SimGrid: {}\n", one.name, error.what());
      }
      std::fflush(stdout);
      _exit(result); // SimGrid's own ending is not ours to test
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status)) fmt::print("{}: SimGrid died of signal {}\n", one.name, WTERMSIG(status));
    bad += status != 0 ? 1 : 0;
  }
  fmt::print("{} cases, {} different\n", cases().size(), bad);
  return bad == 0 ? 0 : 1;
}
