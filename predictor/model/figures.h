// Checks of a model's figures before they are used: the first one out of range becomes the error.
//
//   return Figures("checkpoint").positive("tau", tau).at_least("nodes", nodes, 1).result();
// A figure that is not finite is out of every range. Threads: a value of its caller's.
#pragma once

#include "predictor/base/result.h"

#include <string_view>

namespace farcast::model {

class Figures {
public:
  explicit Figures(std::string_view of) : of_(of) {} // a name that outlives the checks

  Figures& positive(std::string_view name, double value);
  Figures& at_least(std::string_view name, double value, double least);
  // Both ends belong to it.
  Figures& within(std::string_view name, double value, double least, double most);
  [[nodiscard]] base::Result<void> result() const { return result_; }

private:
  Figures& require(bool holds, std::string_view name, double value, std::string_view expected);

  std::string_view of_;
  base::Result<void> result_;
};

} // namespace farcast::model
