#include "predictor/model/figures.h"

#include <cmath>
#include <fmt/format.h>

namespace farcast::model {

Figures& Figures::require(bool holds, std::string_view name, double value, std::string_view expected) {
  if (result_ && !(holds && std::isfinite(value)))
    result_ = base::fail(fmt::format("{}: {} is {:g}, expected {}", of_, name, value, expected));
  return *this;
}

Figures& Figures::positive(std::string_view name, double value) { return require(value > 0.0, name, value, "more than 0"); }

Figures& Figures::at_least(std::string_view name, double value, double least) {
  return require(value >= least, name, value, fmt::format("at least {:g}", least));
}

Figures& Figures::within(std::string_view name, double value, double least, double most) {
  return require(value >= least && value <= most, name, value, fmt::format("{:g} to {:g}", least, most));
}

} // namespace farcast::model
