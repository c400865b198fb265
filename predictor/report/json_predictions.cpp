#include "predictor/report/json_predictions.h"

#include "predictor/report/activities.h"
#include "predictor/report/bottlenecks.h"
#include "predictor/report/cautions.h"
#include "predictor/report/confidence.h"
#include "predictor/report/derived.h"
#include "predictor/report/json.h"
#include "predictor/report/sentences.h"

#include <cmath>

namespace farcast::report {
namespace {

template <class Unit> Json number_or_null(const std::optional<Unit>& value) { return value ? Json(value->value()) : Json(); }
Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

// Of a part of the prediction.
Json joules_or_null(const sim::Prediction& prediction, base::Joules part) {
  return prediction.energy ? Json(part.value()) : Json();
}

Json ranks_of(const sim::Prediction& prediction) {
  Json ranks = Json::array();
  for (std::size_t rank = 0; rank < prediction.ranks.size(); ++rank) {
    const sim::RankTimes& times = prediction.ranks[rank];
    Json entry{{"rank", rank}};
    for (const ActivityName& name : kActivityNames) entry[std::string(name.key) + "_s"] = seconds_in(times, name);
    entry["sent_bytes"] = times.sent.value();
    entry["messages"] = times.messages;
    entry["energy_j"] = joules_or_null(prediction, times.energy);
    ranks.push_back(std::move(entry));
  }
  return ranks;
}

Json other_threads_of(const sim::Prediction& prediction) {
  Json list = Json::array();
  for (const base::Seconds used : prediction.other_threads) list.push_back(used.value());
  return list;
}

Json slowdowns_of(const sim::SlowdownUse& use) {
  return Json{{"source", slowdowns_source(use)},      {"exact_s", use.exact.value()},
              {"neighbour_s", use.neighbour.value()}, {"same_file_s", use.same_file.value()},
              {"none_s", use.none.value()},           {"beyond_s", use.beyond.value()},
              {"predicted_s", use.played.value()},    {"predicted_beyond_s", use.played_beyond.value()}};
}

Json energy_parts_of(const sim::Prediction& prediction) {
  if (!prediction.energy) return Json();
  const energy::EnergyParts& parts = prediction.energy_parts;
  return Json{{"baseline", parts.baseline.value()},
              {"computing", parts.computing.value()},
              {"polling", parts.polling.value()},
              {"probing", parts.probing.value()}};
}

Json node_energy_of(const sim::Prediction& prediction) {
  if (!prediction.energy) return Json();
  Json nodes = Json::array();
  for (const sim::NodeEnergy& node : prediction.nodes)
    nodes.push_back(Json{{"host", node.host}, {"total_j", node.total.value()}, {"idle_s", node.idle.value()}});
  return nodes;
}

Json links_of(const sim::Prediction& prediction) {
  Json links = Json::array();
  for (const auto& [number, link] : prediction.links)
    links.push_back(Json{{"name", link.name},
                         {"carried_bytes", link.carried.value()},
                         {"idle_j", link.idle.value()},
                         {"carrying_j", link.carrying.value()}});
  return links;
}

Json sites_of(const sim::Prediction& prediction, const std::vector<SiteInfo>& sites) {
  Json list = Json::array();
  for (const auto& [site, ranks] : prediction.sites) {
    Json count = Json::array(), total = Json::array(), max = Json::array(), min = Json::array(), energy = Json::array();
    for (const sim::SiteTimes& rank : ranks) {
      count.push_back(rank.count);
      total.push_back(rank.total.value());
      max.push_back(rank.max.value());
      min.push_back(rank.min.value());
      energy.push_back(rank.energy.value());
    }
    list.push_back(Json{{"site", site},
                        {"text", site_text(site, sites)},
                        {"time_s", Json{{"count", count}, {"total", total}, {"max", max}, {"min", min}}},
                        {"energy_j", prediction.energy ? energy : Json()}});
  }
  return list;
}

Json regions_of(const sim::Prediction& prediction, const std::vector<SiteInfo>& sites, const std::vector<RegionInfo>& regions) {
  Json list = Json::array();
  for (const auto& [region, times] : prediction.regions)
    list.push_back(Json{{"region", region},
                        {"name", region_name(region, regions, sites)},
                        {"visits", times.visits},
                        {"measured_s", times.measured.value()},
                        {"predicted_s", times.predicted.value()},
                        {"energy_j", joules_or_null(prediction, times.energy)}});
  return list;
}

Json spread_value(const scenario::Spread& spread) {
  return Json{{"mean", spread.mean}, {"median", spread.median}, {"least", spread.least}, {"most", spread.most}};
}

Json realisations_value(const scenario::Realisations& realisations, const std::vector<SiteInfo>& sites) {
  Json list = Json::array();
  for (const auto& [site, spread] : realisations.sites)
    list.push_back(Json{{"site", site},
                        {"text", site_text(site, sites)},
                        {"quickest_rank_s", spread_value(spread.quickest_rank)},
                        {"slowest_rank_s", spread_value(spread.slowest_rank)}});
  return Json{{"count", realisations.count},
              {"first_seed", realisations.first_seed},
              {"time_s", spread_value(realisations.time)},
              {"known_to", std::isfinite(realisations.known_to) ? Json(realisations.known_to) : Json()},
              {"sites", list}};
}

} // namespace

Json predictions_value(const std::vector<sim::Prediction>& predictions, const std::vector<SiteInfo>& sites,
                       const std::vector<RegionInfo>& regions, const scenario::RealisationsOf& realisations) {
  Json list = Json::array();
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const sim::Prediction& prediction = predictions[i];
    Json entry;
    entry["platform"] = prediction.platform;
    entry["complete"] = prediction.complete;
    entry["cautions"] = cautions_of(prediction);
    entry["time_s"] = prediction.time.value();
    entry["energy_j"] = number_or_null(prediction.energy);
    entry["average_power_w"] = number_or_null(average_power(prediction));
    entry["edp_js"] = number_or_null(energy_delay(prediction));
    if (i < realisations.size() && realisations[i]) entry["realisations"] = realisations_value(*realisations[i], sites);
    if (prediction.confidence) entry["confidence"] = confidence_value(*prediction.confidence);
    entry["nodes"] = prediction.nodes_used;
    entry["placement"] = prediction.placement;
    entry["cpus_per_rank"] = prediction.cpus_per_rank;
    entry["compute_speed"] = compute_speed_sentence(prediction.compute_speed, prediction.platform);
    if (prediction.slowdowns) entry["slowdowns"] = slowdowns_of(*prediction.slowdowns);
    entry["transport"] = transport_text(prediction.transport);
    entry["assumptions"] = Json::array();
    for (const sim::Assumption& assumption : prediction.assumptions)
      entry["assumptions"].push_back(assumption_sentence(assumption));
    entry["problems"] = Json::array();
    for (const sim::Problem& problem : prediction.problems) entry["problems"].push_back(problem_sentence(problem, sites));
    entry["energy_parts_j"] = energy_parts_of(prediction);
    entry["node_energy"] = node_energy_of(prediction);
    entry["idle_energy_j"] = joules_or_null(prediction, prediction.idle_energy);
    if (!prediction.links.empty()) {
      entry["links_energy_j"] = links_energy(prediction).value();
      entry["link_energy"] = links_of(prediction);
    }
    if (!prediction.other_threads.empty()) entry["other_threads_core_s"] = other_threads_of(prediction);
    entry["ranks"] = ranks_of(prediction);
    entry["regions"] = regions_of(prediction, sites, regions);
    entry["sites"] = sites_of(prediction, sites);
    if (prediction.bottlenecks) entry["bottlenecks"] = bottlenecks_value(*prediction.bottlenecks, sites, regions);
    list.push_back(std::move(entry));
  }
  return list;
}

std::string predictions_json(const std::vector<sim::Prediction>& predictions, const std::vector<SiteInfo>& sites,
                             const std::vector<RegionInfo>& regions, const scenario::RealisationsOf& realisations) {
  return to_text(predictions_value(predictions, sites, regions, realisations), 1); // depth 1: as a member of the document
}

} // namespace farcast::report
