// What the hypervisor took from this node's processors, by /proc/stat. Out: a share of the
// processor time since construction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace farcast::live {

struct ProcessorTicks {
  std::uint64_t all = 0;
  std::uint64_t stolen = 0;
};

// Reads the first line of /proc/stat ("cpu user nice system idle iowait irq softirq steal guest
// guest_nice"; guest time is in user and nice already). Returns: nothing where it is none, or has
// no steal.
std::optional<ProcessorTicks> parse_processor_ticks(const std::string& line);

class StealTime {
public:
  StealTime();
  // Returns: 0.01 for 1 %; negative: unknown.
  [[nodiscard]] double share() const;

private:
  std::optional<ProcessorTicks> from_;
};

} // namespace farcast::live
