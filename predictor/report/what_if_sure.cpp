#include "predictor/report/what_if_sure.h"

#include "predictor/base/difference.h"
#include "predictor/model/energy_delay.h"
#include "predictor/report/text_layout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace farcast::report {

namespace {

using scenario::Point;

constexpr double kWide = 10; // percent: of an interval so wide nobody asks for tenths

// Returns: [member] the cost that points are compared by; empty where nobody knows.
std::vector<double> member_costs(const PointFigures& figures, Goal goal) {
  const scenario::MemberValues& members = figures.judged_members();
  if (goal == Goal::time) return members.time_s;
  if (goal == Goal::energy || members.energy_j.empty()) return members.energy_j;
  std::vector<double> out;
  for (std::size_t i = 0; i < members.time_s.size(); ++i)
    out.push_back(model::energy_delay(base::Joules(members.energy_j[i]), base::Seconds(members.time_s[i])).value());
  return out;
}

int unusual(const Point& point) {
  const auto sped_up = std::count_if(point.speedups.begin(), point.speedups.end(), [](double times) { return times != 1.0; });
  return (point.bandwidth != 1.0 ? 1 : 0) + (point.latency != 1.0 ? 1 : 0) + (point.wait != sim::WaitMode::poll ? 1 : 0) +
         (point.policy != sim::CollectivePolicy::none ? 1 : 0) + (point.balance != 0.0 || point.even ? 1 : 0) +
         static_cast<int>(sped_up);
}

std::optional<Difference> from(const WhatIf& what, std::size_t point, std::optional<std::size_t> other, Goal goal) {
  if (!other || !what.points[*other].figures || !what.points[point].figures) return {};
  return difference_of(*what.points[point].figures, *what.points[*other].figures, goal);
}

std::optional<std::size_t> best_of(const Judgement& judged) {
  return judged.order.empty() ? std::nullopt : std::optional(judged.order.front());
}

// "0.2 % (-1.1 to 1.4 %)"
std::string in_percent(const Difference& difference, double of) {
  const auto percent = [of](double value) { return 100 * value / of; };
  return fmt::format("{:.1f} % ({:.1f} to {:.1f} %)", percent(difference.value), percent(difference.ninety->low),
                     percent(difference.ninety->high));
}

std::optional<base::Interval> interval_of(double figure, const std::vector<double>& members) {
  return base::estimate_of(figure, members).ninety;
}

std::optional<base::Interval> energy_interval(const PointFigures& figures) {
  if (!figures.energy || !figures.members.watts_known) return {};
  return interval_of(figures.energy->value(), figures.members.energy_j);
}

std::string csv_cells(const std::optional<base::Interval>& interval) {
  return interval ? fmt::format(",{},{}", interval->low, interval->high) : ",,";
}

std::string csv_cells(const std::optional<Difference>& difference) {
  return difference ? fmt::format(",{}", difference->value) + csv_cells(difference->ninety) : ",,,";
}

} // namespace

std::optional<std::size_t> base_point(const WhatIf& what) {
  std::optional<std::size_t> out;
  for (std::size_t i = 0; i < what.points.size(); ++i) {
    if (!what.points[i].impossible.empty()) continue;
    if (!out || unusual(what.points[i].point) < unusual(what.points[*out].point)) out = i;
  }
  return out;
}

double cost_of(const PointFigures& figures, Goal goal) {
  if (goal == Goal::time) return figures.judged_time().value();
  const std::optional<base::Joules> energy = figures.judged_energy();
  if (!energy) return std::numeric_limits<double>::infinity();
  return goal == Goal::energy ? energy->value() : model::energy_delay(*energy, figures.judged_time()).value();
}

std::optional<Difference> difference_of(const PointFigures& first, const PointFigures& second, Goal goal) {
  Difference out{cost_of(first, goal) - cost_of(second, goal), {}};
  if (!std::isfinite(out.value)) return {};
  out.ninety = base::interval_of_difference(cost_of(first, goal), member_costs(first, goal), cost_of(second, goal),
                                            member_costs(second, goal));
  return out;
}

bool has_members(const WhatIf& what) {
  return std::any_of(what.points.begin(), what.points.end(),
                     [](const PointOutcome& one) { return one.figures && !one.figures->members.time_s.empty(); });
}

std::string sure_column(const WhatIf& what) { return fmt::format("{} vs base", name_of(what.goal)); }

std::string sure_cell(const WhatIf& what, const Judgement& judged, std::size_t point) {
  if (judged.base == point) return "base";
  const std::optional<Difference> difference = from(what, point, judged.base, what.goal);
  const double of = judged.base && difference ? cost_of(*what.points[*judged.base].figures, what.goal) : 0;
  if (!(of > 0)) return "-";
  const double percent = 100 * difference->value / of;
  if (!difference->ninety) return fmt::format("{:+.1f}%", percent);
  const double low = 100 * difference->ninety->low / of, high = 100 * difference->ninety->high / of;
  const int digits = high - low < kWide ? 1 : 0;
  return fmt::format("{:+.1f}% ({:+.{}f}..{:+.{}f})", percent, low, digits, high, digits);
}

void append_sure(std::string& out, const WhatIf& what, const Judgement& judged) {
  if (!has_members(what)) return;
  std::size_t with = 0, members = 0;
  for (const std::size_t point : judged.order) {
    const std::size_t count = what.points[point].figures->members.time_s.size();
    with += count > 0 ? 1 : 0;
    members = std::max(members, count);
  }
  const char* const goal = name_of(what.goal);
  if (judged.order.size() > 1) {
    const PointFigures& best = *what.points[judged.order[0]].figures;
    const auto ahead = difference_of(*what.points[judged.order[1]].figures, best, what.goal);
    const double of = cost_of(best, what.goal);
    if (ahead && ahead->ninety && of > 0) {
      const auto alike = std::count(judged.like_best.begin(), judged.like_best.end(), true);
      append_wrapped(
          out, "  ",
          ahead->told_apart()
              ? fmt::format("the best in {} is told apart from the next, which takes more by {}", goal, in_percent(*ahead, of))
              : fmt::format("~ NOT told apart from the best in {} ({} of them): the next takes more by {}", goal, alike,
                            in_percent(*ahead, of)));
    }
  }
  std::string text =
      fmt::format("({} vs base): 9 of 10 cases are within, by {} predictions of each point with other draws, which are "
                  "the same for all points",
                  goal, members);
  const auto exact = [&](std::size_t point) {
    const PointFigures& figures = *what.points[point].figures;
    return figures.energy && !figures.members.time_s.empty() && !figures.members.watts_known;
  };
  if (what.goal != Goal::time && std::any_of(judged.order.begin(), judged.order.end(), exact))
    text += "; watts are taken as exact where nobody says how sure they are";
  if (with < judged.order.size())
    text += fmt::format("; of {} of {} points alone, the base and the best (--ensemble {}: of all)", with, judged.order.size(),
                        scenario::kUsualMembers);
  append_wrapped(out, "  ", text);
}

std::string sure_csv_columns() {
  return ",time_low_s,time_high_s,energy_low_j,energy_high_j,from_base,from_base_low,from_base_high,from_best,from_best_low,"
         "from_best_high";
}

std::string sure_csv_cells(const WhatIf& what, const Judgement& judged, std::size_t point) {
  const auto& figures = what.points[point].figures;
  if (!figures) return ",,,,,,,,,,";
  const scenario::MemberValues& members = figures->members;
  return csv_cells(interval_of(figures->time.value(), members.time_s)) + csv_cells(energy_interval(*figures)) +
         csv_cells(from(what, point, judged.base, what.goal)) + csv_cells(from(what, point, best_of(judged), what.goal));
}

void add_sure(Json& entry, const WhatIf& what, const Judgement& judged, std::size_t point) {
  const PointFigures& figures = *what.points[point].figures;
  entry["ninety"] = {{"time_s", interval_value(interval_of(figures.time.value(), figures.members.time_s))},
                     {"energy_j", interval_value(energy_interval(figures))}};
  const auto difference_value = [](const std::optional<Difference>& difference) {
    if (!difference) return Json();
    return Json{{"value", difference->value},
                {"ninety", interval_value(difference->ninety)},
                {"told_apart", difference->ninety ? Json(difference->told_apart()) : Json()}};
  };
  entry["from_base"] = difference_value(from(what, point, judged.base, what.goal));
  entry["from_best"] = difference_value(from(what, point, best_of(judged), what.goal));
}

Json sure_json(const WhatIf& what, const Judgement& judged, const std::vector<std::size_t>& place) {
  std::size_t with = 0, members = 0;
  for (const std::size_t point : judged.order) {
    const std::size_t count = what.points[point].figures->members.time_s.size();
    with += count > 0 ? 1 : 0;
    members = std::max(members, count);
  }
  std::optional<Difference> ahead;
  if (judged.order.size() > 1) ahead = from(what, judged.order[1], judged.order[0], what.goal);
  const bool known = judged.base && what.points[*judged.base].figures;
  return Json{{"members", members},
              {"points", with},
              {"base_point", known ? Json(place[*judged.base]) : Json()},
              {"best_told_apart", ahead && ahead->ninety ? Json(ahead->told_apart()) : Json()}};
}

} // namespace farcast::report
