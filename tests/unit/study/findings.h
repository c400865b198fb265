// Looking for a finding of one kind.
#pragma once

#include "predictor/model/finding.h"

#include <vector>

namespace farcast::test {

// Returns: the first finding of this kind among the faults (or among the remarks); null without one.
template <class Kind> const Kind* find(const std::vector<model::Finding>& findings, bool fault) {
  for (const model::Finding& finding : findings) {
    const Kind* what = std::get_if<Kind>(&finding.what);
    if (what != nullptr && finding.fault == fault) return what;
  }
  return nullptr;
}

template <class Kind> const Kind* fault(const std::vector<model::Finding>& findings) { return find<Kind>(findings, true); }
template <class Kind> const Kind* remark(const std::vector<model::Finding>& findings) { return find<Kind>(findings, false); }

} // namespace farcast::test
