#include "predictor/live/module_list.h"

#include "predictor/base/words.h"

#include <optional>

namespace farcast::live {

namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;

// "<base> <end> <build-id or -> <path>"
std::optional<trace::LoadedModule> module_of(std::string_view line) {
  const auto begin = base::hexadecimal_in<std::uint64_t>(base::take_word(line));
  const auto end = base::hexadecimal_in<std::uint64_t>(base::take_word(line));
  const std::string_view id = base::take_word(line);
  if (!begin || !end || id.empty()) return std::nullopt;
  return trace::LoadedModule{*begin, *end, id == "-" ? "" : std::string(id), std::string(line)};
}

} // namespace

void ModuleList::add(std::string_view text, std::vector<trace::LoadedModule>& out) {
  bytes_ += text.size();
  if (bytes_ > kMostBytes) return;
  while (!text.empty()) {
    const std::string_view line = base::take_word(text, '\n');
    auto module = module_of(line);
    if (module && known_.emplace(line).second) out.push_back(std::move(*module));
  }
}

} // namespace farcast::live
