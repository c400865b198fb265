// A SimGrid TI trace as a source.
//
// Computation is flops: each scenario divides them by the speeds of its own hosts. What is wrong in
// a trace ends its timelines; which mistake that is hangs on the order of reading, so who explains
// it plays the scenario once more on timelines_for().
// Threads: as Source.
#pragma once

#include "predictor/scenario/decodings.h"
#include "predictor/scenario/source.h"
#include "predictor/trace/ti_trace.h"

#include <memory>

namespace farcast::scenario {

// Returns: timelines that are read for this scenario alone. Requires: its platform says what a test
// costs.
trace::TiTimelines timelines_for(const trace::TiTraceFiles& files, const PlacedPlatform& placed);

class TiSource final : public Source {
public:
  explicit TiSource(trace::TiTraceFiles files);
  ~TiSource() override;

  void expect(std::size_t readings, std::size_t at_once, std::function<void()> begin) override;
  // Requires: the scenario's platform says what a test costs.
  std::unique_ptr<Reading> open(const Scenario& scenario) override;

private:
  struct Decoding;
  class Alone;
  class OneOfMany;

  trace::TiTraceFiles files_;
  bool alone_ = true;
  std::unique_ptr<Decodings<Decoding>> decodings_;
};

// Returns: what a site of a trace is called: "file:line", or "trace" for the trace itself.
std::string ti_site_text(const trace::Site& site);

} // namespace farcast::scenario
