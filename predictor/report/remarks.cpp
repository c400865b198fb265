#include "predictor/report/remarks.h"

#include "predictor/report/cautions.h"
#include "predictor/report/sentences.h"

#include <string>
#include <utility>

namespace farcast::report {

namespace {

using scenario::Remark;

// The figure in which an assumption differs between the points of a sweep, and what it is about.
struct Extent {
  std::pair<std::string, double> operator()(const sim::GivenPolls& polls) const {
    return {polls.probes ? "MPI_Iprobe" : "MPI_Test", polls.share};
  }
  std::pair<std::string, double> operator()(const sim::PollingAssumed& polling) const {
    return {"polling", polling.all_polling.value()};
  }
  std::pair<std::string, double> operator()(const sim::MemoryUncontended& nodes) const { return {"memory", nodes.ranks}; }
  template <class Other> std::pair<std::string, double> operator()(const Other& /*same everywhere*/) const { return {}; }
};

} // namespace

std::vector<Remark> remarks_of(const sim::Prediction& prediction) {
  std::vector<Remark> remarks = caution_remarks(prediction);
  for (const sim::Assumption& assumption : prediction.assumptions) {
    auto [subject, extent] = std::visit(Extent(), assumption);
    if (!subject.empty()) subject += " on " + prediction.platform;
    remarks.push_back({false, std::move(subject), extent, assumption_sentence(assumption)});
  }
  return remarks;
}

std::vector<Remark> remarks_of(const scenario::Realisations& realisations) {
  std::string sentence = chance_sentence(realisations);
  if (sentence.empty()) return {};
  return {{true, "single runs", realisations.time.most / realisations.time.least, std::move(sentence)}};
}

} // namespace farcast::report
