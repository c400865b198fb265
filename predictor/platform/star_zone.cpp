#include "predictor/platform/star_zone.h"

#include <algorithm>

namespace farcast::platform {

void StarZone::add_vertex(std::span<const LinkId> up, std::span<const LinkId> down, std::span<const LinkId> loopback,
                          Point gateway) {
  vertices_.push_back({static_cast<std::uint32_t>(links_.size()), static_cast<std::uint8_t>(up.size()),
                       static_cast<std::uint8_t>(down.size()), static_cast<std::uint8_t>(loopback.size())});
  for (const std::span<const LinkId> part : {up, down, loopback}) {
    links_.insert(links_.end(), part.begin(), part.end());
  }
  if (gateway.zone != kNoZone || !gateways_.empty()) {
    gateways_.resize(vertices_.size());
    gateways_.back() = gateway;
  }
}

bool StarZone::find_way(const Topology& /*topology*/, std::uint32_t from, std::uint32_t to, Way& way) const {
  const auto links_of = [this](std::uint32_t first, std::uint8_t count) { return std::span(links_).subspan(first, count); };
  const Vertex& source = vertices_[from];
  const Vertex& destination = vertices_[to];
  if (from == to && source.loopback > 0) {
    const auto loopback = links_of(source.first + source.up + source.down, source.loopback);
    way.links.insert(way.links.end(), loopback.begin(), loopback.end());
    return true;
  }
  const auto begin = static_cast<std::ptrdiff_t>(way.links.size());
  for (const auto part : {links_of(source.first, source.up), links_of(destination.first + destination.up, destination.down)}) {
    for (const LinkId link : part) {
      if (std::find(way.links.begin() + begin, way.links.end(), link) == way.links.end()) {
        way.links.push_back(link);
      }
    }
  }
  if (!gateways_.empty()) {
    way.first_gateway = from < gateways_.size() ? gateways_[from] : Point{};
    way.last_gateway = to < gateways_.size() ? gateways_[to] : Point{};
  }
  return true;
}

} // namespace farcast::platform
