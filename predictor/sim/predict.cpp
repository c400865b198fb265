#include "predictor/sim/predict.h"

#include "predictor/sim/engine.h"

namespace farcast::sim {

Prediction predict(trace::Timelines& timelines, const platform::Platform& platform, const platform::Placement& placement,
                   const Options& options, Progress* progress) {
  return Engine(timelines, platform, placement, options, progress).run();
}

} // namespace farcast::sim
