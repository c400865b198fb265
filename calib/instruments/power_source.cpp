#include "calib/instruments/power_source.h"

#include "calib/instruments/child_program.h"
#include "predictor/base/read_file.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

namespace farcast::instruments {

namespace {

namespace fs = std::filesystem;

constexpr auto kCounterPeriod = std::chrono::milliseconds(100); // counters wrap in minutes, and are updated every millisecond
constexpr double kLogPeriodS = 0.5;
constexpr int kLogPatience = 60; // periods without a new line of the log

std::optional<double> number_in(const fs::path& path) {
  std::ifstream file(path);
  double value = 0.0;
  return file >> value ? std::optional(value) : std::nullopt;
}

class MeterLog final : public PowerSource {
public:
  MeterLog(std::string path, double offset_s) : path_(std::move(path)), offset_s_(offset_s) {}

  base::Result<std::vector<study::PowerReading>> end(double until_s) override {
    std::size_t seen = 0;
    for (int waited = 0; waited < kLogPatience; ++waited) {
      auto readings = read();
      if (!readings) return readings;
      if (!readings->empty() && readings->back().time_s >= until_s) return readings;
      if (readings->size() > seen) waited = 0;
      seen = readings->size();
      if (!sleep_unless_ended(kLogPeriodS)) break;
    }
    const auto readings = read();
    if (!readings || readings->empty()) return base::fail(fmt::format("{}: found no reading, expected lines time,watts", path_));
    return base::fail(fmt::format("{}: found times from {:.1f} to {:.1f} s, expected them to reach {:.1f} (seconds since 1970; "
                                  "--meter-offset shifts them)",
                                  path_, readings->front().time_s, readings->back().time_s, until_s));
  }
  [[nodiscard]] std::string name() const override { return "the log " + path_; }

private:
  [[nodiscard]] base::Result<std::vector<study::PowerReading>> read() const {
    constexpr std::size_t kMost = std::size_t{256} << 20U; // lines of a day at 100 per second
    auto text = base::read_file(path_, kMost);
    if (!text) return tl::make_unexpected(text.error());
    std::string lines = *std::move(text);
    lines.resize(lines.rfind('\n') + 1); // the last line may be half written
    auto readings = study::read_power_log(lines, path_);
    if (readings) {
      for (study::PowerReading& reading : *readings) reading.time_s += offset_s_;
    }
    return readings;
  }
  std::string path_;
  double offset_s_;
};

class SampledEnergy final : public PowerSource {
public:
  SampledEnergy(std::function<base::Result<double>()> advance, std::string name)
      : advance_(std::move(advance)), name_(std::move(name)) {}
  SampledEnergy(const SampledEnergy&) = delete;
  SampledEnergy& operator=(const SampledEnergy&) = delete;
  ~SampledEnergy() override { stop(); }

  void begin() override { thread_ = std::thread(&SampledEnergy::sample, this); }
  [[nodiscard]] bool failed() const override { return failed_.load(); }
  base::Result<std::vector<study::PowerReading>> end(double /*until_s*/) override {
    stop();
    if (failed_.load()) return base::fail(reason_);
    return readings_;
  }
  [[nodiscard]] std::string name() const override { return name_; }

private:
  void sample() {
    const double start = seconds_since_1970();
    double before = start;
    auto joules = advance_(); // from where it counts
    while (joules && !stopped_.load()) {
      std::this_thread::sleep_for(kCounterPeriod);
      joules = advance_();
      const double now = seconds_since_1970();
      if (joules && now > before) readings_.push_back({now, *joules / (now - before)});
      before = now;
    }
    if (joules) return;
    reason_ = fmt::format("{} (after {:.1f} s)", joules.error().message, before - start);
    failed_ = true;
  }
  void stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::function<base::Result<double>()> advance_;
  std::string name_;
  std::vector<study::PowerReading> readings_; // of the thread until it has ended
  std::string reason_;                        // as readings_
  std::atomic<bool> stopped_{false};
  std::atomic<bool> failed_{false};
  std::thread thread_;
};

struct Counter {
  fs::path file;
  double range_uj; // it goes back to 0 there, in minutes at the earliest
  double last_uj;
};

// Returns: joules since the last call.
base::Result<double> advance(std::vector<Counter>& counters) {
  double joules = 0.0;
  for (Counter& counter : counters) {
    errno = 0;
    const auto now = number_in(counter.file);
    if (!now)
      return base::fail(fmt::format("the energy counter {} could not be read any more: {}", counter.file.string(),
                                    errno == 0 ? "found no number in it" : std::strerror(errno)));
    joules += 1e-6 * (*now >= counter.last_uj ? *now - counter.last_uj : *now - counter.last_uj + counter.range_uj);
    counter.last_uj = *now;
  }
  return joules;
}

} // namespace

double seconds_since_1970() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::unique_ptr<PowerSource> meter_log(const std::string& path, double offset_s) {
  return std::make_unique<MeterLog>(path, offset_s);
}

std::unique_ptr<PowerSource> sampled_energy(std::function<base::Result<double>()> advance, std::string name) {
  return std::make_unique<SampledEnergy>(std::move(advance), std::move(name));
}

std::unique_ptr<PowerSource> energy_counters(const std::string& folder) {
  std::vector<Counter> counters;
  std::vector<Counter> twins; // the same counters once more, by another way (intel-rapl-mmio)
  std::error_code error;
  for (const fs::directory_entry& zone : fs::directory_iterator(folder, error)) {
    std::ifstream file(zone.path() / "name");
    std::string name;
    // Packages hold their cores; memory is beside them where it has a counter. "psys" holds all of
    // that again.
    if (!(file >> name) || (!name.starts_with("package") && name != "dram")) continue;
    const auto energy = number_in(zone.path() / "energy_uj"); // opened, not listed: reading needs permission
    const auto range = number_in(zone.path() / "max_energy_range_uj");
    const bool twin = zone.path().filename().string().find("-mmio") != std::string::npos;
    if (energy && range) (twin ? twins : counters).push_back({zone.path() / "energy_uj", *range, *energy});
  }
  if (counters.empty()) counters = std::move(twins);
  if (counters.empty()) return nullptr;
  const std::string name = fmt::format("{} energy counters of the processor (no fans, disks or power supply)", counters.size());
  return sampled_energy([counters]() mutable { return advance(counters); }, name);
}

} // namespace farcast::instruments
