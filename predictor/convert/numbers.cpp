#include "predictor/convert/numbers.h"

#include <algorithm>
#include <fmt/format.h>

namespace farcast::convert {

bool CommunicatorNumbers::everyone(const trace::Communicator& communicator) {
  const auto [at, fresh] = everyone_.try_emplace(&communicator, false);
  if (fresh && communicator.remote.empty() && static_cast<int>(communicator.members.size()) == ranks_) {
    at->second = true;
    for (int i = 0; i < ranks_ && at->second; ++i) at->second = communicator.members[static_cast<std::size_t>(i)] == i;
  }
  return at->second;
}

int rank_in(const std::vector<int>& members, int world_rank) {
  const auto own = static_cast<std::size_t>(std::max(world_rank, 0));
  if (own < members.size() && members[own] == world_rank) return world_rank;
  const auto found = std::find(members.begin(), members.end(), world_rank);
  return found == members.end() ? -1 : static_cast<int>(found - members.begin());
}

int peer_in(const trace::Communicator& communicator, int peer) {
  if (peer < 0) return -1;
  const auto at = static_cast<std::size_t>(peer);
  const std::size_t size = communicator.members.size();
  return at >= size ? communicator.remote[at - size] : communicator.members[at];
}

std::string ranges(const std::vector<int>& ranks) {
  std::string out;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i + 1;
    const int step = last < ranks.size() ? ranks[last] - ranks[i] : 0;
    while (step > 0 && last < ranks.size() && ranks[last] - ranks[last - 1] == step) ++last;
    const std::size_t length = last - i;
    if (!out.empty()) out += ' ';
    if (length < 3) { // two are shorter one by one
      out += fmt::format("{}", ranks[i++]);
      continue;
    }
    out += step == 1 ? fmt::format("{}-{}", ranks[i], ranks[last - 1]) : fmt::format("{}-{}:{}", ranks[i], ranks[last - 1], step);
    i = last;
  }
  return out;
}

} // namespace farcast::convert
