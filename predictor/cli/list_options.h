// Options that may be given several times, each time a name and a list: NAME=A,B,...
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace farcast::cli {

// Appends what `parse` reads of each text to `lists`; CLI::ValidationError where it reads nothing,
// or a name has a list already. `name`: member of a list that tells it from the others.
template <class List, class Parse, class Name>
void add_named_lists(const std::string& option, const std::vector<std::string>& texts, Parse parse, Name name,
                     std::vector<List>& lists) {
  for (const std::string& text : texts) {
    auto read = parse(text);
    if (!read) throw CLI::ValidationError(option, read.error().message);
    if (std::ranges::any_of(lists, [&](const List& one) { return one.*name == (*read).*name; }))
      throw CLI::ValidationError(option, fmt::format("found {} twice, expected one list for it", (*read).*name));
    lists.push_back(std::move(*read));
  }
}

} // namespace farcast::cli
