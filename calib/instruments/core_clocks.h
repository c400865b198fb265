// The clocks of this node's cores, set through the kernel's cpufreq files, and put back whatever
// ends this process.
//
// A folder such as /sys/devices/system/cpu, with cpuN/cpufreq/ in it -> the frequencies that cores
// can be set to; a core is set by making scaling_min_freq and scaling_max_freq the same.
// Invariants:
// 1. Before the first change a keeper process of its own session starts, which knows what was there
//    and ignores signals. It
// writes
//    that back when this process lets go of it: by put_back(), the destructor, or its end, SIGKILL
//    included.
// 2. Every file is opened for writing before anything is changed: cores that cannot be set are
//    found at once.
// Not guarded against: somebody who kills all processes of the job's control group at once.
// Threads: one.
#pragma once

#include "predictor/base/result.h"

#include <string>
#include <utility>
#include <vector>

namespace farcast::instruments {

inline constexpr const char* kCpuFolder = "/sys/devices/system/cpu";

class CoreClocks {
public:
  // Of these cores; none: of all that have a clock. Errors: one sentence that says why they cannot
  // be set.
  static base::Result<CoreClocks> open(const std::string& folder, std::vector<int> cores = {});
  CoreClocks(CoreClocks&& other) noexcept;
  CoreClocks& operator=(CoreClocks&&) = delete;
  CoreClocks(const CoreClocks&) = delete;
  CoreClocks& operator=(const CoreClocks&) = delete;
  ~CoreClocks();

  // Returns: what to measure at, in Hz, ascending: a few of the possible ones with both ends; or
  // those that are wanted.
  // Errors: one that cannot be set.
  [[nodiscard]] base::Result<std::vector<double>> choose(const std::vector<double>& wanted_hz) const;
  // All cores. Errors: a core that did not take it; what was there stays to be put back.
  base::Result<void> set(double frequency_hz);
  // Errors: a core that did not take back what it had.
  base::Result<void> put_back();

private:
  struct Core {
    std::string min_file;
    std::string max_file;
    long min_khz;
    long max_khz;
  };
  CoreClocks() = default;
  static base::Result<Core> open_core(const std::string& folder);
  base::Result<void> start_keeper();
  [[noreturn]] void keep(int lifeline) const;
  [[nodiscard]] bool restore() const;
  static bool set_range(const Core& core, long low_khz, long high_khz);

  std::vector<Core> cores_;
  std::vector<long> table_khz_; // ascending; empty: any from lowest to highest
  long lowest_khz_ = 0;
  long highest_khz_ = 0;
  int lifeline_ = -1; // the keeper reads the other end
  int keeper_ = -1;   // process id
};

// Returns: what the kernel says of a core's clock at this moment, in Hz; 0: it does not.
double running_frequency(const std::string& folder, int core);
// Returns: the one frequency that a core is held to, its lowest being its highest; 0: it is free,
// or the kernel does not tell.
double fixed_frequency(const std::string& folder, int core);

// "1.2GHz" or "1800MHz" -> Hz. Errors: what was found and what was expected.
base::Result<double> parse_frequency(const std::string& text);
std::string format_frequency(double hz); // "1.2 GHz"

} // namespace farcast::instruments
