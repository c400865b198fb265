#include "predictor/sim/predict.h"

#include "predictor/sim/engine.h"

namespace farcast::sim {

Prediction predict(trace::Timelines& timelines, const platform::Platform& platform, const platform::Placement& placement,
                   const Options& options, Progress* progress, Observer* observer) {
  return Engine(timelines, platform, placement, options, progress, observer).run();
}

} // namespace farcast::sim
