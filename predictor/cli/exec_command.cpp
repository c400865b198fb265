#include "predictor/base/child_process.h"
#include "predictor/base/program_image.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/refusal.h"
#include "predictor/live/prediction_run.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace farcast::cli {

namespace {

// Every rank of a job runs this: one of them speaks.
void say(const std::string& sentence) {
  if (base::launcher_rank() <= 0) tell("farcast: {}\n", sentence);
}

// What can be known to be wrong before the program starts is said now, not after hours of running.
// Returns: frames per call site that are to be recorded.
base::Result<int> check(const live::Settings& settings, const std::string& program) {
  if (const auto files = live::check_no_pipes(settings); !files) return tl::unexpected(files.error());
  if (const auto coupled = live::check_coupled(settings); !coupled) return tl::unexpected(coupled.error());
  for (const std::string* file : {&settings.json_file, &settings.run_file, &settings.report_file}) {
    if (file->empty()) continue;
    if (std::error_code error; file->back() == '/' || std::filesystem::is_directory(*file, error))
      return base::fail(fmt::format("cannot write '{}': it names a directory, not a file", *file));
    const std::filesystem::path folder = std::filesystem::absolute(*file).parent_path();
    if (!std::filesystem::is_directory(folder))
      return base::fail(fmt::format("{}: the folder {} does not exist", *file, folder.string()));
    if (access(folder.c_str(), W_OK) != 0)
      return base::fail(fmt::format("{}: the folder {} is not writable", *file, folder.string()));
  }
  const auto slowdowns = live::load_slowdowns(settings);
  if (!slowdowns) return base::fail(slowdowns.error().message);
  if (*slowdowns != nullptr) {
    if (const auto same = region::check_program(**slowdowns, program); !same) return tl::unexpected(same.error());
  }
  const int frames = live::frames_of(settings, *slowdowns);
  if (!settings.predict) return frames;
  const auto placed = live::place_all(settings, std::max(1, base::launcher_size()));
  if (!placed) return base::fail(placed.error().message);
  return frames;
}

// What `farcast run`, or the user, has put into the environment holds besides what was said.
base::Result<live::Settings> checked(const live::Settings& said, const std::string& program) {
  auto settings = live::settings_in_force(said);
  if (!settings) return settings;
  const base::Result<int> frames = check(*settings, program);
  if (!frames) return base::fail(frames.error().message);
  live::Settings recorded; // all else is there already
  recorded.stack = settings->stack = *frames;
  live::export_settings(recorded);
  return settings;
}

// As the library reads it (libinterpose/process.cpp).
bool is_off() {
  const char* off = std::getenv("FARCAST_OFF");
  return off != nullptr && *off != '\0' && std::strcmp(off, "0") != 0;
}

int start(const std::vector<std::string>& program) {
  base::become_from_path(program);
  const int error = errno;
  tell("farcast: {}: {}\n", program[0], std::strerror(error));
  return error == ENOENT ? 127 : 126; // what a shell answers
}

} // namespace

int exec_command(const live::Settings& said, const std::vector<std::string>& program) {
  const base::ProgramImage image = base::inspect_program(program[0]);
  if (!image.found) {
    say(base::why_not_started(program[0], image));
    return base::exit_code_of(image);
  }
  if (is_off()) return start(program);
  if (const int ranks = base::ranks_of_other_launcher(image.links); ranks > 0) {
    const base::MpiLibrary other = image.links == base::MpiLibrary::openmpi ? base::MpiLibrary::mpich : base::MpiLibrary::openmpi;
    say(fmt::format(
        "{} is linked with {}, and the launcher of {} started it as {} ranks: each would be alone, a job of one rank; "
        "start it with mpirun.{} (`farcast run` finds it)",
        program[0], base::full_name(image.links), base::full_name(other), ranks, base::short_name(image.links)));
    return kBadInput;
  }
  const base::Result<live::Settings> in_force = checked(said, image.path);
  if (!in_force) {
    say(in_force.error().message);
    return kBadInput;
  }
  const live::Settings& settings = *in_force;
  if (image.is_static) {
    say(fmt::format("{} is statically linked{}: no library can be put in front of it; it runs unwatched", program[0],
                    image.has_mpi_symbols ? " with its MPI library inside" : ""));
    return start(program);
  }
  base::MpiLibrary library = image.links;
  if (library == base::MpiLibrary::none) library = base::launcher_library();
  if (library == base::MpiLibrary::none)
    library = base::interposer_path(base::MpiLibrary::openmpi).empty() ? base::MpiLibrary::mpich : base::MpiLibrary::openmpi;
  const std::string interposer = base::interposer_path(library);
  if (interposer.empty()) {
    say(fmt::format("libfarcast-{}.so was not built: {} runs unwatched", base::short_name(library), program[0]));
    return start(program);
  }
  std::string preload = interposer;
  // Waiting ranks sleep: Open MPI calls sched_yield where it would poll on, and our library sleeps
  // there. Where ranks outnumber cores they give theirs away, which Open MPI does by itself, and MPICH
  // never.
  const bool crowded = settings.coupled || base::launcher_local_size() > sysconf(_SC_NPROCESSORS_ONLN);
  if (settings.isolate > 0 || (crowded && library == base::MpiLibrary::mpich)) {
    if (const std::string idle = base::library_path("libfarcast-idle.so"); !idle.empty()) preload += ":" + idle;
  }
  if (settings.coupled && settings.virtual_clocks) {
    if (const std::string clocks = base::library_path("libfarcast-clocks.so"); !clocks.empty()) preload += ":" + clocks;
  }
  if (settings.isolate > 0) setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
  const char* before = std::getenv("LD_PRELOAD");
  setenv("LD_PRELOAD", (before == nullptr || *before == '\0' ? preload : preload + ":" + before).c_str(), 1);
  // So that the interposer can tell a program without MPI from a script that started one: see its
  // at_exit().
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  setenv("FARCAST_EXEC_PID", fmt::format("{}:{}", getpid(), children.ru_minflt).c_str(), 1);
  std::error_code error;
  setenv("FARCAST_PREDICTOR", std::filesystem::read_symlink("/proc/self/exe", error).c_str(), 0);
  return start(program);
}

} // namespace farcast::cli
