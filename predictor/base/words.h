// Words and numbers in a line of text that somebody wrote. Pure functions; what they return points
// into the text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace farcast::base {

// Returns: the text without white space at its ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Returns: the parts between separators, empty ones too; one for a text without any.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

// Takes what stands before the first separator off the text, and the separator. Returns: it.
inline std::string_view take_word(std::string_view& text, char separator = ' ') {
  const std::size_t end = text.find(separator);
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return word;
}

// Returns: the number that the whole text is; nothing where it is another word, or does not fit. No
// blanks, no '+'; of a floating point type "inf" and "nan" are numbers.
template <class Number> std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// The same into `number`, which stays as it is where the text is none. Returns: whether it is one.
template <class Number> bool read_number(std::string_view text, Number& number) {
  const auto read = number_in<Number>(text);
  number = read.value_or(number);
  return read.has_value();
}

// The same of a whole number in base 16.
template <class Number> std::optional<Number> hexadecimal_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

} // namespace farcast::base
