// The reading half of judge.h.
#include "calib/fit/statistics.h"
#include "calib/study/judge.h"
#include "calib/study/speed_record.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>

namespace farcast::study {

namespace {

constexpr std::string_view kPrefix = "farcast:provenance:";
constexpr const char* kExpected = "expected a file that `farcast calibrate` wrote";

// What `calibrate network` has not written from the first version on.
constexpr std::array<std::string_view, 4> kLater = {"smpi/async-small-thresh", "farcast:self_message", "farcast:reduction",
                                                    "farcast:copy"};

struct PropertyWalker : pugi::xml_tree_walker {
  std::vector<std::pair<std::string, std::string>> entries; // name behind the prefix, value
  std::set<std::string, std::less<>> names;                 // of all properties
  bool for_each(pugi::xml_node& node) override {
    const std::string_view id = node.attribute("id").value();
    if (std::string_view(node.name()) == "prop") names.emplace(id);
    if (std::string_view(node.name()) == "prop" && id.starts_with(kPrefix))
      entries.emplace_back(id.substr(kPrefix.size()), node.attribute("value").value());
    return true;
  }
};

base::Result<CalibrationRecord> read_xml(std::string_view text, const std::string& file_name) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (!parsed) {
    const auto offset = std::min(text.size(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, parsed.offset)));
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
    return base::fail(
        fmt::format("{}:{}: found XML that ends or breaks here ({}), {}", file_name, line, parsed.description(), kExpected));
  }
  PropertyWalker walker;
  document.traverse(walker);
  if (walker.entries.empty()) return base::fail(fmt::format("{}: found no property {}..., {}", file_name, kPrefix, kExpected));
  auto record = calibration_of(walker.entries, file_name);
  if (!record) return record;
  for (const std::string_view name : kLater) {
    if (record->kind == "network" && !walker.names.contains(name)) record->missing.emplace_back(name);
  }
  return record;
}

SectionQuality block_quality(const nlohmann::json& block) {
  SectionQuality quality;
  quality.curve = block.at("block").get<std::string>();
  quality.pair_class = "all";
  quality.base_s = block.at("T_s").get<double>();
  quality.per_byte_s = block.at("K_s_per_byte").get<double>();
  quality.r_squared = block.at("r_squared").get<double>();
  quality.residual_50 = block.at("residual_50").get<double>();
  quality.residual_95 = block.at("residual_95").get<double>();
  quality.samples = block.at("samples").get<std::size_t>();
  return quality;
}

// The best of the models; of a file without one, the first that could be fitted.
void read_models(const nlohmann::json& file, CalibrationRecord& record) {
  const auto best = file.at("best").get<std::string>();
  for (const auto& model : file.at("models")) {
    const auto name = model.at("model").get<std::string>();
    if (!model.at("fitted").get<bool>() || (best.empty() ? !record.sections.empty() : name != best)) continue;
    SectionQuality quality;
    quality.curve = name;
    quality.pair_class = "all";
    quality.r_squared = model.at("r_squared").get<double>();
    quality.samples = model.at("samples").get<std::size_t>();
    record.sections.push_back(std::move(quality));
  }
}

base::Result<CalibrationRecord> read_speed(std::string_view text, const std::string& file_name) {
  const auto speed = read_speed_file(text, file_name);
  if (!speed) return tl::make_unexpected(speed.error());
  CalibrationRecord record;
  record.kind = "speed";
  record.provenance = speed->provenance;
  record.notes = speed->notes;
  record.kernels = speed->kernels;
  for (const SpeedMeasurement& measurement : speed->measurements) {
    const double median = fit::median(measurement.seconds);
    SectionQuality quality;
    quality.curve = name_of(measurement);
    quality.pair_class = measurement.cores == 1 ? "one core" : fmt::format("{} cores", measurement.cores);
    quality.per_byte_s = median;
    quality.samples = measurement.seconds.size();
    quality.residual_50 = fit::mad_scale(measurement.seconds) / median;
    quality.residual_95 = fit::percentile(measurement.seconds, 95.0) / median - 1.0;
    record.sections.push_back(std::move(quality));
  }
  return record;
}

base::Result<CalibrationRecord> read_json(std::string_view text, const std::string& file_name) {
  CalibrationRecord record;
  try {
    const auto file = nlohmann::json::parse(text);
    record.kind = file.at("farcast_calibration").get<std::string>();
    if (record.kind == "speed") return read_speed(text, file_name);
    std::vector<std::pair<std::string, std::string>> entries;
    for (const auto& [name, value] : file.at("provenance").items()) entries.emplace_back(name, value.get<std::string>());
    record.provenance = from_entries(entries);
    record.notes = file.at("notes").get<std::vector<std::string>>();
    if (record.kind == "power")
      read_models(file, record);
    else
      for (const auto& block : file.at("blocks")) record.sections.push_back(block_quality(block));
  } catch (const nlohmann::json::exception& error) {
    return base::fail(fmt::format("{}: {}; {}", file_name, error.what(), kExpected));
  }
  return record;
}

} // namespace

base::Result<CalibrationRecord> calibration_of(const std::vector<std::pair<std::string, std::string>>& entries,
                                               const std::string& file_name) {
  CalibrationRecord record;
  record.provenance = from_entries(entries);
  for (const auto& [name, value] : entries) {
    if (name == "kind") record.kind = value;
    if (name.starts_with("note:")) record.notes.push_back(value);
    if (!name.starts_with("section:")) continue;
    auto section = parse_section_quality(value);
    if (!section)
      return base::fail(fmt::format("{}: property {}{}: found '{}', expected curve=... class=... samples=...", file_name, kPrefix,
                                    name, value));
    record.sections.push_back(std::move(*section));
  }
  return record;
}

base::Result<CalibrationRecord> read_calibration(std::string_view text, const std::string& file_name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return base::fail(fmt::format("{}: found an empty file, {}", file_name, kExpected));
  if (text[first] == '<') return read_xml(text, file_name);
  if (text[first] == '{') return read_json(text, file_name);
  return base::fail(fmt::format("{}: found neither XML nor JSON, {}", file_name, kExpected));
}

} // namespace farcast::study
