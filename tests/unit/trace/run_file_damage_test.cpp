// What is no run file, is cut short, or holds what no run file can.
#include "predictor/trace/run_file.h"

#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <unit/trace/run_files.h>

using namespace farcast;
using namespace farcast::trace;
using Catch::Contains;

TEST_CASE("files that are no run files") {
  const TemporaryFolder folder;
  CHECK_THAT(bad(folder.file("missing.h5")), Contains("No such file or directory"));
  CHECK_THAT(bad(folder.path()), Contains("not a regular file"));
  CHECK_THAT(bad("/dev/null"), Contains("not a regular file"));
  put(folder.file("empty.h5"), "");
  CHECK_THAT(bad(folder.file("empty.h5")), Contains("not an HDF5 file"));
  put(folder.file("text.h5"), std::string(5000, 'a'));
  CHECK_THAT(bad(folder.file("text.h5")), Contains("not an HDF5 file"));
  const hid_t foreign = H5Fcreate(folder.file("foreign.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(foreign);
  CHECK_THAT(bad(folder.file("foreign.h5")), Contains("not a run that farcast recorded"));
}

TEST_CASE("a file cut off anywhere") {
  const TemporaryFolder folder;
  const std::string whole = contents(write_sample(folder, 10000));
  for (std::size_t part = 0; part < 50; ++part) {
    put(folder.file("cut.h5"), whole.substr(0, whole.size() * part / 50));
    bad(folder.file("cut.h5"));
  }
  put(folder.file("cut.h5"), whole.substr(0, whole.size() - 1));
  CHECK_THAT(bad(folder.file("cut.h5")), Contains("cut short or damaged"));
}

TEST_CASE("attributes that are missing, of another type, or out of range") {
  const TemporaryFolder folder;
  const std::string path = write_sample(folder);
  const double infinite = std::numeric_limits<double>::infinity();
  const std::int64_t two[2] = {1, 1};
  const char* text = "farcast-run";
  const hid_t variable = H5Tcopy(H5T_C_S1);
  H5Tset_size(variable, H5T_VARIABLE);
  const std::vector<std::pair<std::function<void(Altered&)>, std::string>> cases = {
      {[](Altered& f) { f.drop_attribute("/", "format"); }, "not a run that farcast recorded"},
      {[](Altered& f) { f.integer("/", "format", 3); }, "attribute 'format' is of another type"},
      {[&](Altered& f) { f.attribute("/", "format", variable, &text); }, "attribute 'format' is a text of"},
      {[](Altered& f) { f.integer("/", "version", 6); }, "version 6, this farcast reads version 5: use a newer one"},
      {[](Altered& f) { f.integer("/", "version", 1); }, "version 1, this farcast reads version 5: record the run again"},
      {[](Altered& f) { f.integer("/", "version", 0); }, "attribute 'version' is 0"},
      {[](Altered& f) { f.drop_attribute("/", "world_size"); }, "attribute 'world_size' is missing"},
      {[](Altered& f) { f.integer("/", "world_size", -1); }, "attribute 'world_size' is -1: expected 0 to"},
      {[](Altered& f) { f.integer("/", "world_size", 1); }, "/ranks/1: attribute 'rank' is 1: expected -1 to 0"},
      {[&](Altered& f) { f.attribute("/", "world_size", H5T_NATIVE_INT64, two, 2); },
       "attribute 'world_size' is of another type"},
      {[&](Altered& f) { f.attribute("/ranks/0", "ticks_per_second", H5T_NATIVE_DOUBLE, &infinite); },
       "/ranks/0: attribute 'ticks_per_second' is not a finite"},
      {[](Altered& f) {
         const double none = 0;
         f.attribute("/ranks/0", "ticks_per_second", H5T_NATIVE_DOUBLE, &none);
       },
       "not positive"},
      {[](Altered& f) { f.integer("/ranks/0", "end", 3); }, "/ranks/0: attribute 'end'"},
      {[](Altered& f) { f.integer("/ranks/0", "rank", 2); }, "/ranks/0: it holds rank 2"},
      {[](Altered& f) { f.integer("/ranks/0", "thread_count", 1000000); },
       "attribute 'thread_count' is 1000000: expected at most 4096"},
      {[](Altered& f) { f.integer("/ranks/0", "computing_threads", std::int64_t{1} << 40); },
       "attribute 'computing_threads' is 1099511627776: expected at most 16777216"},
      {[](Altered& f) { f.drop("/ranks/1/allowed_cores"); }, "data set 'allowed_cores' is missing"},
      {[](Altered& f) { f.integer("/ranks/0", "thread_count", 3); }, "/ranks/0/threads: data set '2' is missing"},
      {[](Altered& f) { f.drop("/ranks"); }, "group 'ranks' is missing"},
      {[](Altered& f) { f.drop("/ranks/1/modules"); }, "/ranks/1: group 'modules' is missing"},
      {[](Altered& f) { f.drop("/notes"); }, "data set 'notes' is missing"},
      {[](Altered& f) {
         f.drop("/notes");
         f.rename("/ranks/1", "/notes");
       },
       "data set 'notes' is missing or damaged"},
      {[](Altered& f) {
         f.drop("/sites");
         f.rename("/notes", "/sites");
       },
       "'notes' is missing"},
  };
  const std::string original = contents(path);
  for (const auto& [change, expected] : cases) {
    put(path, original);
    {
      Altered file(path);
      change(file);
    }
    CHECK_THAT(bad(path), Contains(expected));
  }
  H5Tclose(variable);
}

TEST_CASE("columns that are longer than what they hold, of another type, or of unequal length") {
  const TemporaryFolder folder;
  const std::string path = write_sample(folder);
  const std::string original = contents(path);
  const auto altered = [&](const auto& change) {
    put(path, original);
    {
      Altered file(path);
      change(file);
    }
    return bad(path);
  };
  CHECK_THAT(altered([](Altered& f) {
               const hid_t type = f.type_of("/ranks/0/threads/0");
               f.hollow("/ranks/0/threads/0", type, hsize_t{1} << 50, 8192);
               H5Tclose(type);
             }),
             Contains("/ranks/0/threads/0: parts of it are missing"));
  CHECK_THAT(altered([](Altered& f) { f.hollow("/ranks/0/threads/0", H5T_NATIVE_INT64, 0, 0); }), Contains("another type"));
  CHECK_THAT(altered([](Altered& f) { f.hollow("/ranks/0/modules/base", H5T_NATIVE_UINT64, hsize_t{1} << 40, 0); }),
             Contains("parts of it"));
  CHECK_THAT(altered([](Altered& f) { f.hollow("/ranks/0/modules/base", H5T_NATIVE_UINT64, 0, 0); }),
             Contains("/ranks/0/modules: its columns differ in length"));
  CHECK_THAT(altered([](Altered& f) { f.hollow("/ranks/0/modules/path", H5T_NATIVE_UINT64, 0, 0); }),
             Contains("not a list of texts"));
  CHECK_THAT(altered([](Altered& f) { f.hollow("/ranks/0/modules/base", H5T_NATIVE_DOUBLE, 0, 0); }),
             Contains("not a list of integers"));
}

TEST_CASE("a line that no source file can have is unknown") {
  const TemporaryFolder folder;
  const auto recording = sample_recording(0);
  recording->resolved.assign(2, ResolvedSite{"/p", "b1", 16, "a.c:1", "a.c", 1 << 24, "f"});
  recording->resolved.back().line += 1;
  REQUIRE(write_run_file(folder.file("run.h5"), *recording));
  const auto read = good(folder.file("run.h5"));
  REQUIRE(read->resolved.size() == 2);
  CHECK(read->resolved[0].line == 1 << 24);
  CHECK(read->resolved[1].line == 0);
}
