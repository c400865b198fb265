// Call sites' names where they are needed while a prediction runs: what the run file already knows, else the symbolizer.
//
// Threads: one owner. The objects' debug information is opened at the first question.
#pragma once

#include "predictor/region/symbolizer.h"
#include "predictor/trace/recording.h"
#include "predictor/trace/sites.h"

#include <optional>
#include <vector>

namespace farcast::region {

class FrameNames {
public:
  explicit FrameNames(std::vector<trace::ResolvedSite> known = {}) : known_(std::move(known)) {}
  // Returns: the names of the place; its text is never empty.
  trace::ResolvedSite of(const trace::Frame& frame);

private:
  std::vector<trace::ResolvedSite> known_;
  std::optional<Symbolizer> symbolizer_;
};

} // namespace farcast::region
