// What the bytes are that the choice of a collective's algorithm hangs on (selector.h). Pure function.
#pragma once

#include "predictor/trace/operation.h"

#include <string_view>

namespace farcast::collective {

// Returns: "of the buffer" and the like, to stand behind "bytes"; empty: the operation has none.
constexpr std::string_view counted_bytes(trace::CollectiveKind kind) {
  using trace::CollectiveKind;
  switch (kind) {
  case CollectiveKind::barrier:
    return "";
  case CollectiveKind::bcast:
  case CollectiveKind::reduce:
  case CollectiveKind::allreduce:
  case CollectiveKind::scan:
  case CollectiveKind::exscan:
    return "of the buffer";
  default:
    return "of one rank's block";
  }
}

} // namespace farcast::collective
