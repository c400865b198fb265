#include "libinterpose/stream/meeting_place.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <unit/temporary_folder.h>

using namespace farcast::stream;
using farcast::test::TemporaryFolder;

namespace {

std::set<std::string> places_of(const std::string& job) {
  std::set<std::string> out;
  for (unsigned number = 0; number < kMeetingPlaces; ++number) {
    MeetingPlace place;
    if (!meeting_place(job.c_str(), number, place)) continue;
    CHECK(place.length <= sizeof(sockaddr_un));
    out.emplace(place.address.sun_path, place.length - offsetof(sockaddr_un, sun_path));
  }
  return out;
}

int bound_to(const MeetingPlace& place) {
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  REQUIRE(bind(fd, reinterpret_cast<const sockaddr*>(&place.address), place.length) == 0);
  return fd;
}

} // namespace

TEST_CASE("jobs have other places than each other, and always the same ones") {
  const auto one = places_of("farcast-1000-job");
  CHECK(one.size() >= kAbstractNames);
  CHECK(one == places_of("farcast-1000-job"));
  for (const std::string& place : places_of("farcast-1000-joc")) CHECK_FALSE(one.contains(place));
  CHECK(places_of(std::string(kMostJobKey - 1, 'x')).size() == one.size()); // whatever a launcher calls its jobs
}

TEST_CASE("a folder counts when it is the user's own and closed to others") {
  const TemporaryFolder folder;
  REQUIRE(setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1) == 0);
  chmod(folder.path().c_str(), 0700);
  MeetingPlace place;
  REQUIRE(meeting_place("job", 0, place));
  char own[sizeof(place.address.sun_path)];
  folder_of(place, own);
  CHECK(std::string(own).starts_with(folder.path()));
  CHECK_FALSE(is_own_folder(own));
  CHECK(connect_to(place) < 0);
  CHECK(errno == ENOENT);
  REQUIRE(mkdir(own, 0700) == 0);
  CHECK(is_own_folder(own));
  CHECK(connect_to(place) < 0);
  CHECK(errno == ENOENT);
  SECTION("others may look into it") {
    chmod(own, 0755);
    CHECK(connect_to(place) < 0);
    CHECK(errno == EPERM);
  }
  SECTION("it is a link") {
    const std::string target = std::string(own) + ".d";
    REQUIRE(rename(own, target.c_str()) == 0);
    REQUIRE(symlink(target.c_str(), own) == 0);
    CHECK(connect_to(place) < 0);
    CHECK(errno == EPERM);
  }
  SECTION("others may replace it") {
    chmod(folder.path().c_str(), 0777);
    CHECK_FALSE(meeting_place("job", 0, place));
    chmod(folder.path().c_str(), 01777); // as /tmp
    CHECK(meeting_place("job", 0, place));
  }
  SECTION("another user's") {
    if (geteuid() != 0) return;
    REQUIRE(chown(own, 65534, 65534) == 0);
    CHECK(connect_to(place) < 0);
    CHECK(errno == EPERM);
  }
  SECTION("somebody listens, more or less") {
    const int listener = bound_to(place);
    CHECK(connect_to(place) < 0);
    CHECK(errno == ECONNREFUSED);
    REQUIRE(listen(listener, 0) == 0);
    const int first = connect_to(place);
    CHECK(first >= 0);
    CHECK(is_same_user(first));
    CHECK(connect_to(place) < 0); // the queue is full: no waiting
    CHECK(errno == EAGAIN);
    close(first);
    close(listener);
  }
  unsetenv("XDG_RUNTIME_DIR");
}
