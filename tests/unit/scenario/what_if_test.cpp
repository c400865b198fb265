// Axes multiply into points; a neutral point is the platform itself, and its prediction the same to
// the last bit.
#include "unit/scenario/sample_run.h"

#include "predictor/platform/builtin.h"
#include "predictor/scenario/recorded_source.h"
#include "predictor/scenario/what_if.h"

#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::scenario;

TEST_CASE("axes multiply, the last one fastest, and an empty one has its usual value") {
  Axes axes;
  axes.platforms = {"a", "b"};
  axes.bandwidths = {0.5, 2.0};
  const std::vector<Point> points = points_of(axes);
  REQUIRE(points.size() == 4);
  CHECK(points[0].platform == "a");
  CHECK(points[1].bandwidth == 2.0);
  CHECK(points[2].platform == "b");
  CHECK(points[3].ranks_per_node == 0);
  CHECK_FALSE(points[3].frequency);
  CHECK(points[3].latency == 1.0);
  axes.ranks_per_node = {1, 2, 4};
  axes.frequencies = {base::Hertz(1e9), base::Hertz(2e9)};
  axes.latencies = {1.0, 3.0};
  CHECK(points_of(axes).size() == 48);
  axes.sites = {{"a.c:1", {1.0, 2.0}}, {"a.c:2", {4.0}}};
  CHECK(points_of(axes).size() == 96);
  CHECK(points_of(axes).back().speedups == std::vector<double>{2.0, 4.0});
}

TEST_CASE("lists of values") {
  CHECK(*parse_ranks_per_node("1, 2,12,2") == std::vector<int>{1, 2, 12});
  CHECK(parse_frequencies("1.2,2.3")->at(1).value() == 2.3e9);
  CHECK(*parse_scales("x0.5,1,x2,x1") == std::vector<double>{0.5, 1.0, 2.0});
  for (const char* text : {"", ",", "1,,2", "0", "-1", "1.5", "many", "99999999999"}) {
    INFO(text);
    const auto refused = parse_ranks_per_node(text);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == fmt::format("found '{}', expected whole numbers above 0 such as 1,2,6,12", text));
  }
  for (const char* text : {"", "fast", "0", "-1.8", "1.8,", "nan", "inf", "1e300"}) {
    INFO(text);
    CHECK_THAT(parse_frequencies(text).error().message, Catch::Contains("expected frequencies in GHz"));
  }
  for (const char* text : {"", "x", "x0", "x-1", "xx2", "twice", "x1,"}) {
    INFO(text);
    CHECK_THAT(parse_scales(text).error().message, Catch::Contains("expected factors above 0"));
  }
}

TEST_CASE("a place of the program and how many times as fast it computes") {
  const auto read = parse_speedup("dir/a=b.c:12=x1,2");
  REQUIRE(read);
  CHECK(read->site == "dir/a=b.c:12");
  CHECK(read->speedups == std::vector<double>{1.0, 2.0});
  for (const char* text : {"", "a.c", "a.c:12", "a.c=2", ":12=2", "a.c:=2", "a.c:x=2", "a.c:12=", "a.c:12=0", "a.c:12=fast"}) {
    INFO(text);
    CHECK_THAT(parse_speedup(text).error().message, Catch::Contains("expected FILE:LINE=FACTOR"));
  }
  const std::map<trace::Frame, std::string> names{
      {{"app", "", 1}, "a.c:12"}, {{"app", "", 2}, "a.c:13"}, {{"lib", "", 1}, "a.c:12"}};
  CHECK(frames_at("a.c:12", names)->size() == 2);
  CHECK(frames_at("a.c:14", names).error().message ==
        "found 'a.c:14', expected a call site of the run; did you mean a.c:12 or a.c:13?");
}

TEST_CASE("computation that begins or ends at a call site is sped up, and no other") {
  constexpr int kRanks = 2;
  SampleRun run(kRanks, 20);
  Scenario usual = sample_scenario(0, kRanks);
  const auto computed = [&](std::vector<region::Speedup> speedups, std::size_t copies) {
    RecordedSource source(run.recording);
    Scenario asked = usual;
    asked.speedups = std::move(speedups);
    const Answers answers = ask(source, std::vector<Scenario>(copies, asked));
    return answers.predictions.back().ranks[0].in[static_cast<std::size_t>(sim::Activity::compute)].value();
  };
  const double as_recorded = computed({}, 1);
  const trace::Frame wait{"/home/me/app", "abcd", 0x1020};
  const trace::Frame elsewhere{"/home/me/app", "abcd", 0x2020};
  for (const std::size_t copies : {1, 3}) { // alone, and one of many
    CHECK(computed({{{elsewhere}, 2.0}}, copies) == as_recorded);
    const double faster = computed({{{wait}, 2.0}}, copies);
    CHECK(faster < as_recorded);
    CHECK(faster >= as_recorded / 2);
    CHECK(computed({{{wait, elsewhere}, 2.0}}, copies) == faster);
    CHECK(computed({{{wait}, 2.0}, {{wait}, 0.5}}, copies) == Approx(as_recorded));
  }
}

TEST_CASE("computation that begins or ends at a call site draws what memory-bound computing does, in the same time") {
  constexpr int kRanks = 2;
  SampleRun run(kRanks, 20);
  const Scenario usual = sample_scenario(0, kRanks);
  PlacedPlatform placed = *usual.where;
  for (platform::Host& host : placed.platform.hosts)
    host.power = {base::Watts(90), base::Watts(100), base::Watts(200), base::Watts(180), base::Watts(160),
                  false,           base::Watts(150)};
  const auto where = std::make_shared<const PlacedPlatform>(std::move(placed));
  const auto asked_with = [&](std::set<trace::Frame> memory_bound, std::size_t copies) {
    RecordedSource source(run.recording);
    Scenario asked{where, usual.options};
    asked.memory_bound = std::move(memory_bound);
    return ask(source, std::vector<Scenario>(copies, asked)).predictions.back();
  };
  const trace::Frame wait{"/home/me/app", "abcd", 0x1020};
  const sim::Prediction plain = asked_with({}, 1);
  for (const std::size_t copies : {1, 3}) {
    const sim::Prediction bound = asked_with({wait}, copies);
    CHECK(bound.time == plain.time);
    CHECK(bound.energy_parts.computing < plain.energy_parts.computing);
    CHECK(bound.energy_parts.polling == plain.energy_parts.polling);
    CHECK(asked_with({{"/home/me/app", "abcd", 0x2020}}, copies).energy == plain.energy);
  }
}

TEST_CASE("a point scales links, places ranks and chooses the frequency; what it cannot is said") {
  const auto taurus = platform::find_platform("taurus");
  REQUIRE(taurus);
  Point point{"taurus", 6, base::Hertz(2.3e9), 2.0, 0.5};
  const auto asked = scenario_at(*taurus, point, 12, {}, {});
  REQUIRE(asked);
  const auto placed = asked->where;
  for (std::size_t link = 0; link < taurus->links.size(); ++link) {
    CHECK(placed->platform.links[link].bandwidth.value() == 2.0 * taurus->links[link].bandwidth.value());
    CHECK(placed->platform.links[link].latency.value() == 0.5 * taurus->links[link].latency.value());
  }
  CHECK(placed->placement.host_of[5] == placed->placement.host_of[0]);
  CHECK(placed->placement.host_of[6] != placed->placement.host_of[0]);
  point.ranks_per_node = 13;
  CHECK_FALSE(scenario_at(*taurus, point, 12, {}, {}));
  point = {"taurus", 0, base::Hertz(1.8e9), 1.0, 1.0};
  CHECK(scenario_at(*taurus, point, 12, {}, {}));
  point = {"taurus", 0, base::Hertz(2.8e9), 1.0, 1.0};
  const auto faster = scenario_at(*taurus, point, 12, {}, {});
  REQUIRE_FALSE(faster);
  CHECK_THAT(faster.error().message, Catch::Contains("2.8 GHz") && Catch::Contains("2.3, 2.2"));
  point = {"galera", 8, {}, 1.0, 1.0, sim::WaitMode::block, sim::CollectivePolicy::core_throttle};
  const auto galera = platform::find_platform("galera");
  REQUIRE(galera);
  const auto saving = scenario_at(*galera, point, 12, {}, {});
  REQUIRE(saving);
  CHECK(saving->options.wait == sim::WaitMode::block);
  CHECK(saving->options.policy == sim::CollectivePolicy::core_throttle);
  point.policy = sim::CollectivePolicy::throttle;
  CHECK_THAT(scenario_at(*galera, point, 12, {}, {}).error().message, Catch::Contains("farcast:sockets"));
}

TEST_CASE("a neutral point is predicted as the platform itself, and answers can be had while others are played") {
  constexpr int kRanks = 4;
  SampleRun run(kRanks, 50);
  const Scenario usual = sample_scenario(0, kRanks);
  platform::PlacementRequest by_two;
  by_two.ranks_per_node = 2;
  std::vector<Scenario> scenarios{{nullptr, usual.options}, {nullptr, usual.options}};
  std::size_t at = 0;
  for (const double bandwidth : {1.0, 0.25}) {
    const auto asked = scenario_at(usual.where->platform, {"", 0, {}, bandwidth, 1.0}, kRanks, by_two, usual.options);
    REQUIRE(asked);
    scenarios[at++].where = asked->where;
  }
  RecordedSource alone(run.recording);
  const std::string expected = figures(ask(alone, {usual}).predictions.at(0));
  RecordedSource source(run.recording);
  Questions questions(source, scenarios);
  questions.wait();
  REQUIRE(questions.answered(0) != nullptr);
  REQUIRE(questions.answered(1) != nullptr);
  CHECK(questions.answered(0)->time < questions.answered(1)->time);
  CHECK(figures(questions.answers().predictions.at(0)) == expected);
}
