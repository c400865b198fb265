#include "predictor/live/job_socket.h"

#include "libinterpose/stream/meeting_place.h"

#include <catch2/catch.hpp>
#include <poll.h>
#include <string>
#include <unistd.h>

namespace farcast::live {

namespace {

// A name that no other test of this machine has.
std::string job(const char* which) { return "unit-" + std::to_string(getpid()) + "-" + which; }

int connect_somewhere(const std::string& name) {
  for (unsigned number = 0; number < stream::kMeetingPlaces; ++number) {
    stream::MeetingPlace place{};
    if (!stream::meeting_place(name.c_str(), number, place)) continue;
    if (const int socket = stream::connect_to(place); socket >= 0) return socket;
  }
  return -1;
}

} // namespace

TEST_CASE("one predictor serves a job, and the next one yields") {
  JobSocket first;
  JobSocket second;
  CHECK(first.open(job("two")) == JobSocket::Opening::ours);
  CHECK(second.open(job("two")) == JobSocket::Opening::anothers);
  CHECK(second.descriptor() == -1);
}

TEST_CASE("a process that knocks is let in; without one nobody is there") {
  JobSocket socket;
  REQUIRE(socket.open(job("knock")) == JobSocket::Opening::ours);
  CHECK(socket.accept() == -1);
  const int rank = connect_somewhere(job("knock"));
  REQUIRE(rank >= 0);
  pollfd knocks{socket.descriptor(), POLLIN, 0};
  CHECK(poll(&knocks, 1, 10'000) == 1);
  const int ours = socket.accept();
  CHECK(ours >= 0);
  close(ours);
  close(rank);
}

TEST_CASE("a name is free again once its predictor has gone") {
  {
    JobSocket socket;
    REQUIRE(socket.open(job("again")) == JobSocket::Opening::ours);
  }
  CHECK(connect_somewhere(job("again")) == -1);
  JobSocket socket;
  CHECK(socket.open(job("again")) == JobSocket::Opening::ours);
}

} // namespace farcast::live
