#include "predictor/base/child_process.h"
#include "predictor/base/program_image.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/refusal.h"
#include "predictor/live/prediction_run.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

namespace farcast::cli {

namespace {

bool exists_in_path(const std::string& program) { return base::inspect_program(program).found; }

// Debian installs both libraries' launchers side by side; elsewhere there is one `mpirun`.
std::string find_launcher(base::MpiLibrary library) {
  const std::string named = std::string("mpirun.") + base::short_name(library);
  if (exists_in_path(named)) return named;
  for (const char* name : {"mpirun", "mpiexec"}) {
    if (exists_in_path(name)) return name;
  }
  return "";
}

std::string quoted(const std::string& word) {
  if (!word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%") == std::string::npos)
    return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Returns: what the ranks read besides the command, as a shell takes it.
std::vector<std::string> own_variables() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (text.starts_with("FARCAST_") && equals != std::string_view::npos)
      out.push_back(fmt::format("{}={}", text.substr(0, equals), quoted(std::string(text.substr(equals + 1)))));
  }
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace

int run_command(const live::Settings& said, int ranks, const std::string& launcher,
                const std::vector<std::string>& launcher_options, const std::vector<std::string>& program) {
  const base::ProgramImage image = base::inspect_program(program[0]);
  if (!image.found) return refuse(base::why_not_started(program[0], image), base::exit_code_of(image));
  const auto in_force = live::settings_in_force(said);
  if (!in_force) return refuse(in_force.error().message);
  const live::Settings& settings = *in_force;
  if (const auto files = live::check_no_pipes(settings); !files) return refuse(files.error().message);
  if (const auto coupled = live::check_coupled(settings); !coupled) return refuse(coupled.error().message);
  const auto slowdowns = live::load_slowdowns(settings);
  if (!slowdowns) return refuse(slowdowns.error().message);
  if (settings.predict) {
    if (const auto placed = live::place_all(settings, ranks); !placed) return refuse(placed.error().message);
  }
  const base::MpiLibrary library = image.links == base::MpiLibrary::none ? base::MpiLibrary::openmpi : image.links;
  const std::string chosen = launcher.empty() ? find_launcher(library) : launcher;
  if (!launcher.empty() && !exists_in_path(launcher)) return refuse(launcher + ": no such launcher");
  if (chosen.empty()) {
    return refuse(fmt::format("no mpirun for {} was found; name one with --launcher", base::full_name(library)));
  }
  std::vector<std::string> command{chosen};
  if (library == base::MpiLibrary::openmpi && launcher.empty()) {
    if (geteuid() == 0) command.emplace_back("--allow-run-as-root");
    if (ranks > sysconf(_SC_NPROCESSORS_ONLN)) command.emplace_back("--oversubscribe");
  }
  command.insert(command.end(), {"-np", std::to_string(ranks)});
  command.insert(command.end(), launcher_options.begin(), launcher_options.end());
  std::error_code error;
  command.push_back(std::filesystem::read_symlink("/proc/self/exe", error).string());
  command.insert(command.end(), {"exec", "--"});
  command.insert(command.end(), program.begin(), program.end());
  live::Settings recorded; // all else is there already
  recorded.stack = live::frames_of(settings, *slowdowns);
  live::export_settings(recorded);
  std::string line;
  for (const std::string& assignment : own_variables()) line += " " + assignment;
  for (const std::string& word : command) line += " " + quoted(word);
  tell("farcast:{}\n", line);
  // hwloc's OpenCL plug-in costs every rank 15 MB and time; nobody here asks for graphics cards.
  setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 0);
  base::become_from_path(command);
  tell("farcast: {}: {}\n", chosen, std::strerror(errno));
  return 127;
}

} // namespace farcast::cli
