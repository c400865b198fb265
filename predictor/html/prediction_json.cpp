#include "predictor/html/prediction_json.h"

#include "predictor/html/line_json.h"
#include "predictor/report/activities.h"
#include "predictor/report/json_predictions.h"
#include "predictor/report/source_place.h"

#include <algorithm>
#include <cmath>

namespace farcast::html {

namespace {

using report::Json;

constexpr std::size_t kPowerSlices = 300;
constexpr std::size_t kLinkSlices = 200;

// Returns: numbers with `digits` digits, as a chart shows them.
double short_number(double value, int digits = 5) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(scale) && scale != 0 ? std::round(value * scale) / scale : value;
}

Json short_numbers(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(short_number(value));
  return out;
}

// A list of objects with the same fields as an object of lists.
Json as_columns(const Json& rows) {
  Json out = Json::object();
  if (rows.empty()) return out;
  for (const auto& [key, value] : rows.front().items()) out[key] = Json::array();
  for (const Json& row : rows)
    for (const auto& [key, value] : row.items())
      out[key].push_back(value.is_number_float() ? Json(short_number(value.get<double>(), 7)) : value);
  return out;
}

// Keeps the rows with most of `key`, those first. Returns: how many there were.
std::size_t keep_most(Json& rows, const char* key) {
  const std::size_t all = rows.size();
  std::stable_sort(rows.begin(), rows.end(), [key](const Json& a, const Json& b) { return a.at(key) > b.at(key); });
  if (all > kRows) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(kRows), rows.end());
  return all;
}

void add_place(Json& row, const char* prefix, std::uint32_t site, const std::vector<report::SiteInfo>& sites) {
  if (site >= sites.size()) return;
  const report::SiteInfo& info = sites[site];
  row[prefix] = Json{{"call", info.mpi_function}, {"text", info.text}, {"function", info.function}, {"line", info.line}};
}

Json regions_of(Json rows, const report::RunSummary& run, std::size_t& all) {
  all = keep_most(rows, "predicted_s");
  for (Json& row : rows) {
    const auto region = row.at("region").get<std::size_t>();
    if (region >= run.regions.size()) continue;
    row["place"] = report::region_place(static_cast<std::uint32_t>(region), run);
    add_place(row, "from", run.regions[region].from_site, run.sites);
    add_place(row, "to", run.regions[region].to_site, run.sites);
    if (region < run.region_stats.size()) row["cov"] = run.region_stats[region].cov;
  }
  return rows;
}

Json sites_of(const sim::Prediction& prediction, const report::RunSummary& run, std::size_t& all) {
  Json rows = Json::array();
  for (const auto& [site, ranks] : prediction.sites) {
    Json row{{"site", site}};
    add_place(row, "at", site, run.sites);
    double total = 0, most = 0, joules = 0, measured = 0, sent = 0;
    std::uint64_t count = 0;
    for (const sim::SiteTimes& rank : ranks) {
      count += rank.count;
      total += rank.total.value();
      most = std::max(most, rank.total.value());
      joules += rank.energy.value();
    }
    if (site < run.site_stats.size())
      for (const report::SiteStats& rank : run.site_stats[site]) {
        measured += rank.time.total.value();
        sent += rank.sent.total.value();
      }
    row.update(Json{{"count", count},
                    {"predicted_s", total},
                    {"slowest_rank_s", most},
                    {"measured_s", measured},
                    {"sent_bytes", sent},
                    {"energy_j", prediction.energy ? Json(joules) : Json()}});
    rows.push_back(std::move(row));
  }
  all = keep_most(rows, "predicted_s");
  return rows;
}

// What the page shows of them.
Json bottlenecks_of(const Json& found, const report::RunSummary& run) {
  Json path = found.at("path");
  const std::size_t parts = path.size();
  if (parts > kRows) path.erase(path.begin() + static_cast<std::ptrdiff_t>(kRows), path.end());
  for (Json& row : path)
    row["place"] = row.contains("region") ? report::region_place(row.at("region").get<std::uint32_t>(), run)
                                          : report::site_place(row.at("site").get<std::uint32_t>(), run);
  Json waits = found.at("wait_states").at("sites");
  const auto sum_of = [](const Json& row) {
    double sum = 0;
    for (const auto& [key, value] : row.items())
      if (key.ends_with("_s")) sum += value.get<double>();
    return sum;
  };
  for (Json& row : waits) row["sum_s"] = sum_of(row);
  keep_most(waits, "sum_s");
  for (Json& row : waits) row["place"] = report::site_place(row.at("site").get<std::uint32_t>(), run);
  Json imbalance = found.at("imbalance");
  for (Json& row : imbalance) row["above_s"] = row.at("most_s").get<double>() - row.at("mean_s").get<double>();
  keep_most(imbalance, "above_s");
  for (Json& row : imbalance) row["place"] = report::region_place(row.at("region").get<std::uint32_t>(), run);
  return Json{{"path", std::move(path)},
              {"parts", parts},
              {"path_on_rank_s", found.at("path_on_rank_s")},
              {"wait_sites", std::move(waits)},
              {"imbalance", std::move(imbalance)}};
}

Json traffic_value(const Traffic& traffic) {
  Json from = Json::array(), to = Json::array(), bytes = Json::array(), messages = Json::array(), inside = Json::array(),
       inside_messages = Json::array();
  for (std::size_t row = 0; row < traffic.rows(); ++row)
    for (std::size_t column = 0; column < traffic.rows(); ++column) {
      const Traffic::Cell& cell = traffic.at(row, column);
      if (cell.messages == 0) continue;
      from.push_back(row);
      to.push_back(column);
      bytes.push_back(cell.bytes);
      messages.push_back(cell.messages);
      inside.push_back(cell.inside_bytes);
      inside_messages.push_back(cell.inside_messages);
    }
  return Json{{"rows", traffic.rows()}, {"ranks_per_row", traffic.ranks_per_row()},
              {"from", from},           {"to", to},
              {"bytes", bytes},         {"messages", messages},
              {"inside_bytes", inside}, {"inside_messages", inside_messages}};
}

Json power_value(const sim::PowerSeries& power, std::size_t most_nodes) {
  const double end = power.end_s();
  Json begins = Json::array(), watts = Json::array(), nodes = Json::array();
  for (const energy::Step& step : power.sum()) {
    begins.push_back(step.begin);
    watts.push_back(short_number(step.value, 7));
  }
  if (end > 0)
    for (const sim::PowerSeries::Node& node : power.nodes()) {
      if (nodes.size() == most_nodes) break;
      nodes.push_back(Json{{"host", node.name}, {"watts", short_numbers(means(node.watts, end, kPowerSlices))}});
    }
  return Json{{"end_s", end}, {"begin_s", begins}, {"watts", watts}, {"nodes", nodes}, {"all_nodes", power.nodes().size()}};
}

Json links_value(const LinkLoad& load, std::size_t most) {
  Json links = Json::array();
  for (const LinkLoad::Link& link : load.busiest(most, kLinkSlices))
    links.push_back(Json{{"name", link.name},
                         {"bandwidth_bytes_s", link.bandwidth},
                         {"bytes", link.bytes},
                         {"share", link.share},
                         {"shares", short_numbers(link.shares)}});
  return Json{{"used", load.used()}, {"links", std::move(links)}};
}

Json messages_value(const std::vector<MessageTimes>& times) {
  Json ways = Json::array();
  for (const MessageTimes& way : times)
    ways.push_back(Json{{"where", way.where}, {"from", way.from}, {"to", way.to}, {"seconds", way.seconds}});
  return Json{{"bytes", kMessageBytes}, {"ways", std::move(ways)}};
}

Json collectives_value(const std::vector<CollectiveChoice>& choices) {
  Json out = Json::array();
  for (const CollectiveChoice& choice : choices) {
    Json ranges = Json::array();
    for (const collective::Range& range : choice.ranges)
      ranges.push_back(Json{{"from_bytes", range.first_bytes}, {"algorithm", range.algorithm}});
    out.push_back(Json{{"call", choice.call}, {"counts", choice.counts}, {"ranges", std::move(ranges)}});
  }
  return out;
}

} // namespace

Json shown_predictions(const report::RunSummary& run, const std::vector<sim::Prediction>& predictions,
                       const scenario::RealisationsOf& realisations) {
  Json list = report::predictions_value(predictions, run.sites, run.regions, realisations);
  for (std::size_t i = 0; i < list.size(); ++i) {
    Json& entry = list[i];
    std::size_t all_regions = 0, all_sites = 0;
    entry["ranks"] = as_columns(entry["ranks"]);
    entry["regions"] = regions_of(std::move(entry["regions"]), run, all_regions);
    entry["all_regions"] = all_regions;
    entry["sites"] = sites_of(predictions[i], run, all_sites);
    entry["all_sites"] = all_sites;
    for (const char* unshown : {"node_energy", "link_energy", "other_threads_core_s"}) entry.erase(unshown);
    if (entry.contains("realisations")) entry["realisations"].erase("sites");
    entry["bottlenecks"] = entry.contains("bottlenecks") ? bottlenecks_of(entry["bottlenecks"], run) : Json();
  }
  return list;
}

void add_views(Json& prediction, const Shown& shown, const Bounds& bounds) {
  prediction["line"] = line_value(shown.views->line, bounds.segments);
  prediction["arrows"] = arrows_value(shown.views->arrows, shown.views->line.end_s);
  prediction["traffic"] = traffic_value(shown.views->traffic);
  prediction["power"] = shown.views->power ? power_value(*shown.views->power, bounds.power_nodes) : Json();
  prediction["links"] = links_value(shown.views->links, bounds.links);
  prediction["messages"] = messages_value(shown.messages);
  prediction["collectives"] = collectives_value(shown.collectives);
  prediction["not_modelled"] = shown.not_modelled;
}

} // namespace farcast::html
