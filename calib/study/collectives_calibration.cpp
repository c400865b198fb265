#include "calib/study/collectives_calibration.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace farcast::study {

namespace {

nlohmann::ordered_json to_json(const fit::BlockFit& block) {
  return {{"block", fit::name_of(block.block)},
          {"T_s", block.start_s.value},
          {"T_low_s", block.start_s.interval.low},
          {"T_high_s", block.start_s.interval.high},
          {"K_s_per_byte", block.per_byte_s.value},
          {"K_low_s_per_byte", block.per_byte_s.interval.low},
          {"K_high_s_per_byte", block.per_byte_s.interval.high},
          {"D_tu_bytes", block.unit_bytes},
          {"r_squared", block.r_squared},
          {"residual_50", block.residual_50},
          {"residual_95", block.residual_95},
          {"samples", block.samples},
          {"clamped", block.clamped}};
}

} // namespace

base::Result<CollectivesCalibration> calibrate_collectives(const ProbeOutput& output) {
  CollectivesCalibration calibration;
  calibration.mpi = output.fact("mpi");
  calibration.ranks = static_cast<int>(output.number("ranks", 2.0));
  calibration.hosts = static_cast<int>(output.number("hosts", 1.0));
  for (const fit::Block block : fit::kBlocks) {
    std::vector<fit::BlockSample> samples;
    for (const Sample& sample : output.samples) {
      if (sample.kind == fit::name_of(block)) samples.push_back({sample.messages, sample.bytes, sample.seconds});
    }
    if (auto fitted = fit::fit_block(block, samples))
      calibration.blocks.push_back(*fitted);
    else
      calibration.notes.push_back(fmt::format("{} was not fitted: {}", fit::name_of(block), fitted.error().message));
  }
  if (calibration.blocks.empty()) return base::fail(calibration.notes.front());
  return calibration;
}

std::string collectives_file(const CollectivesCalibration& calibration, const Provenance& provenance) {
  nlohmann::ordered_json file;
  file["farcast_calibration"] = "collectives";
  file["version"] = 1;
  for (const auto& [name, value] : to_entries(provenance)) file["provenance"][name] = value;
  file["provenance"]["ranks"] = fmt::format("{} on {} nodes", calibration.ranks, calibration.hosts);
  file["notes"] = calibration.notes;
  for (const fit::BlockFit& block : calibration.blocks) file["blocks"].push_back(to_json(block));
  return file.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace farcast::study
