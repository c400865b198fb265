// The commands of `farcast`. Each returns the exit code; 2: the user's input was wrong, with one
// sentence on stderr.
#pragma once

#include "predictor/cli/refusal.h"
#include "predictor/live/settings.h"

#include <string>
#include <vector>

namespace farcast::cli {

// Runs the program under the interposer: does not return when it could be started.
int exec_command(const live::Settings& settings, const std::vector<std::string>& program);
// Starts the program under the mpirun of the MPI library that it links: prints that command first.
// Does not return on success.
int run_command(const live::Settings& settings, int ranks, const std::string& launcher,
                const std::vector<std::string>& launcher_options, const std::vector<std::string>& program);
// Plays run files again.
int predict_command(const live::Settings& settings, const std::vector<std::string>& run_files);
int platforms_command();
// Prints what was understood of a platform; `ends`: none, or two hosts whose route is printed too.
int platform_show_command(const std::string& name, const std::vector<std::string>& ends);
// Plays a SimGrid TI trace.
int replay_command(const live::Settings& settings, const std::string& trace);

struct CollectivesQuery {
  int ranks = 0;
  int ranks_per_node = 1;
  int element_bytes = 8; // of the datatype
  std::string operation; // empty: all
  std::string library = "openmpi";
};
// Prints which algorithm a library takes for which collective call and size.
int collectives_command(const CollectivesQuery& query);

} // namespace farcast::cli
