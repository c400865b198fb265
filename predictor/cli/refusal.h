// The sentence for a user whose wish cannot be met, and the exit code that goes with it. Threads: one.
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

namespace farcast::cli {

inline constexpr int kBadInput = 2;
inline constexpr int kNothingToMeasure = 3; // this machine shows nothing of what was asked for

// Prints on stderr. One that is closed or full hears nothing, and is no reason to stop.
template <class... Parts> void tell(fmt::format_string<Parts...> format, Parts&&... parts) {
  const std::string text = fmt::format(format, std::forward<Parts>(parts)...);
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

// Tells the sentence; an empty one was told by somebody else. Returns: `code`.
inline int refuse(std::string_view sentence, int code = kBadInput) {
  if (!sentence.empty()) tell("farcast: {}\n", sentence);
  return code;
}

} // namespace farcast::cli
