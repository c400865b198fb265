#include "predictor/report/json.h"

#include "golden.h"
#include "predictor/report/json_text.h"
#include "sample_run.h"
#include "tests/unit/temporary_folder.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

using namespace farcast::report;
using farcast::base::Seconds;
namespace fs = std::filesystem;

TEST_CASE("the JSON report of the sample run") { check_golden("report.json", json_report(sample_run(), sample_predictions())); }

TEST_CASE("the document has the fields that programs rely on") {
  const auto document = nlohmann::json::parse(json_report(sample_run(), sample_predictions()));
  CHECK(document.at("schema") == "farcast-report/1");
  CHECK(document.at("program") == "./halo --steps 100");
  CHECK(document.at("ranks") == 2);
  CHECK(document.at("mpi").at("library") == "Open MPI");
  CHECK(document.at("measured").at("wall_s") == 1.0);
  CHECK(document.at("calls").at("MPI_Send") == 100);
  CHECK(document.at("complete") == true);
  CHECK(document.at("unmodelled").at(0).at("function") == "MPI_Win_fence");
  CHECK(document.at("regions").at(2).at("name") == "halo.c:124 -> norm.cpp:30");
  const auto& taurus = document.at("predictions").at(0);
  CHECK(taurus.at("platform") == "taurus");
  CHECK(taurus.at("time_s") == 2.0);
  CHECK(taurus.at("energy_j") == 320.0);
  CHECK(taurus.at("average_power_w") == 160.0);
  CHECK(taurus.at("edp_js") == 640.0);
  const auto& galera = document.at("predictions").at(1);
  for (const char* field : {"energy_j", "average_power_w", "edp_js", "energy_parts_j", "node_energy"})
    CHECK(galera.at(field).is_null());
  CHECK(galera.at("complete") == false);
}

TEST_CASE("the energy of links, where links have figures") {
  auto predictions = sample_predictions();
  CHECK_FALSE(nlohmann::json::parse(json_report(sample_run(), predictions)).at("predictions").at(0).contains("link_energy"));
  predictions[0].links[3] = {"up", farcast::base::Bytes(8), farcast::base::Joules(100), farcast::base::Joules(2)};
  const auto document = nlohmann::json::parse(json_report(sample_run(), predictions));
  const auto& first = document.at("predictions").at(0);
  CHECK(first.at("links_energy_j") == 102.0);
  CHECK(first.at("energy_j") == 320.0);
  CHECK(first.at("link_energy").size() == 1);
  CHECK(first.at("link_energy").at(0).at("name") == "up");
  CHECK(first.at("link_energy").at(0).at("carried_bytes") == 8.0);
  CHECK(first.at("link_energy").at(0).at("idle_j") == 100.0);
  CHECK(first.at("link_energy").at(0).at("carrying_j") == 2.0);
  CHECK_FALSE(document.at("predictions").at(1).contains("links_energy_j"));
}

TEST_CASE("the activities of a rank add up to the predicted time") {
  const auto document = nlohmann::json::parse(json_report(sample_run(), sample_predictions()));
  for (const auto& prediction : document.at("predictions"))
    for (const auto& rank : prediction.at("ranks")) {
      double sum = 0.0;
      for (const char* activity : {"compute", "point_to_point", "collective", "completion", "waiting", "local", "ended"})
        sum += rank.at(std::string(activity) + "_s").get<double>();
      CHECK(sum == prediction.at("time_s").get<double>());
    }
}

TEST_CASE("the predictions part depends on the predictions and names alone") {
  const RunSummary live = sample_run();
  RunSummary again = sample_run();
  again.overhead = {};
  again.wall = Seconds(7.0);
  again.start_date = "another day";
  again.notes = {"read from run.h5"};
  const std::string part = predictions_json(sample_predictions(), live.sites, live.regions);
  const std::string member = "\n  \"predictions\": " + part + ",\n";
  CHECK(json_report(live, sample_predictions()).find(member) != std::string::npos);
  CHECK(json_report(again, sample_predictions()).find(member) != std::string::npos);
  CHECK(predictions_json({}, {}, {}) == "[]");
}

TEST_CASE("counters: sums per region, null where there are none, no field when nobody asked") {
  RunSummary run = sample_run();
  CHECK_FALSE(nlohmann::json::parse(json_report(run, {})).contains("counters"));
  CHECK_FALSE(nlohmann::json::parse(json_report(run, {})).at("regions").at(0).contains("counters"));
  run.counters = Counters{{"PAPI_TOT_INS", "PAPI_TOT_CYC"}, "", {{1, 2}, {18446744073709551615ull, 0}, {}}};
  auto document = nlohmann::json::parse(json_report(run, {}));
  CHECK(document.at("counters").at("events") == std::vector<std::string>{"PAPI_TOT_INS", "PAPI_TOT_CYC"});
  CHECK(document.at("counters").at("unavailable").is_null());
  CHECK(document.at("regions").at(0).at("counters").at("PAPI_TOT_CYC") == 2);
  CHECK(document.at("regions").at(1).at("counters").at("PAPI_TOT_INS") == 18446744073709551615ull);
  CHECK(document.at("regions").at(1).at("counters").at("PAPI_TOT_CYC") == 0);
  CHECK(document.at("regions").at(2).at("counters").is_null());
  run.counters->unavailable = "PAPI_TOT_CYC: Permission level does not permit operation (rank 1)";
  document = nlohmann::json::parse(json_report(run, {}));
  CHECK(document.at("counters").at("unavailable") == run.counters->unavailable);
  for (const auto& region : document.at("regions")) CHECK(region.at("counters").is_null());
}

TEST_CASE("sites have their stacks when there are any, the call itself first") {
  RunSummary run = sample_run();
  CHECK_FALSE(nlohmann::json::parse(json_report(run, {})).at("sites").at(1).contains("stack"));
  run.sites[1].callers = {{"solver+0x10 (halo)", "", 0, "", "halo"}};
  const auto sites = nlohmann::json::parse(json_report(run, {})).at("sites");
  CHECK(sites.at(1).at("text") == "halo.c:120");
  REQUIRE(sites.at(1).at("stack").size() == 2);
  CHECK(sites.at(1).at("stack").at(0).at("line") == 120);
  CHECK(sites.at(1).at("stack").at(0).at("function") == "exchange");
  CHECK(sites.at(1).at("stack").at(1).at("text") == "solver+0x10 (halo)");
  CHECK(sites.at(1).at("stack").at(1).at("line").is_null());
  CHECK(sites.at(1).at("stack").at(1).at("module") == "halo");
  CHECK(sites.at(2).at("stack").size() == 1);
}

TEST_CASE("numbers round-trip, and what is not finite is null") {
  auto predictions = sample_predictions();
  predictions.resize(1);
  predictions[0].time = Seconds(0.1 + 0.2);
  predictions[0].ranks[0].in[0] = Seconds(std::numeric_limits<double>::infinity());
  const auto part = nlohmann::json::parse(predictions_json(predictions, {}, {}));
  CHECK(part.at(0).at("time_s").get<double>() == 0.1 + 0.2);
  CHECK(part.at(0).at("ranks").at(0).at("compute_s").is_null());
  CHECK(part.at(0).at("regions").at(0).at("name") == "region 0");
  CHECK(part.at(0).at("sites").at(0).at("text") == "site 1");
}

TEST_CASE("realisations stand with the prediction that they are of") {
  farcast::scenario::Realisations realisations;
  realisations.first_seed = 4;
  realisations.count = 9;
  realisations.time = {2.5, 2.25, 2.0, 4.0};
  realisations.sites[1] = {{0.5, 0.5, 0.25, 0.75}, {1.5, 1.5, 1.0, 2.0}};
  const auto document = nlohmann::json::parse(json_report(sample_run(), sample_predictions(), {std::nullopt, realisations}));
  const auto& predictions = document.at("predictions");
  CHECK_FALSE(predictions.at(0).contains("realisations"));
  const auto& found = predictions.at(1).at("realisations");
  CHECK(found.at("count") == 9);
  CHECK(found.at("first_seed") == 4);
  CHECK(found.at("time_s") == nlohmann::json({{"mean", 2.5}, {"median", 2.25}, {"least", 2.0}, {"most", 4.0}}));
  CHECK(found.at("sites").at(0).at("site") == 1);
  CHECK(found.at("sites").at(0).at("text") == document.at("sites").at(1).at("text"));
  CHECK(found.at("sites").at(0).at("quickest_rank_s").at("most") == 0.75);
  CHECK(found.at("sites").at(0).at("slowest_rank_s").at("mean") == 1.5);
}

TEST_CASE("a program name that is not UTF-8 gives a valid document") {
  RunSummary run = sample_run();
  run.program = "./caf\xe9 \"quoted\"\n";
  const auto document = nlohmann::json::parse(json_report(run, {}));
  CHECK(document.at("program") == "./caf\xef\xbf\xbd \"quoted\"\n");
}

TEST_CASE("an empty run is a document") {
  const auto document = nlohmann::json::parse(json_report(RunSummary{}, {}));
  CHECK(document.at("ranks") == 0);
  CHECK(document.at("predictions").is_array());
  CHECK(document.at("calls").is_object());
  CHECK(document.at("overhead").at("per_call_ns").is_null());
  CHECK(document.at("overhead").at("per_rank_s").is_null());
}

TEST_CASE("containers of plain values stand on one line") {
  CHECK(to_text(Json::parse(R"({"a":[1,2.5,null],"b":{"c":"d"},"e":[]})")) ==
        "{\n  \"a\": [1,2.5,null],\n  \"b\": {\"c\":\"d\"},\n  \"e\": []\n}");
  CHECK(to_text(Json::parse("[[1],{}]"), 1) == "[\n    [1],\n    {}\n  ]");
}

TEST_CASE("write_json writes a whole file, or says why not and leaves none") {
  const farcast::test::TemporaryFolder folder;
  REQUIRE(write_json(folder.file("report.json"), sample_run(), sample_predictions()));
  CHECK(fs::file_size(folder.file("report.json")) == json_report(sample_run(), sample_predictions()).size());
  const auto missing = write_json(folder.file("none/report.json"), sample_run(), {});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find("/none/report.json': No such file or directory") != std::string::npos);
  const auto full = write_json("/dev/full", sample_run(), {});
  REQUIRE_FALSE(full);
  CHECK(full.error().message == "cannot write '/dev/full': No space left on device");
}
