// Something to be said beside a prediction, as data that many predictions can share.
//
// Who makes the words stands above this floor (report/remarks.h); a sweep keeps them with its answers.
#pragma once

#include <string>

namespace farcast::scenario {

struct Remark {
  bool caution = false; // why the figures may be far off; else what they assume
  std::string subject;  // shared by remarks whose sentences differ in figures alone; empty: none are
  double extent = 0;    // of those figures: where it is largest, most is said
  std::string sentence; // without a full stop

  auto operator<=>(const Remark&) const = default;
};

} // namespace farcast::scenario
