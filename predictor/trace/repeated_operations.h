// The operations of a row of repeated calls that start requests (libinterpose/stream/record.h), which
// differ from the first of them in their times and in their request, whose numbers ascend: told
// once, unfolded where they are played.
#pragma once

#include "predictor/trace/operation.h"

#include <cstdint>

namespace farcast::trace {

// Those that follow an operation.
struct RepeatedOperations {
  struct Times { // the first `longer` operations take one tick more than the others
    base::Seconds long_one{0.0};
    base::Seconds short_one{0.0};
    std::uint64_t longer = 0;

    base::Seconds take() {
      if (longer == 0) return short_one;
      --longer;
      return long_one;
    }
  };
  std::uint64_t count = 0;
  Times compute;
  Times measured;
};

// Makes the next one of an operation. Requires: rest.count > 0.
inline void repeat(RepeatedOperations& rest, Operation& operation) {
  --rest.count;
  operation.compute = rest.compute.take();
  operation.measured = rest.measured.take();
  ++operation.request;
}

} // namespace farcast::trace
