#include "predictor/report/text.h"

#include "golden.h"
#include "sample_run.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <sstream>

using namespace farcast::report;
using farcast::base::Seconds;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string line_with(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (contains(line, part))
      return line;
  return "";
}

RunSummary run_of(std::size_t ranks) {
  RunSummary run = sample_run();
  run.site_stats.assign(run.sites.size(), {});
  run.ranks.assign(ranks, {"node-a", Seconds(1.0), Seconds(0.25)});
  return run;
}

} // namespace

TEST_CASE("the text report of the sample run") {
  check_golden("report.txt", text_report(sample_run(), sample_predictions(), {}));
}

TEST_CASE("the full text report of the sample run") {
  TextOptions options;
  options.full = true;
  check_golden("report_full.txt", text_report(sample_run(), sample_predictions(), options));
}

TEST_CASE("no line of the sample report is wider than 100 columns") {
  std::istringstream lines(text_report(sample_run(), sample_predictions(), {}));
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 100);
  }
}

TEST_CASE("unavailable energy is said in words and never a number") {
  auto predictions = sample_predictions();
  predictions.erase(predictions.begin());
  const std::string text = text_report(sample_run(), predictions, {});
  CHECK(contains(text, "unavailable: the platform has no power figures"));
  CHECK_FALSE(contains(text, " J"));
  CHECK_FALSE(contains(text, " W\n"));
}

TEST_CASE("many ranks are summarised, and all are listed on request") {
  const RunSummary run = run_of(64);
  auto predictions = sample_predictions();
  predictions.resize(1);
  predictions[0].ranks.assign(64, rank_times(1.0, 0.5, 0.25, 0.25, 0.0));
  predictions[0].ranks[63] = rank_times(2.0, 0.0, 0.0, 0.0, 0.0);
  const std::string text = text_report(run, predictions, {});
  CHECK(contains(text, "  rank 15"));
  CHECK_FALSE(contains(text, "  rank 16"));
  CHECK(contains(line_with(text, "  16-63 mean"), " 1.021")); // (47 * 1 + 2) / 48
  CHECK(contains(line_with(text, "  max"), "         2"));
  CHECK(contains(text, "@ MPI Tasks not listed     : 16-63"));
  TextOptions full;
  full.full = true;
  const std::string all = text_report(run, predictions, full);
  CHECK(contains(all, "  rank 63"));
  CHECK(contains(all, "@ MPI Task Assignment      : 63 node-a"));
  CHECK_FALSE(contains(all, "mean) "));
}

TEST_CASE("an incomplete run says so at the top, with its notes") {
  RunSummary run = sample_run();
  run.complete = false;
  run.notes = {"rank 1 was killed; what it recorded until then is covered"};
  run.refused = 94;
  const std::string text = text_report(run, sample_predictions(), {});
  const std::size_t header = text.find("@ Command");
  CHECK(text.find("INCOMPLETE RUN") < header);
  CHECK(text.find("- rank 1 was killed") < header);
  CHECK(contains(text, "94 of 300 MPI calls were not recorded"));
}

TEST_CASE("a run without predictions, without ranks, without anything has a report") {
  CHECK(contains(text_report(sample_run(), {}, {}), "No platform was predicted"));
  const std::string empty = text_report(RunSummary{}, {}, {});
  CHECK(contains(empty, "@--- Callsites: 0 ---"));
  CHECK(contains(empty, "Recording one call                     : unavailable"));
  CHECK(contains(empty, "@--- End of Report ---"));
  CHECK(contains(text_report(RunSummary{}, {farcast::sim::Prediction{}}, {}), "unavailable"));
}

TEST_CASE("sites and regions that the tables do not know are named by number") {
  auto predictions = sample_predictions();
  predictions.resize(1);
  predictions[0].sites[77] = {{1, Seconds(9.0), Seconds(9.0), Seconds(9.0)}};
  predictions[0].regions[88] = {1, Seconds(9.0), Seconds(9.0)};
  const std::string text = text_report(sample_run(), predictions, {});
  CHECK(contains(text, "site 77"));
  CHECK(contains(text, "region 88"));
}

TEST_CASE("a call site without a line is one word in mpiP's table, without a function it says so") {
  RunSummary run = sample_run();
  run.site_stats[0] = {stats(1, 0.5, 0.5, 0.5), {}};
  run.sites[0].function.clear();
  const std::string row = line_with(text_report(run, {}, {}), "init+0x1f_(libhalo.so)");
  CHECK(row.find("  0   0 init+0x1f_(libhalo.so)") == 0);
  CHECK(contains(row, "[unknown]"));
  CHECK(row.substr(row.size() - 5) == " Init");
}

TEST_CASE("the aggregate sections list the twenty largest") {
  RunSummary run = sample_run();
  run.sites.assign(30, run.sites[1]);
  run.site_stats.clear();
  for (int i = 0; i < 30; ++i)
    run.site_stats.push_back({stats(1, 0.001 * (i + 1), 0.001, 0.001, 8.0), {}});
  const std::string text = text_report(run, {}, {});
  const std::size_t from = text.find("@--- Aggregate Time (top twenty, descending, milliseconds) ---");
  REQUIRE(from != std::string::npos);
  const std::size_t to = text.find("@---", from + 4);
  std::size_t rows = 0;
  for (std::size_t at = text.find("Send ", from); at < to; at = text.find("Send ", at + 1))
    ++rows;
  CHECK(rows == 20);
  CHECK(contains(text.substr(from, to - from), "Send                   29         30"));
  CHECK_FALSE(contains(text.substr(from, to - from), "Send                    9         10"));
}
