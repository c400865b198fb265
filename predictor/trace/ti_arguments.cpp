// TI traces: the words of an action as the numbers, ranks and datatypes that they stand for.
#include "predictor/trace/ti_trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace farcast::trace {

namespace {

constexpr double kMostBytes = 9e18;
constexpr double kLargestNumber = 1e30; // sums and quotients of such numbers are still finite

// A decimal number at the start of [at, end). Returns: where it ends; null: there is none.
const char* read_int(const char* at, const char* end, int& value) {
  const auto [behind, problem] = std::from_chars(at, end, value);
  return problem == std::errc() ? behind : nullptr;
}

} // namespace

bool TiTimelines::refuse_count(std::size_t least, std::size_t most) {
  const std::size_t found = action_.arguments();
  fail(least == most ? fmt::format("{} has {} arguments, expected {}", action_.name, found, least)
                     : fmt::format("{} has {} arguments, expected {} to {}", action_.name, found, least, most));
  return false;
}

// A number with a sign, a point or an exponent, or none at all.
double TiTimelines::odd_number(std::size_t index) {
  const std::string_view word = action_.argument(index).view();
  double value = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool number = problem == std::errc() && end == word.data() + word.size() && value - value == 0;
  if (number && std::abs(value) <= kLargestNumber) return value;
  fail(fmt::format("argument {} of {} is '{:.60}', expected a number{}", index + 1, action_.name, word,
                   number ? fmt::format(" of at most {:g}", kLargestNumber) : ""));
  return 0;
}

double TiTimelines::odd_count(std::size_t index) {
  const double value = odd_number(index);
  if (value >= 0) return static_cast<double>(static_cast<std::int64_t>(std::min(value, kMostBytes)));
  fail(fmt::format("argument {} of {} is {}, expected no negative number", index + 1, action_.name, value));
  return 0;
}

int TiTimelines::odd_tag(std::size_t index) {
  const double value = odd_number(index);
  if (value >= INT32_MIN && value <= INT32_MAX) return static_cast<int>(value);
  fail(fmt::format("argument {} of {} is '{:.60}', expected a tag", index + 1, action_.name, action_.argument(index).view()));
  return 0;
}

int TiTimelines::odd_rank(std::size_t index) {
  const TiWord& word = action_.argument(index);
  const std::vector<int>& peers = action_.communicator == nullptr ? world_->members : action_.communicator->peers();
  if (word.whole && static_cast<std::size_t>(word.value) < peers.size()) return peers[static_cast<std::size_t>(word.value)];
  if (!word.whole) odd_number(index); // says what is no number at all
  std::string sentence = fmt::format("{} names rank {:.60}, expected 0 to {}", action_.name, word.view(), peers.size() - 1);
  if (action_.communicator != nullptr) sentence += fmt::format(" of communicator {}", action_.communicator->shared->id);
  fail(sentence);
  return 0;
}

// A communicator rank; without one it is rank 0. In an inter-communicator: `root` for the root
// itself, `-` beside it.
int TiTimelines::root_at(std::size_t index) {
  if (index >= action_.arguments()) return 0;
  const TiWord& word = action_.argument(index);
  if (action_.communicator != nullptr && !action_.communicator->shared->remote.empty()) {
    if (word.view() == "root") return kInterRoot;
    if (word.view() == "-") return kProcNull;
  }
  rank_at(index);
  return word.whole ? static_cast<int>(word.value) : 0;
}

// SimGrid 3.32, src/smpi/mpi/smpi_datatype.cpp.
double TiTimelines::listed_size(std::size_t index) {
  static constexpr double kSizes[] = {8, 4, 1, 2,  8, 4,  1,  8,  1,  1, 2, 4,  8,  8,  16, 4,  1, 1,  2,
                                      4, 8, 1, 2,  4, 8,  8,  16, 32, 8, 8, 8,  16, 16, 8,  8,  8, 16, 16,
                                      4, 4, 8, 16, 8, 16, 16, 4,  2,  4, 8, 16, 32, 1,  8,  16, 32};
  const TiWord& word = action_.argument(index);
  if (word.whole && static_cast<std::size_t>(word.value) < std::size(kSizes)) return kSizes[word.value];
  if (!word.whole) odd_number(index);
  fail(fmt::format("{} has datatype {:.60}, expected 0 to {}", action_.name, word.view(), std::size(kSizes) - 1));
  return 1;
}

// Counts of `length` words, in bytes.
std::shared_ptr<const std::vector<double>> TiTimelines::list(std::size_t first, std::size_t length, double size) {
  auto out = std::make_shared<std::vector<double>>();
  out->reserve(length);
  for (std::size_t i = 0; i < length && error_.empty(); ++i) out->push_back(count(first + i) * size);
  return out;
}

// World ranks of words `3`, `0-7` and `0-14:2`, each one once. Returns: false when it has said what
// is wrong.
bool TiTimelines::group_at(std::size_t first, std::size_t last, std::vector<int>& members) {
  const int ranks = static_cast<int>(states_.size());
  for (std::size_t i = first; i < last; ++i) {
    const std::string_view word = action_.argument(i).view();
    const char* const end = word.data() + word.size();
    int from = 0;
    int step = 1;
    const char* at = read_int(word.data(), end, from);
    int to = from;
    if (at != nullptr && at != end && *at == '-') at = read_int(at + 1, end, to);
    if (at != nullptr && at != end && *at == ':') at = read_int(at + 1, end, step);
    if (at != end || from < 0 || to < from || to >= ranks || step < 1) {
      fail(fmt::format("{} lists '{:.60}', expected ranks below {} as 3, 0-7 or 0-14:2", action_.name, word, ranks));
      return false;
    }
    for (long rank = from; rank <= to; rank += step) {
      members.push_back(static_cast<int>(rank));
      if (members.size() > static_cast<std::size_t>(ranks)) break;
    }
  }
  std::vector<int> sorted = members;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return true;
  fail(fmt::format("{} lists rank {} twice", action_.name, *twice));
  return false;
}

} // namespace farcast::trace
