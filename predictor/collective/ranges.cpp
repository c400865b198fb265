#include "predictor/collective/ranges.h"

#include "predictor/collective/selector.h"

#include <cmath>
#include <set>

namespace farcast::collective {

namespace {

using Kind = trace::CollectiveKind;

// Every size at which a rule, or a count of elements that rules and fall-backs look at, can change
// its mind.
std::set<double> candidates(const Family& family, int size, double element_bytes) {
  std::set<double> bytes{1};
  const double scale = family.measure == Measure::total ? size : 1;
  for (const auto rules : {family.rules, family.in_order_rules, family.node_rules})
    for (const Rule& rule : rules)
      if (rule.below_bytes != kAny) bytes.insert(std::ceil(rule.below_bytes / scale));
  const double blocks = family.kind == Kind::reduce_scatter_block ? size : 1;
  for (const double elements : {2.0, static_cast<double>(size), static_cast<double>(floor_power_of_two(size))})
    bytes.insert(std::ceil(elements * element_bytes / blocks));
  return bytes;
}

} // namespace

std::vector<Range> ranges(Kind kind, int size, bool commutative, const Context& context, double element_bytes) {
  Call call{.kind = kind, .at = Place{0, size}, .commutative = commutative, .element_bytes = element_bytes, .context = &context};
  const auto at = [&](double bytes) {
    call.bytes = bytes;
    const Blocks blocks = Blocks::uniform(bytes, size);
    call.blocks = &blocks;
    return chosen(call);
  };
  if (kind == Kind::barrier) return {{0, at(0)}};
  std::set<double> starts;
  for (const auto library : {openmpi_families(), mpich_families(), openmpi_nonblocking_families(), mpich_nonblocking_families()})
    if (const Family* family = family_of(library, kind)) starts.merge(candidates(*family, size, element_bytes));
  std::vector<Range> out;
  for (const double bytes : starts)
    if (const std::string_view name = at(bytes); out.empty() || out.back().algorithm != name) out.push_back({bytes, name});
  return out;
}

} // namespace farcast::collective
