#include "predictor/network/flow_network.h"

#include "predictor/platform/star_zone.h"
#include "unit/network/slow_max_min.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <string>

using namespace farcast;
using network::FlowNetwork;

namespace {

struct Message {
  double start;
  platform::HostId source;
  platform::HostId destination;
  double bytes;
};

// Links of random speed and latency; one of them a fat pipe, one host with a half-duplex link.
platform::Platform random_platform(std::mt19937& random, int hosts, bool backbone) {
  platform::Platform result;
  result.p2p = platform::simgrid_defaults();
  result.p2p.crosstraffic = random() % 2 == 0;
  if (random() % 2 == 0) {
    result.p2p.same_node = {{{0, 0.5}, {100'000, 3}}, {{0, 0.25}, {500'000, 0.75}}};
    result.p2p.same_switch.bandwidth = {{0, 0.9}};
  }
  const auto add_link = [&](platform::Sharing sharing) {
    const double bandwidth = 1e8 * (1 + static_cast<double>(random() % 4));
    const double latency = 1e-5 * static_cast<double>(random() % 4);
    result.links.push_back({"l", base::BytesPerSecond(bandwidth), base::Seconds(latency), sharing});
    return static_cast<platform::LinkId>(result.links.size() - 1);
  };
  auto star = std::make_shared<platform::StarZone>();
  result.topology.add_zone("star", platform::kNoZone, 0);
  const std::uint32_t sharing = random() % 2;
  std::vector<platform::LinkId> middle;
  if (backbone) middle.push_back(add_link(sharing == 0 ? platform::Sharing::shared : platform::Sharing::fatpipe));
  for (int i = 0; i < hosts; ++i) {
    result.hosts.push_back({"h" + std::to_string(i), base::FlopsPerSecond(1e9), 1, {}, {}});
    result.topology.add_host({0, static_cast<std::uint32_t>(i)});
    std::vector<platform::LinkId> up{add_link(platform::Sharing::shared)};
    std::vector<platform::LinkId> down{i == 0 ? up[0] : add_link(platform::Sharing::shared)};
    std::vector<platform::LinkId> loopback;
    if (i % 2 == 1) loopback.push_back(add_link(platform::Sharing::fatpipe));
    up.insert(up.end(), middle.begin(), middle.end());
    down.insert(down.begin(), middle.begin(), middle.end());
    star->add_vertex(up, down, loopback);
  }
  result.topology.set_rule(0, std::move(star));
  return result;
}

slow::Group group_of(const platform::Platform& p, const Message& m) {
  std::map<platform::LinkId, double> weights;
  slow::Group group{{}, 1e300, 0, 1};
  const platform::Route there = p.route(m.source, m.destination);
  for (const platform::LinkId id : there.links) {
    group.bound = std::min(group.bound, p.links[id].bandwidth.value());
    group.penalty += p.p2p.weight_s / p.links[id].bandwidth.value();
    if (p.links[id].sharing == platform::Sharing::shared) weights[id] += 1;
  }
  const double latency = there.latency.value();
  if (latency > 0) group.bound = std::min(group.bound, p.p2p.tcp_gamma / (2 * latency));
  if (p.p2p.crosstraffic) {
    for (const platform::LinkId id : p.route(m.destination, m.source).links) {
      if (p.links[id].sharing == platform::Sharing::shared) weights[id] += 0.05;
    }
  }
  group.penalty = latency > 0 ? group.penalty + latency : 1.0;
  for (const auto& [link, weight] : weights) group.uses.push_back({link, weight});
  return group;
}

const platform::Factor& latency_factor(const platform::Platform& p, const Message& m) {
  const bool own = m.source == m.destination && !p.p2p.same_node.latency.empty();
  return own ? p.p2p.same_node.latency : p.p2p.latency_factor;
}

// With a backbone no two hosts are below one switch.
const platform::Factor& bandwidth_factor(const platform::Platform& p, const Message& m) {
  if (p.p2p.same_node.bandwidth.empty()) return p.p2p.bandwidth_factor;
  if (m.source == m.destination) return p.p2p.same_node.bandwidth;
  return p.route(m.source, m.destination).links.size() == 2 ? p.p2p.same_switch.bandwidth : p.p2p.bandwidth_factor;
}

// Every flow by itself, all rates anew at every event.
std::vector<double> slow_arrivals(const platform::Platform& p, const std::vector<Message>& messages) {
  const std::size_t count = messages.size();
  std::vector<double> begin(count);
  std::vector<double> work(count);
  std::vector<double> arrival(count, -1);
  std::vector<slow::Group> groups;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = messages[i].bytes + p.p2p.envelope_bytes;
    const double latency = p.route(messages[i].source, messages[i].destination).latency.value();
    begin[i] = messages[i].start + platform::factor_at(latency_factor(p, messages[i]), size) * latency;
    work[i] = size / platform::factor_at(bandwidth_factor(p, messages[i]), size);
    groups.push_back(group_of(p, messages[i]));
  }
  double now = 0;
  for (std::size_t left = count; left > 0;) {
    slow::System system;
    std::vector<std::size_t> active;
    for (const platform::Link& link : p.links) system.capacities.push_back(link.bandwidth.value());
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < count; ++i) {
      if (arrival[i] >= 0) continue;
      if (begin[i] > now) {
        next = std::min(next, begin[i]);
      } else {
        active.push_back(i);
        system.groups.push_back(groups[i]);
      }
    }
    const std::vector<double> rates = slow::rates_of(system);
    for (std::size_t k = 0; k < active.size(); ++k) next = std::min(next, now + work[active[k]] / rates[k]);
    for (std::size_t k = 0; k < active.size(); ++k) {
      work[active[k]] -= rates[k] * (next - now);
      if (work[active[k]] > 1e-9 * messages[active[k]].bytes) continue;
      arrival[active[k]] = next;
      --left;
    }
    now = next;
  }
  return arrival;
}

// solves_all: lone flows are given to the solver, too, for somebody watches the links.
enum class Playing { plain, looks_ahead, skips_beginnings, solves_all };

std::vector<double> fast_arrivals(const platform::Platform& p, const std::vector<Message>& messages,
                                  Playing playing = Playing::plain) {
  FlowNetwork network(p);
  if (playing == Playing::solves_all) network.watch([](const network::LinkUse&) {});
  std::vector<FlowNetwork::Token> soon;
  std::vector<double> arrival(messages.size(), -1);
  std::vector<FlowNetwork::Token> arrived;
  std::size_t started = 0;
  for (;;) {
    const double start = started < messages.size() ? messages[started].start : FlowNetwork::kNever;
    const double next = playing == Playing::skips_beginnings ? network.next_event_before(start) : network.next_event();
    const double now = std::min(start, next);
    if (!std::isfinite(now)) return arrival;
    soon.clear();
    if (playing == Playing::looks_ahead) network.look_ahead(soon);
    for (const FlowNetwork::Token token : soon) REQUIRE(arrival.at(token) < 0); // under way
    arrived.clear();
    network.advance(now, arrived);
    for (const FlowNetwork::Token token : arrived) arrival[token] = now;
    for (; started < messages.size() && messages[started].start <= now; ++started) {
      const Message& m = messages[started];
      network.start(m.source, m.destination, m.bytes, static_cast<FlowNetwork::Token>(started), now);
    }
  }
}

} // namespace

TEST_CASE("random messages arrive when the obvious simulation says so") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    const int hosts = 2 + static_cast<int>(random() % 5);
    const platform::Platform platform = random_platform(random, hosts, seed % 2 == 0);
    std::vector<Message> messages;
    double start = 0;
    for (int i = 0; i < 60; ++i) {
      if (random() % 3 != 0) start += 1e-4 * static_cast<double>(random() % 100); // several messages at some instants
      const auto host = [&] { return static_cast<platform::HostId>(random() % static_cast<unsigned>(hosts)); };
      messages.push_back({start, host(), host(), 1000.0 * static_cast<double>(1 + random() % 2000)});
    }
    const std::vector<double> expected = slow_arrivals(platform, messages);
    const std::vector<double> actual = fast_arrivals(platform, messages);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      INFO("seed " << seed << ", message " << i);
      REQUIRE(actual[i] == Approx(expected[i]).epsilon(1e-9).margin(0));
    }
  }
}

TEST_CASE("flows that nobody shares with arrive, to the last bit, when the solver says so") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const int hosts = 1 + static_cast<int>(random() % 4);
    const platform::Platform platform = random_platform(random, hosts, seed % 2 == 0);
    std::vector<Message> messages;
    double start = 0;
    for (int i = 0; i < 300; ++i) {
      if (random() % 8 != 0) start += 2e-5 * static_cast<double>(random() % 300); // some alone, some at one instant, some overlap
      const auto host = [&] { return static_cast<platform::HostId>(random() % static_cast<unsigned>(hosts)); };
      messages.push_back({start, host(), host(), 1000.0 * static_cast<double>(1 + random() % 200)});
    }
    const std::vector<double> expected = fast_arrivals(platform, messages, Playing::solves_all);
    INFO("seed " << seed);
    REQUIRE(fast_arrivals(platform, messages) == expected);
    REQUIRE(fast_arrivals(platform, messages, Playing::skips_beginnings) == expected);
  }
}

TEST_CASE("looking ahead changes nothing") {
  std::mt19937 random(11);
  const int hosts = 60;
  const platform::Platform platform = random_platform(random, hosts, false);
  std::vector<Message> messages;
  for (int i = 0; i < 6000; ++i) {
    const auto host = [&] { return static_cast<platform::HostId>(random() % hosts); };
    const int instant = i / 3; // three messages at each
    messages.push_back({1e-4 * instant, host(), host(), 1000.0 * static_cast<double>(1 + random() % 2000)});
  }
  REQUIRE(fast_arrivals(platform, messages, Playing::looks_ahead) == fast_arrivals(platform, messages));
}

TEST_CASE("nothing under way: no event") {
  std::mt19937 random(1);
  const platform::Platform platform = random_platform(random, 2, false);
  FlowNetwork network(platform);
  REQUIRE(network.next_event() == FlowNetwork::kNever);
  REQUIRE(network.in_flight() == 0);
  network.start(0, 1, 1000, 7, 0.5);
  REQUIRE(network.in_flight() == 1);
  std::vector<FlowNetwork::Token> arrived;
  while (network.in_flight() > 0) network.advance(network.next_event(), arrived);
  REQUIRE(arrived == std::vector<FlowNetwork::Token>{7});
  REQUIRE(network.next_event() == FlowNetwork::kNever);
}

TEST_CASE("more pairs of hosts than classes are kept") {
  const int hosts = 100;
  std::mt19937 random(3);
  const platform::Platform platform = random_platform(random, hosts, false);
  FlowNetwork network(platform);
  std::vector<FlowNetwork::Token> arrived;
  FlowNetwork::Token token = 0;
  double now = 0;
  for (int round = 0; round < 2; ++round) {
    for (platform::HostId source = 0; source < hosts; ++source) {
      for (platform::HostId destination = 0; destination < hosts; ++destination) {
        network.start(source, destination, 100, token++, now);
      }
      while (network.in_flight() > 0) {
        now = network.next_event();
        network.advance(now, arrived);
      }
    }
  }
  REQUIRE(arrived.size() == 2u * hosts * hosts);
  std::sort(arrived.begin(), arrived.end());
  for (std::size_t i = 0; i < arrived.size(); ++i) REQUIRE(arrived[i] == i);
}
