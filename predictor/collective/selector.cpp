#include "predictor/collective/selector.h"

namespace farcast::collective {

namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;

// A line of Open MPI's fitted decisions: communicator sizes on one side of slope * bytes + offset.
struct Line {
  double slope; // [1 / byte]
  double offset;
  [[nodiscard]] double at(double bytes) const { return slope * bytes + offset; }
};

} // namespace

std::string_view choose_barrier(Place at, Schedule& out) {
  if (at.size == 1) return "local";
  if (at.size == 2 || is_power_of_two(at.size)) {
    recursive_doubling_barrier(at, out);
    return at.size == 2 ? "two_proc" : "recursive_doubling";
  }
  dissemination_barrier(at, out);
  return "bruck";
}

std::string_view choose_bcast(Place at, int root, double bytes, Schedule& out) {
  constexpr double kSmall = 2048;
  constexpr double kIntermediate = 370728;
  constexpr Line kPipeline128{1.6134e-6, 2.1102};
  constexpr Line kPipeline64{2.3679e-6, 1.1787};
  constexpr Line kPipeline16{3.2118e-6, 8.7936};
  if (at.size == 1) return "local";
  if (bytes < kSmall) {
    binomial_bcast(at, root, bytes, 0, out);
    return "binomial";
  }
  if (bytes < kIntermediate) {
    split_binary_tree_bcast(at, root, bytes, kKiB, out);
    return "split_binary_tree";
  }
  double segment = 8 * kKiB;
  if (at.size < kPipeline128.at(bytes)) {
    segment = 128 * kKiB;
  } else if (at.size < 13) {
    split_binary_tree_bcast(at, root, bytes, segment, out);
    return "split_binary_tree";
  } else if (at.size < kPipeline64.at(bytes)) {
    segment = 64 * kKiB;
  } else if (at.size < kPipeline16.at(bytes)) {
    segment = 16 * kKiB;
  }
  pipeline_bcast(at, root, bytes, segment, out);
  return "pipeline";
}

std::string_view choose_reduce(Place at, int root, double bytes, bool commutative, Schedule& out) {
  constexpr Line kBinary1{0.6016 / 1024, 1.3496};
  constexpr Line kPipeline1{0.0410 / 1024, 9.7128};
  constexpr Line kBinary32{0.0422 / 1024, 1.1614};
  constexpr Line kPipeline32{0.0033 / 1024, 1.6761};
  if (at.size == 1) return "local";
  if (commutative ? at.size < 8 && bytes < 512 : at.size < 12 && bytes < 2048) {
    linear_reduce(at, root, bytes, out);
    return "linear";
  }
  if (!commutative) {
    in_order_binary_reduce(at, root, bytes, 0, out);
    return "in_order_binary";
  }
  if (at.size < 8 && bytes < 20480) {
    binomial_reduce(at, root, bytes, 0, out);
    return "binomial";
  }
  if (bytes < 2048 || at.size > kBinary1.at(bytes)) {
    binary_reduce(at, root, bytes, bytes < 2048 ? 0 : kKiB, out);
    return "binary";
  }
  if (at.size > kPipeline1.at(bytes)) {
    pipeline_reduce(at, root, bytes, kKiB, out);
    return "pipeline";
  }
  if (at.size > kBinary32.at(bytes)) {
    binary_reduce(at, root, bytes, 32 * kKiB, out);
    return "binary";
  }
  pipeline_reduce(at, root, bytes, at.size > kPipeline32.at(bytes) ? 32 * kKiB : 64 * kKiB, out);
  return "pipeline";
}

std::string_view choose_allreduce(Place at, double bytes, bool commutative, Schedule& out) {
  constexpr double kSmall = 10000;
  constexpr double kElement = 8; // the size of an element is not known: rings need one for each rank
  constexpr int kManyRanks = 32; // rings take 2 (p-1) rounds
  constexpr double kSegment = kMiB;
  if (at.size == 1) return "local";
  if (bytes < kSmall) {
    recursive_doubling_allreduce(at, bytes, out);
    return "recursive_doubling";
  }
  if (!commutative || bytes <= kElement * at.size) {
    choose_reduce(at, 0, bytes, commutative, out);
    choose_bcast(at, 0, bytes, out);
    return "nonoverlapping";
  }
  if (bytes > kSegment * at.size) {
    segmented_ring_allreduce(at, bytes, kSegment, out);
    return "segmented_ring";
  }
  if (at.size > kManyRanks) {
    rabenseifner_allreduce(at, bytes, out);
    return "rabenseifner";
  }
  ring_allreduce(at, bytes, out);
  return "ring";
}

std::string_view choose_reduce_scatter(Place at, const Blocks& blocks, bool commutative, Schedule& out) {
  constexpr double kSmall = 12 * kKiB;
  constexpr double kLarge = 256 * kKiB;
  constexpr Line kHalving{0.0012, 8.0};
  const double bytes = blocks.total();
  if (at.size == 1) return "local";
  if (!commutative) {
    choose_reduce(at, 0, bytes, false, out);
    linear_scatter_blocks(at, blocks, out);
    return "nonoverlapping";
  }
  if (bytes <= kSmall || (bytes <= kLarge && is_power_of_two(at.size)) || at.size >= kHalving.at(bytes)) {
    recursive_halving_reduce_scatter(at, blocks, out);
    return "recursive_halving";
  }
  ring_reduce_scatter(at, blocks, out);
  return "ring";
}

std::string_view choose_scan(Place at, double bytes, Schedule& out) {
  constexpr int kFewRanks = 4; // a chain of as many messages as recursive doubling has rounds, or nearly
  if (at.size == 1) return "local";
  if (at.size <= kFewRanks) {
    linear_scan(at, bytes, out);
    return "linear";
  }
  recursive_doubling_scan(at, bytes, out);
  return "recursive_doubling";
}

std::string_view choose_gather(Place at, int root, double block, Schedule& out) {
  constexpr double kLargeBlock = 92160;
  constexpr double kIntermediateBlock = 6000;
  constexpr double kSmallBlock = 1024;
  if (at.size == 1) return "local";
  if (block > kIntermediateBlock) {
    linear_sync_gather(at, root, block, block > kLargeBlock ? 32 * kKiB : kKiB, out);
    return "linear_sync";
  }
  if (at.size > 60 || (at.size > 10 && block < kSmallBlock)) {
    binomial_gather(at, root, block, out);
    return "binomial";
  }
  linear_gather(at, root, block, out);
  return "basic_linear";
}

std::string_view choose_scatter(Place at, int root, double block, Schedule& out) {
  if (at.size == 1) return "local";
  if (at.size > 10 && block < 300) {
    binomial_scatter(at, root, block, out);
    return "binomial";
  }
  linear_scatter(at, root, block, out);
  return "basic_linear";
}

std::string_view choose_allgather(Place at, double block, Schedule& out) {
  constexpr double kSmallTotal = 50000;
  if (at.size > 2 && is_power_of_two(at.size) && block * at.size < kSmallTotal) {
    recursive_doubling_allgather(at, block, out);
    return "recursive_doubling";
  }
  return choose_allgatherv(at, Blocks::uniform(block, at.size), out);
}

std::string_view choose_allgatherv(Place at, const Blocks& blocks, Schedule& out) {
  constexpr double kSmallTotal = 50000;
  if (at.size == 1) return "local";
  if (at.size == 2) {
    ring_allgather(at, blocks, out); // one exchange
    return "two_proc";
  }
  if (blocks.total() < kSmallTotal) {
    bruck_allgather(at, blocks, out);
    return "bruck";
  }
  if (at.size % 2 == 0) {
    neighbor_exchange_allgather(at, blocks, out);
    return "neighbor_exchange";
  }
  ring_allgather(at, blocks, out);
  return "ring";
}

std::string_view choose_alltoall(Place at, double block, Schedule& out) {
  if (at.size == 1) return "local";
  if (at.size == 2) {
    pairwise_alltoall(at, block, out); // one exchange
    return "two_proc";
  }
  if (block < 200 && at.size > 12) {
    bruck_alltoall(at, block, out);
    return "bruck";
  }
  if (block < 3000) {
    linear_alltoall(at, block, out);
    return "basic_linear";
  }
  pairwise_alltoall(at, block, out);
  return "pairwise";
}

} // namespace farcast::collective
