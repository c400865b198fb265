// Run files for tests: written, read with or without success, and altered to what a damaged or
// foreign file might look like.
#pragma once

#include "predictor/base/read_file.h"
#include "predictor/trace/run_file.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <hdf5.h>
#include <memory>
#include <string>
#include <unit/trace/sample_recording.h>

namespace farcast::trace {

inline std::string contents(const std::string& path) { return base::read_file(path).value(); }

inline void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

inline std::unique_ptr<Recording> good(const std::string& path) {
  auto read = read_run_file(path);
  INFO((read ? std::string() : read.error().message));
  REQUIRE(read);
  return std::move(*read);
}

inline std::string bad(const std::string& path) {
  const auto read = read_run_file(path);
  REQUIRE_FALSE(read);
  CHECK_THAT(read.error().message, Catch::StartsWith("cannot read '" + path + "': "));
  CHECK(read.error().message.find('\n') == std::string::npos);
  return read.error().message;
}

inline std::string write_sample(const TemporaryFolder& folder, std::uint64_t slots = 300) {
  const auto recording = sample_recording(slots);
  const auto written = write_run_file(folder.file("run.h5"), *recording);
  INFO((written ? std::string() : written.error().message));
  REQUIRE(written);
  return folder.file("run.h5");
}

// Opens a written file to change it: what a damaged or foreign file might look like.
class Altered {
public:
  explicit Altered(const std::string& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) { REQUIRE(file_ >= 0); }
  ~Altered() { H5Fclose(file_); }
  Altered(const Altered&) = delete;
  Altered& operator=(const Altered&) = delete;

  void drop_attribute(const char* object, const char* name) { REQUIRE(H5Adelete_by_name(file_, object, name, H5P_DEFAULT) >= 0); }
  void attribute(const char* object, const char* name, hid_t type, const void* value, hsize_t count = 0) {
    drop_attribute(object, name);
    const hid_t space = count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr);
    const hid_t made = H5Acreate_by_name(file_, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(H5Awrite(made, type, value) >= 0);
    H5Aclose(made);
    H5Sclose(space);
  }
  void integer(const char* object, const char* name, std::int64_t value) { attribute(object, name, H5T_NATIVE_INT64, &value); }
  void drop(const char* name) { REQUIRE(H5Ldelete(file_, name, H5P_DEFAULT) >= 0); }
  void rename(const char* from, const char* to) { REQUIRE(H5Lmove(file_, from, file_, to, H5P_DEFAULT, H5P_DEFAULT) >= 0); }
  // A data set of `count` elements of which nothing is stored.
  void hollow(const char* name, hid_t type, hsize_t count, hsize_t chunk) {
    drop(name);
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk > 0) H5Pset_chunk(list, 1, &chunk);
    const hid_t made = H5Dcreate2(file_, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    REQUIRE(made >= 0);
    H5Dclose(made);
    H5Pclose(list);
    H5Sclose(space);
  }
  [[nodiscard]] hid_t type_of(const char* set) const {
    const hid_t opened = H5Dopen2(file_, set, H5P_DEFAULT);
    const hid_t type = H5Dget_type(opened);
    H5Dclose(opened);
    return type;
  }

private:
  hid_t file_;
};

} // namespace farcast::trace
