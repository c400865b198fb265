#include "predictor/report/what_if_remarks.h"

#include "predictor/report/text_layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace farcast::report {

namespace {

using scenario::Remark;

// Points by where they stand on the axes that vary.
class Places {
public:
  Places(const WhatIf& what, const Judgement& judged) : what_(what), judged_(judged) {}

  // Returns: "ppn 2, 4; policy dvfs" where the points are all those with these values; empty for all
  // points that have figures; unset for others.
  [[nodiscard]] std::optional<std::string> values(const std::vector<std::size_t>& points) const {
    if (points.size() >= judged_.order.size()) return "";
    std::vector<std::string> parts;
    std::vector<std::set<std::string>> within; // [varying axis] where these points stand
    for (const std::string& axis : judged_.varying) {
      auto [names, set] = values_of(points, axis);
      if (set.size() < values_of(judged_.order, axis).second.size())
        parts.push_back(fmt::format("{} {}", axis, fmt::join(names, ", ")));
      within.push_back(std::move(set));
    }
    const auto inside = [&](std::size_t point) {
      for (std::size_t axis = 0; axis < within.size(); ++axis)
        if (!within[axis].contains(value(point, axis))) return false;
      return true;
    };
    const auto as_many = static_cast<std::size_t>(std::ranges::count_if(judged_.order, inside));
    if (parts.empty() || as_many > points.size()) return std::nullopt;
    return fmt::format("{}", fmt::join(parts, "; "));
  }
  // Returns: the same, or how many points they are.
  [[nodiscard]] std::string of(const std::vector<std::size_t>& points) const {
    return values(points).value_or(fmt::format("{} of {} points", points.size(), judged_.order.size()));
  }
  // Returns: where one point stands on all axes that vary.
  [[nodiscard]] std::string of_one(std::size_t point) const {
    std::vector<std::string> parts;
    for (std::size_t axis = 0; axis < judged_.varying.size(); ++axis)
      parts.push_back(fmt::format("{} {}", judged_.varying[axis], value(point, axis)));
    return fmt::format("{}", fmt::join(parts, "; "));
  }

private:
  [[nodiscard]] std::string value(std::size_t point, std::size_t axis) const {
    return coordinate(what_, what_.points[point].point, judged_.varying[axis]);
  }
  // Returns: the values in the order of the points as they were asked for, and the same as a set.
  [[nodiscard]] std::pair<std::vector<std::string>, std::set<std::string>> values_of(std::vector<std::size_t> points,
                                                                                     const std::string& axis) const {
    std::ranges::sort(points);
    std::pair<std::vector<std::string>, std::set<std::string>> out;
    for (const std::size_t point : points) {
      const std::string text = coordinate(what_, what_.points[point].point, axis);
      if (out.second.insert(text).second) out.first.push_back(text);
    }
    return out;
  }

  const WhatIf& what_;
  const Judgement& judged_;
};

// A remark, or several on one subject.
struct Said {
  const Remark* remark = nullptr;   // of them that with the largest extent
  std::vector<std::size_t> points;  // that they concern, ascending
  std::vector<std::size_t> most_at; // of these, those of `remark`
};

std::vector<Said> said_in(const WhatIf& what, bool cautions) {
  std::vector<Said> out;
  std::map<std::string, std::size_t> said; // subject -> place in `out`
  for (const auto& [remark, points] : what.remarks) {
    if (remark.caution != cautions) continue;
    const bool alone = remark.subject.empty();
    const auto [found, first] = alone ? std::pair(said.end(), true) : said.emplace(remark.subject, out.size());
    Said& one = first ? out.emplace_back() : out[found->second];
    if (first || remark.extent > one.remark->extent) {
      one.remark = &remark;
      one.most_at = points;
    }
    one.points.insert(one.points.end(), points.begin(), points.end());
    std::ranges::sort(one.points);
  }
  return out;
}

void append_all(std::string& out, const WhatIf& what, const Places& places, bool cautions) {
  for (const Said& one : said_in(what, cautions)) {
    const std::string where = places.of(one.points);
    std::string text = fmt::format("{}{}{}", where, where.empty() ? "" : ": ", one.remark->sentence);
    if (one.most_at.size() < one.points.size())
      text += fmt::format(" (the most: {})", places.values(one.most_at).value_or(places.of_one(one.most_at.front())));
    append_wrapped(out, cautions ? "  ! " : "  assumed  ", text);
  }
}

Json remarks_json(const WhatIf& what, bool cautions, const std::vector<std::size_t>& place) {
  Json out = Json::array();
  for (const auto& [remark, points] : what.remarks) {
    if (remark.caution != cautions) continue;
    std::vector<std::size_t> places;
    for (const std::size_t point : points) places.push_back(place[point]);
    std::ranges::sort(places);
    out.push_back({{"sentence", remark.sentence}, {"points", places}});
  }
  return out;
}

} // namespace

void append_remarks(std::string& out, const WhatIf& what, const Judgement& judged) {
  if (what.remarks.empty() && what.run_cautions.empty() && what.run_notes.empty()) return;
  if (!out.ends_with("\n\n")) out += '\n';
  const Places places(what, judged);
  append_all(out, what, places, true);
  for (const std::string& caution : what.run_cautions) append_wrapped(out, "  ", caution);
  for (const std::string& note : what.run_notes) append_wrapped(out, "  - ", note);
  append_all(out, what, places, false);
}

void add_remarks(Json& document, const WhatIf& what, const std::vector<std::size_t>& place) {
  document["cautions"] = remarks_json(what, true, place);
  document["assumptions"] = remarks_json(what, false, place);
  document["run_cautions"] = what.run_cautions;
  document["notes"] = what.run_notes;
}

} // namespace farcast::report
