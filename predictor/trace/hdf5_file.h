// The little of HDF5 that the run file needs, with errors kept as one sentence: after the first
// failure every call does nothing.
//
// Attributes hold single values, data sets of one dimension hold columns. All sizes found in a file
// are checked before use.
// Threads: any, one at a time: Debian's HDF5 is not thread-safe, so each object here holds one lock
// of the process while it lives.
#pragma once

#include "predictor/base/result.h"
#include "predictor/trace/hdf5_output.h"

#include <cstdint>
#include <functional>
#include <hdf5.h>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace farcast::trace {

class Hdf5Id {
public:
  using Close = herr_t (*)(hid_t);
  Hdf5Id() = default;
  Hdf5Id(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    reset();
    id_ = std::exchange(other.id_, -1);
    close_ = other.close_;
    return *this;
  }
  Hdf5Id(const Hdf5Id&) = delete;
  Hdf5Id& operator=(const Hdf5Id&) = delete;
  ~Hdf5Id() { reset(); }
  void reset() {
    if (id_ >= 0) close_(id_);
    id_ = -1;
  }
  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }

private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// The lock, HDF5's own messages switched off, and the first error.
class Hdf5Session {
public:
  Hdf5Session(const Hdf5Session&) = delete;
  Hdf5Session& operator=(const Hdf5Session&) = delete;
  [[nodiscard]] bool ok() const { return message_.empty(); }
  [[nodiscard]] const std::string& message() const { return message_; }
  // Keeps the first failure: "cannot read 'run.h5': /ranks/3: <what>".
  void fail(hid_t object, const std::string& what);
  void fail(const std::string& what);

protected:
  explicit Hdf5Session(std::string task) : lock_(mutex()), task_(std::move(task)) { silence(); }
  ~Hdf5Session() { H5Eset_auto2(H5E_DEFAULT, report_, report_data_); }

private:
  static std::mutex& mutex();
  void silence();

  std::lock_guard<std::mutex> lock_;
  std::string task_;    // "cannot read 'run.h5'"
  std::string message_; // empty: no failure
  H5E_auto2_t report_ = nullptr;
  void* report_data_ = nullptr;
};

class Hdf5Writer : public Hdf5Session {
public:
  // Writes into the existing file `path`; messages name `shown`.
  Hdf5Writer(const std::string& path, const std::string& shown);
  // Returns: the sentence of the first error, once the file is closed.
  base::Result<void> close();

  [[nodiscard]] hid_t root() const { return file_.get(); }
  Hdf5Id group(hid_t parent, const std::string& name);
  void text(hid_t at, const char* name, const std::string& value);
  void integer(hid_t at, const char* name, std::int64_t value);
  void natural(hid_t at, const char* name, std::uint64_t value);
  void real(hid_t at, const char* name, double value);
  void texts(hid_t at, const char* name, const std::vector<std::string>& column);
  void naturals(hid_t at, const char* name, const std::vector<std::uint64_t>& column);
  // `count` elements of `type` in compressed chunks. `next` hands out the next block (data,
  // elements), 0 elements at the end.
  using Source = std::function<std::pair<const void*, std::uint64_t>()>;
  void elements(hid_t at, const std::string& name, hid_t type, std::uint64_t count, std::uint64_t chunk, const Source& next);

private:
  void attribute(hid_t at, const char* name, hid_t stored, hid_t memory, const void* value);

  Hdf5Output output_;
  std::string shown_;
  Hdf5Id file_;
};

class Hdf5Reader : public Hdf5Session {
public:
  explicit Hdf5Reader(const std::string& path);

  [[nodiscard]] hid_t root() const { return file_.get(); }
  bool exists(hid_t at, const std::string& name) const;
  // Returns: an invalid id when the attribute is missing; so for a foreign file one can ask first.
  bool has_attribute(hid_t at, const char* name) const;
  Hdf5Id group(hid_t parent, const std::string& name);
  std::vector<std::string> names(hid_t group);
  std::string text(hid_t at, const char* name);
  std::int64_t integer(hid_t at, const char* name, std::int64_t least, std::int64_t most);
  std::uint64_t natural(hid_t at, const char* name, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  double real(hid_t at, const char* name);
  std::vector<std::string> texts(hid_t at, const char* name);
  std::vector<std::uint64_t> naturals(hid_t at, const char* name);
  // Hands blocks of at most `block` elements of `type` to `take`. The stored type must be equal to it.
  void elements(hid_t at, const std::string& name, hid_t type, std::size_t element_bytes, std::uint64_t block,
                const std::function<void(const void*, std::uint64_t)>& take);

private:
  struct Column {
    Hdf5Id set;
    Hdf5Id type;
    std::uint64_t count = 0;
  };
  Column column(hid_t at, const std::string& name);
  Hdf5Id attribute(hid_t at, const char* name, H5T_class_t expected);

  Hdf5Id file_;
};

} // namespace farcast::trace
