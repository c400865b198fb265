#include "predictor/network/max_min.h"
#include "unit/network/slow_max_min.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

using farcast::network::MaxMin;
using slow::Group;
using slow::System;

namespace {

double load_of(const System& s, std::size_t link, const std::vector<double>& rates) {
  double load = 0;
  for (std::size_t g = 0; g < s.groups.size(); ++g) {
    for (const MaxMin::Use& use : s.groups[g].uses) {
      if (use.link == link) load += s.groups[g].flows * use.weight * rates[g];
    }
  }
  return load;
}

double distance(double a, double b) { return a == b ? 0.0 : std::abs(a - b) / std::max(std::abs(a), std::abs(b)); }
bool close(double a, double b) { return distance(a, b) <= 1e-9; }

// Group g is at its bound, or uses a full link on which nobody has a higher level.
bool has_reason(const System& system, std::size_t g, const std::vector<double>& rates, const std::vector<double>& load) {
  const Group& group = system.groups[g];
  if (close(rates[g], group.bound)) return true;
  return std::any_of(group.uses.begin(), group.uses.end(), [&](const MaxMin::Use& use) {
    if (load[use.link] < system.capacities[use.link] * (1 - 1e-9)) return false;
    for (std::size_t other = 0; other < rates.size(); ++other) {
      for (const MaxMin::Use& theirs : system.groups[other].uses) {
        const bool higher = rates[other] * system.groups[other].penalty > rates[g] * group.penalty * (1 + 1e-8);
        if (theirs.link == use.link && higher) return false;
      }
    }
    return true;
  });
}

bool all_bottlenecked(const System& system, const std::vector<double>& rates) {
  std::vector<double> load;
  for (std::size_t link = 0; link < system.capacities.size(); ++link) load.push_back(load_of(system, link, rates));
  for (std::size_t g = 0; g < rates.size(); ++g) {
    if (!has_reason(system, g, rates, load)) return false;
  }
  return true;
}

Group random_group(std::mt19937& random, std::size_t links) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  Group group;
  const std::size_t count = 1 + random() % 4;
  for (std::size_t i = 0; i < count; ++i) {
    const auto link = static_cast<MaxMin::Link>(random() % links);
    const bool there = std::any_of(group.uses.begin(), group.uses.end(), [&](const MaxMin::Use& u) { return u.link == link; });
    if (!there) group.uses.push_back({link, random() % 3 == 0 ? 0.05 : 1.0});
  }
  group.bound = random() % 2 == 0 ? 100.0 : std::pow(10.0, 3 * unit(random) - 1);
  group.penalty = random() % 2 == 0 ? 1e-3 : std::pow(10.0, -4 * unit(random));
  group.flows = 1 + static_cast<int>(random() % 3);
  return group;
}

System random_system(std::mt19937& random) {
  System system;
  const std::size_t links = 1 + random() % 12;
  for (std::size_t i = 0; i < links; ++i) system.capacities.push_back(1.0 + static_cast<double>(random() % 1000) / 10);
  const std::size_t groups = 1 + random() % 16;
  for (std::size_t i = 0; i < groups; ++i) system.groups.push_back(random_group(random, links));
  return system;
}

System scaled(System system, double factor) {
  for (double& capacity : system.capacities) capacity *= factor;
  for (Group& group : system.groups) group.bound *= factor;
  return system;
}

System with_links_reversed(System system) {
  std::reverse(system.capacities.begin(), system.capacities.end());
  const auto last = static_cast<MaxMin::Link>(system.capacities.size() - 1);
  for (Group& group : system.groups) {
    for (MaxMin::Use& use : group.uses) use.link = last - use.link;
  }
  return system;
}

std::vector<std::size_t> in_order(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// Returns: the rates, by group, when the groups come in that order.
std::vector<double> rates_of(const System& system, const std::vector<std::size_t>& order) {
  MaxMin solver(system.capacities);
  std::vector<MaxMin::Group> ids(order.size());
  for (const std::size_t g : order) {
    ids[g] = solver.add_group(system.groups[g].uses, system.groups[g].bound, system.groups[g].penalty);
    solver.change_flows(ids[g], system.groups[g].flows);
  }
  std::vector<MaxMin::Group> changed;
  solver.solve(changed);
  std::vector<double> rates;
  for (const MaxMin::Group id : ids) rates.push_back(solver.rate(id));
  return rates;
}

// A system whose groups come and go, held against the oracle after each change.
class Churn {
public:
  Churn(unsigned seed, std::size_t links) : random_(seed) {
    for (std::size_t i = 0; i < links; ++i) system_.capacities.push_back(1.0 + static_cast<double>(random_() % 1000) / 10);
    solver_.emplace_back(system_.capacities);
  }
  void step() {
    const std::size_t changes = 1 + random_() % 3;
    for (std::size_t i = 0; i < changes; ++i) {
      if (random_() % 5 < 3 || system_.groups.empty())
        add();
      else
        change(random_() % system_.groups.size());
    }
    std::vector<MaxMin::Group> changed;
    solver_.front().solve(changed);
    for (const MaxMin::Group gone : gone_) solver_.front().remove_group(gone);
    gone_.clear();
    check();
  }

private:
  void add() {
    const Group group = random_group(random_, system_.capacities.size());
    const MaxMin::Group id = solver_.front().add_group(group.uses, group.bound, group.penalty);
    solver_.front().change_flows(id, group.flows);
    system_.groups.push_back(group);
    ids_.push_back(id);
  }
  void change(std::size_t at) {
    const int delta = random_() % 2 == 0 ? 1 : -system_.groups[at].flows;
    solver_.front().change_flows(ids_[at], delta);
    system_.groups[at].flows += delta;
    if (system_.groups[at].flows > 0) return;
    gone_.push_back(ids_[at]);
    system_.groups.erase(system_.groups.begin() + static_cast<std::ptrdiff_t>(at));
    ids_.erase(ids_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  void check() {
    const std::vector<double> expected = slow::rates_of(system_);
    std::vector<double> rates;
    for (const MaxMin::Group id : ids_) rates.push_back(solver_.front().rate(id));
    bool equal = true;
    for (std::size_t g = 0; g < rates.size(); ++g) equal = equal && close(rates[g], expected[g]);
    REQUIRE(equal);
    REQUIRE(all_bottlenecked(system_, rates));
    for (std::size_t link = 0; link < system_.capacities.size(); ++link)
      REQUIRE(load_of(system_, link, rates) <= system_.capacities[link] * (1 + 1e-9));
  }
  std::mt19937 random_;
  System system_;
  std::vector<MaxMin> solver_;
  std::vector<MaxMin::Group> ids_;
  std::vector<MaxMin::Group> gone_;
};

} // namespace

TEST_CASE("random systems that change agree with the slow solver, are feasible and bottlenecked") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    Churn churn(seed, 2 + seed % 9);
    for (int i = 0; i < 60; ++i) churn.step();
  }
}

TEST_CASE("large sparse systems that change, where a change reaches only a part") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    INFO("seed " << seed);
    Churn churn(1000 + seed, 60 + 40 * seed);
    for (int i = 0; i < 150; ++i) churn.step();
  }
}

TEST_CASE("100,000 random systems: the slow solver's rates, whatever the order, and in proportion to the scale") {
  std::mt19937 random(20161);
  double worst = 0;
  for (int i = 0; i < 100'000; ++i) {
    const System system = random_system(random);
    const std::vector<double> rates = rates_of(system, in_order(system.groups.size()));
    const std::vector<double> expected = slow::rates_of(system);
    std::vector<std::size_t> order = in_order(system.groups.size());
    std::shuffle(order.begin(), order.end(), random);
    const std::vector<double> shuffled = rates_of(with_links_reversed(system), order);
    const std::vector<double> doubled = rates_of(scaled(system, 1024.0), in_order(order.size()));
    const std::vector<double> stretched = rates_of(scaled(system, 3.7), in_order(order.size()));
    bool exact = true;
    for (std::size_t g = 0; g < rates.size(); ++g) {
      for (const double other : {expected[g], shuffled[g], stretched[g] / 3.7})
        worst = std::max(worst, distance(rates[g], other));
      exact = exact && doubled[g] == 1024.0 * rates[g]; // a power of two rounds nothing
    }
    if (!exact || worst > 1e-9) FAIL("system " << i << ": exact " << exact << ", relative difference " << worst);
    for (std::size_t link = 0; link < system.capacities.size(); ++link) {
      const double load = load_of(system, link, rates);
      if (load > system.capacities[link] * (1 + 1e-9)) FAIL("system " << i << ": link " << link << " carries " << load);
    }
    if (!all_bottlenecked(system, rates)) FAIL("system " << i << ": a group could have more");
  }
  CHECK(worst <= 1e-9);
}

TEST_CASE("shares are inverse to the penalties, and what a bounded flow leaves goes to the others") {
  MaxMin solver({12.0});
  const std::vector<MaxMin::Use> link{{0, 1.0}};
  const MaxMin::Group near = solver.add_group(link, 100, 1.0);
  const MaxMin::Group far = solver.add_group(link, 100, 3.0);
  std::vector<MaxMin::Group> changed;
  solver.change_flows(near, 1);
  solver.change_flows(far, 1);
  solver.solve(changed);
  REQUIRE(changed.size() == 2);
  REQUIRE(solver.rate(near) == Approx(9));
  REQUIRE(solver.rate(far) == Approx(3));
  const MaxMin::Group bounded = solver.add_group(link, 2, 1.0);
  solver.change_flows(bounded, 2);
  solver.solve(changed);
  REQUIRE(solver.rate(bounded) == Approx(2));
  REQUIRE(solver.rate(near) == Approx(6));
  REQUIRE(solver.rate(far) == Approx(2));
}

TEST_CASE("a change elsewhere does not touch what it cannot reach") {
  MaxMin solver({10.0, 10.0});
  const std::vector<MaxMin::Use> first{{0, 1.0}};
  const std::vector<MaxMin::Use> second{{1, 1.0}};
  const MaxMin::Group a = solver.add_group(first, 10, 1.0);
  const MaxMin::Group b = solver.add_group(second, 10, 1.0);
  std::vector<MaxMin::Group> changed;
  solver.change_flows(a, 2);
  solver.solve(changed);
  changed.clear();
  solver.change_flows(b, 1);
  solver.solve(changed);
  REQUIRE(changed == std::vector<MaxMin::Group>{b});
  REQUIRE(solver.rate(a) == Approx(5));
}

TEST_CASE("a group that is alone on its links has their least level, or its bound, until another one comes") {
  MaxMin solver({10.0, 6.0, 100.0});
  const std::vector<MaxMin::Use> way{{0, 1.0}, {1, 0.5}, {2, 1.0}};
  const std::vector<MaxMin::Use> across{{1, 1.0}};
  const MaxMin::Group a = solver.add_group(way, 8, 3.0);
  const MaxMin::Group b = solver.add_group(across, 4, 3.0);
  std::vector<MaxMin::Group> changed;
  const auto rate_of = [&](MaxMin::Group group, int flows) {
    solver.change_flows(group, flows);
    solver.solve(changed);
    return solver.rate(group);
  };
  CHECK(rate_of(a, 1) == 8);           // its bound
  CHECK(rate_of(a, 1) == Approx(5));   // two of them fill link 0
  CHECK(rate_of(a, 2) == Approx(2.5)); // and link 1 would take 3
  CHECK(rate_of(b, 1) == Approx(2));   // link 1 is full with 4 x 0.5 + 1 of that
  CHECK(rate_of(a, -4) == 0);
  CHECK(solver.rate(b) == 4);
  CHECK(rate_of(b, 1) == Approx(3));
  CHECK_FALSE(solver.dirty());
}
