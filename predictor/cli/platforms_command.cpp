#include "predictor/cli/commands.h"
#include "predictor/platform/builtin.h"

#include <fmt/format.h>

namespace farcast::cli {

int platforms_command() {
  for (const auto& entry : platform::builtin_platforms()) {
    fmt::print("{:<12} {}{}\n", entry.name, entry.description, entry.name == live::kDefaultPlatform ? " (default)" : "");
  }
  fmt::print("\nA path of a SimGrid platform file serves as well: --platform my.xml (farcast platform show my.xml)\n");
  return 0;
}

} // namespace farcast::cli
