#include "predictor/cli/runs_of_files.h"

#include "predictor/trace/run_file.h"

#include <algorithm>
#include <set>
#include <utility>

namespace farcast::cli {

namespace {

using Parts = std::vector<std::unique_ptr<trace::Recording>>;

std::set<int> ranks_of(const trace::Recording& part) {
  std::set<int> out;
  for (const auto& rank : part.ranks) out.insert(rank->rank);
  return out;
}

bool belongs(const Parts& parts, const trace::Recording& part) {
  const std::set<int> more = ranks_of(part);
  return std::all_of(parts.begin(), parts.end(), [&](const auto& one) {
    const std::set<int> there = ranks_of(*one);
    return one->program == part.program && one->mpi_library == part.mpi_library && one->world_size == part.world_size &&
           std::none_of(more.begin(), more.end(), [&](int rank) { return there.contains(rank); });
  });
}

struct Group {
  std::vector<std::string> files;
  Parts parts;
  bool whole = false; // nothing can be added
};

} // namespace

base::Result<std::vector<RunOfFiles>> runs_of(const std::vector<std::string>& files) {
  std::vector<Group> groups;
  for (const std::string& file : files) {
    auto part = trace::read_run_file(file);
    if (!part) return tl::make_unexpected(part.error());
    const bool whole = trace::check_complete(**part).has_value();
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& one) { return !whole && !one.whole && belongs(one.parts, **part); });
    if (group == groups.end()) {
      groups.push_back({{}, {}, whole});
      group = groups.end() - 1;
    }
    group->files.push_back(file);
    group->parts.push_back(std::move(*part));
  }
  std::vector<RunOfFiles> out;
  for (Group& group : groups) {
    auto run = trace::join(std::move(group.parts));
    if (!run) return tl::make_unexpected(run.error());
    if (auto complete = trace::check_complete(**run); !complete) return tl::make_unexpected(complete.error());
    out.push_back({std::move(group.files), std::move(*run)});
  }
  return out;
}

} // namespace farcast::cli
