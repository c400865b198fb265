#include "predictor/report/confidence.h"

#include "predictor/base/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace farcast::report {

namespace {

struct Source {
  double share;
  const char* name;
};

// Returns: what the variance comes of, the largest part first; nothing where that is not known.
std::vector<Source> sources_of(const sim::Confidence& confidence) {
  std::vector<Source> out{{confidence.computation, "computation"},
                          {confidence.calibration, "calibration"},
                          {confidence.chance, "chance on the network"},
                          {confidence.model, "the models' own error"}};
  std::erase_if(out, [](const Source& one) { return !(one.share >= 0.005); });
  std::stable_sort(out.begin(), out.end(), [](const Source& a, const Source& b) { return a.share > b.share; });
  return out;
}

std::string too_dear_text() {
  return fmt::format("no +-: the {0} predictions with other draws that it takes would have kept the report waiting "
                     "(--ensemble {0} plays them)",
                     base::kFewestMembers);
}

} // namespace

std::string deviation_text(double figure, const std::optional<base::Interval>& interval) {
  if (!interval || !(figure > 0)) return "-";
  const double percent = 100 * std::max(figure - interval->low, interval->high - figure) / figure;
  return percent < 9.95 ? fmt::format("+-{:.1f}%", percent) : fmt::format("+-{:.0f}%", percent);
}

std::string confidence_sentence(const sim::Prediction& prediction) {
  const sim::Confidence& confidence = *prediction.confidence;
  if (confidence.too_dear) return too_dear_text();
  if (!confidence.time_s)
    return fmt::format("no interval: {} predictions with other draws are too few, {} are enough (--ensemble)", confidence.members,
                       base::kFewestMembers);
  std::string text = fmt::format("in 9 of 10 runs {} to {}", base::format_time(base::Seconds(confidence.time_s->low)),
                                 base::format_time(base::Seconds(confidence.time_s->high)));
  if (confidence.energy_j)
    text += fmt::format(", {} to {}", base::format_energy(base::Joules(confidence.energy_j->low)),
                        base::format_energy(base::Joules(confidence.energy_j->high)));
  text += fmt::format(" by {} predictions with other draws of what is not known", confidence.members);
  std::string parts;
  for (const Source& source : sources_of(confidence))
    parts += fmt::format("{}{:.0f} % {}", parts.empty() ? "; of the variance " : ", ", 100 * source.share, source.name);
  text += parts;
  if (!confidence.calibration_known) text += "; nobody says how sure the platform's network is";
  if (prediction.energy && !confidence.watts_known) text += "; no interval of the energy: nobody says how sure the watts are";
  return text;
}

std::string intervals_sentence(const std::vector<sim::Prediction>& predictions) {
  const auto has = [](const sim::Prediction& one) { return one.confidence && one.confidence->time_s; };
  const auto first = std::find_if(predictions.begin(), predictions.end(), has);
  if (first == predictions.end()) {
    const auto too_dear = [](const sim::Prediction& one) { return one.confidence && one.confidence->too_dear; };
    return std::any_of(predictions.begin(), predictions.end(), too_dear) ? too_dear_text() : "";
  }
  std::string text = fmt::format("+-: 9 of 10 runs, by {} predictions with other draws", first->confidence->members);
  const std::vector<Source> sources = sources_of(*first->confidence);
  if (!sources.empty()) text += fmt::format(" (mostly of {})", sources.front().name);
  const auto without = [&](const sim::Prediction& one) { return has(one) && one.energy && !one.confidence->energy_j; };
  if (std::any_of(predictions.begin(), predictions.end(), without))
    text += "; energy has none (-) where nobody says how sure the watts are";
  return text;
}

Json confidence_value(const sim::Confidence& confidence) {
  return Json{{"members", confidence.members},
              {"too_dear", confidence.too_dear},
              {"time_s", interval_value(confidence.time_s)},
              {"energy_j", interval_value(confidence.energy_j)},
              {"variance_shares", Json{{"computation", confidence.computation},
                                       {"calibration", confidence.calibration},
                                       {"chance", confidence.chance},
                                       {"model", confidence.model}}},
              {"computation_known", confidence.computation_known},
              {"calibration_known", confidence.calibration_known},
              {"watts_known", confidence.watts_known}};
}

} // namespace farcast::report
