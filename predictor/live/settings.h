// What the user wants of a run: command-line options, and the same as FARCAST_* variables.
//
// `farcast exec` turns options into variables, which reach the interposer and the predictor process
// by inheritance, so that a plain LD_PRELOAD with variables set by hand behaves the same.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/placement.h"
#include "predictor/sim/predict.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace farcast::live {

struct Settings {
  std::vector<std::string> platforms; // built-in names or files; empty: the default
  platform::PlacementRequest placement;
  std::optional<double> relative_speed;
  double relative_speed_error = 0; // its standard error, as a share
  // Of the machine that the run is recorded on, and of the platforms' hosts; unset: the processor
  // state that the platform says.
  std::optional<base::FlopsPerSecond> host_speed;
  std::optional<base::Hertz> frequency;
  std::string collectives;   // as collective::parse_selection reads it; empty: the program's own library
  std::string message_model; // smpi or channel; empty: what the platform's transport says
  std::string progress_rule; // in-call or async; empty: the message model's own
  bool preconnected = false; // ranks are connected from the start
  sim::NetworkModel network = sim::NetworkModel::flows;
  sim::WaitMode wait = sim::WaitMode::poll;
  sim::CollectivePolicy policy = sim::CollectivePolicy::none;
  // Which of the histories that chance allows are played: the first, 0: none is left to chance; and
  // how many, 0: as many as settle their mean, or the one that `seed` names.
  std::optional<std::uint64_t> seed;
  int realisations = 0;
  std::optional<int> ensemble; // members that tell how far the prediction may be off; unset: as many as take little time
  bool predict = true;
  bool progress = true;
  bool full_report = false;
  bool bottlenecks = false; // of predict: the critical path and the wait states
  std::string json_file;
  std::string run_file;     // HDF5
  std::string report_file;  // text
  std::string power_file;   // CSV of watts over time; of commands that play what was recorded
  int power_steps = 0;      // of a node in it, at most; 0: as power_over_time.h says
  std::string block_record; // of `farcast calibrate collectives`: block formulas in place of the platforms'; likewise
  std::string power_record; // of `farcast calibrate power`: watts in place of the platforms'; of predict and whatif
  std::string speed_record; // of `farcast calibrate speed`: how far the clock rules computing; likewise
  std::vector<std::string> memory_bound; // call sites, file:line: computation that is bound by memory; likewise
  std::string regions_file;              // slowdowns of regions (region/slowdown_file.h); empty: as measured
  // For the interposer.
  int stack = 1;
  std::string skip_libraries;
  int buffer_mb = 0;                 // 0: its default
  std::vector<std::string> counters; // hardware events to count per region
  bool coupled = false;              // the program gets the first platform's outcomes and time
  bool real_wtime = false;           // coupled: MPI_Wtime stays the machine's
  bool virtual_clocks = false;       // coupled: clock_gettime and gettimeofday tell the virtual time, too
  bool one_thread = false;           // coupled: one thread of a rank calls MPI, whatever level it asks for
  bool ends_on_fault = false;        // coupled: the program ends where it cannot go on being answered, or stands still
  int patience_s = 0;                // coupled: how long nothing may go on before that is told; 0: without end
  int isolate = 0;                   // ranks of a node that may compute at a time; 0: all
  bool cpu_clock = false;            // long regions are measured by CPU time, whatever the number of ranks
};

inline constexpr const char* kDefaultPlatform = "taurus";

// "PAPI_TOT_INS,PAPI_TOT_CYC" -> names of events. Errors: none, or more than the interposer can
// take. Reads "X", or "X:LOW:HIGH" with the ends of the 95 % interval of X (`farcast calibrate
// speed` prints it). Errors: "found ..., expected ..." without the option's name; the settings are
// then as before.
base::Result<void> read_relative_speed(const std::string& text, Settings& settings);
// Returns: what read_relative_speed() reads again.
std::string relative_speed_text(const Settings& settings);

base::Result<std::vector<std::string>> parse_counters(const std::string& text);

// The variable of an option (its name without dashes) no longer holds: the option was given. So one
// that is given its default overrides a variable, though export_settings() says nothing of it.
void forget_variable(std::string_view option);
// Returns: what the FARCAST_* variables say. Errors: a value that cannot be read (names the variable).
base::Result<Settings> settings_from_environment();
// Exports what was said. Returns: what holds by that, and by what the environment says besides.
// Errors: as above.
base::Result<Settings> settings_in_force(const Settings& said);
// Returns: a sentence where a file that each process of a job reads for itself is a pipe, which can
// be read once.
base::Result<void> check_no_pipes(const Settings& settings);
// Returns: a sentence where a coupled run could not be answered.
base::Result<void> check_coupled(const Settings& settings);
// Puts the settings into this process's environment. Paths become absolute.
void export_settings(const Settings& settings);

} // namespace farcast::live
