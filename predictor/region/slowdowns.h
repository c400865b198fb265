// The slowdowns of one run's regions: from a table that was measured, for the region numbers of one
// set of timelines.
//
// Regions are told by the stacks of their two calls, as far as table and timelines know them. One
// that the table lacks takes its neighbourhood's curve: of the regions whose stacks agree longest,
// else that begin or end at the same call, else of those in the same source file, each weighted
// with its time; else 1. What share of the computation found what is counted. alone = measured *
// (sum over numbers of co-runners of share / slowdown), which is measured / slowdown for a visit
// with one number of co-runners.
// Threads: one owner, the one that plays the timelines; the sites may grow meanwhile. The table and
// the sites must outlive it.
// Source: Heinrich17 V-A2; the number of co-runners is that of each moment, not that of ranks on
// the node.
#pragma once

#include "predictor/base/result.h"
#include "predictor/region/frame_names.h"
#include "predictor/region/slowdown_table.h"
#include "predictor/trace/corunners.h"
#include "predictor/trace/sites.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace farcast::region {

enum class SlowdownMatch : std::uint8_t { exact, neighbour, same_file, none };

struct SlowdownCoverage { // measured seconds of computation
  double exact_s = 0;
  double neighbour_s = 0; // a region that begins or ends at the same call
  double same_file_s = 0;
  double none_s = 0;
  double beyond_s = 0; // of the first three: with more co-runners than was measured
  // Seconds of computation on the virtual nodes, and those with more co-runners than were measured.
  double played_s = 0;
  double played_beyond_s = 0;
  int corunners_played = 0;   // the largest of these
  int corunners_measured = 0; // and the largest that their regions were measured in
  [[nodiscard]] double total_s() const { return exact_s + neighbour_s + same_file_s + none_s; }
};

class Slowdowns : public trace::CorunnerCorrection {
public:
  Slowdowns(const SlowdownTable& table, const trace::SiteTable& sites, std::vector<trace::ResolvedSite> known);

  double alone_share(const trace::Operation& operation, const std::vector<double>& share) override;
  // Returns: cost of the region with so many co-runners on the virtual node / cost alone. A divisor
  // of SimGrid counts in alone_share.
  double slowdown(std::uint32_t region, int corunners);
  // Counts computation of the region with so many co-runners on the virtual node.
  void count_played(std::uint32_t region, int corunners, double seconds);
  [[nodiscard]] const SlowdownCoverage& coverage() const { return coverage_; }

private:
  struct Curve {
    SlowdownMatch match = SlowdownMatch::none;
    double divisor = 1.0;
    std::vector<SlowdownPoint> points; // empty: 1 with any number of co-runners
    bool known = false;
  };

  Curve& curve_of(std::uint32_t region);
  Curve find(std::uint32_t region);
  SiteKey key_of(const trace::Frame& frame);
  SiteStack key_of(const std::vector<trace::Frame>& stack);
  const std::vector<std::uint32_t>* by_stacks(const SiteStack& from, const SiteStack& to, SlowdownMatch& match) const;
  void add_up(Curve& curve, const std::vector<std::uint32_t>& regions) const;

  const SlowdownTable& table_;
  const trace::SiteTable& sites_;
  FrameNames names_;
  bool by_name_ = false; // SimGrid's file: sites have a file and a line only
  std::vector<std::map<std::pair<SiteStack, SiteStack>, std::vector<std::uint32_t>>> regions_; // [frames that are looked at - 1]
  std::map<SiteKey, std::vector<std::uint32_t>> from_;
  std::map<SiteKey, std::vector<std::uint32_t>> to_;
  std::map<std::string, std::vector<std::uint32_t>> file_;
  std::vector<Curve> curves_; // [region]
  SlowdownCoverage coverage_;
};

// Returns: the table belongs to a run of these objects; else a sentence that says what was measured
// instead.
base::Result<void> check_objects(const SlowdownTable& table, const std::vector<trace::LoadedModule>& modules);
// The same before the program runs, for the program's own file alone: another build-id under the
// same name.
base::Result<void> check_program(const SlowdownTable& table, const std::string& path);

} // namespace farcast::region
