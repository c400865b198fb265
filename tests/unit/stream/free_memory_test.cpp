#include "libinterpose/stream/free_memory.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <unit/temporary_folder.h>

using namespace farcast::stream;

namespace {

class Machine {
public:
  Machine& file(const std::string& path, const std::string& text) {
    const std::filesystem::path at = folder_.path() + path;
    std::filesystem::create_directories(at.parent_path());
    std::ofstream(at) << text;
    return *this;
  }
  Machine& meminfo(std::uint64_t available_kb) {
    return file("/proc/meminfo", "MemTotal:       24000000 kB\nMemFree:         1000 kB\nMemAvailable:   " +
                                     std::to_string(available_kb) + " kB\n");
  }
  [[nodiscard]] std::uint64_t free() const { return free_memory(folder_.path().c_str()); }

private:
  farcast::test::TemporaryFolder folder_;
};

constexpr std::uint64_t kMiB = 1024 * 1024;

} // namespace

TEST_CASE("where nothing can be read nothing is limited") { CHECK(Machine().free() == kUnlimited); }

TEST_CASE("without control groups the machine's own memory counts") {
  Machine machine;
  CHECK(machine.meminfo(2048).free() == 2 * kMiB);
  CHECK(machine.file("/proc/self/cgroup", "").free() == 2 * kMiB);
}

TEST_CASE("version 2: the narrowest group on the way up; page cache is free") {
  Machine machine;
  machine.meminfo(1024 * 1024).file("/proc/self/cgroup", "0::/user.slice/job/step\n");
  const std::string mount = GENERATE("/sys/fs/cgroup", "/sys/fs/cgroup/unified");
  machine.file(mount + "/user.slice/job/step/memory.max", "max\n").file(mount + "/user.slice/job/step/memory.current", "4096\n");
  CHECK(machine.free() == 1024 * kMiB);
  machine.file(mount + "/user.slice/job/memory.max", "419430400\n").file(mount + "/user.slice/job/memory.current", "104857600\n");
  CHECK(machine.free() == 300 * kMiB);
  machine.file(mount + "/user.slice/job/memory.stat",
               "anon 1\nfile 2\ninactive_anon 5\ninactive_file 31457280\nactive_file 20971520\n");
  CHECK(machine.free() == 350 * kMiB);
  machine.file(mount + "/user.slice/job/memory.current", "519430400\n").file(mount + "/user.slice/job/memory.stat", "anon 1\n");
  CHECK(machine.free() == 0);
}

TEST_CASE("version 1: the memory controller's group, wherever it stands") {
  Machine machine;
  machine.meminfo(1024 * 1024)
      .file("/proc/self/cgroup", "9:cpuset:/elsewhere\n4:cpu,memory:/docker/abc\n1:name=systemd:/memory\n0::/\n");
  machine.file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
      .file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "4096\n");
  CHECK(machine.free() == 1024 * kMiB);
  SECTION("inside of a container its own group is the mount's root") {
    machine.file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "104857600\n");
    CHECK(machine.free() == 100 * kMiB - 4096);
  }
  SECTION("outside it has its path") {
    machine.file("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "209715200\n")
        .file("/sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "104857600\n")
        .file("/sys/fs/cgroup/memory/docker/abc/memory.stat",
              "inactive_file 1\ntotal_inactive_file 1048576\ntotal_active_file 0\n");
    CHECK(machine.free() == 101 * kMiB);
  }
}

TEST_CASE("all ranks of a node together take an eighth of what was free") {
  for (const std::uint64_t ranks : {1, 2, 16, 128}) {
    constexpr std::uint64_t kStep = 512 * 1024;
    const std::uint64_t all = 4096 * kMiB;
    std::uint64_t held = 0;
    while (may_grow(all - held * ranks, held, kStep, ranks)) held += kStep;
    CHECK(held * ranks <= all / 8);
    CHECK((held + kStep) * ranks > all / 8);
  }
  CHECK(may_grow(kUnlimited, 1ull << 40, 1, 128));
  CHECK_FALSE(may_grow(0, 0, 1, 1));
}
