#include "predictor/cli/commands.h"
#include "predictor/cli/refusal.h"
#include "predictor/collective/counted_bytes.h"
#include "predictor/collective/node_layout.h"
#include "predictor/collective/ranges.h"
#include "predictor/collective/selection.h"

#include <fmt/format.h>

namespace farcast::cli {

namespace {

using collective::Range;
using trace::CollectiveKind;

bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::reduce || kind == CollectiveKind::allreduce || kind == CollectiveKind::reduce_scatter ||
         kind == CollectiveKind::reduce_scatter_block;
}

std::string what_counts(CollectiveKind kind) {
  const std::string_view counted = collective::counted_bytes(kind);
  return counted.empty() ? std::string() : fmt::format(", bytes {}", counted);
}

void print_ranges(const std::string& title, const std::vector<Range>& ranges) {
  fmt::print("{}\n", title);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges.size() == 1)
      fmt::print("  {:>24}  {}\n", "any", ranges[i].algorithm);
    else if (i + 1 < ranges.size())
      fmt::print("  {:>10.0f} .. {:>10.0f}  {}\n", ranges[i].first_bytes, ranges[i + 1].first_bytes - 1, ranges[i].algorithm);
    else
      fmt::print("  {:>10.0f} ..             {}\n", ranges[i].first_bytes, ranges[i].algorithm);
  }
}

void print_kind(CollectiveKind kind, int ranks, const collective::Context& context, double element) {
  const std::string title = fmt::format("{}{}", collective::name_of(kind), what_counts(kind));
  print_ranges(title, collective::ranges(kind, ranks, true, context, element));
  if (reduces(kind))
    print_ranges(title + ", operator that does not commute", collective::ranges(kind, ranks, false, context, element));
}

} // namespace

int collectives_command(const CollectivesQuery& query) {
  const auto selection = collective::parse_selection(query.library);
  if (!selection || !selection->library) {
    tell("farcast: --library: {}\n",
         selection ? fmt::format("'{}' names no library; there are openmpi, mpich", query.library) : selection.error().message);
    return kBadInput;
  }
  std::vector<std::uint32_t> hosts;
  hosts.reserve(static_cast<std::size_t>(query.ranks));
  for (int rank = 0; rank < query.ranks; ++rank) hosts.push_back(static_cast<std::uint32_t>(rank / query.ranks_per_node));
  const collective::NodeLayout nodes(hosts);
  const collective::Context context{.selection = &*selection, .nodes = &nodes};
  if (!query.operation.empty()) {
    // The same sentence as --collectives gives for a call that has no choice of algorithms.
    const auto kind = collective::kind_named(query.operation);
    if (!kind || collective::algorithms_of(*selection->library, *kind).empty()) {
      tell("farcast: --op: {}\n", collective::parse_selection(query.operation + "=").error().message);
      return kBadInput;
    }
    print_kind(*kind, query.ranks, context, query.element_bytes);
    return 0;
  }
  for (std::size_t kind = 0; kind < collective::kKinds; ++kind)
    if (!collective::algorithms_of(*selection->library, static_cast<CollectiveKind>(kind)).empty())
      print_kind(static_cast<CollectiveKind>(kind), query.ranks, context, query.element_bytes);
  return 0;
}

} // namespace farcast::cli
