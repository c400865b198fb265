#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace farcast::cli {

// `new` of `farcast platform`: sets the action when it was given.
void add_platform_new(CLI::App& platform, std::function<int()>& action);

} // namespace farcast::cli
