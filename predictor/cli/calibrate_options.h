// `farcast calibrate ...`: the commands of the group and their options.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): of CLI11
class App;
}

namespace farcast::cli {

// Adds --frequencies and --cpufreq to a command; `what` is the former's help.
void add_clock_options(CLI::App& command, std::string& folder, std::vector<double>& frequencies, const std::string& what);
// Adds the group. The command that was given leaves what to do in `action`, which must outlive the
// parsing.
void add_calibrate(CLI::App& app, std::function<int()>& action);

} // namespace farcast::cli
