// What the call sites and regions of a time line are called.
//
// In: the numbers of one table of sites. Out: the MPI function and the place of each. Plain data.
#pragma once

#include "predictor/region/frame_names.h"
#include "predictor/trace/sites.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace farcast::timeline {

struct CallName {
  std::string function; // "MPI_Send"
  std::string place;    // "solver.c:120", or symbol+offset, or module+offset
  std::string file;     // empty: unknown
  int line = 0;         // 0: unknown
};

class Names {
public:
  Names() = default;
  Names(const trace::SiteTable& sites, region::FrameNames& frames);
  // By hand; regions: (site, site).
  Names(std::vector<CallName> calls, std::vector<std::pair<std::uint32_t, std::uint32_t>> regions)
      : calls_(std::move(calls)), regions_(std::move(regions)) {}

  // Numbers that no table has get an empty name.
  [[nodiscard]] const CallName& call(std::uint32_t site) const;
  // Returns: the calls that a region lies between.
  [[nodiscard]] std::pair<const CallName&, const CallName&> between(std::uint32_t region) const;
  // Returns: "solver.c:90 -> solver.c:120".
  [[nodiscard]] std::string region(std::uint32_t region) const;

private:
  std::vector<CallName> calls_; // [site]
  std::vector<std::pair<std::uint32_t, std::uint32_t>> regions_;
};

} // namespace farcast::timeline
