// `farcast calibrate ...`: the commands of the group and their options.
#pragma once

#include <functional>

namespace CLI { // NOLINT(readability-identifier-naming): of CLI11
class App;
}

namespace farcast::cli {

// Adds the group. The command that was given leaves what to do in `action`, which must outlive the parsing.
void add_calibrate(CLI::App& app, std::function<int()>& action);

} // namespace farcast::cli
