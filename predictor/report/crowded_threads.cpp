#include "predictor/report/crowded_threads.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace farcast::report {

namespace {

struct NodeThreads {
  std::string host;
  std::vector<int> of_ranks; // threads that computed at a time, on cores that the rank might use
  trace::RankThreads cores;  // of all its ranks
  int isolation = 0;
  bool threaded = false;
};

void add_rank(const trace::RankRecording& rank, std::vector<NodeThreads>& nodes) {
  const auto same = [&](const NodeThreads& node) { return node.host == rank.host; };
  auto node = std::find_if(nodes.begin(), nodes.end(), same);
  if (node == nodes.end()) node = nodes.insert(nodes.end(), NodeThreads{rank.host, {}, {}, rank.isolation});
  const int threads = threads_at_a_time(rank.threads_seen);
  node->threaded = node->threaded || threads > 1;
  node->of_ranks.push_back(std::min(threads, cores_allowed(rank.threads_seen)));
  std::vector<std::uint64_t>& cores = node->cores.cores;
  cores.resize(std::max(cores.size(), rank.threads_seen.cores.size()), 0);
  for (std::size_t i = 0; i < rank.threads_seen.cores.size(); ++i) cores[i] |= rank.threads_seen.cores[i];
}

// Returns: threads that computed at a time, of as many ranks as might. Sorts them.
struct AtATime {
  std::size_t ranks = 0;
  int threads = 0;
};
AtATime at_a_time(NodeThreads& node) {
  std::sort(node.of_ranks.begin(), node.of_ranks.end(), std::greater<>());
  const std::size_t ranks =
      node.isolation > 0 ? std::min(node.of_ranks.size(), static_cast<std::size_t>(node.isolation)) : node.of_ranks.size();
  return {ranks, std::accumulate(node.of_ranks.begin(), node.of_ranks.begin() + static_cast<std::ptrdiff_t>(ranks), 0)};
}

} // namespace

std::vector<CrowdedThreads> crowded_threads(const trace::Recording& recording) {
  RanksOnFewCores few;
  std::vector<NodeThreads> nodes;
  for (const auto& rank : recording.ranks) {
    const int cores = cores_allowed(rank->threads_seen);
    if (cores == 0) continue; // unknown
    add_rank(*rank, nodes);
    const int threads = threads_at_a_time(rank->threads_seen);
    if (threads <= cores) continue;
    ++few.ranks;
    if (few.rank < 0 || threads * few.cores > few.threads * cores) few = {few.ranks, rank->rank, threads, cores};
  }
  std::vector<CrowdedThreads> out;
  if (few.ranks > 0) out.emplace_back(few);
  for (NodeThreads& node : nodes) {
    const AtATime computed = at_a_time(node);
    if (!node.threaded || computed.threads <= cores_allowed(node.cores)) continue;
    out.emplace_back(NodeOfFewCores{node.host, computed.ranks, computed.threads, cores_allowed(node.cores)});
    break;
  }
  return out;
}

std::optional<SharedCores> shared_cores(const trace::Recording& recording) {
  std::vector<NodeThreads> nodes;
  for (const auto& rank : recording.ranks)
    if (cores_allowed(rank->threads_seen) > 0) add_rank(*rank, nodes);
  for (NodeThreads& node : nodes) {
    const AtATime computed = at_a_time(node);
    if (!node.threaded && computed.threads > cores_allowed(node.cores))
      return SharedCores{node.host, computed.ranks, cores_allowed(node.cores)};
  }
  return std::nullopt;
}

} // namespace farcast::report
