#include "predictor/sim/predict.h"

#include "predictor/sim/engine.h"

namespace farcast::sim {

MessageModel message_model_of(const platform::Platform& platform, const Options& options) {
  const bool ordered = platform.transport.kind != platform::TransportKind::smpi;
  return options.p2p.value_or(ordered ? MessageModel::channel : MessageModel::smpi);
}

Prediction predict(trace::Timelines& timelines, const platform::Platform& platform, const platform::Placement& placement,
                   const Options& options, Progress* progress, Observer* observer) {
  return Engine(timelines, platform, placement, options, progress, observer).run();
}

} // namespace farcast::sim
