#include "predictor/scenario/stencil_file.h"

#include "predictor/platform/quantity_text.h"
#include "predictor/scenario/parameter_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace farcast::scenario {

namespace {

using Reader = ParameterReader;
using Json = Reader::Json;

model::TimeCurve tile_of(Reader& reader, const Json& file, const char* name) {
  model::TimeCurve out;
  const Json* value = reader.required(file, "", name);
  if (value == nullptr || !reader.object(*value, name, {"at_1ghz_s", "exponent"})) return out;
  out.at_one_ghz = base::Seconds(reader.number_at(*value, name, "at_1ghz_s", kPositive));
  constexpr ParameterRange kExponent{-10, 10, "a number from -10 to 10"};
  out.exponent = reader.number_at(*value, name, "exponent", kExponent, -1.0);
  return out;
}

// One number, or c0, c1, c2 of model::PowerCurve.
model::PowerCurve power_of(Reader& reader, const Json& watts, const char* phase) {
  const std::string place = Reader::inside("watts", phase);
  const Json* value = reader.required(watts, "watts", phase);
  if (value == nullptr) return {};
  if (!value->is_array()) return {base::Watts(reader.number(*value, place, kNotNegative)), {}, {}};
  std::array<double, 3> terms{};
  if (value->empty() || value->size() > terms.size()) {
    reader.fail(place, fmt::format("found {} numbers, expected watts, or 1 to 3 numbers c0, c1, c2 of c0 + c1 f + c2 f^2 with f "
                                   "in GHz",
                                   value->size()));
    return {};
  }
  for (std::size_t i = 0; i < value->size(); ++i) terms.at(i) = reader.number((*value)[i], place, kAny);
  return {base::Watts(terms[0]), base::Watts(terms[1]), base::Watts(terms[2])};
}

model::SpmdMachine machine_of(Reader& reader, const Json& file) {
  model::SpmdMachine out;
  out.internal_tile = tile_of(reader, file, "internal_tile");
  out.edge_tile = file.contains("edge_tile") ? tile_of(reader, file, "edge_tile") : out.internal_tile;
  out.link = base::Seconds(reader.number_at(file, "", "link_s", kPositive));
  constexpr ParameterRange kCores{1, 1 << 20, "a whole number from 1 to 1048576"};
  out.cores_per_node = static_cast<int>(reader.whole_at(file, "", "cores_per_node", kCores, 1.0));
  const Json* watts = reader.required(file, "", "watts");
  if (watts == nullptr || !reader.object(*watts, "watts", {"edge", "overlap", "waiting"})) return out;
  out.phase = {power_of(reader, *watts, "edge"), power_of(reader, *watts, "overlap"), power_of(reader, *watts, "waiting")};
  return out;
}

model::SpmdProgram program_of(Reader& reader, const Json& file) {
  constexpr ParameterRange kDimensions{1, 16, "a whole number from 1 to 16"};
  constexpr ParameterRange kSide{1, kLargestParameter, "a number of tiles, 1 or more"};
  constexpr ParameterRange kEfficiency{1 / kLargestParameter, 1, "a number above 0, at most 1"};
  model::SpmdProgram out;
  out.dimensions = static_cast<int>(reader.whole_at(file, "", "dimensions", kDimensions));
  out.side_tiles = reader.number_at(file, "", "side_tiles", kSide);
  out.iterations = reader.number_at(file, "", "iterations", kNotNegative, 1.0);
  out.efficiency = reader.number_at(file, "", "efficiency", kEfficiency, 1.0);
  return out;
}

std::vector<base::Hertz> frequencies_of(Reader& reader, const Json& file) {
  std::vector<base::Hertz> out;
  if (!file.contains("frequencies_ghz")) return out;
  const Json& list = file.at("frequencies_ghz");
  if (!list.is_array() || list.empty())
    reader.fail("frequencies_ghz", fmt::format("found {}, expected a list such as [2.3, 1.8]", Reader::shown(list)));
  else
    for (const Json& value : list) out.emplace_back(1e9 * reader.number(value, "frequencies_ghz", kPositive));
  return out;
}

std::vector<StencilScenario> scenarios_of(Reader& reader, const Json& file) {
  std::vector<StencilScenario> out{{"real", {}}};
  if (!file.contains("scenarios")) return out;
  const Json& scenarios = file.at("scenarios");
  if (!scenarios.is_object()) {
    reader.fail("scenarios", fmt::format("found {}, expected an object {{\"name\": {{...}}, ...}}", Reader::shown(scenarios)));
    return out;
  }
  for (const auto& [name, value] : scenarios.items()) {
    const std::string place = Reader::inside("scenarios", platform::in_quotes(name));
    if (name == "real")
      reader.fail(place, "found overheads of the real machine, expected another name: it is what others are against");
    if (!reader.object(value, place, {"computation", "communication", "power"})) return out;
    out.push_back({name,
                   {reader.number_at(value, place, "computation", kPositive, 1.0),
                    reader.number_at(value, place, "communication", kPositive, 1.0),
                    reader.number_at(value, place, "power", kPositive, 1.0)}});
  }
  return out;
}

} // namespace

base::Result<StencilModel> read_stencil(std::string_view text, const std::string& file_name) {
  Reader reader(file_name);
  StencilModel out;
  const Json file = reader.read(text, "farcast-stencil/1", "the parameters of a stencil (man farcast, PARAMETERS OF A STENCIL)",
                                {"format", "description", "dimensions", "side_tiles", "iterations", "efficiency", "internal_tile",
                                 "edge_tile", "link_s", "watts", "cores_per_node", "frequencies_ghz", "scenarios"});
  if (!file.is_discarded()) {
    out.program = program_of(reader, file);
    out.machine = machine_of(reader, file);
    out.frequencies = frequencies_of(reader, file);
    out.scenarios = scenarios_of(reader, file);
  }
  if (!reader.error().empty()) return base::fail(reader.error());
  return out;
}

} // namespace farcast::scenario
