#include "calib/instruments/speed_runs.h"

#include "calib/instruments/child_program.h"
#include "calib/kernels/kernels.h"
#include "libinterpose/stream/free_memory.h"
#include "predictor/base/format.h"
#include "predictor/base/progress_line.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <ctime>
#include <fmt/format.h>
#include <new>
#include <random>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace farcast::instruments {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSettleS = 0.02;     // until a core runs at a frequency that was set
constexpr double kMostOfMemory = 0.5; // of what is free

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Returns: bytes; 0: unknown.
double free_memory() {
  const std::uint64_t free = stream::free_memory();
  return free == stream::kUnlimited ? 0.0 : static_cast<double>(free);
}

// One kernel on some cores at the same time. Each goes on until all have their time, so that none
// is alone towards the end.
class Together {
public:
  Together(const kernels::Case& which, const std::vector<int>& cores, double least_s)
      : which_(which), cores_(cores), least_s_(least_s), start_(static_cast<std::ptrdiff_t>(cores.size())),
        seconds_(cores.size()) {}

  // Returns: seconds of one core per unit: of cores that are not alike, the time that gives their
  // work together. 0: no memory.
  double run() {
    std::vector<std::thread> threads;
    threads.reserve(cores_.size());
    for (std::size_t i = 0; i < cores_.size(); ++i) threads.emplace_back(&Together::work, this, i);
    for (std::thread& thread : threads) thread.join();
    if (failed_.load()) return 0.0;
    double rate = 0.0;
    for (const double seconds : seconds_) rate += 1.0 / seconds;
    return static_cast<double>(seconds_.size()) / rate;
  }

private:
  void work(std::size_t index) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cores_[index]), &set);
    sched_setaffinity(0, sizeof set, &set); // of this thread
    std::unique_ptr<kernels::Kernel> kernel;
    volatile double kept = 0.0;
    try {
      kernel = kernels::make(which_);
      kept = kernel->pass(); // caches and branch predictors
    } catch (const std::bad_alloc&) {
      failed_ = true;
    }
    start_.arrive_and_wait();
    if (failed_.load()) return;
    const double begin = thread_seconds();
    double passes = 0.0, spent = 0.0;
    while (spent < least_s_) {
      kept = kernel->pass();
      passes += 1.0;
      spent = thread_seconds() - begin;
    }
    seconds_[index] = spent / (passes * kernel->units());
    ++done_;
    while (done_.load() < cores_.size()) kept = kernel->pass();
    static_cast<void>(kept);
  }

  const kernels::Case& which_;
  const std::vector<int>& cores_;
  double least_s_;
  std::barrier<> start_;
  std::vector<double> seconds_; // [core], per unit
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> failed_{false};
};

struct Task {
  std::size_t kernel; // of kernels::cases()
  bool all;           // cores; else one
};

std::vector<Task> tasks_of(const SpeedRuns& runs, std::vector<std::string>& notes) {
  std::vector<Task> tasks;
  const double room = kMostOfMemory * free_memory();
  std::string without;
  for (std::size_t i = 0; i < kernels::cases().size(); ++i) {
    const kernels::Case& which = kernels::cases()[i];
    const auto fits = [&](std::size_t cores) { return room == 0.0 || static_cast<double>(which.bytes * cores) < room; };
    if (fits(1)) tasks.push_back({i, false});
    if (runs.cores.size() > 1 && fits(runs.cores.size())) tasks.push_back({i, true});
    if (!fits(runs.cores.size())) without += (without.empty() ? "" : ", ") + std::string(which.kernel);
  }
  if (!without.empty())
    notes.push_back(fmt::format("the largest sizes of {} were not measured on all cores: too little memory is free", without));
  return tasks;
}

// The same order on every machine for one seed: std::shuffle differs between libraries.
template <class Value> void shuffle(std::vector<Value>& values, std::mt19937_64& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

class Runner {
public:
  Runner(const SpeedRuns& runs, std::vector<std::string>& notes)
      : runs_(runs), tasks_(tasks_of(runs, notes)), random_(runs.seed) {
    for (const double frequency : runs.frequencies) {
      for (const Task& task : tasks_) {
        const kernels::Case& which = kernels::cases()[task.kernel];
        out_.push_back({std::string(which.kernel),
                        std::string(which.bound),
                        which.bytes,
                        task.all ? static_cast<int>(runs.cores.size()) : 1,
                        frequency,
                        {}});
      }
    }
  }

  base::Result<std::vector<study::SpeedMeasurement>> run() {
    base::Result<void> taken;
    for (int repetition = 0; repetition < runs_.repetitions && taken && ending_signal() == 0; ++repetition)
      taken = repeat(repetition);
    line_.erase();
    const auto back = runs_.clocks == nullptr ? base::Result<void>() : runs_.clocks->put_back();
    if (!taken) return tl::make_unexpected(taken.error());
    if (!back) return tl::make_unexpected(back.error());
    std::erase_if(out_, [](const auto& measurement) { return measurement.seconds.empty(); });
    return std::move(out_);
  }

private:
  base::Result<void> repeat(int repetition) {
    std::vector<std::size_t> frequencies(runs_.frequencies.size());
    for (std::size_t i = 0; i < frequencies.size(); ++i) frequencies[i] = i;
    shuffle(frequencies, random_);
    const std::vector<int> one{runs_.cores[static_cast<std::size_t>(repetition) % runs_.cores.size()]}; // each in its turn
    for (const std::size_t frequency : frequencies) {
      if (runs_.clocks != nullptr) {
        if (auto set = runs_.clocks->set(runs_.frequencies[frequency]); !set) return set;
        if (!sleep_unless_ended(kSettleS)) return {};
      }
      std::vector<std::size_t> order(tasks_.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      shuffle(order, random_);
      for (const std::size_t task : order) {
        if (ending_signal() != 0) return {};
        show();
        const kernels::Case& which = kernels::cases()[tasks_[task].kernel];
        const double seconds = Together(which, tasks_[task].all ? runs_.cores : one, runs_.sample_s).run();
        if (seconds > 0.0) out_[frequency * tasks_.size() + task].seconds.push_back(seconds);
        ++done_;
      }
    }
    return {};
  }

  void show() {
    if (!line_.due()) return;
    const std::size_t all = static_cast<std::size_t>(runs_.repetitions) * out_.size();
    const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
    const std::string left =
        done_ == 0 ? std::string()
                   : ", about " +
                         base::format_time(base::Seconds(spent / static_cast<double>(done_) * static_cast<double>(all - done_))) +
                         " left";
    line_.show(fmt::format("run {} of {}{}", done_ + 1, all, left));
  }

  const SpeedRuns& runs_;
  std::vector<Task> tasks_;
  std::vector<study::SpeedMeasurement> out_; // [frequency * tasks + task]
  std::mt19937_64 random_;
  base::ProgressLine line_ = base::ProgressLine::on_stderr();
  std::size_t done_ = 0;
  Clock::time_point start_ = Clock::now();
};

} // namespace

base::Result<std::vector<study::SpeedMeasurement>> run_kernels(const SpeedRuns& runs, std::vector<std::string>& notes) {
  return Runner(runs, notes).run();
}

} // namespace farcast::instruments
