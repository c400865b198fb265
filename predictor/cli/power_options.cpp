#include "predictor/cli/power_options.h"

#include "predictor/cli/model_options.h"

namespace farcast::cli {

void add_power_series(CLI::App& command, live::Settings& settings) {
  CLI::Option* file =
      command
          .add_option("--power-series", settings.power_file, "write what each node draws over time as CSV: one row per change")
          ->type_name("FILE");
  command
      .add_option("--power-steps", settings.power_steps,
                  "with --power-series: at most N steps per node; more changes are averaged over\nequal slices of time (default "
                  "1000, fewer with more than 4000 nodes)")
      ->check(quiet(CLI::Range(2, 10000000)))
      ->needs(file)
      ->type_name("N");
}

void add_memory_bound(CLI::App& command, live::Settings& settings) {
  command
      .add_option("--memory-bound", settings.memory_bound,
                  "computation that begins or ends at that call site draws farcast:memory_watts;\nmay be given several times")
      ->type_name("FILE:LINE")
      ->allow_extra_args(false)
      ->take_all();
}

void add_node_records(CLI::App& command, live::Settings& settings) {
  command
      .add_option("--blocks", settings.block_record,
                  "formulas of --network blocks: the file of `farcast calibrate collectives`, in\nplace of the platform's")
      ->check(existing_file())
      ->type_name("FILE");
  command
      .add_option("--power", settings.power_record,
                  "watts of the nodes by their clock: the file of `farcast calibrate power`, in\nplace of the platform's")
      ->check(existing_file())
      ->type_name("FILE");
  command
      .add_option("--speed", settings.speed_record,
                  "how far the clock rules computing: the file of `farcast calibrate speed`, in\nplace of farcast:clock_share")
      ->check(existing_file())
      ->type_name("FILE");
}

} // namespace farcast::cli
