#include "predictor/live/module_list.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace farcast::live {

namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;

std::string_view take_word(std::string_view& line) {
  const std::size_t stop = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, stop);
  line.remove_prefix(std::min(stop + 1, line.size()));
  return word;
}

std::optional<std::uint64_t> hexadecimal(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// "<base> <end> <build-id or -> <path>"
std::optional<trace::LoadedModule> module_of(std::string_view line) {
  const auto base = hexadecimal(take_word(line));
  const auto end = hexadecimal(take_word(line));
  const std::string_view id = take_word(line);
  if (!base || !end || id.empty()) return std::nullopt;
  return trace::LoadedModule{*base, *end, id == "-" ? "" : std::string(id), std::string(line)};
}

} // namespace

void ModuleList::add(std::string_view text, std::vector<trace::LoadedModule>& out) {
  bytes_ += text.size();
  if (bytes_ > kMostBytes) return;
  while (!text.empty()) {
    const std::size_t stop = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, stop);
    text.remove_prefix(std::min(stop + 1, text.size()));
    auto module = module_of(line);
    if (module && known_.emplace(line).second) out.push_back(std::move(*module));
  }
}

} // namespace farcast::live
