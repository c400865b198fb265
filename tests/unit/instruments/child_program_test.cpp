#include "calib/instruments/child_program.h"

#include "tests/unit/temporary_folder.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

namespace farcast::instruments {

TEST_CASE("a child's both outputs go into the file, and its exit code comes back") {
  const test::TemporaryFolder folder;
  const ChildProgram child{{"/bin/sh", "-c", "echo $COLOUR; echo bad >&2; exit 3"}, {{"COLOUR", "blue"}}, folder.file("out")};
  CHECK(run_to_end(child) == 3);
  CHECK(last_lines(folder.file("out"), 20, "  ") == "  blue\n  bad\n");
  CHECK(last_lines(folder.file("out"), 1, "") == "bad\n");
}

TEST_CASE("a child that died of a signal, or could not be started, has an exit code as a shell gives it") {
  const test::TemporaryFolder folder;
  CHECK(run_to_end({{"/bin/sh", "-c", "kill -9 $$"}, {}, folder.file("out")}) == 128 + 9);
  CHECK(run_to_end({{folder.file("absent")}, {}, folder.file("out")}) == 127);
}

TEST_CASE("a temporary folder goes with its object") {
  std::string path;
  {
    auto folder = TemporaryFolder::create();
    REQUIRE(folder);
    path = folder->path();
    std::ofstream(path + "/file") << "text";
    CHECK(std::filesystem::exists(path + "/file"));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

} // namespace farcast::instruments
