// Ensembles: scenarios that differ in what is left to chance, and what their predictions come to together.
//
// A realisation is one history of those that chance allows (sim::Options::seed); the mean over them is what to expect of a
// program that repeats such patterns, their range what to expect of single runs. Threads: pure functions.
#pragma once

#include "predictor/scenario/questions.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace farcast::scenario {

struct Spread { // seconds
  double mean = 0;
  double median = 0;
  double least = 0;
  double most = 0;
};

// Requires: values is not empty.
Spread spread_of(std::vector<double> values);

// The calls at one site: in each realisation the rank that spends the least time in them, of those that spend any, and the rank
// that spends the most.
struct SiteSpread {
  Spread quickest_rank;
  Spread slowest_rank;
};

struct Realisations {
  std::uint64_t first_seed = 1;
  std::size_t count = 0;
  Spread time;                               // of the predictions
  std::map<std::uint32_t, SiteSpread> sites; // those that some rank spends time at, in each realisation
};

using RealisationsOf = std::vector<std::optional<Realisations>>; // of each of several predictions; empty: there are none

// Requires: members is not empty; one numbering of sites.
Realisations realisations_of(const std::vector<sim::Prediction>& members);

// Each scenario as it stands, and `count` realisations of those that leave something to chance: with seeds from 1 on, or from
// its own on if it has one. 0: no realisations.
class Ensembles {
public:
  Ensembles(const std::vector<Scenario>& scenarios, std::size_t count);
  // Returns: what is to be asked.
  [[nodiscard]] const std::vector<Scenario>& all() const { return all_; }

  struct Divided {
    std::vector<sim::Prediction> usual; // [scenario]
    RealisationsOf realisations;        // [scenario]
  };
  // Requires: the predictions of all().
  [[nodiscard]] Divided divide(std::vector<sim::Prediction> predictions) const;

private:
  std::size_t count_;
  std::vector<Scenario> all_;      // the scenarios, then each one's realisations
  std::vector<std::size_t> first_; // [scenario] of its realisations in all_; 0: it has none
};

} // namespace farcast::scenario
