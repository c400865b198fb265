#include "predictor/report/text_layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace farcast::report {

void append_heading(std::string& out, std::string_view title) {
  const std::string rule(kHeadingColumns, '-');
  std::string line = fmt::format("@--- {} ", title);
  line.append(line.size() < kHeadingColumns ? kHeadingColumns - line.size() : 0, '-');
  out += fmt::format("{}\n{}\n{}\n", rule, line, rule);
}

void append_wrapped(std::string& out, std::string_view first, std::string_view text) {
  const std::string indent(first.size(), ' ');
  std::string line(first);
  bool empty = true; // nothing after the indentation yet
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t to = std::min(text.find_first_of(" \n", from), text.size());
    const std::string_view word = text.substr(from, to - from);
    from = to + 1;
    if (word.empty()) continue;
    if (!empty && line.size() + 1 + word.size() > kTextColumns) {
      out += line + '\n';
      line = indent;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  out += line + '\n';
}

void append_table(std::string& out, const std::vector<TableRow>& rows) {
  std::vector<std::size_t> width(rows.front().size(), 0);
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  for (const TableRow& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool left = i == 0 || i + 1 == row.size();
      line += left ? fmt::format(" {:<{}}", row[i], width[i]) : fmt::format("  {:>{}}", row[i], width[i]);
      if (i + 2 == row.size()) line += ' ';
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
}

std::string cut_end(const std::string& text, std::size_t columns) {
  return text.size() <= columns ? text : text.substr(0, columns - 3) + "...";
}

std::string cut_start(const std::string& text, std::size_t columns) {
  return text.size() <= columns ? text : "..." + text.substr(text.size() - (columns - 3));
}

std::string short_platform(const std::string& platform) { return cut_start(platform, kPlatformColumns); }

std::vector<std::size_t> largest(const std::vector<double>& weights, std::size_t limit) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  order.erase(std::remove_if(order.begin(), order.end(), [&](std::size_t i) { return !(weights[i] > 0.0); }), order.end());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  if (order.size() > limit) order.resize(limit);
  return order;
}

std::string in_csv_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

} // namespace farcast::report
