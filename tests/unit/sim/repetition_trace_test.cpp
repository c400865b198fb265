// Rounds of TI traces that repeat: requests and collectives are numbered by the reader.
#include "unit/sim/scenario.h"
#include "unit/trace/ti_played.h"

#include <catch2/catch.hpp>

using namespace scenario;

namespace {

std::string line(int rank, const std::string& text) { return std::to_string(rank) + " " + text + "\n"; }

// Returns: time, events and each rank's activities.
std::vector<double> figures(const std::vector<std::string>& lines, bool skip) {
  const trace::TiFolder folder;
  const auto files = trace::find_ti_trace(folder.trace(lines));
  trace::TiTimelines timelines(*files, std::vector<double>(lines.size(), 1e9), Seconds(1e-6));
  sim::Options options;
  options.relative_speed = 1.0;
  options.skip_repetitions = skip;
  const auto ranks = static_cast<int>(lines.size());
  const sim::Prediction p = sim::predict(timelines, flat(ranks), one_per_host(ranks), options);
  CHECK(timelines.error().empty());
  CHECK(p.complete);
  std::vector<double> out{p.time.value(), static_cast<double>(p.events)};
  for (const sim::RankTimes& rank : p.ranks) {
    for (const Seconds in : rank.in) out.push_back(in.value());
    out.push_back(static_cast<double>(rank.messages));
  }
  for (const auto& [site, by_rank] : p.sites) {
    for (const sim::SiteTimes& times : by_rank) out.push_back(static_cast<double>(times.count));
  }
  return out;
}

} // namespace

TEST_CASE("rounds of a TI trace, with and without playing each", "[repetition]") {
  const int ranks = 6;
  const int rounds = 700;
  const int kind = GENERATE(0, 1, 2, 3);
  std::vector<std::string> lines;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string left = std::to_string((rank + ranks - 1) % ranks);
    const std::string right = std::to_string((rank + 1) % ranks);
    const std::string self = std::to_string(rank);
    std::string text = line(rank, "init") + (rank < 3 ? line(rank, "comm@2 0-2") : "");
    for (int round = 0; round < rounds; ++round) {
      text += line(rank, "compute " + std::to_string(100000 * (1 + rank % 2)));
      text += line(rank, "irecv " + left + " 0 90000");
      text += line(rank, "isend " + right + " 0 90000");
      if (kind == 1) text += line(rank, "compute " + std::to_string(round % 2 == 0 ? 900000 : 3000000));
      text += kind == 2 ? line(rank, "waitall 2") : line(rank, "wait " + left + " " + self + " 0");
      if (kind == 1) text += line(rank, "wait " + self + " " + right + " 0");
      if (kind == 3 && rank < 3) text += line(rank, "allreduce@2 100 1e5");
      if (kind == 3 && round % 3 == 0) text += line(rank, "allreduce 10 1e4");
      if (kind != 1 && kind != 2) text += line(rank, "waitall 1");
      if (round == rounds - 3) text += line(rank, "reduce 1000 1e6 0");
    }
    lines.push_back(text + line(rank, "finalize"));
  }
  const std::vector<double> all = figures(lines, false);
  const std::vector<double> skipped = figures(lines, true);
  REQUIRE(all.size() == skipped.size());
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(std::abs(skipped[i] - all[i]) <= 1e-12 * std::max(std::abs(all[i]), all[0]));
}
