#include "predictor/report/source_place.h"

#include "predictor/base/base_name.h"
#include "predictor/report/text_layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace farcast::report {

namespace {

constexpr std::size_t kNameColumns = 28; // of a function

struct Place { // of a call
  std::string file;
  std::string function;
  int line = 0;
  int first = 0; // lines of the function; 0: unknown
  int last = 0;
};

// "Norm<double, 3>::over_all(Field const&)" -> "Norm<double, 3>::over_all": the arguments tell little.
std::string without_arguments(const std::string& function) {
  int depth = 0; // of template arguments
  for (std::size_t i = 0; i < function.size(); ++i) {
    if (function[i] == '<') ++depth;
    if (function[i] == '>') --depth;
    if (function[i] == '(' && depth == 0 && i > 0 && function.substr(i, 2) != "()") return function.substr(0, i);
  }
  return function.ends_with("()") ? function.substr(0, function.size() - 2) : function;
}

// The compiler's versions of a function have suffixes, "relax.isra.0" or "relax() [clone .cold]"; names
// of C, C++ and Fortran have no dot.
std::string without_version(const std::string& function) {
  const std::size_t clone = function.find(" [clone ");
  return function.substr(0, std::min(clone, function.find('.', 1)));
}

std::string short_name(const std::string& function) {
  return cut_end(without_arguments(without_version(function)), kNameColumns);
}

// An inlined function has another name than the symbol that its code stands in.
Place place_of(const SiteInfo& site) {
  const bool known = site.around.file == site.file && !site.around.name.empty();
  const bool inlined = known && site.function.find(site.around.name) == std::string::npos;
  return {site.file, inlined ? site.around.name : site.function, site.line, known ? site.around.first : 0,
          known ? site.around.last : 0};
}

std::string at_lines(const Place& place, int first, int last) {
  const std::string file = base::base_name(place.file);
  return first == last ? fmt::format("{}:{}", file, first) : fmt::format("{}:{}-{}", file, first, last);
}

bool holds(const Place& place, int line) { return place.first > 0 && place.first <= line && line <= place.last; }

std::string within(const Place& from, const Place& to) {
  const std::string name = short_name(from.function);
  if (from.line < to.line) return fmt::format("{}, {}", name, at_lines(from, from.line, to.line));
  const bool known = holds(from, from.line) && holds(from, to.line);
  const std::string where = known ? at_lines(from, from.first, from.last) : base::base_name(from.file);
  if (from.line == to.line) return fmt::format("{}, {}, from {} to {} again", name, where, from.line, to.line);
  return fmt::format("{}, {}, from {} on to {} again", name, where, from.line, to.line);
}

std::string across(const Place& from, const Place& to) {
  const std::string end = at_lines(from, from.line, holds(from, from.line) ? from.last : from.line);
  const std::string begin = at_lines(to, holds(to, to.line) ? to.first : to.line, to.line);
  return fmt::format("{}, {}, to {}, {}", short_name(from.function), end, short_name(to.function), begin);
}

bool same_function(const Place& a, const Place& b) {
  return a.file == b.file && without_version(a.function) == without_version(b.function);
}

// Returns: the lines between the two calls in the innermost function that both stacks pass through,
// with different lines.
std::optional<std::string> below_one_function(const SiteInfo& from, const SiteInfo& to) {
  for (const SiteLevel& a : from.callers) {
    for (const SiteLevel& b : to.callers) {
      if (a.line <= 0 || b.line <= 0 || a.function.empty() || a.function != b.function || a.file != b.file) continue;
      if (a.line == b.line) return std::nullopt; // one call of a function that both are in
      return within({a.file, a.function, a.line}, {b.file, b.function, b.line});
    }
  }
  return std::nullopt;
}

} // namespace

std::string region_place(std::uint32_t region, const RunSummary& run) {
  if (region >= run.regions.size()) return fmt::format("region {}", region);
  const RegionInfo& between = run.regions[region];
  if (between.from_site >= run.sites.size() || between.to_site >= run.sites.size())
    return region_name(region, run.regions, run.sites);
  const SiteInfo& from = run.sites[between.from_site];
  const SiteInfo& to = run.sites[between.to_site];
  if (from.line <= 0 || to.line <= 0 || from.function.empty() || to.function.empty())
    return region_name(region, run.regions, run.sites);
  const Place first = place_of(from);
  const Place second = place_of(to);
  if (same_function(first, second)) return within(first, second);
  return below_one_function(from, to).value_or(across(first, second));
}

std::string site_place(std::uint32_t site, const RunSummary& run) {
  if (site >= run.sites.size()) return fmt::format("site {}", site);
  const SiteInfo& info = run.sites[site];
  const Place place = place_of(info);
  if (info.line <= 0 || place.function.empty()) return fmt::format("{} at {}", info.mpi_function, site_text(site, run.sites));
  return fmt::format("{} in {}, {}", info.mpi_function, short_name(place.function), at_lines(place, place.line, place.line));
}

} // namespace farcast::report
