#include "calib/instruments/probe_process.h"

#include "predictor/base/child_process.h"
#include "predictor/base/format.h"
#include "predictor/base/process_info.h"
#include "predictor/base/program_image.h"
#include "predictor/base/progress_line.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

namespace farcast::instruments {

namespace {

constexpr std::chrono::milliseconds kBetweenLines{200};

using base::ProgressLine;

std::string probe_path(const std::string& probe, const std::string& mpi) {
  return base::library_path(fmt::format("farcast-{}-probe-{}", probe, mpi));
}

[[noreturn]] void become(const std::string& path, const std::vector<std::string>& words) {
  base::become(path, words);
  const std::string text = fmt::format("farcast: {}: {}\n", path, std::strerror(errno));
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(126);
  _exit(127);
}

std::vector<std::string> probe_words(const std::string& path, const ProbeRequest& request, int output) {
  std::vector<std::string> words{path,
                                 "--output",
                                 fmt::format("{}", output),
                                 "--duration",
                                 fmt::format("{}", request.duration_s),
                                 "--max-bytes",
                                 fmt::format("{}", request.max_bytes),
                                 "--seed",
                                 fmt::format("{}", request.seed)};
  if (!request.directory.empty()) words.insert(words.end(), {"--directory", request.directory});
  return words;
}

std::string how_far(const study::ProbeReader& reader, ProgressLine::Clock::time_point start) {
  const double share = reader.progress();
  const double passed = std::chrono::duration<double>(ProgressLine::Clock::now() - start).count();
  return fmt::format("{:.0f} % measured, {} samples, about {} left", share * 100.0, reader.output().samples.size(),
                     base::format_time(base::Seconds(passed * (1.0 - share) / share)));
}

// Returns: the reader with all that the probe wrote. Errors: what the probe should not have written.
base::Result<study::ProbeReader> read_all(int descriptor) {
  study::ProbeReader reader;
  const ProgressLine::Clock::time_point start = ProgressLine::Clock::now();
  ProgressLine line([] { return base::open_stderr_of_ancestor(getpid(), true); }, kBetweenLines);
  std::array<char, 65536> piece{};
  while (true) {
    const ssize_t got = read(descriptor, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return reader;
    if (auto taken = reader.take({piece.data(), static_cast<std::size_t>(got)}); !taken)
      return tl::make_unexpected(taken.error());
    if (reader.progress() > 0.0 && line.due()) line.show(how_far(reader, start));
  }
}

tl::unexpected<ProbeFailure> failure(std::string message, int exit_code) {
  return tl::unexpected<ProbeFailure>(ProbeFailure{std::move(message), exit_code});
}

tl::expected<study::ProbeOutput, ProbeFailure> run_as_first(const std::string& path, const ProbeRequest& request) {
  int ends[2];
  if (pipe(ends) != 0) return failure(fmt::format("no pipe: {}", std::strerror(errno)), 1);
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) return failure(fmt::format("no process for {}: {}", path, std::strerror(errno)), 1);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(1);
    close(ends[0]);
    become(path, probe_words(path, request, ends[1]));
  }
  close(ends[1]);
  auto reader = read_all(ends[0]);
  close(ends[0]); // the probe ends when it writes into a pipe that nobody reads
  const int code = base::wait_for(child);
  if (!reader) return failure(reader.error().message, 1);
  if (code == 2) return failure("", 2); // it has said why
  if (code != 0 || !reader->complete())
    return failure(fmt::format("the measurement ended early ({} samples, {}): nothing was written",
                               reader->output().samples.size(),
                               code > 128 ? fmt::format("signal {}", code - 128) : fmt::format("exit code {}", code)),
                   1);
  return reader->output();
}

} // namespace

tl::expected<study::ProbeOutput, ProbeFailure> run_probe(const ProbeRequest& request) {
  const int rank = base::launcher_rank();
  const int size = base::launcher_size();
  const base::MpiLibrary launcher = base::launcher_library();
  const bool speaks = rank <= 0;
  const auto unfit = [&](std::string message) { return failure(speaks ? std::move(message) : "", 2); };
  if (launcher == base::MpiLibrary::none && request.mpi.empty())
    return unfit(fmt::format("no MPI launcher started this process: mpirun -np {} farcast calibrate {} ... (or name the library "
                             "with --mpi)",
                             request.least_ranks, request.probe));
  if (size > 0 && size < request.least_ranks)
    return unfit(fmt::format("found {} rank, expected {} or more: mpirun -np {} farcast calibrate {} ...", size,
                             request.least_ranks, request.least_ranks, request.probe));
  const std::string mpi = request.mpi.empty() ? base::short_name(launcher) : request.mpi;
  const std::string path = probe_path(request.probe, mpi);
  if (path.empty()) return unfit(fmt::format("farcast-{}-probe-{} was not installed with this farcast", request.probe, mpi));
  setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 0); // its OpenCL plug-in costs every rank 15 MB and time
  if (rank > 0) become(path, probe_words(path, request, -1));
  return run_as_first(path, request);
}

void end_all_ranks(const ProbeRequest& request) {
  const base::MpiLibrary launcher = base::launcher_library();
  if (launcher == base::MpiLibrary::none || base::launcher_size() < 2) return; // nobody waits
  const std::string path = probe_path(request.probe, request.mpi.empty() ? base::short_name(launcher) : request.mpi);
  if (!path.empty()) become(path, {path, "--refused", "1"});
}

std::string installed_library(const std::string& mpi) {
  const std::string path = probe_path("network", mpi);
  if (path.empty()) return "";
  base::Heard heard = base::listen_to_child([&](int descriptor) {
    become(path, {path, "--library", fmt::format("{}", descriptor)});
  });
  while (!heard.text.empty() && heard.text.back() == '\n') heard.text.pop_back();
  return heard.exit_code == 0 ? heard.text : "";
}

} // namespace farcast::instruments
