// What scenarios are asked about: a run, whose operations are decoded once however many scenarios
// play them.
//
// Implementations: recorded_source.h (live runs, run files), ti_source.h (SimGrid's traces).
// Threads: expect() first; then open() from any; each reading belongs to the thread that plays it.
#pragma once

#include "predictor/region/slowdowns.h"
#include "predictor/scenario/region_spread.h"
#include "predictor/scenario/scenario.h"
#include "predictor/trace/sites.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace farcast::scenario {

// Returns: the call sites and regions that operations number; to be called when all readings of the
// source have been played.
using Sites = std::function<trace::SiteTable()>;

// What one scenario plays.
class Reading {
public:
  Reading() = default;
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  virtual ~Reading() = default;

  virtual trace::Timelines& timelines() = 0;
  // Returns: what co-runners do to regions in this scenario; null: nothing is known of it.
  virtual region::Slowdowns* slowdowns() { return nullptr; }
  // Puts what the source knows of a prediction into it, when it has been played.
  virtual void conclude(sim::Prediction& prediction) = 0;
  // Returns: how many slots of a recording have been played, about. Any thread.
  [[nodiscard]] virtual std::uint64_t slots_played() const { return 0; }
  // Returns: a function that outlives the reading.
  [[nodiscard]] virtual Sites sites() const = 0;
};

class Source {
public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  // How many readings will be opened, of which `at_once` are played at a time. `begin` is called by
  // each thread that the source starts, before anything else.
  virtual void expect(std::size_t readings, std::size_t at_once, std::function<void()> begin) = 0;
  virtual std::unique_ptr<Reading> open(const Scenario& scenario) = 0;
  // Members of an ensemble will be asked, once all that was expected before has been read.
  // Returns: whether the source can draw their computation.
  virtual bool vary_computation(Deviations /*deviations*/) { return false; }
  // Returns: whether outcomes that hang on timing are those of the recording; once members are asked.
  [[nodiscard]] virtual bool outcomes_as_recorded() const { return false; }
};

} // namespace farcast::scenario
