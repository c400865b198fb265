#include "predictor/live/settings.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

extern char** environ; // NOLINT(readability-identifier-naming): of POSIX

namespace farcast::live {

namespace {

// Takes away what FARCAST_ variables there are, at both ends of a test.
class CleanEnvironment {
public:
  CleanEnvironment() { clear(); }
  ~CleanEnvironment() { clear(); }
  CleanEnvironment(const CleanEnvironment&) = delete;
  CleanEnvironment& operator=(const CleanEnvironment&) = delete;

private:
  static void clear() {
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string text(*entry);
      if (text.starts_with("FARCAST_")) names.push_back(text.substr(0, text.find('=')));
    }
    for (const std::string& name : names) unsetenv(name.c_str());
  }
};

} // namespace

TEST_CASE("without variables the settings are the defaults") {
  const CleanEnvironment clean;
  const auto settings = settings_from_environment();
  REQUIRE(settings);
  CHECK(settings->platforms.empty());
  CHECK(settings->predict);
  CHECK(settings->progress);
  CHECK(settings->stack == 1);
  CHECK_FALSE(settings->relative_speed);
}

TEST_CASE("what is exported is read back, with absolute paths") {
  const CleanEnvironment clean;
  Settings settings;
  settings.platforms = {"taurus", "kask"};
  settings.placement.ranks_per_node = 3;
  settings.placement.cpus_per_rank = 5;
  settings.placement.round_robin = true;
  settings.relative_speed = 0.1;
  settings.host_speed = farcast::base::FlopsPerSecond(9.2e9);
  settings.frequency = farcast::base::Hertz(1.8e9);
  settings.collectives = "mpich";
  settings.message_model = "channel";
  settings.progress_rule = "async";
  settings.seed = 7;
  settings.predict = false;
  settings.progress = false;
  settings.full_report = true;
  settings.json_file = "report.json";
  settings.stack = 4;
  settings.counters = {"PAPI_TOT_INS", "PAPI_TOT_CYC"};
  settings.isolate = 2;
  settings.cpu_clock = true;
  export_settings(settings);
  const auto read = settings_from_environment();
  REQUIRE(read);
  CHECK(read->platforms == settings.platforms);
  CHECK(read->placement.ranks_per_node == 3);
  CHECK(read->placement.cpus_per_rank == 5);
  CHECK(read->placement.round_robin);
  CHECK(read->relative_speed == 0.1);
  CHECK(read->host_speed->value() == 9.2e9);
  CHECK(read->frequency->value() == 1.8e9);
  CHECK(read->collectives == "mpich");
  CHECK(read->message_model == "channel");
  CHECK(read->progress_rule == "async");
  CHECK(read->seed == 7U);
  CHECK_FALSE(read->predict);
  CHECK_FALSE(read->progress);
  CHECK(read->full_report);
  CHECK(read->json_file == std::filesystem::absolute("report.json").string());
  CHECK(read->stack == 4);
  CHECK(read->counters == settings.counters);
  CHECK(read->isolate == 2);
  CHECK(read->cpu_clock);
}

TEST_CASE("a variable that cannot be read is named") {
  const CleanEnvironment clean;
  setenv("FARCAST_PPN", "two", 1);
  const auto settings = settings_from_environment();
  REQUIRE_FALSE(settings);
  CHECK(settings.error().message == "the variable FARCAST_PPN is 'two', expected a whole number of at least 1");
}

TEST_CASE("an option that is given its default overrides its variable") {
  const CleanEnvironment clean;
  for (const char* name : {"FARCAST_STACK", "FARCAST_BUFFER_MB", "FARCAST_MAP_BY", "FARCAST_PROGRESS_RULE", "FARCAST_PROGRESS"})
    setenv(name, "no value that can be read", 1);
  for (const char* option : {"stack", "buffer", "map-by", "progress", "np", "no-progress"}) forget_variable(option);
  const auto settings = settings_from_environment();
  REQUIRE(settings);
  CHECK(settings->stack == 1);
  CHECK_FALSE(settings->placement.round_robin);
  CHECK(settings->progress_rule.empty());
  CHECK(std::getenv("FARCAST_PROGRESS") != nullptr); // of --no-progress, not of --progress
}

TEST_CASE("events to count are names between commas, as many as a rank can take") {
  CHECK(parse_counters("A,B").value() == std::vector<std::string>{"A", "B"});
  CHECK(parse_counters(",A,,").value() == std::vector<std::string>{"A"});
  CHECK(parse_counters("").error().message == "no event is named");
  CHECK_FALSE(parse_counters("A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q,R"));
  CHECK_FALSE(parse_counters(std::string(4096, 'A')));
}

} // namespace farcast::live
