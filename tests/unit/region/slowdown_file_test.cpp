#include "predictor/region/slowdown_file.h"

#include "predictor/base/read_file.h"
#include "unit/pipe.h"
#include "unit/region/slowdown_sample.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <hdf5.h>
#include <unistd.h>

using namespace farcast::region;
namespace fs = std::filesystem;

namespace {

class Folder {
public:
  Folder() : path_(fs::temp_directory_path() / ("farcast-slowdowns-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }

private:
  fs::path path_;
};

std::string content(const std::string& path) { return farcast::base::read_file(path).value(); }

} // namespace

TEST_CASE("a table of slowdowns is read back as it was written") {
  const Folder folder;
  const SlowdownTable table = sample_table();
  REQUIRE(write_slowdowns(folder.file("r.h5"), table));
  const auto read = read_slowdowns(folder.file("r.h5"));
  REQUIRE(read);
  CHECK(read->source == folder.file("r.h5"));
  CHECK(read->sites == table.sites);
  CHECK(read->provenance.host == "vm");
  CHECK(read->provenance.command == "farcast calibrate regions");
  CHECK(read->provenance.cpu_model == "a processor");
  CHECK(read->provenance.repetitions == 3);
  CHECK(read->provenance.lent == 1);
  REQUIRE(read->regions.size() == table.regions.size());
  for (std::size_t i = 0; i < table.regions.size(); ++i) {
    const RegionSlowdown& region = read->regions[i];
    CHECK(region.from == table.regions[i].from);
    CHECK(region.to == table.regions[i].to);
    CHECK(region.visits == table.regions[i].visits);
    CHECK(region.alone_s == table.regions[i].alone_s);
    REQUIRE(region.points.size() == table.regions[i].points.size());
    for (std::size_t k = 0; k < region.points.size(); ++k) {
      CHECK(region.points[k].corunners == table.regions[i].points[k].corunners);
      CHECK(region.points[k].slowdown == table.regions[i].points[k].slowdown);
      CHECK(region.points[k].spread == table.regions[i].points[k].spread);
      CHECK(region.points[k].samples == table.regions[i].points[k].samples);
    }
  }
}

TEST_CASE("callers of call sites are read back, and have to be of a site") {
  const Folder folder;
  SlowdownTable table = sample_table();
  REQUIRE(write_slowdowns(folder.file("bare.h5"), table));
  CHECK(read_slowdowns(folder.file("bare.h5"))->callers.empty());
  table.callers = {{{"abcd", 0x100}, {"libx.so", 0x200}}, {}, {{"abcd", 0x300}}, {}};
  REQUIRE(write_slowdowns(folder.file("r.h5"), table));
  const auto read = read_slowdowns(folder.file("r.h5"));
  REQUIRE(read);
  CHECK(read->callers == table.callers);
  CHECK(stack_depth(*read) == 3);
  table.callers.push_back({{"abcd", 0x400}});
  REQUIRE(write_slowdowns(folder.file("r.h5"), table));
  const auto wrong = read_slowdowns(folder.file("r.h5"));
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message.find("/callers: caller 3 is of site 4, but there are 4 sites") != std::string::npos);
}

TEST_CASE("a damaged file is a sentence that names it, wherever it is cut") {
  const Folder folder;
  REQUIRE(write_slowdowns(folder.file("r.h5"), sample_table()));
  const std::string whole = content(folder.file("r.h5"));
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 60) {
    const std::string path = folder.write("cut.h5", whole.substr(0, size));
    const auto read = read_slowdowns(path);
    REQUIRE_FALSE(read);
    CHECK(read.error().message.find("cut.h5") != std::string::npos);
  }
}

TEST_CASE("figures that cannot be are refused, with their place") {
  const Folder folder;
  const auto error_of = [&](const SlowdownTable& table) {
    REQUIRE(write_slowdowns(folder.file("wrong.h5"), table));
    const auto read = read_slowdowns(folder.file("wrong.h5"));
    REQUIRE_FALSE(read);
    CHECK(read.error().message.find("wrong.h5") != std::string::npos);
    return read.error().message;
  };
  SlowdownTable table = sample_table();
  table.regions[0].points[1].slowdown = -1.0;
  CHECK(error_of(table).find("slowdown -1") != std::string::npos);
  table = sample_table();
  table.regions[1].to = 99;
  CHECK(error_of(table).find("there are 4 sites") != std::string::npos);
  table = sample_table();
  table.regions[0].points[0].corunners = 2;
  CHECK(error_of(table).find("2 co-runners") != std::string::npos);
  table = sample_table();
  table.regions[2].points.clear();
  CHECK(error_of(table).find("region 2 has none") != std::string::npos);
}

TEST_CASE("a file of an earlier version, whose column of co-runners has another name") {
  const Folder folder;
  const SlowdownTable table = sample_table();
  REQUIRE(write_slowdowns(folder.file("old.h5"), table));
  const hid_t file = H5Fopen(folder.file("old.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  REQUIRE(H5Lmove(file, "/points/co_runners", file, "/points/company", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  H5Fclose(file);
  const auto read = read_slowdowns(folder.file("old.h5"));
  REQUIRE(read);
  REQUIRE(read->regions.size() == table.regions.size());
  CHECK(read->regions[0].points.back().corunners == table.regions[0].points.back().corunners);
}

TEST_CASE("SimGrid's file: a header, then a region and its divisor a line") {
  const Folder folder;
  const auto read = read_slowdowns(folder.write("lu.csv", "\"start:stop\",\"ratio\"\n"
                                                          "\"exchange_1.f:30:exchange_1.f:130\",1.18244559422142\r\n"
                                                          "\n"
                                                          "src/a:b.c:1:c.c:22,0.5\n"));
  REQUIRE(read);
  REQUIRE(read->regions.size() == 2);
  CHECK(read->sites[read->regions[0].from].text == "exchange_1.f:30");
  CHECK(read->sites[read->regions[0].to].text == "exchange_1.f:130");
  CHECK(*read->regions[0].divisor == 1.18244559422142);
  CHECK(read->sites[read->regions[1].from].file == "src/a:b.c");
  CHECK(read->sites[read->regions[1].to].line == 22);
  CHECK(simgrid_ratio(read->regions[1]) == 0.5);
}

TEST_CASE("what SimGrid reads of a table: alone / all co-runners, for places that have a line") {
  const Folder folder;
  SlowdownTable table = sample_table();
  table.sites[3].file.clear();
  REQUIRE(write_adjustments(folder.file("r.csv"), table));
  CHECK(content(folder.file("r.csv")) ==
        "\"start:stop\",\"ratio\"\n\"a.c:10:a.c:20\",0.5\n\"a.c:20:b.c:30\",0.666666666666667\n");
  const auto again = read_slowdowns(folder.file("r.csv"));
  REQUIRE(again);
  CHECK(again->regions.size() == 2);
}

TEST_CASE("lines that are no regions are named") {
  const Folder folder;
  const auto error_of = [&](const std::string& text) {
    const auto read = read_slowdowns(folder.write("bad.csv", text));
    REQUIRE_FALSE(read);
    return read.error().message;
  };
  CHECK(error_of("\"start:stop\",\"ratio\"\n\"a.c:1:b.c:2\",fast\n").find("bad.csv:2: found") != std::string::npos);
  CHECK(error_of("\"a.c:1:b.c:2\",0\n").find("above 0") != std::string::npos);
  CHECK(error_of("\"a.c:1:b.c:2\",-3\n").find("bad.csv:1") != std::string::npos);
  CHECK(error_of("h,r\n\"a.c:1:b.c:2\n").find("bad.csv:2") != std::string::npos);
  CHECK(error_of("h,r\na.c,1.0\n").find("bad.csv:2") != std::string::npos);
  CHECK(error_of("\"start:stop\",\"ratio\"\n").find("no line") != std::string::npos);
  CHECK(error_of("").find("an empty file") != std::string::npos);
  CHECK(error_of(std::string("\0\1\2", 3)).find("binary data") != std::string::npos);
  CHECK_FALSE(read_slowdowns(folder.file("nowhere.csv")));
  CHECK_FALSE(read_slowdowns(fs::temp_directory_path().string()));
}

TEST_CASE("slowdowns of SimGrid come through a pipe too; a device is refused") {
  const farcast::test::Pipe pipe("\"start:stop\",\"ratio\"\n\"a.c:1:a.c:2\",0.5\n");
  const auto read = read_slowdowns(pipe.path());
  REQUIRE(read);
  CHECK(read->regions.size() == 1);
  CHECK(read_slowdowns("/dev/zero").error().message ==
        "cannot read '/dev/zero': found a device, expected a regular file or a pipe");
  const farcast::test::Pipe hdf5(std::string("\x89HDF\r\n\x1a\n", 8) + "and more");
  CHECK(read_slowdowns(hdf5.path()).error().message.find("needs a regular file, not a pipe") != std::string::npos);
}
