#include "predictor/scenario/stencil.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stencil_test {

using namespace farcast;
using namespace farcast::scenario;

namespace {

using Json = nlohmann::json;

Json sample() {
  return Json{{"format", "farcast-stencil/1"},
              {"dimensions", 2},
              {"side_tiles", 100},
              {"iterations", 1000},
              {"internal_tile", {{"at_1ghz_s", 1e-6}}},
              {"edge_tile", {{"at_1ghz_s", 2e-6}, {"exponent", -0.5}}},
              {"link_s", 5e-6},
              {"watts", {{"edge", 120}, {"overlap", {100, 20, 5}}, {"waiting", {90, 10}}}},
              {"cores_per_node", 6},
              {"frequencies_ghz", {1, 2}},
              {"scenarios", {{"one VM", {{"computation", 1.1}, {"communication", 1.5}}}}}};
}

StencilModel good(const Json& file) {
  auto read = read_stencil(file.dump(), "heat.json");
  INFO((read ? "" : read.error().message));
  REQUIRE(read);
  return *read;
}

std::string bad(const Json& file) {
  const auto read = read_stencil(file.dump(), "heat.json");
  REQUIRE_FALSE(read);
  return read.error().message;
}

std::string bad(const std::string& pointer, const Json& value) {
  Json file = sample();
  file[Json::json_pointer(pointer)] = value;
  return bad(file);
}

} // namespace

TEST_CASE("the parameters of a stencil") {
  const StencilModel stencil = good(sample());
  CHECK(stencil.program.dimensions == 2);
  CHECK(stencil.program.side_tiles == 100);
  CHECK(stencil.program.iterations == 1000);
  CHECK(stencil.program.efficiency == 1);
  CHECK(stencil.machine.internal_tile(base::Hertz(2e9)).value() == Approx(0.5e-6));
  CHECK(stencil.machine.edge_tile(base::Hertz(4e9)).value() == Approx(1e-6));
  CHECK(stencil.machine.link == base::Seconds(5e-6));
  CHECK(stencil.machine.cores_per_node == 6);
  CHECK(stencil.machine.phase[0](base::Hertz(3e9)) == base::Watts(120));
  CHECK(stencil.machine.phase[1](base::Hertz(2e9)) == base::Watts(160));
  CHECK(stencil.machine.phase[2](base::Hertz(2e9)) == base::Watts(110));
  CHECK(stencil.frequencies == std::vector{base::Hertz(1e9), base::Hertz(2e9)});
  REQUIRE(stencil.scenarios.size() == 2);
  CHECK(stencil.scenarios[0].name == "real");
  CHECK(stencil.scenarios[0].overhead.computation == 1);
  CHECK(stencil.scenarios[1].name == "one VM");
  CHECK(stencil.scenarios[1].overhead.computation == 1.1);
  CHECK(stencil.scenarios[1].overhead.communication == 1.5);
  CHECK(stencil.scenarios[1].overhead.power == 1);
}

TEST_CASE("what a file may leave out") {
  Json file = sample();
  for (const char* name : {"iterations", "edge_tile", "cores_per_node", "frequencies_ghz", "scenarios"}) file.erase(name);
  const StencilModel stencil = good(file);
  CHECK(stencil.program.iterations == 1);
  CHECK(stencil.machine.edge_tile(base::Hertz(2e9)).value() == Approx(0.5e-6));
  CHECK(stencil.machine.cores_per_node == 1);
  CHECK(stencil.frequencies.empty());
  CHECK(stencil.scenarios.size() == 1);
}

TEST_CASE("each bad entry is one sentence with its place") {
  CHECK(read_stencil("{", "heat.json").error().message ==
        "heat.json: found no JSON, expected the parameters of a stencil (man farcast, PARAMETERS OF A STENCIL)");
  CHECK(bad(Json::array()) == "heat.json: found a list, expected an object {...}");
  CHECK(bad("/format", "farcast-stencil/2") ==
        "heat.json: format: found '\"farcast-stencil/2\"', expected \"farcast-stencil/1\"");
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  CHECK(read_stencil("{\"format\":" + deep + "}", "heat.json").error().message ==
        "heat.json: format: found a list, expected \"farcast-stencil/1\"");
  CHECK(bad("/dimensions", Json::object()) == "heat.json: dimensions: found an object, expected a whole number from 1 to 16");
  CHECK(bad("/sidetiles", 5).starts_with("heat.json: found an entry 'sidetiles', expected one of format, description,"));
  CHECK(bad("/sidetiles", 5).ends_with("did you mean side_tiles?"));
  for (const char* name : {"format", "dimensions", "side_tiles", "internal_tile", "link_s", "watts"}) {
    Json file = sample();
    file.erase(name);
    CHECK(bad(file) == fmt::format("heat.json: found no entry {}, expected one", name));
  }
  CHECK(bad("/dimensions", 2.5) == "heat.json: dimensions: found 2.5, expected a whole number from 1 to 16");
  CHECK(bad("/dimensions", 17) == "heat.json: dimensions: found '17', expected a whole number from 1 to 16");
  CHECK(bad("/dimensions", "2") == "heat.json: dimensions: found '\"2\"', expected a whole number from 1 to 16");
  CHECK(bad("/side_tiles", 0.5) == "heat.json: side_tiles: found '0.5', expected a number of tiles, 1 or more");
  CHECK(bad("/iterations", -1) == "heat.json: iterations: found '-1', expected a number that is not negative");
  CHECK(bad("/efficiency", 1.5) == "heat.json: efficiency: found '1.5', expected a number above 0, at most 1");
  CHECK(bad("/link_s", 0) == "heat.json: link_s: found '0', expected a number above 0");
  CHECK(bad("/cores_per_node", 0) == "heat.json: cores_per_node: found '0', expected a whole number from 1 to 1048576");
  CHECK(bad("/internal_tile", 1e-6) == "heat.json: internal_tile: found '1e-06', expected an object {...}");
  CHECK(bad("/edge_tile/at_1ghz_s", nullptr) == "heat.json: edge_tile.at_1ghz_s: found 'null', expected a number above 0");
  CHECK(bad("/edge_tile/exponent", 11) == "heat.json: edge_tile.exponent: found '11', expected a number from -10 to 10");
  CHECK(bad("/watts/edge", -5) == "heat.json: watts.edge: found '-5', expected a number that is not negative");
  CHECK(
      bad("/watts/edge", Json::array()).starts_with("heat.json: watts.edge: found 0 numbers, expected watts, or 1 to 3 numbers"));
  CHECK(bad("/watts/overlap/1", "x") == "heat.json: watts.overlap: found '\"x\"', expected a number");
  CHECK(bad("/watts/idle", 5) ==
        "heat.json: watts: found an entry 'idle', expected one of edge, overlap, waiting; did you mean edge?");
  CHECK(bad("/frequencies_ghz", 2) == "heat.json: frequencies_ghz: found '2', expected a list such as [2.3, 1.8]");
  CHECK(bad("/frequencies_ghz/1", 0) == "heat.json: frequencies_ghz: found '0', expected a number above 0");
  CHECK(bad("/scenarios", Json::array()).starts_with("heat.json: scenarios: found a list, expected an object"));
  CHECK(bad("/scenarios/one VM/power", 0) == "heat.json: scenarios.'one VM'.power: found '0', expected a number above 0");
  CHECK(bad("/scenarios/real", Json::object()).starts_with("heat.json: scenarios.'real': found overheads of the real machine"));
}

TEST_CASE("scenarios, frequencies and sizes multiply; K and cores follow from each other") {
  const StencilModel stencil = good(sample());
  const auto points = stencil_points(stencil, {{}, {10, 20}, {16}});
  REQUIRE(points);
  REQUIRE(points->size() == 2 * 2 * 3);
  const StencilPoint& first = points->front();
  CHECK(first.scenario == "real");
  CHECK(first.run.frequency == base::Hertz(1e9));
  CHECK(first.run.tiles == 10);
  CHECK(first.run.cores == Approx(100));
  CHECK(first.nodes == 17); // of 6 cores
  // (100 - 64) tiles of 2 us, then 64 of 1 us that hide 10 of 5 us
  CHECK(first.run.time.value() == Approx(1000 * (72e-6 + 64e-6)));
  CHECK((*points)[2].run.tiles == Approx(25));
  CHECK((*points)[2].run.cores == Approx(16));
  CHECK((*points)[2].nodes == 3);
  CHECK((*points)[6].scenario == "one VM");
  // 1.1 times the tiles, 10 links of 1.5 times 5 us: 75 us against 70.4 us inside
  CHECK((*points)[6].run.time.value() == Approx(1000 * (79.2e-6 + 75e-6)));
  CHECK(stencil_points(stencil, {{base::Hertz(3e9)}, {10}, {}}).value().front().run.frequency == base::Hertz(3e9));
}

TEST_CASE("without sizes each point has the ideal supertile of its frequency") {
  const StencilModel stencil = good(sample());
  const auto points = stencil_points(stencil, {});
  REQUIRE(points);
  REQUIRE(points->size() == 4);
  // lambda = 5 at 1 GHz: K^2 - 9 K + 4 = 0; 10 at 2 GHz: K^2 - 14 K + 4 = 0
  CHECK((*points)[0].run.tiles == Approx(8.531128874149275));
  CHECK((*points)[1].run.tiles == Approx(13.708203932499369));
  CHECK_FALSE((*points)[0].grid_is_smaller);
  Json small = sample();
  small["side_tiles"] = 5;
  const auto one_core = stencil_points(good(small), {});
  CHECK(one_core.value().front().run.tiles == 5);
  CHECK(one_core.value().front().run.cores == 1);
  CHECK(one_core.value().front().grid_is_smaller);
}

TEST_CASE("impossible sizes, frequencies and watts are told") {
  const StencilModel stencil = good(sample());
  const auto refused = [&](const StencilAxes& axes) { return stencil_points(stencil, axes).error().message; };
  CHECK(refused({{}, {101}, {}}) == "--K: found a supertile of 101 tiles per side, expected from 1 to the 100 of the grid");
  CHECK(refused({{}, {0.5}, {}}) == "--K: found a supertile of 0.5 tiles per side, expected from 1 to the 100 of the grid");
  CHECK(refused({{}, {}, {10001}}) == "--cores: found 10001, expected from 1 to 10000, a core for each tile of the grid");
  Json file = sample();
  file["watts"]["waiting"] = {100, -60};
  CHECK(stencil_points(good(file), {}).error().message ==
        "the watts of phase waiting at 2 GHz: found -20, expected a number that is not negative");
  file = sample();
  file.erase("frequencies_ghz");
  CHECK(stencil_points(good(file), {}).error().message ==
        "found no frequencies, expected frequencies_ghz in the file, or --frequency GHZ,...");
  std::vector<double> many(30000);
  std::generate(many.begin(), many.end(), [tiles = 1.0]() mutable { return tiles += 1e-3; });
  CHECK(refused({{}, many, {}}) == "the axes span 120000 points, expected at most 100000");
  CHECK(parse_numbers("8, 16,8").value() == std::vector<double>{8, 16});
  for (const char* text : {"", "8,,9", "x8", "0", "-1", "inf"}) CHECK_FALSE(parse_numbers(text));
}

} // namespace stencil_test
