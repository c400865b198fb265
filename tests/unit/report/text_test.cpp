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
    if (contains(line, part)) return line;
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

TEST_CASE("realisations are told with their mean and range") {
  farcast::scenario::Realisations realisations;
  realisations.count = 31;
  realisations.time = {2.5, 2.25, 2.0, 4.0};
  realisations.known_to = 0.015;
  const std::string text = text_report(sample_run(), sample_predictions(), {}, {std::nullopt, realisations});
  CHECK(contains(text, "    realisations all figures are means over 31 (seeds 1 to 31), which take 2.000 s to 4.000 s,"));
  CHECK(contains(text, "2.500 s in the mean (known to 1.5 %)"));
  CHECK(text.find("  ! ") < text.find("single runs may take 2.000 s to 4.000 s: small delays decide how exchanges go"));
  realisations.time.most = 2.05;
  CHECK_FALSE(contains(text_report(sample_run(), sample_predictions(), {}, {std::nullopt, realisations}), "single runs"));
}

TEST_CASE("the energy of links has a line where links have figures, and none otherwise") {
  auto predictions = sample_predictions();
  CHECK(text_report(sample_run(), predictions, {}).find("    links  ") == std::string::npos);
  for (std::uint32_t link = 0; link < 7; ++link)
    predictions[0].links[link] = {fmt::format("l{}", link), farcast::base::Bytes(8), farcast::base::Joules(100),
                                  farcast::base::Joules(link)};
  const std::string text = text_report(sample_run(), predictions, {});
  const std::size_t line =
      text.find("    links        721.0 J beside the energy of the nodes: idle 700.0 J, carrying 21.00 J; 7 links");
  REQUIRE(line != std::string::npos);
  const std::string named = text.substr(line, 400);
  CHECK(named.find("l6 106.0 J, l5 105.0 J") != std::string::npos);
  CHECK(named.find("102.0 J") != std::string::npos);
  CHECK(named.find("101.0 J") == std::string::npos); // the five that draw most
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
  for (int i = 0; i < 30; ++i) run.site_stats.push_back({stats(1, 0.001 * (i + 1), 0.001, 0.001, 8.0), {}});
  const std::string text = text_report(run, {}, {});
  const std::size_t from = text.find("@--- Aggregate Time (top twenty, descending, milliseconds) ---");
  REQUIRE(from != std::string::npos);
  const std::size_t to = text.find("@---", from + 4);
  std::size_t rows = 0;
  for (std::size_t at = text.find("Send ", from); at < to; at = text.find("Send ", at + 1)) ++rows;
  CHECK(rows == 20);
  CHECK(contains(text.substr(from, to - from), "Send                   29         30"));
  CHECK_FALSE(contains(text.substr(from, to - from), "Send                    9         10"));
}

TEST_CASE("a stack is a line per level, and names of sites that differ only in it have numbers") {
  RunSummary run = sample_run();
  run.sites[1].callers = {{"solver.c:40", "/home/user/src/solver.c", 40, "relax", "halo"},
                          {"start+0x8 (halo)", "", 0, "", "halo"}};
  run.sites[2] = run.sites[1];
  run.sites[2].callers[0] = {"solver.c:55", "/home/user/src/solver.c", 55, "restrict_to", "halo"};
  mark_shared_texts(run.sites);
  const std::string text = text_report(run, sample_predictions(), {});
  CHECK(contains(text, "  1   0 halo.c            120 exchange                         Send\n"
                       "  1   1 solver.c           40 relax\n"
                       "  1   2 start+0x8_(halo)      [unknown]\n"
                       "  2   0 halo.c            120 exchange                         Send\n"
                       "  2   1 solver.c           55 restrict_to\n"));
  CHECK(contains(text, "halo.c:120 (site 1) -> halo.c:120 (site 1)\n"));
  CHECK(contains(text, "halo.c:120 (site 2) -> norm.cpp:30\n"));
  const std::string row = line_with(text, "Send                    2 ");
  REQUIRE_FALSE(row.empty());
  CHECK_FALSE(
      contains(line_with(text.substr(text.find("Where\n")), "Send                    2 "), "(site")); // the number stands there
}

TEST_CASE("sites at one place without a stack keep their plain names") {
  RunSummary run = sample_run();
  run.sites[2] = run.sites[1];
  mark_shared_texts(run.sites);
  CHECK(site_name(1, run.sites) == "halo.c:120");
  CHECK(region_name(1, run.regions, run.sites) == "halo.c:120 -> halo.c:120");
}

TEST_CASE("of many call sites the list has those with most time and those that other sections name") {
  RunSummary run = sample_run();
  auto predictions = sample_predictions();
  run.sites.assign(454, run.sites[1]);
  run.site_stats.clear();
  for (int i = 0; i < 454; ++i) // the later, the longer
    run.site_stats.push_back({stats(1, 0.001 * (i + 1), 0.001, 0.001, i == 7 ? 1e9 : 0.0), {}});
  run.regions = {{11, 12}, {13, 14}};
  run.region_stats = {{1, Seconds(1.0), 0.0}, {1, Seconds(1.0), 0.0}};
  run.counters = Counters{{"PAPI_TOT_INS"}, "", {{}, {5}}};
  predictions.resize(1);
  predictions[0].sites = {{9, {{1, Seconds(1.0), Seconds(1.0), Seconds(1.0)}}}};
  predictions[0].regions = {{0, {1, Seconds(1.0), Seconds(1.0)}}};
  predictions[0].problems = {{.kind = farcast::sim::ProblemKind::blocked, .rank = 0, .site = 17}};
  const auto listed = [](const std::string& text, int site) { return contains(text, fmt::format("\n{:>3}   0 halo.c", site)); };
  const std::string text = text_report(run, predictions, {});
  CHECK(contains(text, "@--- Callsites: 454 ---"));
  for (const int site : {7, 9, 11, 12, 13, 14, 17, 404, 453}) CHECK(listed(text, site));
  for (const int site : {0, 8, 10, 403}) CHECK_FALSE(listed(text, site));
  CHECK(contains(text, "\n(397 more with --full)\n"));
  TextOptions full;
  full.full = true;
  const std::string all = text_report(run, predictions, full);
  for (int site = 0; site < 454; ++site) CHECK(listed(all, site));
  CHECK_FALSE(contains(all, "more with --full"));
}

TEST_CASE("counters are a section when they were asked for, with the largest regions") {
  RunSummary run = sample_run();
  CHECK_FALSE(contains(text_report(run, {}, {}), "Counters per Region"));
  run.counters = Counters{{"PAPI_TOT_INS", "perf::PAGE-FAULTS"}, "", {{1500, 0}, {123456789, 7}, {}}};
  const std::string text = text_report(run, {}, {});
  CHECK(contains(text, "@--- Counters per Region (all ranks, top 2 of 2) ---"));
  CHECK(contains(text, "PAPI_TOT_INS perf::PAGE-FAULTS   Measured  From -> To"));
  CHECK(contains(text, "   1.235e+08                 7   750.0 ms  halo.c:120 -> halo.c:120\n"
                       "        1500                 0   250.0 ms  init+0x1f (libhalo.so) -> halo.c:120\n"));
  TextOptions one;
  one.top_regions = 1;
  CHECK(contains(text_report(run, {}, one), "(all ranks, top 1 of 2)"));
}

TEST_CASE("counters that the machine does not have are said in words") {
  RunSummary run = sample_run();
  run.counters = Counters{{"PAPI_TOT_INS"}, "PAPI_TOT_INS: Event does not exist (rank 0)", {}};
  const std::string text = text_report(run, {}, {});
  CHECK(contains(text, "@--- Counters per Region ---"));
  CHECK(contains(text, "\nunavailable: PAPI_TOT_INS: Event does not exist (rank 0)\n"));
}
