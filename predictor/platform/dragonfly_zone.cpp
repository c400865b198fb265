#include "predictor/platform/regular_zone.h"

#include <algorithm>

namespace farcast::platform {

namespace {

// Number of the pair (a, b), a != b, among all pairs of `count` things, in the order (0,1), (0,2)
// ... (1,2) ...
std::uint64_t pair_number(std::uint64_t a, std::uint64_t b, std::uint64_t count) {
  const std::uint64_t low = std::min(a, b);
  const std::uint64_t high = std::max(a, b);
  return low * (2 * count - low - 1) / 2 + (high - low - 1);
}

std::uint64_t pairs(std::uint64_t count) { return count * (count - 1) / 2; }

} // namespace

std::uint64_t DragonflyZone::router_count(const DragonflyShape& shape) {
  return static_cast<std::uint64_t>(shape.groups) * shape.chassis * shape.blades;
}

std::uint64_t DragonflyZone::vertex_count(const DragonflyShape& shape) { return router_count(shape) * shape.nodes; }

std::uint64_t DragonflyZone::cable_count(const DragonflyShape& shape, Cable kind) {
  switch (kind) {
  case Cable::local:
    return vertex_count(shape);
  case Cable::green:
    return static_cast<std::uint64_t>(shape.groups) * shape.chassis * pairs(shape.blades);
  case Cable::black:
    return static_cast<std::uint64_t>(shape.groups) * pairs(shape.chassis) * shape.blades;
  case Cable::blue:
    return pairs(shape.groups);
  }
  return 0;
}

DragonflyZone::Place DragonflyZone::place_of(std::uint32_t vertex) const {
  const std::uint32_t blade = vertex / shape_.nodes;
  const std::uint32_t chassis = blade / shape_.blades;
  return {chassis / shape_.chassis, chassis % shape_.chassis, blade % shape_.blades, vertex % shape_.nodes};
}

LinkId DragonflyZone::local(std::uint32_t router, std::uint32_t node, bool up) const {
  const std::uint64_t cable = static_cast<std::uint64_t>(router) * shape_.nodes + node;
  return up ? links_.up(cable) : links_.down(cable);
}

LinkId DragonflyZone::green(const Place& at, std::uint32_t to_blade) const {
  const std::uint64_t chassis = static_cast<std::uint64_t>(at.group) * shape_.chassis + at.chassis;
  const std::uint64_t cable =
      cable_count(shape_, Cable::local) + chassis * pairs(shape_.blades) + pair_number(at.blade, to_blade, shape_.blades);
  return at.blade < to_blade ? links_.up(cable) : links_.down(cable);
}

LinkId DragonflyZone::black(const Place& at, std::uint32_t to_chassis) const {
  const std::uint64_t pair = at.group * pairs(shape_.chassis) + pair_number(at.chassis, to_chassis, shape_.chassis);
  const std::uint64_t cable =
      cable_count(shape_, Cable::local) + cable_count(shape_, Cable::green) + pair * shape_.blades + at.blade;
  return at.chassis < to_chassis ? links_.up(cable) : links_.down(cable);
}

LinkId DragonflyZone::blue(std::uint32_t from_group, std::uint32_t to_group) const {
  const std::uint64_t cable = cable_count(shape_, Cable::local) + cable_count(shape_, Cable::green) +
                              cable_count(shape_, Cable::black) + pair_number(from_group, to_group, shape_.groups);
  return from_group < to_group ? links_.up(cable) : links_.down(cable);
}

void DragonflyZone::pass_limiter(const Place& at, Way& way) const {
  if (links_.first_limiter) {
    way.links.push_back(*links_.first_limiter +
                        static_cast<LinkId>(vertex_count(shape_) + router(at.group, at.chassis, at.blade)));
  }
}

bool DragonflyZone::find_way(const Topology& /*topology*/, std::uint32_t from, std::uint32_t to, Way& way) const {
  if (from == to && links_.first_loopback) {
    way.links.push_back(*links_.first_loopback + from);
    return true;
  }
  const Place source = place_of(from);
  const Place target = place_of(to);
  const std::uint32_t target_router = router(target.group, target.chassis, target.blade);
  Place at = source;
  if (links_.first_limiter) {
    way.links.push_back(*links_.first_limiter + from);
  }
  way.links.push_back(local(router(source.group, source.chassis, source.blade), source.node, true));
  if (router(source.group, source.chassis, source.blade) != target_router) {
    if (target.group != at.group) {
      if (at.blade != target.group) { // to the blade that has the cable
        pass_limiter(at, way);
        way.links.push_back(green(at, target.group));
        at.blade = target.group;
      }
      if (at.chassis != 0) {
        pass_limiter(at, way);
        way.links.push_back(black(at, 0));
        at.chassis = 0;
      }
      way.links.push_back(blue(at.group, target.group));
      pass_limiter(at, way);
      at = {target.group, 0, source.group, 0};
    }
    if (target.blade != at.blade) {
      pass_limiter(at, way);
      way.links.push_back(green(at, target.blade));
      at = {target.group, 0, target.blade, 0}; // SimGrid 3.32 takes the way to be in chassis 0 from here, wherever it was
    }
    if (target.chassis != at.chassis) {
      pass_limiter(at, way);
      way.links.push_back(black(at, target.chassis));
    }
  }
  pass_limiter(target, way);
  way.links.push_back(local(target_router, target.node, false));
  if (links_.first_limiter) {
    way.links.push_back(*links_.first_limiter + to);
  }
  return true;
}

} // namespace farcast::platform
