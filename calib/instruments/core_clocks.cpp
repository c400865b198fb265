#include "calib/instruments/core_clocks.h"

#include "predictor/base/child_process.h"
#include "predictor/base/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace farcast::instruments {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSteps = 5;
constexpr long kRoundKhz = 100'000; // most processors change their clock in steps of 100 MHz
constexpr double kSame = 0.01;      // of a frequency: what somebody typed, or the kernel rounded

// Returns: 0 where there is no number. No allocation: the keeper calls it.
long number_in(const char* path) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 32> text{};
  const ssize_t got = read(file, text.data(), text.size() - 1);
  close(file);
  return got > 0 ? std::strtol(text.data(), nullptr, 10) : 0;
}

// Returns: it was written. No allocation: the keeper calls it.
bool write_number(const char* path, long value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  const auto size = end - text.data();
  const int file = ::open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = error == std::errc() && write(file, text.data(), static_cast<std::size_t>(size)) == size;
  const int reason = errno;
  close(file);
  errno = reason;
  return written;
}

std::vector<long> numbers_in(const std::string& path) {
  std::ifstream file(path);
  std::vector<long> values{std::istream_iterator<long>(file), {}};
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<int> cores_below(const std::string& folder) {
  std::vector<int> cores;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("cpu") || !fs::exists(entry.path() / "cpufreq", error)) continue;
    if (const auto core = base::number_in<int>(std::string_view(name).substr(3))) cores.push_back(*core);
  }
  std::sort(cores.begin(), cores.end());
  return cores;
}

std::string cpufreq_of(const std::string& folder, int core) { return fmt::format("{}/cpu{}/cpufreq", folder, core); }

// `count` of the values, evenly, with both ends.
std::vector<long> spread_out(const std::vector<long>& values, std::size_t count) {
  if (values.size() <= count) return values;
  std::vector<long> some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(values[(i * (values.size() - 1) + (count - 1) / 2) / (count - 1)]);
  return some;
}

std::vector<long> evenly(long lowest, long highest) {
  std::vector<long> steps{lowest};
  for (std::size_t i = 1; i + 1 < kMostSteps; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(kMostSteps - 1);
    const double exact = static_cast<double>(lowest) + share * static_cast<double>(highest - lowest);
    steps.push_back(kRoundKhz * std::lround(exact / kRoundKhz));
  }
  steps.push_back(highest);
  steps.erase(std::remove_if(steps.begin() + 1, steps.end() - 1, [&](long step) { return step <= lowest || step >= highest; }),
              steps.end() - 1);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

std::string joined(const std::vector<long>& khz) {
  std::string text;
  for (const long value : khz) text += (text.empty() ? "" : ", ") + format_frequency(static_cast<double>(value) * 1e3);
  return text;
}

} // namespace

base::Result<CoreClocks::Core> CoreClocks::open_core(const std::string& folder) {
  Core core{folder + "/scaling_min_freq", folder + "/scaling_max_freq", 0, 0};
  for (const std::string* path : {&core.min_file, &core.max_file}) {
    const int file = ::open(path->c_str(), O_WRONLY | O_CLOEXEC); // opened, not listed: a container may show what it cannot write
    if (file < 0) return base::fail(fmt::format("the cores' clocks cannot be set: {}: {}", *path, std::strerror(errno)));
    close(file);
  }
  core.min_khz = number_in(core.min_file.c_str());
  core.max_khz = number_in(core.max_file.c_str());
  if (core.min_khz > 0 && core.max_khz >= core.min_khz) return core;
  return base::fail(
      fmt::format("the cores' clocks cannot be set: {} and scaling_max_freq: found {} and {} kHz, expected a lowest "
                  "and a highest frequency",
                  core.min_file, core.min_khz, core.max_khz));
}

base::Result<CoreClocks> CoreClocks::open(const std::string& folder, std::vector<int> cores) {
  if (cores.empty()) cores = cores_below(folder);
  if (cores.empty()) return base::fail(fmt::format("the cores' clocks cannot be set: {} has no cpuN/cpufreq", folder));
  CoreClocks clocks;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const std::string own = cpufreq_of(folder, cores[i]);
    auto core = open_core(own);
    if (!core) return tl::make_unexpected(core.error());
    clocks.cores_.push_back(*std::move(core));
    const std::vector<long> table = numbers_in(own + "/scaling_available_frequencies");
    const long lowest = table.empty() ? number_in((own + "/cpuinfo_min_freq").c_str()) : table.front();
    const long highest = table.empty() ? number_in((own + "/cpuinfo_max_freq").c_str()) : table.back();
    clocks.lowest_khz_ = i == 0 ? lowest : std::max(clocks.lowest_khz_, lowest);
    clocks.highest_khz_ = i == 0 ? highest : std::min(clocks.highest_khz_, highest);
    std::vector<long> common;
    std::set_intersection(table.begin(), table.end(), clocks.table_khz_.begin(), clocks.table_khz_.end(),
                          std::back_inserter(common));
    clocks.table_khz_ = i == 0 ? table : common;
  }
  if (clocks.lowest_khz_ <= 0 || clocks.highest_khz_ < clocks.lowest_khz_)
    return base::fail(
        fmt::format("the cores' clocks cannot be set: found no frequency below {} that all of them can have", folder));
  return clocks;
}

CoreClocks::CoreClocks(CoreClocks&& other) noexcept
    : cores_(std::move(other.cores_)), table_khz_(std::move(other.table_khz_)), lowest_khz_(other.lowest_khz_),
      highest_khz_(other.highest_khz_), lifeline_(std::exchange(other.lifeline_, -1)), keeper_(std::exchange(other.keeper_, -1)) {
}

CoreClocks::~CoreClocks() { static_cast<void>(put_back()); }

base::Result<std::vector<double>> CoreClocks::choose(const std::vector<double>& wanted_hz) const {
  std::vector<double> chosen;
  if (wanted_hz.empty()) {
    for (const long khz : table_khz_.empty() ? evenly(lowest_khz_, highest_khz_) : spread_out(table_khz_, kMostSteps))
      chosen.push_back(static_cast<double>(khz) * 1e3);
    return chosen;
  }
  for (const double hz : wanted_hz) {
    const double khz = hz / 1e3;
    const auto near = [&](long there) {
      return std::fabs(khz - static_cast<double>(there)) <= kSame * static_cast<double>(there);
    };
    const auto listed = std::find_if(table_khz_.begin(), table_khz_.end(), near);
    const auto least = static_cast<double>(lowest_khz_), most = static_cast<double>(highest_khz_);
    if (listed != table_khz_.end())
      chosen.push_back(static_cast<double>(*listed) * 1e3);
    else if (table_khz_.empty() && khz >= least * (1 - kSame) && khz <= most * (1 + kSame))
      chosen.push_back(std::clamp(khz, least, most) * 1e3);
    else
      return base::fail(fmt::format("--frequencies: found {}, expected {}", format_frequency(hz),
                                    table_khz_.empty()
                                        ? fmt::format("{} to {}", format_frequency(least * 1e3), format_frequency(most * 1e3))
                                        : "some of " + joined(table_khz_)));
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

// The kernel refuses a lowest above the highest: the end that makes room goes first.
bool CoreClocks::set_range(const Core& core, long low_khz, long high_khz) {
  if (low_khz > number_in(core.max_file.c_str()))
    return write_number(core.max_file.c_str(), high_khz) && write_number(core.min_file.c_str(), low_khz);
  return write_number(core.min_file.c_str(), low_khz) && write_number(core.max_file.c_str(), high_khz);
}

bool CoreClocks::restore() const {
  bool all = true;
  for (const Core& core : cores_) all = set_range(core, core.min_khz, core.max_khz) && all;
  return all;
}

// The keeper's life: waits for the end of its parent's hold, puts the clocks back, and goes.
void CoreClocks::keep(int lifeline) const {
  setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(signal, SIG_IGN);
  dup2(lifeline, STDIN_FILENO);
  close_range(STDIN_FILENO + 1, ~0U, 0); // whoever reads our parent's output must not wait for us
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) {
  }
  _exit(restore() ? 0 : 1);
}

base::Result<void> CoreClocks::start_keeper() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return base::fail(fmt::format("no pair of sockets: {}", std::strerror(errno)));
  keeper_ = fork();
  if (keeper_ == 0) {
    close(ends[1]);
    keep(ends[0]);
  }
  close(ends[0]);
  lifeline_ = ends[1];
  if (keeper_ > 0) return {};
  close(std::exchange(lifeline_, -1));
  return base::fail(fmt::format("no process that could put the clocks back: {}", std::strerror(errno)));
}

base::Result<void> CoreClocks::set(double frequency_hz) {
  if (keeper_ < 0) {
    if (auto kept = start_keeper(); !kept) return kept;
  }
  const long khz = std::lround(frequency_hz / 1e3);
  for (const Core& core : cores_) {
    errno = 0;
    const bool taken = set_range(core, khz, khz);
    const long found = number_in(core.max_file.c_str());
    if (taken && std::fabs(static_cast<double>(found - khz)) <= kSame * static_cast<double>(khz)) continue;
    return base::fail(fmt::format("{}: found {} kHz after {} kHz was written{}", core.max_file, found, khz,
                                  taken ? std::string() : fmt::format(": {}", std::strerror(errno))));
  }
  return {};
}

base::Result<void> CoreClocks::put_back() {
  if (keeper_ < 0) return {};
  shutdown(lifeline_, SHUT_RDWR); // also where a child of ours holds it open
  close(std::exchange(lifeline_, -1));
  if (base::wait_for(std::exchange(keeper_, -1)) == 0) return {};
  if (restore()) return {}; // somebody ended the keeper
  return base::fail(fmt::format("the cores' clocks could not be put back to {} to {} kHz ({})", cores_.front().min_khz,
                                cores_.front().max_khz, cores_.front().max_file));
}

double running_frequency(const std::string& folder, int core) {
  return static_cast<double>(number_in((cpufreq_of(folder, core) + "/scaling_cur_freq").c_str())) * 1e3;
}

double fixed_frequency(const std::string& folder, int core) {
  const std::string own = cpufreq_of(folder, core);
  const long lowest = number_in((own + "/scaling_min_freq").c_str()), highest = number_in((own + "/scaling_max_freq").c_str());
  return lowest == highest ? static_cast<double>(lowest) * 1e3 : 0.0;
}

base::Result<double> parse_frequency(const std::string& text) {
  double value = 0.0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  std::string unit(end, last);
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? 0 : unit.find_first_not_of(' '));
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const double factor = unit == "ghz" ? 1e9 : unit == "mhz" ? 1e6 : 0.0;
  if (error == std::errc() && std::isfinite(value) && value > 0.0 && factor > 0.0) return value * factor;
  return base::fail(fmt::format("found '{}', expected a frequency such as 1.8GHz or 1800MHz", text));
}

std::string format_frequency(double hz) { return fmt::format("{:.4g} GHz", hz / 1e9); }

} // namespace farcast::instruments
