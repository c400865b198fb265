#include "predictor/trace/run_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace farcast::trace {

namespace {

base::Result<void> check_same_job(const Recording& first, const Recording& other) {
  const auto differs = [&](const char* what, const auto& a, const auto& b) {
    return base::fail(
        fmt::format("cannot join '{}' and '{}': the {} differs ('{}' and '{}')", first.source, other.source, what, a, b));
  };
  if (first.program != other.program) return differs("program", first.program, other.program);
  if (first.mpi_library != other.mpi_library) return differs("MPI library", first.mpi_library, other.mpi_library);
  if (first.world_size != other.world_size) return differs("number of ranks", first.world_size, other.world_size);
  return {};
}

base::Result<void> check_disjoint(const std::vector<std::unique_ptr<Recording>>& parts) {
  std::map<int, const Recording*> holder;
  for (const auto& part : parts) {
    for (const auto& rank : part->ranks) {
      if (rank->rank < 0) continue;
      const auto [at, fresh] = holder.emplace(rank->rank, part.get());
      if (!fresh)
        return base::fail(
            fmt::format("cannot join '{}' and '{}': both hold rank {}", at->second->source, part->source, rank->rank));
    }
  }
  return {};
}

void add_part(Recording& whole, Recording& part) {
  whole.source += (whole.source.empty() ? "" : " ") + part.source;
  whole.start_date = whole.start_date.empty() ? part.start_date : std::min(whole.start_date, part.start_date);
  if (part.predictor_cpu_s >= 0) whole.predictor_cpu_s = std::max(whole.predictor_cpu_s, 0.0) + part.predictor_cpu_s;
  if (whole.coupled_to.empty()) whole.coupled_to = part.coupled_to;
  whole.steal_share = std::max(whole.steal_share, part.steal_share);
  whole.backlog_records += part.backlog_records;
  for (const std::string& note : part.notes) {
    if (std::find(whole.notes.begin(), whole.notes.end(), note) == whole.notes.end()) whole.notes.push_back(note);
  }
  if (part.mpi_version != whole.mpi_version) {
    whole.notes.push_back(fmt::format("the nodes have different versions of {}", whole.mpi_library));
  }
  if (part.counters != whole.counters) {
    for (const auto& rank : part.ranks) rank->counters_note = "its node was recorded with other counters, or with none";
  }
  std::move(part.resolved.begin(), part.resolved.end(), std::back_inserter(whole.resolved));
  std::move(part.ranks.begin(), part.ranks.end(), std::back_inserter(whole.ranks));
  part.ranks.clear();
}

// Nodes mostly know the same sites: one entry each, the first one wins.
void drop_repeated_sites(std::vector<ResolvedSite>& sites) {
  std::set<std::tuple<std::string, std::string, std::uint64_t>> seen;
  std::erase_if(sites, [&](const ResolvedSite& site) { return !seen.emplace(site.module, site.build_id, site.offset).second; });
}

// "0-3, 7"
std::string ranges_of(const std::vector<int>& ranks) {
  std::string out;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    out += out.empty() ? "" : ", ";
    out += last == i ? std::to_string(ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[last]);
    i = last + 1;
  }
  return out;
}

} // namespace

base::Result<std::unique_ptr<Recording>> join(std::vector<std::unique_ptr<Recording>> parts) {
  if (parts.empty()) return base::fail("there is no run file to read");
  if (parts.size() == 1) return std::move(parts.front());
  for (const auto& part : parts) {
    if (base::Result<void> same = check_same_job(*parts.front(), *part); !same) return tl::unexpected(same.error());
  }
  if (base::Result<void> disjoint = check_disjoint(parts); !disjoint) return tl::unexpected(disjoint.error());
  auto whole = std::make_unique<Recording>(0);
  const Recording& first = *parts.front();
  whole->program = first.program;
  whole->executable = first.executable;
  whole->mpi_library = first.mpi_library;
  whole->mpi_version = first.mpi_version;
  whole->world_size = first.world_size;
  for (const auto& part : parts) {
    if (whole->counters.empty()) whole->counters = part->counters;
  }
  for (const auto& part : parts) add_part(*whole, *part);
  drop_repeated_sites(whole->resolved);
  std::stable_sort(whole->ranks.begin(), whole->ranks.end(), [](const auto& a, const auto& b) {
    return static_cast<unsigned>(a->rank) < static_cast<unsigned>(b->rank); // -1, those without a number, last
  });
  whole->joined = std::move(parts);
  return whole;
}

base::Result<void> check_complete(const Recording& recording) {
  std::set<int> present;
  for (const auto& rank : recording.ranks) present.insert(rank->rank);
  std::vector<int> missing;
  for (int rank = 0; rank < recording.world_size; ++rank) {
    if (!present.contains(rank)) missing.push_back(rank);
  }
  if (missing.empty() && recording.ranks.size() == static_cast<std::size_t>(recording.world_size)) return {};
  if (missing.empty())
    return base::fail(fmt::format("'{}' holds {} processes, not each rank of {} once", recording.source, recording.ranks.size(),
                                  recording.world_size));
  return base::fail(fmt::format("'{}' lacks rank {} of {}: give the run files of the other nodes of the job as well",
                                recording.source, ranges_of(missing), recording.world_size));
}

} // namespace farcast::trace
