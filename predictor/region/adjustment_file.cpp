#include "predictor/region/adjustment_file.h"

#include "predictor/base/base_name.h"
#include "predictor/base/words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace farcast::region {

namespace {

using base::trimmed;

// One line of CSV -> its two fields; quotes may be doubled inside quotes.
std::optional<std::pair<std::string, std::string>> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted || fields.size() != 2) return std::nullopt;
  return std::pair(std::string(trimmed(fields[0])), std::string(trimmed(fields[1])));
}

// Returns: not a number where the text is none.
double number_of(const std::string& text) {
  const auto value = base::number_in<double>(text);
  return value && std::isfinite(*value) ? *value : std::nan("");
}

// "dir/a.c:12" -> file and line. Returns: nothing when there is no line number at the end.
std::optional<trace::ResolvedSite> place_of(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const auto line = base::number_in<int>(text.substr(colon + 1));
  if (!line || *line < 0) return std::nullopt;
  trace::ResolvedSite site{};
  site.file = std::string(text.substr(0, colon));
  site.line = *line;
  site.text = fmt::format("{}:{}", base::base_name(site.file), *line);
  return site;
}

// "a.c:12:b.c:30": file names may hold colons, so each colon between a digit and a name is tried.
std::optional<std::pair<trace::ResolvedSite, trace::ResolvedSite>> region_of(std::string_view name) {
  for (std::size_t colon = name.find(':'); colon != std::string_view::npos; colon = name.find(':', colon + 1)) {
    const auto start = place_of(name.substr(0, colon));
    const auto stop = place_of(name.substr(colon + 1));
    if (start && stop) return std::pair(*start, *stop);
  }
  return std::nullopt;
}

class Builder {
public:
  explicit Builder(SlowdownTable& table) : table_(table) {}
  std::uint32_t site(const trace::ResolvedSite& site) {
    const auto [at, fresh] = sites_.try_emplace(std::pair(site.file, site.line), static_cast<std::uint32_t>(table_.sites.size()));
    if (fresh) table_.sites.push_back(site);
    return at->second;
  }

private:
  SlowdownTable& table_;
  std::map<std::pair<std::string, int>, std::uint32_t> sites_;
};

} // namespace

base::Result<SlowdownTable> parse_adjustments(std::string_view text, const std::string& path) {
  SlowdownTable table;
  table.source = path;
  Builder builder(table);
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty()) continue;
    const auto fields = fields_of(line);
    const double ratio = fields ? number_of(fields->second) : std::nan("");
    if (number == 1 && fields && std::isnan(ratio)) continue; // the header
    const auto places = fields ? region_of(fields->first) : std::nullopt;
    if (!places || !(ratio > 0)) {
      return base::fail(fmt::format("{}:{}: found '{}', expected \"start file:line:stop file:line\",ratio with a ratio above 0",
                                    path, number, line.substr(0, 200)));
    }
    RegionSlowdown region;
    region.from = builder.site(places->first);
    region.to = builder.site(places->second);
    region.divisor = ratio;
    table.regions.push_back(std::move(region));
  }
  if (table.regions.empty())
    return base::fail(fmt::format("{}: found no line of the form \"start file:line:stop file:line\",ratio", path));
  return table;
}

std::string adjustment_text(const SlowdownTable& table) {
  std::string out = "\"start:stop\",\"ratio\"\n";
  const auto place = [](const trace::ResolvedSite& site) { return fmt::format("{}:{}", base::base_name(site.file), site.line); };
  for (const RegionSlowdown& region : table.regions) {
    const trace::ResolvedSite& from = table.sites[region.from];
    const trace::ResolvedSite& to = table.sites[region.to];
    if (from.file.empty() || to.file.empty()) continue; // SimGrid knows places by file and line only
    std::string name = place(from) + ":" + place(to);
    for (std::size_t at = name.find('"'); at != std::string::npos; at = name.find('"', at + 2)) name.insert(at, 1, '"');
    out += fmt::format("\"{}\",{:.15g}\n", name, simgrid_ratio(region));
  }
  return out;
}

} // namespace farcast::region
