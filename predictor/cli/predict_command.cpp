#include "calib/study/faulty_files.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/memory_bound.h"
#include "predictor/cli/recorded_platforms.h"
#include "predictor/live/output.h"
#include "predictor/live/power_over_time.h"
#include "predictor/trace/run_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace farcast::cli {

int predict_command(const live::Settings& settings, const std::vector<std::string>& run_files) {
  std::vector<std::unique_ptr<trace::Recording>> parts;
  for (const std::string& path : run_files) {
    auto read = trace::read_run_file(path);
    if (!read) return refuse(read.error().message);
    parts.push_back(std::move(*read));
  }
  std::unique_ptr<trace::Recording> recording;
  if (parts.size() == 1) {
    recording = std::move(parts.front());
  } else {
    auto joined = trace::join(std::move(parts));
    if (!joined) return refuse(joined.error().message);
    recording = std::move(*joined);
    recording->notes.push_back(
        fmt::format("joined from the run files of {} nodes: {}", run_files.size(), fmt::join(run_files, ", ")));
  }
  if (const auto complete = trace::check_complete(*recording); !complete) return refuse(complete.error().message);
  std::vector<live::PlacedPlatform> platforms;
  if (settings.predict) {
    auto placed = platforms_for(settings, *recording);
    if (!placed) return refuse(placed.error().message);
    if (const auto power = live::check_power(settings, *placed); !power) return refuse(power.error().message);
    platforms = std::move(*placed);
  }
  auto slowdowns = live::load_slowdowns(settings);
  if (!slowdowns) return refuse(slowdowns.error().message);
  if (const auto same = live::check_slowdowns(*slowdowns, *recording); !same) return refuse(same.error().message);
  const auto memory_bound = memory_bound_in(*recording, settings);
  if (!memory_bound) return refuse(memory_bound.error().message);
  live::PredictionRun run(*recording, std::move(platforms), settings, std::move(*slowdowns), study::faulty_files, false,
                          *memory_bound);
  const live::Outputs outputs = live::write_outputs(*recording, run.outcome(), settings);
  fmt::print("{}", outputs.told);
  return outputs.all_written ? 0 : 1;
}

} // namespace farcast::cli
