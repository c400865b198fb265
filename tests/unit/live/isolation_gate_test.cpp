#include "predictor/live/isolation_gate.h"

#include "predictor/live/rank_file.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/mman.h>

namespace farcast::live {

TEST_CASE("seats are given once, of one gate that nobody can make smaller") {
  IsolationGate gate;
  CHECK(gate.file() == -1);
  CHECK(gate.lent() == 0);
  CHECK(gate.seat(2) == std::optional<std::uint32_t>(0));
  const int file = gate.file();
  CHECK(gate.seat(2) == std::optional<std::uint32_t>(1));
  CHECK(gate.file() == file);
  CHECK(can_be_mapped(file, stream::kGateBytes));
  CHECK(fcntl(file, F_ADD_SEALS, F_SEAL_WRITE) != 0);
}

TEST_CASE("there are as many seats as the gate has, and no more") {
  IsolationGate gate;
  for (std::uint32_t seat = 0; seat < stream::kGateSeats; ++seat) CHECK(gate.seat(1).has_value());
  CHECK_FALSE(gate.seat(1).has_value());
}

TEST_CASE("the token of a rank that died goes to the next") {
  IsolationGate gate;
  const auto first = gate.seat(1), second = gate.seat(1);
  REQUIRE((first && second));
  void* memory = mmap(nullptr, stream::kGateBytes, PROT_READ | PROT_WRITE, MAP_SHARED, gate.file(), 0);
  REQUIRE(memory != MAP_FAILED);
  auto* shared = static_cast<stream::Gate*>(memory);
  const stream::GiveUp at_once = [](void*) { return true; };
  CHECK(stream::take_token(*shared, *first, at_once, nullptr));
  gate.reclaim(*first);
  CHECK(stream::take_token(*shared, *second, at_once, nullptr));
  munmap(memory, stream::kGateBytes);
}

} // namespace farcast::live
