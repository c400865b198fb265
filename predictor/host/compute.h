// How long a measured computation takes on a core of the virtual cluster.
//
// measured time, relative speed -> virtual time. What co-runners do to regions is
// region/slowdowns.h. How fast a core is in its processor's first state: the option
// --relative-speed, else the host's farcast:relative_speed, else its speed (flop/s) over that of
// the machine that the run was recorded on. That speed: the option --host-speed, else
// smpi/host-speed of the platform, else that of the first host without farcast:relative_speed.
// Another state follows the clock by the law of model/frequency_law.h, and by nothing else: its own
// speed only says how far the clock is down where no frequencies are named.
// Pure functions, any thread. Source: Soares16 (relative speed of processors).
#pragma once

#include "predictor/base/units.h"
#include "predictor/platform/platform.h"

#include <cstdint>
#include <optional>
#include <string>

namespace farcast::host {

struct AskedSpeed {
  std::optional<double> relative;              // --relative-speed, above 0
  std::optional<base::FlopsPerSecond> machine; // --host-speed: of the measuring machine
  bool of_trace = false;                       // computations have the hosts' own speeds already: flops of a trace
};

// Returns: measured / relative_speed. Requires: relative_speed > 0.
base::Seconds corrected_compute(base::Seconds measured, double relative_speed);

// Which relative speeds hold, and who says so.
struct ComputeSpeed {
  enum class Source : std::uint8_t {
    nobody,     // cores are as fast as measured
    option,     // --relative-speed
    platform,   // farcast:relative_speed of its hosts
    trace,      // flops of a trace, at the speed of the platform's own hosts
    machine,    // speed of its hosts, by --host-speed
    configured, // speed of its hosts, by smpi/host-speed
    first_host, // speed of its hosts, of which the first is taken to be as fast as the measuring machine
  };
  Source source = Source::nobody;
  double slowest = 1.0; // of the hosts, in their states
  double fastest = 1.0;
  std::string first_host{};               // first_host: its name
  std::optional<base::Hertz> frequency{}; // of all hosts, where they have several
  bool clock_assumed = false;             // a state that is not the first follows the clock wholly, as nobody says otherwise
};

// How fast the hosts of one platform are, relative to the machine that the run was recorded on. The
// platform must outlive it.
class Speeds {
public:
  Speeds(const platform::Platform& platform, const AskedSpeed& asked);
  // Returns: a number above 0.
  [[nodiscard]] double of(const platform::Host& host) const;
  [[nodiscard]] ComputeSpeed summary() const;

private:
  const platform::Platform& platform_;
  AskedSpeed asked_;
  const platform::Host* first_ = nullptr; // whose speed stands for the machine's; null: somebody says it, or nobody needs it
  std::optional<base::FlopsPerSecond> reference_; // speed of the measuring machine
};

} // namespace farcast::host
