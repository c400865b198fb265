#include "calib/instruments/this_run.h"
#include "calib/study/network_calibration.h"
#include "calib/study/picture.h"
#include "calib/study/platform_file.h"
#include "calib/study/quality_table.h"
#include "predictor/base/atomic_file.h"
#include "predictor/base/program_image.h"
#include "predictor/base/read_file.h"
#include "predictor/cli/calibrate_commands.h"
#include "predictor/cli/check_outputs.h"
#include "predictor/cli/commands.h"

#include <filesystem>
#include <fmt/format.h>

namespace farcast::cli {

namespace {

std::string picture_path(const NetworkRequest& request) {
  return request.picture.empty() ? std::filesystem::path(request.output).replace_extension(".svg").string() : request.picture;
}

// Returns: what earlier runs left; nothing without a file.
base::Result<study::ProbeOutput> read_samples(const std::string& path) {
  if (path.empty() || !std::filesystem::exists(path)) return study::ProbeOutput{};
  const auto text = base::read_file(path);
  if (!text) return tl::unexpected(text.error());
  study::ProbeReader reader;
  if (auto taken = reader.take(*text); !taken) return base::fail(fmt::format("{}: {}", path, taken.error().message));
  if (!reader.complete()) return base::fail(fmt::format("{}: found a part of a file, expected 'end' at its end", path));
  return reader.output();
}

} // namespace

int refuse_probe(const instruments::ProbeRequest& request, const std::string& sentence) {
  refuse(sentence);
  std::fflush(stderr);
  instruments::end_all_ranks(request);
  return kBadInput;
}

int calibrate_network_command(const NetworkRequest& request) {
  study::ProbeOutput earlier;
  const std::string picture = picture_path(request);
  if (base::launcher_rank() <= 0) {
    if (picture == request.output)
      return refuse_probe(request.probe, fmt::format("{}: found one name for the platform and its picture", picture));
    if (const auto files = check_outputs({request.output, picture, request.samples}); !files)
      return refuse_probe(request.probe, files.error().message);
    auto kept = read_samples(request.samples);
    if (!kept) return refuse_probe(request.probe, kept.error().message);
    earlier = std::move(*kept);
  }
  auto measured = instruments::run_probe(request.probe);
  if (!measured) return refuse(measured.error().message, measured.error().exit_code);
  if (!earlier.samples.empty()) {
    auto all = study::join(earlier, *measured);
    if (!all) return refuse(fmt::format("{}: {}; nothing was written", request.samples, all.error().message));
    *measured = std::move(*all);
  }
  const auto calibration = study::calibrate_network(*measured);
  if (!calibration) return refuse(calibration.error().message + "; nothing was written", 1);
  const study::Provenance provenance = instruments::provenance_of_this_run(calibration->mpi, request.probe.seed);
  study::PlatformFileOptions options;
  options.nodes = request.nodes;
  options.socket_buffer = calibration->main_pair().tcp ? instruments::tcp_send_buffer() : 0.0;
  fmt::print("{}", study::quality_table(*calibration));
  const std::string title =
      fmt::format("{}, {}, {}", provenance.host, provenance.mpi.substr(0, provenance.mpi.find(',')), provenance.date);
  if (auto written = base::write_file(picture, study::network_picture(*calibration, title)); !written)
    return refuse(written.error().message, 1);
  const std::string platform = study::platform_file(*calibration, provenance, options);
  if (auto written = base::write_file(request.output, platform); !written) return refuse(written.error().message, 1);
  if (!request.samples.empty()) {
    if (auto written = base::write_file(request.samples, study::to_text(*measured)); !written)
      return refuse(written.error().message, 1);
  }
  fmt::print("farcast: platform written to {}, picture to {}; use it as --platform {}\n", request.output, picture,
             request.output);
  say_faults(platform, request.output);
  return 0;
}

} // namespace farcast::cli
