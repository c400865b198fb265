#include "predictor/scenario/gains.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace farcast::scenario {

namespace {

constexpr double kIdeal = 1e9; // times the bandwidth, and a part of the latency

// Returns: the factor as options have it, and as they are read.
std::pair<std::string, double> written(double factor) {
  std::string text = fmt::format("{:.6g}", factor);
  const double value = std::strtod(text.c_str(), nullptr);
  return {std::move(text), value};
}

} // namespace

std::vector<std::string> sites_on_path(const sim::Prediction& prediction, const trace::SiteTable& sites,
                                       const std::map<trace::Frame, std::string>& names, std::size_t most) {
  std::map<std::string, double> seconds;
  for (const auto& [part, time] : prediction.bottlenecks->path) {
    if (part.first != sim::PathPart::compute || part.second >= sites.regions().size()) continue;
    const auto [from, to] = sites.regions()[part.second];
    const std::string& before = names.at(sites.sites()[from].frames.front());
    const std::string& behind = names.at(sites.sites()[to].frames.front());
    seconds[before] += time.value();
    if (before != behind) seconds[behind] += time.value();
  }
  std::vector<std::pair<std::string, double>> order(seconds.begin(), seconds.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> out;
  for (const auto& [site, time] : order) {
    // Only what has a line can be named by an option.
    if (out.size() < most && site.find(':') != std::string::npos) out.push_back(site);
  }
  return out;
}

std::vector<Improvement> improvements_of(const Point& base, double percent, const std::vector<std::string>& sites) {
  std::vector<Improvement> out;
  out.reserve(sites.size() + 4);
  const auto [faster, times] = written(1 + percent / 100);
  for (const std::string& site : sites)
    out.push_back({fmt::format("computation before and behind {}", site), fmt::format("--speedup {}={}", site, faster), base,
                   site, times, false});
  const auto add = [&](const std::string& what, double bandwidth, double latency, bool limit) {
    Improvement& one = out.emplace_back();
    one.what = what;
    one.point = base;
    one.limit = limit;
    if (bandwidth != 1) {
      const auto [text, value] = written(base.bandwidth * bandwidth);
      one.point.bandwidth = value;
      one.option = fmt::format("--bandwidth x{}", text);
    }
    if (latency != 1) {
      const auto [text, value] = written(base.latency * latency);
      one.point.latency = value;
      one.option += fmt::format("{}--latency x{}", one.option.empty() ? "" : " ", text);
    }
  };
  add("bandwidth of all links", 1 + percent / 100, 1, false);
  add("latency of all links", 1, 1 - percent / 100, false);
  add("the ideal network, as a limit", kIdeal, 1 / kIdeal, true);
  add("perfect balance, as a limit", 1, 1, true);
  out.back().point.even = true;
  out.back().option = "--balance even";
  return out;
}

} // namespace farcast::scenario
