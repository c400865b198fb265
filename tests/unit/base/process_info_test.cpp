#include "predictor/base/process_info.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sched.h>
#include <unistd.h>

namespace farcast::base {

TEST_CASE("this process's parent, program and arguments are told") {
  CHECK(parent_of(getpid()) == getppid());
  CHECK(executable_path(getpid()).ends_with("/unit_base"));
  CHECK(command_line(getpid()).find("unit_base") != std::string::npos);
}

TEST_CASE("nothing is told of a process that is not there") {
  constexpr int kNobody = 0x7fffffff;
  CHECK(parent_of(kNobody) == 0);
  CHECK(executable_path(kNobody).empty());
  CHECK(command_line(kNobody).empty());
  CHECK(open_stderr_of_ancestor(kNobody, false) == -1);
}

TEST_CASE("usable cores are those that this process is allowed") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  const auto all = usable_cores();
  REQUIRE_FALSE(all.empty());
  CHECK(std::is_sorted(all.begin(), all.end()));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(all.back()), &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(usable_cores() == std::vector<int>{all.back()});
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
}

TEST_CASE("dates are of ISO 8601 in UTC") {
  const std::string date = iso_date_now();
  REQUIRE(date.size() == 20);
  CHECK(date[10] == 'T');
  CHECK(date.back() == 'Z');
}

} // namespace farcast::base
