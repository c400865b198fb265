#include "predictor/live/job_claims.h"

#include "libinterpose/stream/protocol.h"
#include "predictor/base/words.h"
#include "predictor/live/rank_file.h"

#include <cstring>
#include <map>
#include <set>

namespace farcast::live {

Claim claim_in(const stream::RankHeader& head, int pid) {
  Claim out;
  const int rank = read_once(head.world_rank);
  const int world_size = read_once(head.world_size);
  if (rank < 0 || rank >= world_size) return out;
  out.pid = pid;
  out.rank = rank;
  out.world_size = world_size;
  out.mpi_version.assign(head.mpi_version, strnlen(head.mpi_version, sizeof(head.mpi_version)));
  out.counters.assign(head.counters, strnlen(head.counters, sizeof(head.counters)));
  return out;
}

int size_by_voices(const std::vector<const Claim*>& claims) {
  std::map<int, std::set<int>> voices; // processes, by the size that they say
  for (const Claim* claim : claims) {
    if (claim->world_size > 0) voices[claim->world_size].insert(claim->pid);
  }
  int size = 0;
  for (const Claim* claim : claims) {
    const int said = claim->world_size;
    if (said > 0 && (size == 0 || voices[said].size() > voices[size].size())) size = said;
  }
  return size;
}

std::vector<bool> accepted(const std::vector<const Claim*>& claims, int world_size) {
  std::set<int> ranks;
  std::vector<bool> out;
  out.reserve(claims.size());
  for (const Claim* claim : claims) out.push_back(claim->world_size == world_size && ranks.insert(claim->rank).second);
  return out;
}

std::vector<std::string> event_names(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty() && out.size() < stream::kMostCounters) {
    if (const std::string_view name = base::take_word(text, ','); !name.empty()) out.emplace_back(name);
  }
  return out;
}

} // namespace farcast::live
