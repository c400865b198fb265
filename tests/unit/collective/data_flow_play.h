// Plays an algorithm under a model of its data flow and checks how it ends.
#pragma once

#include "data_flow.h"
#include "predictor/collective/algorithms.h"

#include <catch2/catch.hpp>

#include <functional>
#include <initializer_list>
#include <memory>
#include <numeric>

namespace farcast::collective::test {

inline std::vector<int> flow_sizes() {
  std::vector<int> sizes(33);
  std::iota(sizes.begin(), sizes.end(), 1);
  sizes.insert(sizes.end(), {48, 50});
  return sizes;
}

using ByBlocks = std::function<void(Place, const Blocks&, Schedule&)>;
using Rooted = std::function<void(Place, int root, double bytes, Schedule&)>;
using Unrooted = std::function<void(Place, double bytes, Schedule&)>;

template <class F> std::vector<std::pair<std::string, F>> named(std::initializer_list<std::pair<const char*, F>> list) {
  return {list.begin(), list.end()};
}

// Plays an algorithm over telling blocks. Returns: the model, at its end.
inline std::unique_ptr<TellingBlocks> played(int p, bool reduces, int all_at, const ByBlocks& algorithm) {
  auto model = std::make_unique<TellingBlocks>(p, reduces);
  if (all_at >= 0) TellingBlocks::give_all_to(all_at, p, *model);
  const std::vector<double> sizes = TellingBlocks::sizes(p);
  const Blocks blocks = Blocks::listed(sizes);
  const Outcome outcome = play(
      p, [&](Place at, Schedule& out) { algorithm(at, blocks, out); }, model.get());
  REQUIRE(outcome.fault == "");
  REQUIRE(model->fault() == "");
  return model;
}

inline bool has_all_blocks(const TellingBlocks::Held& held, int p) {
  for (int block = 0; block < p; ++block) {
    const auto found = held.find(block);
    if (found == held.end() || !found->second.test(static_cast<std::size_t>(block))) return false;
  }
  return true;
}

// What a reduction over whole windows must leave: `bytes` of every rank's contribution, everywhere
// or at the root.
inline void check_reduction(const std::string& name, int p, int root, double bytes,
                            const std::function<void(Place, Schedule&)>& algorithm) {
  CAPTURE(name, p, root, bytes);
  Windows model(p, bytes);
  const Outcome outcome = play(p, algorithm, &model);
  REQUIRE(outcome.fault == "");
  REQUIRE(model.fault() == "");
  for (int rank = 0; rank < p; ++rank) {
    if (root >= 0 && rank != root) continue;
    CAPTURE(rank);
    const Windows::Window& end = model.end(rank);
    REQUIRE(end.low == 0);
    REQUIRE(end.high == bytes);
    REQUIRE(end.from == first_ranks(p));
  }
}

} // namespace farcast::collective::test
