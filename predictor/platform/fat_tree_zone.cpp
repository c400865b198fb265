#include "predictor/platform/regular_zone.h"

#include <utility>

// A node of level l has a label of one digit per level: digits below l count parents, the others
// count children. Nodes of a level are numbered by their labels, the first digit fastest. A node's
// parents differ from it in the digit of its level only.

namespace farcast::platform {

std::uint64_t FatTreeZone::nodes_at(const FatTreeShape& shape, std::size_t level) {
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < shape.children.size(); ++i) {
    count *= i < level ? shape.parents[i] : shape.children[i];
  }
  return count;
}

std::uint64_t FatTreeZone::leaf_count(const FatTreeShape& shape) { return nodes_at(shape, 0); }

std::uint64_t FatTreeZone::switch_count(const FatTreeShape& shape) {
  std::uint64_t count = 0;
  for (std::size_t level = 1; level <= shape.children.size(); ++level) {
    count += nodes_at(shape, level);
  }
  return count;
}

std::uint64_t FatTreeZone::cable_count(const FatTreeShape& shape) {
  std::uint64_t count = 0;
  for (std::size_t level = 0; level < shape.children.size(); ++level) {
    count += nodes_at(shape, level) * shape.parents[level] * shape.cables[level];
  }
  return count;
}

FatTreeZone::FatTreeZone(FatTreeShape shape, RegularLinks links, std::uint32_t position_offset)
    : shape_(std::move(shape)), links_(links), position_offset_(position_offset) {
  std::uint64_t cables = 0;
  std::uint64_t nodes = 0;
  for (std::size_t level = 0; level <= shape_.children.size(); ++level) {
    first_cable_of_level_.push_back(cables);
    first_node_of_level_.push_back(nodes);
    nodes += nodes_at(shape_, level);
    cables += level < shape_.children.size() ? nodes_at(shape_, level) * shape_.parents[level] * shape_.cables[level] : 0;
  }
}

std::uint32_t FatTreeZone::position_of(const std::vector<std::uint32_t>& label, std::size_t level) const {
  std::uint32_t position = 0;
  for (std::size_t i = label.size(); i-- > 0;) {
    position = position * (i < level ? shape_.parents[i] : shape_.children[i]) + label[i];
  }
  return position;
}

std::uint64_t FatTreeZone::cable(const std::vector<std::uint32_t>& child_label, std::size_t level, std::uint32_t parent,
                                 std::uint32_t which) const {
  const std::uint64_t child = position_of(child_label, level);
  return first_cable_of_level_[level] + (child * shape_.parents[level] + parent) * shape_.cables[level] + which;
}

void FatTreeZone::pass_limiter(const std::vector<std::uint32_t>& label, std::size_t level, Way& way) const {
  if (links_.first_limiter) {
    way.links.push_back(*links_.first_limiter + static_cast<LinkId>(first_node_of_level_[level] + position_of(label, level)));
  }
}

std::vector<std::uint32_t> FatTreeZone::label_of(std::uint32_t leaf) const {
  std::vector<std::uint32_t> label(shape_.children.size());
  for (std::size_t i = 0; i < label.size(); ++i) {
    label[i] = leaf % shape_.children[i];
    leaf /= shape_.children[i];
  }
  return label;
}

bool FatTreeZone::find_way(const Topology& /*topology*/, std::uint32_t from, std::uint32_t to, Way& way) const {
  if (from == to && links_.first_loopback) {
    way.links.push_back(*links_.first_loopback + from);
    return true;
  }
  const std::size_t levels = shape_.children.size();
  std::vector<std::uint32_t> label = label_of(from); // of the node where the way has got to
  const std::vector<std::uint32_t> target = label_of(to);
  std::size_t level = 0;
  const auto above_target = [&] { // the target is below this node
    for (std::size_t i = level; i < levels; ++i) {
      if (label[i] != target[i]) {
        return false;
      }
    }
    return level > 0;
  };
  std::uint32_t destination = to + position_offset_;
  while (!above_target()) {
    const std::uint32_t port = destination % (shape_.parents[level] * shape_.cables[level]);
    const std::uint32_t parent = port % shape_.parents[level];
    pass_limiter(label, level, way);
    way.links.push_back(links_.up(cable(label, level, parent, port / shape_.parents[level])));
    destination /= shape_.parents[level];
    label[level++] = parent;
  }
  // SimGrid's walk over a switch's ports goes on where it stood one level higher, so that the cable
  // taken there counts too.
  std::uint32_t port = 0;
  bool start = true;
  while (level > 0) {
    const std::uint32_t children = shape_.children[level - 1];
    const std::uint32_t cables = shape_.cables[level - 1];
    if (start) {
      port = (from + position_offset_) % cables * children;
    }
    const std::uint32_t wanted = target[level - 1];
    port += (wanted + children - port % children) % children;
    start = port >= children * cables;
    if (start) {
      continue;
    }
    const std::uint32_t parent = label[level - 1];
    std::vector<std::uint32_t> child = label;
    child[level - 1] = wanted;
    way.links.push_back(links_.down(cable(child, level - 1, parent, port / children)));
    pass_limiter(label, level, way);
    label = std::move(child);
    --level;
    ++port;
  }
  pass_limiter(label, 0, way);
  return true;
}

} // namespace farcast::platform
