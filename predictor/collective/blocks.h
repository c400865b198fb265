// How a buffer is cut into the blocks that an algorithm moves: one block per rank, or the segments
// of a pipeline.
//
// Invariants: the blocks' sizes add up to total(); sizes are whole bytes when the buffer is. size()
// is O(1); sum() is O(1) but for listed blocks, where it reads the counts in the range. A listed
// Blocks does not own its counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace farcast::collective {

class Blocks {
public:
  // `count` blocks of `block` bytes each.
  static Blocks uniform(double block, int count) { return Blocks(Cut::uniform, block, 0, block * count, count, nullptr); }
  // As even as whole bytes allow: the first blocks are one byte larger (Open MPI's "early" and
  // "late" blocks).
  static Blocks even(double bytes, int count) {
    const double floor = std::floor(bytes / count);
    return Blocks(Cut::even, floor, bytes - floor * count, bytes, count, nullptr);
  }
  // All blocks ceil(bytes / count), so that the last ones are short or empty (MPICH's scatter for
  // large broadcasts).
  static Blocks ceiling(double bytes, int count) {
    return Blocks(Cut::ceiling, std::ceil(bytes / count), 0, bytes, count, nullptr);
  }
  // All blocks `segment` bytes but the last. One block when segment is 0 or not smaller than the
  // buffer, also for an empty buffer.
  static Blocks segments(double bytes, double segment) {
    if (segment <= 0 || segment >= bytes) return uniform(bytes, 1);
    return Blocks(Cut::ceiling, segment, 0, bytes, static_cast<int>(std::ceil(bytes / segment)), nullptr);
  }
  static Blocks listed(const std::vector<double>& counts) {
    double total = 0;
    for (const double bytes : counts) total += bytes;
    return Blocks(Cut::listed, 0, 0, total, static_cast<int>(counts.size()), &counts);
  }

  // Whether all blocks are equal.
  [[nodiscard]] bool regular() const {
    if (cut_ == Cut::listed) return std::ranges::all_of(*counts_, [&](double bytes) { return bytes == counts_->front(); });
    return cut_ == Cut::uniform || block_ * count_ == total_;
  }

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] double total() const { return total_; }
  [[nodiscard]] double size(int block) const { return sum(block, block + 1); }

  // Bytes of the blocks [first, last). Requires: 0 <= first <= last <= count().
  [[nodiscard]] double sum(int first, int last) const {
    if (cut_ != Cut::listed) return offset(last) - offset(first);
    double bytes = 0;
    for (int i = first; i < last; ++i) bytes += (*counts_)[static_cast<std::size_t>(i)];
    return bytes;
  }

  // Bytes of the `number` blocks from `first` on, round the end. Requires: 0 <= first < count(),
  // number <= count().
  [[nodiscard]] double sum_around(int first, int number) const {
    const int end = first + number;
    return end <= count_ ? sum(first, end) : sum(first, count_) + sum(0, end - count_);
  }

private:
  enum class Cut { uniform, even, ceiling, listed };

  Blocks(Cut cut, double block, double larger, double total, int count, const std::vector<double>* counts)
      : cut_(cut), block_(block), larger_(larger), total_(total), count_(count), counts_(counts) {}

  [[nodiscard]] double offset(int block) const {
    switch (cut_) {
    case Cut::even:
      return block_ * block + std::min<double>(block, larger_);
    case Cut::ceiling:
      return std::min(block_ * block, total_);
    default:
      return block_ * block;
    }
  }

  Cut cut_;
  double block_;  // bytes of a block; of a late block for an even cut
  double larger_; // even: how many blocks are one byte larger
  double total_;
  int count_;
  const std::vector<double>* counts_;
};

} // namespace farcast::collective
