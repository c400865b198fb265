#include "calib/study/block_record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace farcast::study {

base::Result<BlockRecord> read_block_file(std::string_view text, const std::string& file_name) {
  constexpr const char* kExpected = "expected a file that `farcast calibrate collectives` wrote";
  BlockRecord record;
  try {
    const auto file = nlohmann::json::parse(text);
    const auto kind = file.at("farcast_calibration").get<std::string>();
    if (kind != "collectives")
      return base::fail(fmt::format("{}: found a calibration of kind '{}', {}", file_name, kind, kExpected));
    if (const int version = file.at("version").get<int>(); version != 1)
      return base::fail(fmt::format("{}: found version {}, expected 1", file_name, version));
    std::vector<std::pair<std::string, std::string>> entries;
    for (const auto& [name, value] : file.at("provenance").items()) entries.emplace_back(name, value.get<std::string>());
    record.provenance = from_entries(entries);
    for (const auto& entry : file.at("blocks")) {
      const auto name = entry.at("block").get<std::string>();
      const auto* const block = std::find_if(std::begin(model::kBlocks), std::end(model::kBlocks),
                                             [&](model::Block one) { return model::name_of(one) == name; });
      if (block == std::end(model::kBlocks))
        return base::fail(fmt::format("{}: found block '{}', {}", file_name, name, kExpected));
      const model::BlockParameters figures{entry.at("T_s").get<double>(), entry.at("K_s_per_byte").get<double>(),
                                           entry.at("D_tu_bytes").get<double>()};
      if (!std::isfinite(figures.start_s) || !(figures.per_byte_s >= 0) || !std::isfinite(figures.per_byte_s) ||
          !(figures.unit_bytes > 0) || !std::isfinite(figures.unit_bytes))
        return base::fail(fmt::format("{}: block {}: found T {}, K {}, D_tu {}, expected numbers, K at least 0, D_tu above 0",
                                      file_name, name, figures.start_s, figures.per_byte_s, figures.unit_bytes));
      record.formulas[*block] = figures;
    }
  } catch (const nlohmann::json::parse_error& error) { // whose own words repeat what they found, be it binary
    return base::fail(fmt::format("{}: found JSON that ends or breaks at byte {}, {}", file_name, error.byte, kExpected));
  } catch (const nlohmann::json::exception& error) {
    return base::fail(fmt::format("{}: {}; {}", file_name, error.what(), kExpected));
  }
  if (record.formulas.empty()) return base::fail(fmt::format("{}: found no block, {}", file_name, kExpected));
  return record;
}

} // namespace farcast::study
