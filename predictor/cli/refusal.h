// The sentence for a user whose wish cannot be met, and the exit code that goes with it. Threads: one.
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <string_view>

namespace farcast::cli {

inline constexpr int kBadInput = 2;
inline constexpr int kNothingToMeasure = 3; // this machine shows nothing of what was asked for

// Prints the sentence on stderr; an empty one was told by somebody else. Returns: `code`.
inline int refuse(std::string_view sentence, int code = kBadInput) {
  if (!sentence.empty()) fmt::print(stderr, "farcast: {}\n", sentence);
  return code;
}

} // namespace farcast::cli
