// Where this node's power can be read: the processor's energy counters, or the log of a wattmeter.
//
// Threads: one; a counter source samples in a thread of its own between begin() and end().
#pragma once

#include "calib/study/power_calibration.h"
#include "predictor/base/result.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace farcast::instruments {

class PowerSource {
public:
  PowerSource() = default;
  PowerSource(const PowerSource&) = delete;
  PowerSource& operator=(const PowerSource&) = delete;
  virtual ~PowerSource() = default;
  virtual void begin() {}
  // Returns: whether nothing more will come; end() says why then.
  [[nodiscard]] virtual bool failed() const { return false; }
  // Returns: what was read, up to `until_s` (seconds since 1970) at least. Errors: it does not come
  // that far.
  virtual base::Result<std::vector<study::PowerReading>> end(double until_s) = 0;
  [[nodiscard]] virtual std::string name() const = 0;
};

// A log that another program writes meanwhile, `offset_s` to be added to its times.
std::unique_ptr<PowerSource> meter_log(const std::string& path, double offset_s);
// The sum of all packages' and memories' counters below a folder such as /sys/class/powercap; none:
// nothing there can be read. Counters that wrap are followed; one that can no longer be read ends
// the source.
std::unique_ptr<PowerSource> energy_counters(const std::string& folder);
// `advance` returns the joules since its last call; it is called about ten times a second, by a
// thread of the source.
std::unique_ptr<PowerSource> sampled_energy(std::function<base::Result<double>()> advance, std::string name);

double seconds_since_1970();

} // namespace farcast::instruments
