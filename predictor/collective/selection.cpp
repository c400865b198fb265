#include "predictor/collective/selection.h"

#include "predictor/base/nearest_name.h"
#include "predictor/collective/power_aware.h"
#include "predictor/collective/selector.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace farcast::collective {

namespace {

using Kind = trace::CollectiveKind;

constexpr std::string_view kLibraries[] = {"openmpi", "mpich"}; // [Library]
constexpr std::string_view kClosedForm = "closed-form";
constexpr std::string_view kBlock = "block:";
constexpr Kind kBlockKinds[] = {Kind::bcast, Kind::scatter, Kind::gather, Kind::alltoall, Kind::barrier}; // Proficz16 Table 1

// [kind]; the last ones have no choice: neighbours all at once, and an agreement.
constexpr std::string_view kKindNames[kKinds] = {"barrier",
                                                 "bcast",
                                                 "reduce",
                                                 "allreduce",
                                                 "reduce_scatter",
                                                 "reduce_scatter_block",
                                                 "scan",
                                                 "exscan",
                                                 "gather",
                                                 "gatherv",
                                                 "scatter",
                                                 "scatterv",
                                                 "allgather",
                                                 "allgatherv",
                                                 "alltoall",
                                                 "alltoallv",
                                                 "alltoallw",
                                                 "neighbor_allgather",
                                                 "neighbor_allgatherv",
                                                 "neighbor_alltoall",
                                                 "neighbor_alltoallv",
                                                 "neighbor_alltoallw",
                                                 "synchronize",
                                                 "construct"};

std::vector<std::string_view> choosable() {
  std::vector<std::string_view> names;
  for (const Family& family : openmpi_families()) names.push_back(name_of(family.kind));
  return names;
}

std::string nearest(std::string_view word, const std::vector<std::string_view>& names) {
  const auto best = std::ranges::min_element(names, {}, [&](std::string_view name) { return base::edit_distance(word, name); });
  if (best == names.end() || base::edit_distance(word, *best) > std::max<std::size_t>(2, word.size() / 3)) return {};
  return fmt::format(" (did you mean {}?)", *best);
}

// "T:K" or "T:K:D" behind "block:".
base::Result<void> add_block(std::string_view call, Kind kind, std::string_view text, Selection& selection) {
  if (std::ranges::find(kBlockKinds, kind) == std::end(kBlockKinds))
    return base::fail(fmt::format("{} has no block formula; bcast, scatter, gather, alltoall and barrier have one", call));
  const std::optional<model::BlockParameters> formula = model::parse_block(text);
  if (!formula) return base::fail(fmt::format("found '{}=block:{}', expected block: with {}", call, text, model::kBlockText));
  selection.blocks[static_cast<std::size_t>(kind)] = formula;
  return {};
}

base::Result<void> name_algorithm(std::string_view item, Selection& selection) {
  const std::size_t equals = item.find('=');
  const std::string_view call = item.substr(0, equals);
  const std::string_view name = item.substr(equals + 1);
  const auto kind = kind_named(call);
  if (!kind || !family_of(openmpi_families(), *kind)) {
    const auto calls = choosable();
    return base::fail(
        fmt::format("'{}' is no collective call{}; there are {}", call, nearest(call, calls), fmt::join(calls, ", ")));
  }
  if (name.starts_with(kBlock)) return add_block(call, *kind, name.substr(kBlock.size()), selection);
  std::vector<std::string_view> names = algorithms_of(Library::openmpi, *kind);
  const auto others = algorithms_of(Library::mpich, *kind);
  const std::string_view power_aware = power_aware_name(*kind);
  const std::string ours = fmt::format("{}", fmt::join(names, ", "));
  names.insert(names.end(), others.begin(), others.end());
  if (!power_aware.empty()) names.push_back(power_aware);
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    return base::fail(fmt::format("'{}' is no algorithm for {}{}; Open MPI has {}; MPICH has {}{}", name, call,
                                  nearest(name, names), ours, fmt::join(others, ", "),
                                  power_aware.empty() ? "" : fmt::format("; to save power there is {}", power_aware)));
  selection.named[static_cast<std::size_t>(*kind)] = *found;
  return {};
}

base::Result<void> add_item(std::string_view item, Selection& selection) {
  if (item.find('=') != std::string_view::npos) return name_algorithm(item, selection);
  if (item == kClosedForm) {
    selection.closed_form = true;
    return {};
  }
  const auto found = std::ranges::find(kLibraries, item);
  if (found == std::end(kLibraries)) {
    std::vector<std::string_view> names(std::begin(kLibraries), std::end(kLibraries));
    names.push_back(kClosedForm);
    return base::fail(
        fmt::format("'{}' is no library{}; there are {}, or CALL=ALGORITHM", item, nearest(item, names), fmt::join(names, ", ")));
  }
  const auto library = static_cast<Library>(found - std::begin(kLibraries));
  if (selection.library && *selection.library != library)
    return base::fail(fmt::format("found '{}' and '{}', expected one library", name_of(*selection.library), item));
  selection.library = library;
  return {};
}

} // namespace

base::Result<Selection> parse_selection(std::string_view text) {
  Selection selection;
  while (true) {
    const std::size_t comma = text.find(',');
    if (auto added = add_item(text.substr(0, comma), selection); !added) return tl::unexpected(added.error());
    if (comma == std::string_view::npos) return selection;
    text.remove_prefix(comma + 1);
  }
}

Library library_named(std::string_view recorded) { return recorded == "MPICH" ? Library::mpich : Library::openmpi; }

std::string_view name_of(Library library) { return kLibraries[static_cast<std::size_t>(library)]; }
std::string_view name_of(Kind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::optional<Kind> kind_named(std::string_view name) {
  const auto found = std::ranges::find(kKindNames, name);
  if (found == std::end(kKindNames)) return std::nullopt;
  return static_cast<Kind>(found - std::begin(kKindNames));
}

std::vector<std::string_view> algorithms_of(Library library, Kind kind) {
  const Family* family = family_of(library == Library::mpich ? mpich_families() : openmpi_families(), kind);
  std::vector<std::string_view> names;
  if (family)
    for (const Algorithm& algorithm : family->algorithms) names.push_back(algorithm.name);
  return names;
}

} // namespace farcast::collective
