#include "predictor/report/first_screen.h"

#include "predictor/base/format.h"
#include "predictor/report/confidence.h"
#include "predictor/report/sentences.h"
#include "predictor/report/site_totals.h"
#include "predictor/report/source_place.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/top_entries.h"
#include "predictor/report/trust.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

namespace farcast::report {

namespace {

constexpr std::size_t kColumns = 100;         // of the screen
constexpr std::size_t kPlaces = 3;            // source ranges
constexpr std::size_t kMostRows = 6;          // platforms
constexpr std::size_t kLeastRows = 4;         // where there are so many: the best two, another one, and how many more
constexpr std::size_t kMostNotes = 2;         // of the recording
constexpr std::size_t kNoPlatform = SIZE_MAX; // no complete prediction
constexpr std::string_view kRestsOn = "  Rests on     ";
constexpr std::string_view kWeakenedBy = "  Weakened by  ";
constexpr std::string_view kNext = "  Next         ";

std::size_t lines_in(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

// Returns: the complete prediction with the least figure; of equal ones the first.
template <class Figure> std::size_t least(const std::vector<sim::Prediction>& predictions, Figure figure) {
  std::size_t best = kNoPlatform;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (!predictions[i].complete || !figure(predictions[i])) continue;
    if (best == kNoPlatform || *figure(predictions[i]) < *figure(predictions[best])) best = i;
  }
  return best;
}

struct Best {
  std::size_t time = kNoPlatform;
  std::size_t energy = kNoPlatform;
};

Best best_of(const std::vector<sim::Prediction>& predictions) {
  return {least(predictions, [](const sim::Prediction& one) { return std::optional<base::Seconds>(one.time); }),
          least(predictions, [](const sim::Prediction& one) { return one.energy; })};
}

// Returns: "8 %", "31 %", "<1 %": in four columns at most.
std::string percent_of(double share) {
  const double percent = 100 * share;
  if (percent > 0 && percent < 0.5) return "<1 %";
  return fmt::format("{:.0f} %", percent);
}

struct Shares { // of the ranks' time: computing, messages, waiting, other
  std::array<std::string, 4> text;
};

Shares shares_of(const sim::Prediction& prediction) {
  std::array<double, 4> seconds{};
  for (const sim::RankTimes& rank : prediction.ranks) {
    const auto in = [&](sim::Activity activity) { return rank.in[static_cast<std::size_t>(activity)].value(); };
    seconds[0] += in(sim::Activity::compute);
    seconds[1] += in(sim::Activity::point_to_point) + in(sim::Activity::collective) + in(sim::Activity::completion);
    seconds[2] += in(sim::Activity::waiting);
    seconds[3] += in(sim::Activity::local) + in(sim::Activity::ended);
  }
  const double all = seconds[0] + seconds[1] + seconds[2] + seconds[3];
  Shares shares;
  for (std::size_t i = 0; i < seconds.size(); ++i) shares.text[i] = all > 0 ? percent_of(seconds[i] / all) : "-";
  return shares;
}

struct Row {
  std::string name;
  std::string time;
  char time_mark = ' '; // right behind the figure
  std::string time_off;
  std::string energy;
  char energy_mark = ' ';
  std::string energy_off;
  std::string nodes;
  Shares shares;
};

void append_row(std::string& out, const Row& row) {
  fmt::format_to(std::back_inserter(out), "  {:<{}} {:>8}{}{:>7} {:>11}{}{:>7} {:>5} {:>9} {:>8} {:>7} {:>5}\n",
                 short_platform(row.name), kPlatformColumns, row.time, row.time_mark, row.time_off, row.energy, row.energy_mark,
                 row.energy_off, row.nodes, row.shares.text[0], row.shares.text[1], row.shares.text[2], row.shares.text[3]);
}

void append_prediction(std::string& out, const std::vector<sim::Prediction>& predictions, std::size_t i, const Best& best) {
  const sim::Prediction& prediction = predictions[i];
  const bool several = predictions.size() > 1;
  Row row{.name = prediction.platform,
          .time = base::format_time(prediction.time),
          .time_mark = !prediction.complete        ? '!'
                       : several && i == best.time ? '*'
                                                   : ' ',
          .time_off = "",
          .energy = prediction.energy ? base::format_energy(*prediction.energy) : "unavailable",
          .energy_mark = several && i == best.energy ? '*' : ' ',
          .energy_off = "",
          .nodes = fmt::format("{}", prediction.nodes_used),
          .shares = shares_of(prediction)};
  if (prediction.confidence && prediction.confidence->time_s) {
    row.time_off = deviation_text(prediction.time.value(), prediction.confidence->time_s);
    if (prediction.energy) row.energy_off = deviation_text(prediction.energy->value(), prediction.confidence->energy_j);
  }
  append_row(out, row);
}

void append_measured(std::string& out, const RunSummary& run) {
  base::Seconds app{0.0};
  base::Seconds mpi{0.0};
  std::set<std::string> hosts;
  for (const RankSummary& rank : run.ranks) {
    app += rank.app_time;
    mpi += rank.mpi_time;
    hosts.insert(rank.host);
  }
  Row row{.name = measured_row(run),
          .time = base::format_time(run.wall),
          .time_off = "",
          .energy = "-",
          .energy_off = "",
          .nodes = fmt::format("{}", hosts.size()),
          .shares = {{"-", "-", "-", "-"}}};
  if (app.value() > 0) row.shares.text[0] = percent_of(1 - mpi / app);
  append_row(out, row);
}

// Returns: which predictions have a row when there is room for so many, in their order: the best,
// then the first.
std::vector<std::size_t> rows_of(const std::vector<sim::Prediction>& predictions, const Best& best, std::size_t room) {
  std::set<std::size_t> rows;
  if (predictions.size() > room)
    for (const std::size_t one : {best.time, best.energy})
      if (one != kNoPlatform) rows.insert(one);
  for (std::size_t i = 0; i < predictions.size() && rows.size() < room; ++i) rows.insert(i);
  return {rows.begin(), rows.end()};
}

void append_table(std::string& out, const RunSummary& run, const std::vector<sim::Prediction>& predictions, const Best& best,
                  std::size_t room) {
  append_row(out, {.name = predictions.size() > 1 ? "platform (* best)" : "platform",
                   .time = "time",
                   .time_off = "",
                   .energy = "energy",
                   .energy_off = "",
                   .nodes = "nodes",
                   .shares = {{"computing", "messages", "waiting", "other"}}});
  const bool all = predictions.size() <= room;
  const std::vector<std::size_t> rows = rows_of(predictions, best, all ? room : room - 1);
  for (const std::size_t row : rows) append_prediction(out, predictions, row, best);
  if (!all) fmt::format_to(std::back_inserter(out), "  ({} more platforms with --full)\n", predictions.size() - rows.size());
  append_measured(out, run);
}

struct PlaceTime {
  double seconds = 0.0; // of all ranks
  std::string text;
};

// Returns: those with most time; of the named ones only, as names are dear to make.
template <class Name>
void add_longest(std::vector<PlaceTime>& places, const std::vector<double>& seconds, const std::vector<std::uint32_t>& numbers,
                 Name name) {
  for (const std::size_t i : largest(seconds, kPlaces)) places.push_back({seconds[i], name(numbers[i])});
}

std::vector<PlaceTime> longest_places(const RunSummary& run, const sim::Prediction* prediction) {
  std::vector<std::uint32_t> regions;
  std::vector<std::uint32_t> sites;
  std::vector<double> in_regions;
  std::vector<double> in_sites;
  const auto add = [](auto& numbers, auto& times, std::size_t number, double seconds) {
    numbers.push_back(static_cast<std::uint32_t>(number));
    times.push_back(seconds);
  };
  if (prediction != nullptr) {
    for (const auto& [region, times] : prediction->regions) add(regions, in_regions, region, times.predicted.value());
    for (const auto& [site, ranks] : prediction->sites) add(sites, in_sites, site, predicted_seconds(ranks));
  } else {
    for (std::size_t i = 0; i < run.region_stats.size(); ++i) add(regions, in_regions, i, run.region_stats[i].total.value());
    const std::vector<SiteTotal> totals = site_totals(run);
    for (std::size_t i = 0; i < totals.size(); ++i) add(sites, in_sites, i, totals[i].time.total.value());
  }
  std::vector<PlaceTime> places;
  add_longest(places, in_regions, regions, [&](std::uint32_t region) { return "computing in " + region_place(region, run); });
  add_longest(places, in_sites, sites, [&](std::uint32_t site) { return site_place(site, run); });
  std::stable_sort(places.begin(), places.end(), [](const PlaceTime& a, const PlaceTime& b) { return a.seconds > b.seconds; });
  if (places.size() > kPlaces) places.resize(kPlaces);
  return places;
}

std::string places_text(const RunSummary& run, const std::vector<sim::Prediction>& predictions, const Best& best) {
  const std::size_t shown = best.time == kNoPlatform ? 0 : best.time;
  const sim::Prediction* prediction = predictions.empty() ? nullptr : &predictions[shown];
  double all = prediction != nullptr ? all_predicted_seconds(*prediction) : 0.0;
  if (prediction == nullptr)
    for (const RankSummary& rank : run.ranks) all += rank.app_time.value();
  const std::vector<PlaceTime> places = longest_places(run, prediction);
  if (places.empty() || !(all > 0)) return "";
  std::string out = fmt::format("  Most of the ranks' time{}\n",
                                prediction != nullptr ? " on " + short_platform(prediction->platform) : std::string());
  for (const PlaceTime& place : places)
    out += cut_end(fmt::format("    {:>5.1f} %  {}", 100 * place.seconds / all, place.text), kTextColumns) + '\n';
  return out + '\n';
}

std::string weakness_text(const Weakness& weakness, const std::vector<sim::Prediction>& predictions) {
  if (weakness.platforms.empty() || weakness.platforms.size() == predictions.size()) return weakness.phrase;
  std::string names;
  for (const std::size_t i : weakness.platforms) names += (names.empty() ? "" : ", ") + short_platform(predictions[i].platform);
  return fmt::format("{} ({})", weakness.phrase, names);
}

// Returns: as many as fit into `room` lines, and how many more there are.
std::string weaknesses_text(const std::vector<Weakness>& weaknesses, const std::vector<sim::Prediction>& predictions,
                            std::size_t room) {
  std::string out;
  for (std::size_t told = weaknesses.size(); told > 0; --told) {
    std::string text;
    for (std::size_t i = 0; i < told; ++i) text += (i > 0 ? "; " : "") + weakness_text(weaknesses[i], predictions);
    if (told < weaknesses.size()) text += fmt::format("; and {} more (--full)", weaknesses.size() - told);
    out.clear();
    append_wrapped(out, kWeakenedBy, text);
    if (lines_in(out) <= room) return out;
  }
  if (weaknesses.empty()) append_wrapped(out, kWeakenedBy, "nothing that is known");
  return out;
}

std::string in_shell(const std::string& word) {
  if (word.find_first_of(" '\"$&;()<>|*?\\`#~!") == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Appends the command that helps most now: a better recording, or what to improve.
void append_next(std::string& out, const RunSummary& run, const std::vector<sim::Prediction>& predictions, const Best& best,
                 const ScreenOptions& options) {
  const std::string platform =
      predictions.empty() ? "NAME" : in_shell(predictions[best.time == kNoPlatform ? 0 : best.time].platform);
  const auto tell = [&](const std::string& command, const std::string& why) {
    const std::string line = fmt::format("{}{}   # {}", kNext, command, why);
    out += (line.size() <= kColumns ? line : fmt::format("{}{}", kNext, command)) + '\n';
  };
  std::string file = options.run_files.empty() ? "run.h5" : "";
  for (const std::string& one : options.run_files) file += (file.empty() ? "" : " ") + in_shell(one);
  const bool isolate = options.live && run.shared_cores;
  if (isolate)
    tell(fmt::format("farcast run -np {} --isolate {} -o run.h5 -- {}", run.ranks.size(), run.shared_cores->cores, run.program),
         "a core for each");
  else if (predictions.empty())
    tell(fmt::format("farcast predict {} --platform NAME", file), "how long it takes there");
  else
    tell(fmt::format("farcast whatif {} --platform {} --gains 10", file, platform), "what would help most");
  const char* keep = options.run_files.empty() && !isolate ? "-o run.h5 keeps the run; " : "";
  fmt::format_to(std::back_inserter(out), "{:{}}({}--full: the whole report, --report FILE: to a file)\n", "", kNext.size(),
                 keep);
}

} // namespace

std::string first_screen(const RunSummary& run, const std::vector<sim::Prediction>& predictions, const ScreenOptions& options,
                         const scenario::RealisationsOf& realisations) {
  const Best best = best_of(predictions);
  std::string top;
  append_wrapped(top, "", cut_end(fmt::format("farcast: {}", run.program), kTextColumns));
  top += '\n';
  if (predictions.empty()) top += "  No platform was predicted: this is what was measured.\n";
  std::string below = "\n" + places_text(run, predictions, best);
  const std::vector<std::string> notes = notes_of(run);
  for (std::size_t i = 0; i < std::min(notes.size(), kMostNotes); ++i) append_wrapped(below, "  - ", notes[i]);
  if (notes.size() > kMostNotes) below += fmt::format("  - and {} more notes (--full)\n", notes.size() - kMostNotes);
  append_wrapped(below, kRestsOn, basis_sentence(run, predictions));
  std::string last;
  if (options.next) append_next(last, run, predictions, best, options);
  const std::size_t fixed = lines_in(top) + 2 + lines_in(below) + lines_in(last); // 2: head of the table, and what was measured
  std::size_t rows = std::min(predictions.size(), kMostRows);
  const std::size_t room = options.lines > fixed + rows ? options.lines - fixed - rows : 1;
  const std::string weakened = weaknesses_text(weaknesses_of(run, predictions, realisations), predictions, room);
  while (rows > kLeastRows && fixed + rows + lines_in(weakened) > options.lines) --rows;
  append_table(top, run, predictions, best, std::max<std::size_t>(rows, 2));
  return top + below + weakened + last;
}

} // namespace farcast::report
