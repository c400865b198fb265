#include "predictor/live/threads_seen.h"

#include "predictor/live/rank_file.h"

#include <algorithm>

namespace farcast::live {

trace::RankThreads threads_seen(const stream::RankHeader& head) {
  constexpr std::uint32_t kMost = 1u << 16;
  trace::RankThreads out;
  out.program = static_cast<int>(std::min(read_once(head.program_threads), kMost));
  out.computing = static_cast<int>(std::min(read_once(head.computing_threads), kMost));
  out.peak_cores = std::min(head.peak_cores.load(std::memory_order_relaxed), 100 * kMost) / 100.0;
  for (const std::uint64_t& word : head.cores) out.cores.push_back(read_once(word));
  while (!out.cores.empty() && out.cores.back() == 0) out.cores.pop_back();
  return out;
}

} // namespace farcast::live
