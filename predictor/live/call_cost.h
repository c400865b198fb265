// What recording added to a call of one rank, by the samples that its threads took of it while they
// recorded.
#pragma once

#include "libinterpose/stream/ring_reader.h"
#include "libinterpose/stream/segment.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace farcast::live {

// Returns: ticks per call, growing the rings included; unset: too few samples were taken to tell.
std::optional<std::uint64_t> sampled_call_cost(const std::vector<stream::CostSamples>& threads, double ticks_per_second);

} // namespace farcast::live
