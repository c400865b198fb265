#include "calib/kernels/kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace farcast::kernels {

namespace {

constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;
constexpr std::size_t kLeastUnits = 200'000; // of a pass: reading the clock must cost nothing beside it
constexpr std::uint64_t kSeed = 1;

constexpr Case kCases[] = {
    {"multiply-add", "compute", 0},    {"matrix", "compute", 54 * kKiB},  {"matrix", "compute", 864 * kKiB},
    {"triad", "memory", 24 * kKiB},    {"triad", "memory", 768 * kKiB},   {"triad", "memory", 96 * kMiB},
    {"stencil", "memory", 512 * kKiB}, {"stencil", "memory", 64 * kMiB},  {"chase", "latency", 24 * kKiB},
    {"chase", "latency", 768 * kKiB},  {"chase", "latency", 64 * kMiB},   {"sort", "latency", 64 * kKiB},
    {"sort", "latency", 4 * kMiB},     {"sparse", "latency", 768 * kKiB}, {"sparse", "latency", 48 * kMiB},
};

std::size_t rounds_for(std::size_t units) { return std::max<std::size_t>(1, (kLeastUnits + units - 1) / units); }

class MultiplyAdd final : public Kernel { // x = a x + b, which tends to b / (1 - a)
public:
  double pass() override {
    std::array<double, kChains> values{};
    for (std::size_t step = 0; step < kSteps; ++step) {
      for (double& value : values) value = kFactor * value + kSummand;
    }
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
  [[nodiscard]] double units() const override { return static_cast<double>(kChains * kSteps); }
  [[nodiscard]] double expected() const override {
    return static_cast<double>(kChains) * kSummand * (1.0 - std::pow(kFactor, kSteps)) / (1.0 - kFactor);
  }

private:
  static constexpr std::size_t kChains = 16, kSteps = 1 << 16;
  static constexpr double kFactor = 0.9999, kSummand = 1e-3;
};

class Matrix final : public Kernel {
public:
  explicit Matrix(std::size_t bytes)
      : size_(static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(bytes) / (3.0 * sizeof(double)))))),
        rounds_(rounds_for(size_ * size_ * size_)), left_(size_ * size_), right_(size_ * size_), product_(size_ * size_) {
    for (std::size_t i = 0; i < left_.size(); ++i) {
      left_[i] = static_cast<double>(i % 7);
      right_[i] = static_cast<double>(i % 5);
    }
  }
  double pass() override {
    double sum = 0.0;
    for (std::size_t round = 0; round < rounds_; ++round) {
      std::fill(product_.begin(), product_.end(), 0.0);
      multiply();
      sum += std::accumulate(product_.begin(), product_.end(), 0.0);
    }
    return sum;
  }
  [[nodiscard]] double units() const override { return static_cast<double>(rounds_ * size_ * size_ * size_); }
  [[nodiscard]] double expected() const override { // sum over k of (column k of the left) x (row k of the right)
    double sum = 0.0;
    for (std::size_t k = 0; k < size_; ++k) {
      double column = 0.0, row = 0.0;
      for (std::size_t i = 0; i < size_; ++i) {
        column += left_[i * size_ + k];
        row += right_[k * size_ + i];
      }
      sum += column * row;
    }
    return sum * static_cast<double>(rounds_);
  }

private:
  void multiply() {
    for (std::size_t i = 0; i < size_; ++i) {
      double* out = &product_[i * size_];
      for (std::size_t k = 0; k < size_; ++k) {
        const double factor = left_[i * size_ + k];
        const double* in = &right_[k * size_];
        for (std::size_t j = 0; j < size_; ++j) out[j] += factor * in[j];
      }
    }
  }
  std::size_t size_, rounds_;
  std::vector<double> left_, right_, product_;
};

class Triad final : public Kernel {
public:
  explicit Triad(std::size_t bytes)
      : a_(bytes / (3 * sizeof(double)), 0.0), b_(a_.size(), 1.0), c_(a_.size(), 2.0), rounds_(rounds_for(a_.size())) {}
  double pass() override {
    for (std::size_t round = 0; round < rounds_; ++round) {
      const double factor = static_cast<double>(round); // no two rounds may become one
      for (std::size_t i = 0; i < a_.size(); ++i) a_[i] = b_[i] + factor * c_[i];
      keep_ = a_[round % a_.size()];
    }
    return a_.front() + a_[a_.size() / 2] + a_.back();
  }
  [[nodiscard]] double units() const override { return static_cast<double>(rounds_ * a_.size()); }
  [[nodiscard]] double expected() const override { return 3.0 * (1.0 + 2.0 * static_cast<double>(rounds_ - 1)); }

private:
  std::vector<double> a_, b_, c_;
  std::size_t rounds_;
  volatile double keep_ = 0.0;
};

class Stencil final : public Kernel { // of x + y + z, which no average of opposite neighbours changes
public:
  explicit Stencil(std::size_t bytes)
      : side_(static_cast<std::size_t>(std::cbrt(static_cast<double>(bytes) / (2.0 * sizeof(double))))),
        rounds_(2 * rounds_for(2 * side_ * side_ * side_)), from_(side_ * side_ * side_), to_() {
    for (std::size_t i = 0; i < from_.size(); ++i) {
      const std::size_t sum = i % side_ + i / side_ % side_ + i / (side_ * side_);
      from_[i] = static_cast<double>(sum);
    }
    to_ = from_;
  }
  double pass() override {
    for (std::size_t round = 0; round < rounds_; ++round) {
      sweep();
      from_.swap(to_);
    }
    return from_[side_ / 2 * (1 + side_ + side_ * side_)] + from_[1 + side_ + side_ * side_];
  }
  [[nodiscard]] double units() const override {
    return static_cast<double>(rounds_) * std::pow(static_cast<double>(side_ - 2), 3);
  }
  [[nodiscard]] double expected() const override {
    const std::size_t sum = 3 * (side_ / 2) + 3;
    return static_cast<double>(sum);
  }

private:
  void sweep() {
    const std::size_t plane = side_ * side_;
    for (std::size_t z = 1; z + 1 < side_; ++z) {
      for (std::size_t y = 1; y + 1 < side_; ++y) {
        const double* in = &from_[z * plane + y * side_];
        double* out = &to_[z * plane + y * side_];
        for (std::size_t x = 1; x + 1 < side_; ++x)
          out[x] = (in[x - 1] + in[x + 1] + in[x - side_] + in[x + side_] + in[x - plane] + in[x + plane]) * (1.0 / 6.0);
      }
    }
  }
  std::size_t side_, rounds_;
  std::vector<double> from_, to_;
};

class Chase final : public Kernel { // one cycle through all lines, in random order
public:
  explicit Chase(std::size_t bytes) : lines_(bytes / sizeof(Line)), steps_(lines_.size() * rounds_for(4 * lines_.size())) {
    std::vector<std::uint32_t> order(lines_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::mt19937_64 random(kSeed);
    for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
    for (std::size_t i = 0; i < order.size(); ++i) lines_[order[i]].next = order[(i + 1) % order.size()];
  }
  double pass() override {
    std::uint32_t at = 0;
    for (std::size_t step = 0; step < steps_; ++step) at = lines_[at].next;
    return at;
  }
  [[nodiscard]] double units() const override { return static_cast<double>(steps_); }
  [[nodiscard]] double expected() const override { return 0.0; } // whole rounds end where they began

private:
  struct alignas(64) Line {
    std::uint32_t next = 0;
  };
  std::vector<Line> lines_;
  std::size_t steps_;
};

class Sort final : public Kernel {
public:
  explicit Sort(std::size_t bytes) : shuffled_(bytes / (2 * sizeof(std::uint32_t))), rounds_(rounds_for(shuffled_.size())) {
    std::iota(shuffled_.begin(), shuffled_.end(), 0U);
    std::mt19937_64 random(kSeed);
    for (std::size_t i = shuffled_.size() - 1; i > 0; --i) std::swap(shuffled_[i], shuffled_[random() % (i + 1)]);
  }
  double pass() override {
    double sum = 0.0;
    for (std::size_t round = 0; round < rounds_; ++round) {
      sorted_ = shuffled_;
      std::sort(sorted_.begin(), sorted_.end());
      sum += sorted_[sorted_.size() / 3];
    }
    return sum;
  }
  [[nodiscard]] double units() const override { return static_cast<double>(rounds_ * shuffled_.size()); }
  [[nodiscard]] double expected() const override {
    const std::size_t third = shuffled_.size() / 3;
    return static_cast<double>(rounds_ * third);
  }

private:
  std::vector<std::uint32_t> shuffled_, sorted_;
  std::size_t rounds_;
};

class Sparse final : public Kernel { // rows whose entries add up to 1, times a vector of ones
public:
  explicit Sparse(std::size_t bytes)
      : in_(bytes / (kPerRow * (sizeof(double) + sizeof(std::uint32_t)) + 2 * sizeof(double)), 1.0), out_(in_.size()),
        entries_(in_.size() * kPerRow, 1.0 / kPerRow), columns_(entries_.size()), rounds_(rounds_for(entries_.size())) {
    std::mt19937_64 random(kSeed);
    for (std::uint32_t& column : columns_) column = static_cast<std::uint32_t>(random() % in_.size());
  }
  double pass() override {
    double sum = 0.0;
    for (std::size_t round = 0; round < rounds_; ++round) {
      for (std::size_t row = 0; row < out_.size(); ++row) {
        double value = 0.0;
        for (std::size_t i = row * kPerRow; i < (row + 1) * kPerRow; ++i) value += entries_[i] * in_[columns_[i]];
        out_[row] = value;
      }
      sum += out_.front() + out_.back();
      in_[round % in_.size()] = 1.0; // no two rounds may become one
    }
    return sum + std::accumulate(out_.begin(), out_.end(), 0.0);
  }
  [[nodiscard]] double units() const override { return static_cast<double>(rounds_ * entries_.size()); }
  [[nodiscard]] double expected() const override { return static_cast<double>(2 * rounds_ + out_.size()); }

private:
  static constexpr std::size_t kPerRow = 16;
  std::vector<double> in_, out_, entries_;
  std::vector<std::uint32_t> columns_;
  std::size_t rounds_;
};

const char* architecture() {
#if defined(__x86_64__)
#if defined(__AVX512F__)
  return "x86-64 with AVX-512";
#elif defined(__AVX2__)
  return "x86-64 with AVX2";
#else
  return "x86-64";
#endif
#elif defined(__aarch64__)
  return "aarch64";
#elif defined(__powerpc64__)
  return "ppc64";
#elif defined(__riscv)
  return "riscv";
#else
  return "another architecture";
#endif
}

} // namespace

std::span<const Case> cases() { return kCases; }

std::unique_ptr<Kernel> make(const Case& which) {
  if (which.kernel == "multiply-add") return std::make_unique<MultiplyAdd>();
  if (which.kernel == "matrix") return std::make_unique<Matrix>(which.bytes);
  if (which.kernel == "triad") return std::make_unique<Triad>(which.bytes);
  if (which.kernel == "stencil") return std::make_unique<Stencil>(which.bytes);
  if (which.kernel == "chase") return std::make_unique<Chase>(which.bytes);
  if (which.kernel == "sort") return std::make_unique<Sort>(which.bytes);
  if (which.kernel == "sparse") return std::make_unique<Sparse>(which.bytes);
  throw std::invalid_argument(fmt::format("no kernel {}", which.kernel));
}

std::string build() {
#if defined(__clang__)
  const std::string compiler = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  const std::string compiler = fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  const std::string compiler = "another compiler";
#endif
#if defined(__OPTIMIZE__)
  const char* const optimised = "";
#else
  const char* const optimised = ", not optimised";
#endif
  return fmt::format("{}, {}, {}{}", kVersion, compiler, architecture(), optimised);
}

} // namespace farcast::kernels
