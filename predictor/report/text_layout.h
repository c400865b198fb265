// The building blocks of the text report: headings, wrapped paragraphs, cut names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace farcast::report {

inline constexpr std::size_t kHeadingColumns = 75; // as mpiP's
inline constexpr std::size_t kTextColumns = 96;
inline constexpr std::size_t kPlatformColumns = 22;

// Appends mpiP's section heading: a rule, "@--- <title> ----", a rule.
void append_heading(std::string& out, std::string_view title);

// Appends `text` wrapped at kTextColumns. The first line starts with `first`, the others with as
// many blanks.
void append_wrapped(std::string& out, std::string_view first, std::string_view text);

// Appends a table without rules, its first row the heading: the first and the last column stand left,
// the others right. Requires: rows of the same length, at least one.
using TableRow = std::vector<std::string>;
void append_table(std::string& out, const std::vector<TableRow>& rows);

// Returns: `text` cut to `columns` with "..." in place of its end (its start for paths, whose end
// tells more).
std::string cut_end(const std::string& text, std::size_t columns);
std::string cut_start(const std::string& text, std::size_t columns);

// Returns: the name of a platform as tables and headings show it; for the path of a file its end.
std::string short_platform(const std::string& platform);

// Returns: the text as a field of a CSV file.
std::string in_csv_quotes(const std::string& text);

// Returns: indices 0 .. weights.size() - 1 in falling order of weight, equal ones in rising order
// of index, without those of weight 0, at most `limit`.
std::vector<std::size_t> largest(const std::vector<double>& weights, std::size_t limit);

} // namespace farcast::report
