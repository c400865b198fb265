// Programs of blocks: their files, and the points that their axes span.
#include "predictor/scenario/block_program.h"

#include "predictor/platform/builtin.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace block_program_test {

using namespace farcast;
using namespace farcast::scenario;
using Json = nlohmann::ordered_json;

namespace {

Json sample() {
  return Json::parse(R"({"format": "farcast-blocks/1", "description": "one",
    "groups": {"master": {"processes": 1, "per_node": 1}, "slave": {"processes": 24}},
    "blocks": [{"scatter": ["master", "slave"], "bytes": 1000},
               {"repeat": 3, "blocks": [{"compute": "slave", "instructions": 1e9, "divided": true}, {"barrier": ["slave"]}]},
               {"send": ["slave", "master"], "bytes": 8}]})");
}

BlockModel good(const Json& file) {
  auto read = read_block_program(file.dump(), "app.json");
  REQUIRE(read);
  return *read;
}

const platform::Platform& galera_plus() {
  static const platform::Platform platform = platform::find_platform("galera+").value();
  return platform;
}

} // namespace

TEST_CASE("the file of a program of blocks") {
  const BlockModel model = good(sample());
  REQUIRE(model.program.groups.size() == 2);
  CHECK(model.program.groups[1].label == "slave");
  CHECK(model.program.groups[1].processes == 24);
  CHECK(model.per_node_given == std::vector<bool>{true, false});
  REQUIRE(model.program.blocks.size() == 3);
  CHECK(model.program.blocks[0].formula == model::Block::scatter);
  CHECK(model.program.blocks[0].groups == std::vector<std::size_t>{0, 1});
  const model::ProgramBlock& loop = model.program.blocks[1];
  CHECK(loop.kind == model::ProgramBlock::Kind::loop);
  CHECK(loop.rounds == 3);
  REQUIRE(loop.body.size() == 2);
  CHECK(loop.body[0].divided);
  CHECK(loop.body[0].amount == 1e9);
  CHECK(model.program.blocks[2].groups == std::vector<std::size_t>{1, 0});
}

TEST_CASE("a file of blocks that is none: the first error, with its place") {
  const auto error = [](const Json& file) { return read_block_program(file.dump(), "app.json").error().message; };
  Json file = sample();
  file["blocks"][1]["blocks"][0]["compute"] = "slaves";
  CHECK(error(file) == "app.json: blocks[1].blocks[0].compute: found '\"slaves\"', expected a group: master, slave");
  file = sample();
  file["groups"]["slave"]["processes"] = 0;
  CHECK(error(file) == "app.json: groups.'slave'.processes: found '0', expected a whole number from 1 to 1e9");
  file = sample();
  file["blocks"][0] = Json{{"scater", {"master"}}};
  CHECK(error(file) == "app.json: blocks[0]: found no block in 'scater', expected an entry compute, send, broadcast, scatter, "
                       "gather, all_to_all, barrier, read, write, repeat; did you mean scatter?");
  Json deep = Json{{"barrier", {"slave"}}};
  for (int i = 0; i < 40; ++i) deep = Json{{"repeat", 2}, {"blocks", Json::array({deep})}};
  file = sample();
  file["blocks"] = Json::array({deep});
  CHECK(error(file).find("found loops in loops, more than 16 deep") != std::string::npos);
  CHECK(read_block_program("nothing", "app.json").error().message ==
        "app.json: found no JSON, expected a program of blocks (man farcast, PROGRAMS OF BLOCKS)");
}

TEST_CASE("points of a program of blocks: platforms, processes, processes per node") {
  const BlockModel model = good(sample());
  const BlockAxes axes{{&galera_plus()}, {parse_processes("slave=12,24,5000").value()}, {6, 12}};
  const auto points = block_points(model, axes);
  REQUIRE(points);
  REQUIRE(points->size() == 6);
  CHECK((*points)[0].run.nodes == 3);
  CHECK((*points)[1].run.nodes == 2);
  CHECK((*points)[3].processes == std::vector<double>{24});
  CHECK((*points)[3].per_node == 12);
  CHECK((*points)[4].impossible == "galera+: it has 192 nodes, expected the 835 that the groups need");
  // Without --ppn as many as a node has cores.
  CHECK(block_points(model, {{&galera_plus()}, {}, {}})->front().per_node == 12);
}

TEST_CASE("wrong questions to a program of blocks") {
  const BlockModel model = good(sample());
  const auto error = [&](const BlockAxes& axes) { return block_points(model, axes).error().message; };
  CHECK(error({{&galera_plus()}, {{"worker", {1}}}, {}}) ==
        "--processes: found no group 'worker' in the program, expected one of master, slave");
  CHECK(error({{&galera_plus()}, {{"slave", {1e6}}}, {12}}).find("192 nodes") != std::string::npos);
  const platform::Platform taurus = platform::find_platform("taurus").value();
  CHECK(error({{&taurus}, {}, {}}).find("farcast:block_scat") != std::string::npos);
  for (const char* text : {"slave", "=3", "slave=", "slave=0", "slave=2,x", "slave=1.5", "slave=1e99"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_processes(text));
  }
}

} // namespace block_program_test
