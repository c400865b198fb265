// The oracle itself: it must find what is wrong with a schedule.
#include "executor.h"

#include <catch2/catch.hpp>

using namespace farcast::collective;
using namespace farcast::collective::test;

TEST_CASE("two blocking sends to each other are a deadlock") {
  const Outcome outcome = play(2, [](Place at, Schedule& out) {
    send(out, 1 - at.rank, 8);
    receive(out, 1 - at.rank, 8);
  });
  CHECK(outcome.fault.find("deadlock") != std::string::npos);
}

TEST_CASE("a receive without a send is a deadlock, an isend without a receive too") {
  CHECK(play(2, [](Place at, Schedule& out) {
          if (at.rank == 0) receive(out, 1, 8);
        }).fault.find("deadlock: rank 0") != std::string::npos);
  CHECK(play(2, [](Place at, Schedule& out) {
          if (at.rank == 1) {
            isend(out, 0, 8);
            wait_all(out);
          }
        }).fault.find("deadlock: rank 1") != std::string::npos);
}

TEST_CASE("sizes, peers and requests that are left over are checked") {
  CHECK(play(2, [](Place at, Schedule& out) {
          if (at.rank == 0)
            send(out, 1, 8);
          else
            receive(out, 0, 9);
        }).fault.find("sends 8.0") != std::string::npos);
  CHECK(play(2, [](Place at, Schedule& out) { send(out, at.rank, 1); }).fault.find("names peer") != std::string::npos);
  CHECK(play(2, [](Place at, Schedule& out) {
          if (at.rank == 0)
            isend(out, 1, 1);
          else
            receive(out, 0, 1);
        }).fault.find("never waits") != std::string::npos);
}

TEST_CASE("knowledge travels with messages and only with them") {
  // 0 -> 1 -> 2, and 1 posts to 3 before it hears from 0.
  const Outcome outcome = play(4, [](Place at, Schedule& out) {
    if (at.rank == 0) send(out, 1, 1);
    if (at.rank == 1) {
      send(out, 3, 1);
      receive(out, 0, 1);
      send(out, 2, 1);
    }
    if (at.rank >= 2) receive(out, 1, 1);
  });
  REQUIRE(outcome.fault == "");
  CHECK(outcome.heard[2] == first_ranks(3));
  CHECK_FALSE(outcome.heard[3].test(0));
  CHECK(outcome.heard[3].test(1));
  CHECK(outcome.rounds() == 3);
}

TEST_CASE("a wait names its requests by their age") {
  // Rank 1 sends the second of three messages only when rank 0 has waited for the one before.
  const auto second_first = [](StepKind wait) {
    return play(3, [wait](Place at, Schedule& out) {
      if (at.rank == 0) {
        ireceive(out, 2, 4); // comes last of all
        ireceive(out, 1, 1);
        ireceive(out, 1, 2);
        out.push_back({wait, -1, 0});
        send(out, 1, 0);
        wait_all(out);
        send(out, 2, 0);
      } else if (at.rank == 1) {
        send(out, 0, 1);
        receive(out, 0, 0);
        send(out, 0, 2);
        send(out, 2, 0);
      } else {
        receive(out, 1, 0);
        send(out, 0, 4);
        receive(out, 0, 0);
      }
    });
  };
  CHECK(second_first(StepKind::wait_second).fault == "");
  CHECK(second_first(StepKind::wait_earlier).fault.find("deadlock") != std::string::npos);
  CHECK(second_first(StepKind::wait_all).fault.find("deadlock") != std::string::npos);
}
