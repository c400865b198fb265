// What the used nodes of the virtual cluster draw over virtual time, from what their cores do.
//
// (host, core, state, time) in time order -> energy per node and by cause. Heinrich17 eq. (1), with
// one dynamic power for each state s in {computing, computing bound by memory, polling, probing}:
//   P(node) = idle                                                             no core active
//           = static_active + sum over active cores of (all_s - static_active) / cores   otherwise
// A node with more threads than cores draws by their number instead (platform::ThreadFormulas): PW_low
// is its baseline, the rest is divided among the states of its threads by their numbers.
// 1. Every core is idle from the start on until set() says otherwise.
// 2. The meter adds up seconds and core-seconds, and multiplies by watts only at the end: a change
//    of a core's state touches that core and one sum (of a node with more threads than cores, whose
//    threads draw by their number, one per state), and the same calls give the same joules, bit for
//    bit.
// 3. The total of a node is the sum of its parts.
// One thread per meter; the platform must outlive it.
#pragma once

#include "predictor/energy/energy_parts.h"
#include "predictor/platform/platform.h"

#include <array>
#include <cstdint>
#include <vector>

namespace farcast::energy {

// slowed and the next three: in a collective that saves power (Kandalla10), at the processor's lowest
// clock; throttled not at all, to T7 half of the time, to T4, to T7. memory: computing, bound by
// memory.
enum class CoreState : std::uint8_t {
  idle,
  computing,
  polling,
  probing,
  slowed,
  half_throttled,
  throttled_t4,
  throttled_t7,
  memory
};
inline constexpr std::size_t kCoreStates = 9;

struct NodeEnergy {
  platform::HostId host = 0;
  base::Joules total{0.0};
  EnergyParts parts;
  base::Seconds idle{0.0}; // time without an active core
};

struct Energy {
  base::Joules total{0.0}; // of all used nodes
  EnergyParts parts;
  std::vector<NodeEnergy> nodes; // by host
};

// Returns: the formula of a host with more threads than cores that has one; null elsewhere.
const model::ThreadPower* thread_power_of(const platform::Host& host);

// Returns: what one core of the host adds in that state to the static part; 0 for idle. Of a slowed
// or throttled one that is its share (platform::PowerSaving) of what polling adds in the slowest
// processor state that has power figures; memory is as computing where the node has no figure of its
// own for it. Of threads beyond cores: KW_low. Requires: the host has power figures.
base::Watts dynamic_power(const platform::Host& host, CoreState state);

// Returns: what the node draws with that many cores in each state. Requires: power figures;
// active_cores[CoreState::idle] is not looked at.
base::Watts node_power(const platform::Host& host, const std::array<int, kCoreStates>& active_cores);

class PowerMeter {
public:
  // `used_hosts` may hold a host several times, in any order. Requires: each of them has power
  // figures.
  PowerMeter(const platform::Platform& platform, const std::vector<platform::HostId>& used_hosts,
             base::Seconds start = base::Seconds(0.0));

  // From `time` on the core is in `state`; the same state again changes nothing.
  // Requires: a used host, a core of it, and a time not before the last one given for this host.
  void set(platform::HostId host, int core, CoreState state, base::Seconds time);

  // Cores beside those that set() knows were in `state` for so long in all, at some time while a
  // core was active.
  // Requires: a used host; no more cores at a time than it has.
  void add(platform::HostId host, CoreState state, base::Seconds core_seconds);

  // Returns: the energy from the start until `time`. Requires: `time` is not before any time given
  // to set().
  // Changes nothing: may be called more than once.
  [[nodiscard]] Energy finish(base::Seconds time) const;

private:
  struct Core {
    double since_s = 0.0; // in its state; its core-seconds until then are added up
    CoreState state = CoreState::idle;
  };
  struct Node {
    platform::HostId host = 0;
    int active = 0;                              // cores
    double last_s = 0.0;                         // idle_s and active_s are up to here
    double idle_s = 0.0;                         // no core active
    double active_s = 0.0;                       // at least one core active
    const model::ThreadPower* threads = nullptr; // more of them than cores; null: eq. (1)
    std::array<double, kCoreStates> core_s{};    // [state] core-seconds
    std::vector<Core> cores;
    std::array<double, kCoreStates> thread_j{}; // [state] beyond PW_low

    void advance(double time_s);
    void count(Core& core, double time_s);
  };

  const platform::Platform& platform_;
  std::vector<Node> nodes_;          // by host
  std::vector<std::uint32_t> index_; // [host] into nodes_
};

} // namespace farcast::energy
