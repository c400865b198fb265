// The words of one line, and which of them are plain integers: nearly all are, and they are read
// while their end is looked for.
//
// Invariant: nothing is allocated once a line has been as long as the longest. The texts are parts
// of the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace farcast::trace {

struct TiWord {
  const char* text = nullptr;
  std::uint32_t size = 0;
  bool whole = false;     // digits alone, at most 15: exact as a double
  std::int64_t value = 0; // when whole
  [[nodiscard]] std::string_view view() const { return {text, size}; }
};

// How every line of one rank's file begins: its number and a space, compared as one number.
class TiPrefix {
public:
  TiPrefix() = default;
  explicit TiPrefix(std::size_t rank) : rank_(static_cast<std::int64_t>(rank)) {
    const std::string text = std::to_string(rank) + " ";
    if (text.size() > sizeof bits_) return;
    std::memcpy(&bits_, text.data(), text.size());
    std::memset(&mask_, 0xff, text.size());
    digits_ = static_cast<std::uint32_t>(text.size() - 1);
  }
  // Returns: the length of the number if [at, end) begins so; else 0.
  std::uint32_t take(const char* at, const char* end, TiWord& word) const {
    std::uint64_t found = 0;
    if (digits_ == 0 || end - at < static_cast<std::ptrdiff_t>(sizeof found)) return 0;
    std::memcpy(&found, at, sizeof found);
    if (((found ^ bits_) & mask_) != 0) return 0;
    word = {at, digits_, true, rank_};
    return digits_;
  }

private:
  std::uint64_t bits_ = 0;
  std::uint64_t mask_ = 0;
  std::int64_t rank_ = 0;
  std::uint32_t digits_ = 0; // 0: not known
};

class TiWords {
public:
  // Takes the words up to the end of the line or of the text. Blanks are what text files separate
  // words with: any character up to the space. Requires: *end is one, as behind a std::string.
  // Returns: where it has stopped.
  const char* split(const char* at, const char* const end, const TiPrefix& usual = TiPrefix()) {
    TiWord* word = words_.data();
    const TiWord* last = word + words_.size();
    if (const std::uint32_t length = usual.take(at, end, *word); length != 0) {
      at += length;
      ++word;
    }
    for (;;) {
      while (at != end && blank(*at) && *at != '\n') ++at;
      if (at == end || *at == '\n') break;
      if (word == last) {
        const auto count = static_cast<std::size_t>(word - words_.data());
        words_.resize(count * 2);
        word = words_.data() + count;
        last = words_.data() + words_.size();
      }
      at = take(at, *word++);
    }
    count_ = static_cast<std::size_t>(word - words_.data());
    return at;
  }
  void split(std::string_view line) { split(line.data(), line.data() + line.size()); }
  [[nodiscard]] std::size_t size() const { return count_; }
  const TiWord& operator[](std::size_t index) const { return words_[index]; }

private:
  static constexpr std::ptrdiff_t kExactDigits = 15;
  static bool blank(char c) { return static_cast<unsigned char>(c) <= ' '; }
  static bool digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

  // Reads the word that begins at `at`. Returns: its end.
  static const char* take(const char* at, TiWord& word) {
    const char* const text = at;
    std::uint64_t value = 0;
    for (; digit(*at); ++at) value = value * 10 + static_cast<unsigned char>(*at - '0');
    word.whole = at - text <= kExactDigits && blank(*at);
    word.value = static_cast<std::int64_t>(value);
    while (!blank(*at)) ++at;
    word.text = text;
    word.size = static_cast<std::uint32_t>(at - text);
    return at;
  }

  std::vector<TiWord> words_ = std::vector<TiWord>(16);
  std::size_t count_ = 0;
};

} // namespace farcast::trace
