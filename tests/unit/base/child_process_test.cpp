#include "predictor/base/child_process.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace farcast::base {

TEST_CASE("what a child writes is heard to its end, however much it is") {
  const Heard heard = listen_to_child([](int descriptor) {
    dup2(descriptor, STDOUT_FILENO);
    become("/bin/sh", {"sh", "-c", "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; exit 7"});
  });
  CHECK(heard.exit_code == 7);
  CHECK(heard.text.starts_with("line 0\nline 1\n"));
  CHECK(heard.text.ends_with("line 19999\n"));
}

TEST_CASE("a child that cannot become its program, or dies of a signal, ends as a shell says") {
  CHECK(listen_to_child([](int) { become("/nonexistent", {"nobody"}); }).exit_code == 127);
  CHECK(listen_to_child([](int) { kill(getpid(), SIGKILL); }).exit_code == 128 + SIGKILL);
  CHECK(listen_to_child([](int) { become_from_path({"true"}); }).exit_code == 0);
}

TEST_CASE("a child that somebody else has waited for keeps nobody waiting") { CHECK(wait_for(0x7ffffff0) == 127); }

} // namespace farcast::base
