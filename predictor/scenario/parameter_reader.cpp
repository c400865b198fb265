#include "predictor/scenario/parameter_reader.h"

#include "predictor/base/nearest_name.h"
#include "predictor/platform/quantity_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace farcast::scenario {

std::string ParameterReader::shown(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  return platform::in_quotes(value.dump(-1, ' ', true));
}

void ParameterReader::fail(const std::string& place, const std::string& sentence) {
  if (error_.empty()) error_ = fmt::format("{}: {}{}{}", file_name_, place, place.empty() ? "" : ": ", sentence);
}

ParameterReader::Json ParameterReader::read(std::string_view text, const char* format, const char* expected,
                                            std::initializer_list<std::string> entries) {
  Json file = Json::parse(text, nullptr, false);
  if (file.is_discarded()) {
    fail("", fmt::format("found no JSON, expected {}", expected));
    return file;
  }
  if (!object(file, "", entries)) return Json(Json::value_t::discarded);
  const Json* const given = required(file, "", "format");
  if (given != nullptr && *given != format) fail("format", fmt::format("found {}, expected \"{}\"", shown(*given), format));
  return file;
}

bool ParameterReader::object(const Json& value, const std::string& place, std::initializer_list<std::string> entries) {
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

const ParameterReader::Json* ParameterReader::required(const Json& object, const std::string& place, const char* name) {
  const auto found = object.find(name);
  if (found != object.end()) return &*found;
  fail(place, fmt::format("found no entry {}, expected one", name));
  return nullptr;
}

double ParameterReader::number(const Json& value, const std::string& place, const Range& range) {
  const double read = value.is_number() ? value.get<double>() : std::nan("");
  if (read >= range.least && read <= range.most) return read;
  fail(place, fmt::format("found {}, expected {}", shown(value), range.expected));
  return range.most;
}

double ParameterReader::number_at(const Json& object, const std::string& place, const char* name, const Range& range,
                                  std::optional<double> otherwise) {
  if (otherwise && !object.contains(name)) return *otherwise;
  const Json* value = required(object, place, name);
  return value == nullptr ? range.most : number(*value, inside(place, name), range);
}

double ParameterReader::whole_at(const Json& object, const std::string& place, const char* name, const Range& range,
                                 std::optional<double> otherwise) {
  const double value = number_at(object, place, name, range, otherwise);
  if (value != std::floor(value)) fail(inside(place, name), fmt::format("found {}, expected {}", value, range.expected));
  return value;
}

} // namespace farcast::scenario
