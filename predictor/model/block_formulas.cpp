#include "predictor/model/block_formulas.h"

#include "predictor/base/words.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <vector>

namespace farcast::model {

std::string_view name_of(Block block) {
  constexpr std::string_view kNames[] = {"p2p", "broadcast", "scat", "gather", "a2a", "bar", "rdisk", "wdisk"};
  return kNames[static_cast<std::size_t>(block)];
}

bool has_size(Block block) { return block != Block::barrier; }
bool has_processes(Block block) {
  return block != Block::point_to_point && block != Block::disk_read && block != Block::disk_write;
}

std::optional<BlockParameters> parse_block(std::string_view text) {
  BlockParameters out;
  double* const figures[] = {&out.start_s, &out.per_byte_s, &out.unit_bytes};
  const std::vector<std::string_view> parts = base::split(text, ':');
  if (parts.size() < 2 || parts.size() > std::size(figures)) return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::optional<double> value = base::number_in<double>(base::trimmed(parts[i]));
    if (!value || !std::isfinite(*value)) return std::nullopt;
    *figures[i] = *value;
  }
  return out.per_byte_s >= 0.0 && out.unit_bytes > 0.0 ? std::optional(out) : std::nullopt;
}

double block_weight(Block block, double unit_bytes, int processes, double bytes) {
  const double count = processes, log = std::log10(count);
  const double data = has_size(block) ? std::ceil(bytes / unit_bytes) * unit_bytes : 0.0;
  switch (block) {
  case Block::point_to_point:
  case Block::disk_read:
  case Block::disk_write:
    return data;
  case Block::broadcast:
    return data * log;
  case Block::scatter:
  case Block::gather:
    return data * log / count;
  case Block::all_to_all:
    return data * count;
  case Block::barrier:
    return log;
  }
  return 0.0;
}

double block_time(Block block, const BlockParameters& parameters, int processes, double bytes) {
  const double weight = block_weight(block, parameters.unit_bytes, processes, bytes);
  return std::max(0.0, parameters.start_s + parameters.per_byte_s * weight);
}

} // namespace farcast::model
