// Small computations of known work, each bound by another part of a core: what `farcast calibrate
// speed` runs.
//
//   compute   multiply-add  in registers; matrix  multiplication of small matrices
//   memory    triad  a = b + s c; stencil  average of the six neighbours in three dimensions
//   latency   chase  from a random place to the next; sort  numbers in random order; sparse  matrix with random columns times
//   vector
// Each in sizes from the first cache to main memory. Invariants: 1. A pass is the same work on
// every machine, and its result is known, so that nothing can be left out. 2. Data comes from a
// fixed seed. 3. kVersion changes whenever work or data do: times of different versions cannot be
// compared. Plain C++ for any processor of the architecture: no more vector instructions than the
// build allows. Threads: an object belongs to one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace farcast::kernels {

inline constexpr int kVersion = 1;

struct Case {
  std::string_view kernel;
  std::string_view bound; // "compute", "memory", "latency"
  std::size_t bytes = 0;  // of its data, about; 0: registers
};

// Returns: all of them, by kernel and then size.
std::span<const Case> cases();

class Kernel {
public:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;
  // Returns: a figure that depends on all of the work.
  virtual double pass() = 0;
  // Returns: multiply-adds, elements, points, steps or entries of one pass.
  [[nodiscard]] virtual double units() const = 0;
  // Returns: what pass() must give, up to rounding.
  [[nodiscard]] virtual double expected() const = 0;
};

// Allocates and fills its data by the calling thread. Requires: one of cases(). Throws: std::bad_alloc.
std::unique_ptr<Kernel> make(const Case& which);

// Returns: version and compiler: "1, g++ 12.2.0, x86-64". Times of different builds differ by more
// than the machines.
std::string build();

} // namespace farcast::kernels
