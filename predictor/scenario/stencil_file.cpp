#include "predictor/scenario/stencil_file.h"

#include "predictor/base/nearest_name.h"
#include "predictor/platform/quantity_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>

namespace farcast::scenario {

namespace {

using Json = nlohmann::ordered_json; // scenarios stay in the file's order

constexpr const char* kFormat = "farcast-stencil/1";
constexpr double kLargest = 1e15; // of any figure

struct Range {
  double least;
  double most;
  const char* expected;
};
constexpr Range kPositive{1 / kLargest, kLargest, "a number above 0"};
constexpr Range kNotNegative{0, kLargest, "a number that is not negative"};
constexpr Range kAny{-kLargest, kLargest, "a number"};

// Of containers, which may be nested very deep, the kind alone.
std::string shown(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  return platform::in_quotes(value.dump(-1, ' ', true));
}

// Reads entries of one file; the first error stays, and what is read after it means nothing.
class Reader {
public:
  explicit Reader(std::string file_name) : file_name_(std::move(file_name)) {}

  [[nodiscard]] const std::string& error() const { return error_; } // empty: none

  void fail(const std::string& place, const std::string& sentence) {
    if (error_.empty()) error_ = fmt::format("{}: {}{}{}", file_name_, place, place.empty() ? "" : ": ", sentence);
  }

  // Whether it is an object with no entries but these.
  bool object(const Json& value, const std::string& place, std::initializer_list<std::string> entries) {
    if (!value.is_object()) {
      fail(place, fmt::format("found {}, expected an object {{...}}", shown(value)));
      return false;
    }
    const std::vector<std::string> known(entries);
    for (const auto& [name, entry] : value.items()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::vector<std::string> nearest = base::nearest_names(name, known, 1);
      fail(place, fmt::format("found an entry {}, expected one of {}{}", platform::in_quotes(name), fmt::join(known, ", "),
                              nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest.front())));
    }
    return true;
  }

  // Of an entry that has to be there. Returns: null where it is not.
  const Json* required(const Json& object, const std::string& place, const char* name) {
    const auto found = object.find(name);
    if (found != object.end()) return &*found;
    fail(place, fmt::format("found no entry {}, expected one", name));
    return nullptr;
  }

  double number(const Json& value, const std::string& place, const Range& range) {
    const double read = value.is_number() ? value.get<double>() : std::nan("");
    if (read >= range.least && read <= range.most) return read;
    fail(place, fmt::format("found {}, expected {}", shown(value), range.expected));
    return range.most;
  }

  double number_at(const Json& object, const std::string& place, const char* name, const Range& range,
                   std::optional<double> otherwise = std::nullopt) {
    if (otherwise && !object.contains(name)) return *otherwise;
    const Json* value = required(object, place, name);
    return value == nullptr ? range.most : number(*value, inside(place, name), range);
  }

  int whole_at(const Json& object, const char* name, const Range& range, std::optional<double> otherwise = std::nullopt) {
    const double value = number_at(object, "", name, range, otherwise);
    if (value != std::floor(value)) fail(name, fmt::format("found {}, expected {}", value, range.expected));
    return static_cast<int>(value);
  }

  static std::string inside(const std::string& place, const std::string& name) {
    return place.empty() ? name : place + "." + name;
  }

private:
  std::string file_name_;
  std::string error_;
};

model::TimeCurve tile_of(Reader& reader, const Json& file, const char* name) {
  model::TimeCurve out;
  const Json* value = reader.required(file, "", name);
  if (value == nullptr || !reader.object(*value, name, {"at_1ghz_s", "exponent"})) return out;
  out.at_one_ghz = base::Seconds(reader.number_at(*value, name, "at_1ghz_s", kPositive));
  constexpr Range kExponent{-10, 10, "a number from -10 to 10"};
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
  constexpr Range kCores{1, 1 << 20, "a whole number from 1 to 1048576"};
  out.cores_per_node = reader.whole_at(file, "cores_per_node", kCores, 1.0);
  const Json* watts = reader.required(file, "", "watts");
  if (watts == nullptr || !reader.object(*watts, "watts", {"edge", "overlap", "waiting"})) return out;
  out.phase = {power_of(reader, *watts, "edge"), power_of(reader, *watts, "overlap"), power_of(reader, *watts, "waiting")};
  return out;
}

model::SpmdProgram program_of(Reader& reader, const Json& file) {
  constexpr Range kDimensions{1, 16, "a whole number from 1 to 16"};
  constexpr Range kSide{1, kLargest, "a number of tiles, 1 or more"};
  constexpr Range kEfficiency{1 / kLargest, 1, "a number above 0, at most 1"};
  model::SpmdProgram out;
  out.dimensions = reader.whole_at(file, "dimensions", kDimensions);
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
    reader.fail("frequencies_ghz", fmt::format("found {}, expected a list such as [2.3, 1.8]", shown(list)));
  else
    for (const Json& value : list) out.emplace_back(1e9 * reader.number(value, "frequencies_ghz", kPositive));
  return out;
}

std::vector<StencilScenario> scenarios_of(Reader& reader, const Json& file) {
  std::vector<StencilScenario> out{{"real", {}}};
  if (!file.contains("scenarios")) return out;
  const Json& scenarios = file.at("scenarios");
  if (!scenarios.is_object()) {
    reader.fail("scenarios", fmt::format("found {}, expected an object {{\"name\": {{...}}, ...}}", shown(scenarios)));
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
  Json file = Json::parse(text, nullptr, false);
  Reader reader(file_name);
  StencilModel out;
  if (file.is_discarded()) {
    reader.fail("", "found no JSON, expected the parameters of a stencil (man farcast, PARAMETERS OF A STENCIL)");
  } else if (reader.object(file, "",
                           {"format", "description", "dimensions", "side_tiles", "iterations", "efficiency", "internal_tile",
                            "edge_tile", "link_s", "watts", "cores_per_node", "frequencies_ghz", "scenarios"})) {
    const Json* format = reader.required(file, "", "format");
    if (format != nullptr && *format != kFormat)
      reader.fail("format", fmt::format("found {}, expected \"{}\"", shown(*format), kFormat));
    out.program = program_of(reader, file);
    out.machine = machine_of(reader, file);
    out.frequencies = frequencies_of(reader, file);
    out.scenarios = scenarios_of(reader, file);
  }
  if (!reader.error().empty()) return base::fail(reader.error());
  return out;
}

} // namespace farcast::scenario
