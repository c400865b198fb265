// Plays one recording on several platforms at once, a thread each, while the program runs or afterwards.
#pragma once

#include "predictor/live/settings.h"
#include "predictor/platform/platform.h"
#include "predictor/sim/predict.h"
#include "predictor/trace/recorded_timelines.h"
#include "predictor/trace/tally.h"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace farcast::live {

struct PlacedPlatform {
  platform::Platform platform;
  platform::Placement placement;
};

// Returns: the platforms of the settings with `ranks` ranks placed on them. Errors: unknown platform, too few cores.
base::Result<std::vector<PlacedPlatform>> place_all(const Settings& settings, int ranks);

// Returns: what the settings ask of the engine.
sim::Options options_of(const Settings& settings);

using SlowdownTable = std::shared_ptr<const region::SlowdownTable>; // null: none was given

// Reads the file that --regions names. Errors: what is wrong with it.
base::Result<SlowdownTable> load_slowdowns(const Settings& settings);
// Errors: the table was measured on another program than the one that was recorded.
base::Result<void> check_slowdowns(const SlowdownTable& table, trace::Recording& recording);

// Why figures that rest on these files may be far off, as sentences; calibration knows (calib/study/cautions.h). `slowdowns` may
// be null.
using Faults = std::function<std::vector<std::string>(const platform::Platform& platform, const region::SlowdownTable* slowdowns,
                                                      const std::string& program, const std::string& mpi_library)>;

class PredictionRun {
public:
  // Starts one thread per platform and one per rank that counts. `background`: at the lowest priority until hurry().
  PredictionRun(trace::Recording& recording, std::vector<PlacedPlatform> platforms, const Settings& settings,
                SlowdownTable slowdowns, Faults faults, bool background);
  PredictionRun(const PredictionRun&) = delete;
  PredictionRun& operator=(const PredictionRun&) = delete;
  ~PredictionRun();

  // The program is over: the cores are ours.
  void hurry();
  [[nodiscard]] bool finished() const { return running_.load(std::memory_order_acquire) == 0; }
  void wait();
  // Returns: how far the slowest platform is.
  [[nodiscard]] double virtual_time_s() const;
  [[nodiscard]] std::uint64_t slots_played() const;
  [[nodiscard]] std::size_t platforms() const { return placed_.size(); }

  // After wait(): what was measured, with one table of sites for everything, and the predictions in the platforms' order.
  struct Outcome {
    trace::SiteTable sites; // canonical numbers
    std::vector<trace::MeasuredRank> ranks;
    std::vector<sim::Prediction> predictions;
  };
  Outcome outcome();

private:
  void play(std::size_t index);
  void add_doubts(sim::Prediction& prediction, const PlacedPlatform& placed) const;
  void count(std::size_t rank);
  void lower_priority();

  trace::Recording& recording_;
  std::vector<PlacedPlatform> placed_;
  sim::Options options_;
  Faults faults_;
  std::string program_;     // as the recording said when this began
  std::string mpi_library_; // likewise
  bool background_;
  std::vector<std::unique_ptr<trace::RecordedTimelines>> timelines_;
  SlowdownTable slowdown_table_;
  std::vector<std::unique_ptr<region::Slowdowns>> slowdowns_; // [platform]; empty without a table
  std::vector<std::unique_ptr<sim::Progress>> progress_;
  std::vector<sim::Prediction> predictions_;
  std::vector<trace::SiteTable> rank_sites_;
  std::vector<trace::MeasuredRank> measured_;
  std::atomic<int> running_{0};
  std::mutex ids_mutex_;
  bool hurries_ = false;
  std::vector<int> thread_ids_;
  std::vector<std::thread> threads_;
};

} // namespace farcast::live
