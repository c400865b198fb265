// What energy costs: the text of --price.
#pragma once

#include "predictor/base/result.h"

#include <string>
#include <string_view>

namespace farcast::html {

struct Price {
  double per_kwh = 0;
  std::string currency; // empty: not said
};

// "0.25/kWh", "0.25 EUR/kWh", "EUR 0.25/kWh" or "0.25". Errors: "found ..., expected ...".
base::Result<Price> parse_price(std::string_view text);

} // namespace farcast::html
