#include "calib/kernels/kernels.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

using namespace farcast;

TEST_CASE("each kernel does all of its work, pass after pass") {
  for (const kernels::Case& which : kernels::cases()) {
    constexpr std::size_t kSmall = 8 << 20; // the others are the same code
    if (which.bytes > kSmall) continue;
    INFO(which.kernel << ' ' << which.bytes);
    const auto kernel = kernels::make(which);
    CHECK(kernel->units() >= 50'000);
    for (int pass = 0; pass < 2; ++pass) CHECK(kernel->pass() == Approx(kernel->expected()).epsilon(1e-9).margin(1e-12));
  }
}

TEST_CASE("cases are told apart by kernel and size, and each bound has a small and a large one") {
  std::set<std::pair<std::string_view, std::size_t>> seen;
  std::set<std::string_view> small, large, bounds;
  constexpr std::size_t kCache = 32 << 10, kMemory = 32 << 20;
  for (const kernels::Case& which : kernels::cases()) {
    CHECK(seen.emplace(which.kernel, which.bytes).second);
    bounds.insert(which.bound);
    if (which.bytes < kCache) small.insert(which.bound);
    if (which.bytes > kMemory) large.insert(which.bound);
  }
  CHECK(bounds == std::set<std::string_view>{"compute", "memory", "latency"});
  CHECK(small == bounds);
  CHECK(large == std::set<std::string_view>{"memory", "latency"});
  CHECK_THROWS(kernels::make({"none", "compute", 0}));
  CHECK(kernels::build().starts_with(std::to_string(kernels::kVersion) + ", "));
}
