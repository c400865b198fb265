// Call sites' names, for predictions and reports: what the run file already knows (from the
// program's own machine), else the symbolizer.
//
// Threads: one owner. The objects' debug information is opened at the first question.
#pragma once

#include "predictor/region/symbolizer.h"
#include "predictor/trace/recording.h"
#include "predictor/trace/sites.h"

#include <optional>
#include <utility>
#include <vector>

namespace farcast::region {

class FrameNames {
public:
  explicit FrameNames(std::vector<trace::ResolvedSite> known = {}) : known_(std::move(known)) {}
  // Returns: the names of the place; its text is never empty.
  trace::ResolvedSite of(const trace::Frame& frame);
  // Returns: the function that the place stands in; nothing where the object is not there any more. Run
  // files do not carry it.
  FunctionLines function_around(const trace::Frame& frame);
  // Returns: what is known by now, for the run file. The object knows nothing then.
  std::vector<trace::ResolvedSite> take_known() { return std::exchange(known_, {}); }

private:
  std::vector<trace::ResolvedSite> known_;
  std::optional<Symbolizer> symbolizer_;
};

} // namespace farcast::region
