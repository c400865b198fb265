#include "predictor/platform/regular_zone.h"

namespace farcast::platform {

std::uint64_t TorusZone::vertex_count(const std::vector<std::uint32_t>& sizes) {
  std::uint64_t count = 1;
  for (const std::uint32_t size : sizes) {
    count *= size;
  }
  return count;
}

bool TorusZone::find_way(const Topology& /*topology*/, std::uint32_t from, std::uint32_t to, Way& way) const {
  if (from == to && links_.first_loopback) {
    way.links.push_back(*links_.first_loopback + from);
    return true;
  }
  const auto cable = [this](std::uint32_t vertex, std::size_t dimension) {
    return static_cast<std::uint64_t>(vertex) * sizes_.size() + dimension;
  };
  const auto pass_limiter = [&](std::uint32_t vertex) {
    if (links_.first_limiter) {
      way.links.push_back(*links_.first_limiter + vertex);
    }
  };
  std::uint32_t at = from;
  std::uint32_t stride = 1;
  for (std::size_t dimension = 0; dimension < sizes_.size(); ++dimension) {
    const std::uint32_t size = sizes_[dimension];
    const std::uint32_t start = from / stride % size;
    const std::uint32_t goal = to / stride % size;
    // SimGrid's rule for "to the right", which is not the shorter way around in every case.
    const bool right = (goal > start && goal <= start + size / 2) || (start > size / 2 && (start + size / 2) % size >= goal);
    for (std::uint32_t here = start; here != goal;) {
      pass_limiter(at);
      const std::uint32_t there = right ? (here + 1 == size ? 0 : here + 1) : (here == 0 ? size - 1 : here - 1);
      const std::uint32_t next = at - here * stride + there * stride;
      way.links.push_back(right ? links_.up(cable(at, dimension)) : links_.down(cable(next, dimension)));
      at = next;
      here = there;
    }
    stride *= size;
  }
  pass_limiter(to);
  return true;
}

} // namespace farcast::platform
