#include "predictor/base/atomic_file.h"

#include "predictor/base/read_file.h"
#include "tests/unit/temporary_folder.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using farcast::base::AtomicFile;
using farcast::base::write_file;
using farcast::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::string content_of(const std::string& path) { return farcast::base::read_file(path).value(); }

} // namespace

TEST_CASE("a written file has its content and nothing stands beside it") {
  const TemporaryFolder folder;
  REQUIRE(write_file(folder.file("report.json"), std::string("{}\n\0x", 5)));
  CHECK(content_of(folder.file("report.json")) == std::string("{}\n\0x", 5));
  CHECK(folder.files() == 1);
}

TEST_CASE("an older file is untouched until commit, then replaced, and keeps its mode") {
  const TemporaryFolder folder;
  const std::string path = folder.file("report.txt");
  REQUIRE(write_file(path, "old"));
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  auto file = AtomicFile::create(path);
  REQUIRE(file);
  REQUIRE(file->write("new"));
  CHECK(content_of(path) == "old");
  CHECK(content_of(file->aside_path()) == "new");
  CHECK(fs::path(file->aside_path()).parent_path() == fs::canonical(fs::path(path).parent_path()));
  REQUIRE(file->commit());
  CHECK(content_of(path) == "new");
  CHECK((fs::status(path).permissions() & fs::perms::mask) == static_cast<fs::perms>(0640));
  CHECK(folder.files() == 1);
  CHECK_FALSE(file->write("more"));
  CHECK_FALSE(file->commit());
}

TEST_CASE("a file that is not committed leaves nothing behind") {
  const TemporaryFolder folder;
  {
    auto file = AtomicFile::create(folder.file("lost"));
    REQUIRE(file);
    REQUIRE(file->write("half"));
    AtomicFile moved = std::move(*file);
    CHECK(folder.files() == 1);
  }
  CHECK(folder.files() == 0);
}

TEST_CASE("a missing directory is an error that names the path and the reason") {
  const TemporaryFolder folder;
  const std::string path = folder.file("none/report.json");
  const auto written = write_file(path, "x");
  REQUIRE_FALSE(written);
  CHECK(written.error().message == "cannot write '" + path + "': No such file or directory");
  CHECK(folder.files() == 0);
}

TEST_CASE("a directory cannot be overwritten by a file") {
  const TemporaryFolder folder;
  const auto written = write_file(folder.file(""), "x");
  REQUIRE_FALSE(written);
  CHECK(written.error().message.find("names a directory") != std::string::npos);
  fs::create_directory(folder.file("sub"));
  CHECK_FALSE(write_file(folder.file("sub"), "x"));
  CHECK_FALSE(write_file("", "x"));
  CHECK(folder.files() == 1);
}

TEST_CASE("a full disk is an error, and the device stays a device") {
  const auto written = write_file("/dev/full", "x");
  REQUIRE_FALSE(written);
  CHECK(written.error().message == "cannot write '/dev/full': No space left on device");
  struct stat status {};
  REQUIRE(::stat("/dev/full", &status) == 0);
  CHECK(S_ISCHR(status.st_mode));
}

TEST_CASE("a device is written in place") {
  REQUIRE(write_file("/dev/null", "x"));
  struct stat status {};
  REQUIRE(::stat("/dev/null", &status) == 0);
  CHECK(S_ISCHR(status.st_mode));
}

TEST_CASE("the target of a symbolic link is replaced, the link stays") {
  const TemporaryFolder folder;
  REQUIRE(write_file(folder.file("target"), "old"));
  fs::create_symlink(folder.file("target"), folder.file("link"));
  REQUIRE(write_file(folder.file("link"), "new"));
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(content_of(folder.file("target")) == "new");
  CHECK(folder.files() == 2);
}

TEST_CASE("a write that fails removes the file aside") {
  const TemporaryFolder folder;
  auto file = AtomicFile::create(folder.file("report"));
  REQUIRE(file);
  // The limit stands in for a full disk: writes past it fail.
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  struct sigaction before {};
  REQUIRE(::sigaction(SIGXFSZ, &ignore, &before) == 0);
  struct rlimit limit {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
  const struct rlimit small { 4096, limit.rlim_max };
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto written = file->write(std::string(10000, 'x'));
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  REQUIRE(::sigaction(SIGXFSZ, &before, nullptr) == 0);
  REQUIRE_FALSE(written);
  CHECK(written.error().message == "cannot write '" + folder.file("report") + "': File too large");
  CHECK(folder.files() == 0);
}
