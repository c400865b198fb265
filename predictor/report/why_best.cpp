#include "predictor/report/why_best.h"

#include "predictor/base/format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace farcast::report {

namespace {

double sum(const Parts& parts) {
  double out = 0;
  for (const auto& [name, amount] : parts) out += amount;
  return out;
}

// [part of one or the other] by how much the best has more, that of the greatest change first.
Parts changes_of(const Parts& best, const Parts& other) {
  Parts out = best;
  for (auto& [name, amount] : out) {
    const auto same = std::ranges::find(other, name, &Parts::value_type::first);
    if (same != other.end()) amount -= same->second;
  }
  std::ranges::stable_sort(out, std::ranges::greater(), [](const auto& part) { return std::fabs(part.second); });
  return out;
}

// Returns: the part that differs most in the direction of the whole, with its share of the change;
// of one that differs by more than the whole also what stands against it; empty where there is
// none.
template <class Format> std::string most_of(const Parts& best, const Parts& other, double change, Format format) {
  const auto text = [&](double amount) { return fmt::format("{}{}", amount > 0 ? "+" : "-", format(std::fabs(amount))); };
  const Parts changes = changes_of(best, other);
  const auto with = std::ranges::find_if(changes, [&](const auto& part) { return part.second * change > 0; });
  if (with == changes.end()) return "";
  const auto against = std::ranges::find_if(changes, [&](const auto& part) { return part.second * change < 0; });
  constexpr double kMuch = 0.1; // of the whole
  if (against == changes.end() || std::fabs(against->second) < kMuch * std::fabs(change))
    return fmt::format(" ({} {} of {})", with->first, text(with->second), text(change));
  return fmt::format(" ({} {}, {} {}, in all {})", with->first, text(with->second), against->first, text(against->second),
                     text(change));
}

// "1.15 times", "0.26 times"
std::string ratio(double of, double to) { return fmt::format("{:.3g} times", of / to); }

constexpr double kAlike = 0.005; // less is no difference to speak of

std::string time_clause(const Spending& best, const Spending& other) {
  const double change = (best.time - other.time).value();
  if (change == 0 || !(other.time.value() > 0)) return "takes as long";
  if (std::fabs(change) < kAlike * other.time.value()) return "takes about as long";
  const auto format = [](double seconds) { return base::format_time(base::Seconds(seconds)); };
  return fmt::format("takes {} as long{}", ratio(best.time.value(), other.time.value()),
                     most_of(best.time_parts, other.time_parts, change, format));
}

std::string energy_clause(const Spending& best, const Spending& other) {
  if (!best.energy || !other.energy || !(other.energy->value() > 0)) return "";
  const double change = (*best.energy - *other.energy).value();
  if (change == 0) return " and the same energy";
  if (std::fabs(change) < kAlike * other.energy->value()) return " and about as much energy";
  const auto format = [](double joules) { return base::format_energy(base::Joules(joules)); };
  return fmt::format(" and {} the energy{}", ratio(best.energy->value(), other.energy->value()),
                     most_of(best.energy_parts, other.energy_parts, change, format));
}

// "62 % idle and static power, 30 % computing": what is 1 % at least, the most first.
std::string shares(Parts parts) {
  constexpr double kLeast = 0.005;
  const double whole = sum(parts);
  std::ranges::stable_sort(parts, std::ranges::greater(), &Parts::value_type::second);
  std::vector<std::string> out;
  for (const auto& [name, amount] : parts)
    if (whole > 0 && amount / whole >= kLeast) out.push_back(fmt::format("{:.0f} % {}", 100 * amount / whole, name));
  return fmt::format("{}", fmt::join(out, ", "));
}

} // namespace

Parts time_parts(const std::array<base::Seconds, sim::kActivities>& spent) {
  const auto in = [&](sim::Activity activity) { return spent[static_cast<std::size_t>(activity)].value(); };
  return {{"computing", in(sim::Activity::compute)},
          {"messages", in(sim::Activity::point_to_point) + in(sim::Activity::collective) + in(sim::Activity::completion)},
          {"waiting", in(sim::Activity::waiting)},
          {"other", in(sim::Activity::local) + in(sim::Activity::ended)}};
}

Parts energy_parts(const energy::EnergyParts& parts, base::Joules links) {
  return {{"idle and static power", parts.baseline.value()},
          {"computing", parts.computing.value()},
          {"polling", parts.polling.value()},
          {"probing", parts.probing.value()},
          {"links", links.value()}};
}

std::string why_best(std::string_view goal, bool by_time, const Spending& best, const Spending& other,
                     std::string_view other_is) {
  const std::string of = shares(by_time ? best.time_parts : best.energy_parts);
  return fmt::format("{} is best in {}: against {}, {}, it {}{}{}", best.point, goal, other.point, other_is,
                     time_clause(best, other), energy_clause(best, other),
                     of.empty() ? "" : fmt::format("; of its {} {}", by_time ? "time" : "energy", of));
}

Json parts_json(const Parts& parts, std::string_view unit) {
  Json out = Json::object();
  for (const auto& [name, amount] : parts) {
    std::string key = name;
    std::ranges::replace(key, ' ', '_');
    out[fmt::format("{}_{}", key, unit)] = amount;
  }
  return out;
}

} // namespace farcast::report
