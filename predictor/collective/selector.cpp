#include "predictor/collective/selector.h"

#include "predictor/collective/node_layout.h"
#include "predictor/collective/power_aware.h"

#include <algorithm>
#include <cmath>

namespace farcast::collective {

namespace {

using Kind = trace::CollectiveKind;

std::span<const Family> families(Library library) { return library == Library::mpich ? mpich_families() : openmpi_families(); }

const Family* family_for(const Call& call) {
  const Library library = library_of(call);
  if (call.context && call.context->nonblocking) {
    const auto nonblocking = library == Library::mpich ? mpich_nonblocking_families() : openmpi_nonblocking_families();
    if (const Family* family = family_of(nonblocking, call.kind)) return family;
  }
  return family_of(families(library), call.kind);
}

double measured(const Family& family, const Call& call) {
  if (family.measure == Measure::sent) return call.in_place ? call.ignored_bytes : call.bytes;
  if (family.measure == Measure::given) return call.bytes;
  const double total = call.blocks ? call.blocks->total() : call.bytes * call.at.size;
  return family.measure == Measure::total ? total : std::floor(total / call.at.size);
}

struct Choice {
  const Family* family = nullptr;
  int number = 0; // 0: none

  [[nodiscard]] const Algorithm& algorithm() const { return family->algorithms[static_cast<std::size_t>(number - 1)]; }
};

Choice settled(const Family& family, const Call& call, int number) {
  return {&family, family.settle ? family.settle(call, number) : number};
}

// The algorithm that was asked for by name, if the call has one.
Choice by_name(const Call& call) {
  const Selection* selection = call.context ? call.context->selection : nullptr;
  if (!selection || call.context->nonblocking) return {};
  const std::string_view name = selection->named[static_cast<std::size_t>(call.kind)];
  if (name.empty()) return {};
  const bool mpich = library_of(call) == Library::mpich;
  for (const Library library : {mpich ? Library::mpich : Library::openmpi, mpich ? Library::openmpi : Library::mpich}) {
    const Family* family = family_of(families(library), call.kind);
    if (!family) continue;
    for (std::size_t i = 0; i < family->algorithms.size(); ++i)
      if (family->algorithms[i].name == name) return settled(*family, call, static_cast<int>(i) + 1);
  }
  const NodeLayout* const nodes = call.context->nodes;
  if (name == power_aware_name(call.kind) && nodes != nullptr && lets_rest(call.kind, call.commutative, *nodes))
    return {family_of(power_aware_families(), call.kind), 1};
  return {};
}

Choice by_rules(const Call& call) {
  const Family* family = family_for(call);
  if (!family) return {};
  const double bytes = measured(*family, call);
  const double elements = elements_of(call);
  int number = 0;
  const bool by_nodes = call.context && call.context->nodes && call.context->nodes->two_levels();
  if (by_nodes && (call.commutative || call.kind == Kind::scan))
    number = decide(family->node_rules, call.at.size, bytes, elements);
  if (number == 0) {
    const bool in_order = !call.commutative && !family->in_order_rules.empty();
    number = decide(in_order ? family->in_order_rules : family->rules, call.at.size, bytes, elements);
  }
  return settled(*family, call, number);
}

Choice take(const Call& call) {
  const Choice named = by_name(call);
  return named.family ? named : by_rules(call);
}

} // namespace

Library library_of(const Call& call) {
  const Selection* selection = call.context ? call.context->selection : nullptr;
  return selection ? selection->library_or(Library::openmpi) : Library::openmpi;
}

double elements_of(const Call& call) {
  if (call.one_element) return 1;
  const bool blocks = call.kind == Kind::reduce_scatter_block;
  const double bytes = blocks ? call.bytes * call.at.size : call.bytes;
  return bytes <= 0 ? 0 : std::max(1.0, std::floor(bytes / call.element_bytes));
}

const Family* family_of(std::span<const Family> library, Kind kind) {
  const auto found = std::ranges::find(library, kind, &Family::kind);
  return found == library.end() ? nullptr : &*found;
}

std::string_view chosen(const Call& call) {
  if (call.at.size == 1) return "local";
  const Choice choice = take(call);
  return choice.family ? choice.algorithm().name : "none";
}

std::string_view choose(const Call& call, Schedule& out) {
  if (call.at.size == 1) return "local";
  const Choice choice = take(call);
  if (!choice.family) return "none";
  Call own = call;
  Blocks blocks = Blocks::uniform(call.bytes, call.at.size);
  if (!own.blocks) own.blocks = &blocks;
  choice.algorithm().append(own, out);
  return choice.algorithm().name;
}

} // namespace farcast::collective
