#include "predictor/trace/hdf5_output.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <unistd.h>

namespace farcast::trace {

// HDF5's view of the open file: its base class first, as HDF5 wants it.
struct Hdf5Output::File {
  H5FD_t base{};
  Hdf5Output* owner = nullptr;
  int descriptor = -1;
  haddr_t eoa = 0; // end of the addresses that HDF5 has given out
  haddr_t eof = 0; // end of what was written, or would have been
};

struct Hdf5Output::Driver {
  static File* of(H5FD_t* file) { return reinterpret_cast<File*>(file); }
  static const File* of(const H5FD_t* file) { return reinterpret_cast<const File*>(file); }

  static H5FD_t* open(const char* name, unsigned /*flags*/, hid_t access, haddr_t /*most*/) {
    const void* info = H5Pget_driver_info(access);
    if (info == nullptr) return nullptr;
    auto* file = new (std::nothrow) File;
    if (file == nullptr) return nullptr;
    std::memcpy(static_cast<void*>(&file->owner), info, sizeof(file->owner));
    file->descriptor = ::open(name, O_RDWR | O_CLOEXEC);
    if (file->descriptor < 0) file->owner->note(errno);
    return &file->base;
  }
  static herr_t close(H5FD_t* base) {
    File* file = of(base);
    if (file->descriptor >= 0 && ::close(file->descriptor) != 0 && errno != EINTR) file->owner->note(errno);
    delete file;
    return 0;
  }
  static herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
  }
  static haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t /*type*/) { return of(file)->eoa; }
  static herr_t set_eoa(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
    of(file)->eoa = end;
    return 0;
  }
  static haddr_t get_eof(const H5FD_t* file, H5FD_mem_t /*type*/) { return of(file)->eof; }

  static herr_t read(H5FD_t* base, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, size_t size, void* buffer) {
    File* file = of(base);
    auto* to = static_cast<char*>(buffer);
    while (size > 0) {
      const ssize_t got = pread(file->descriptor, to, size, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) file->owner->note(errno);
      if (got <= 0) break;
      to += got;
      at += static_cast<haddr_t>(got);
      size -= static_cast<size_t>(got);
    }
    std::memset(to, 0, size); // beyond the end
    return 0;
  }
  static herr_t write(H5FD_t* base, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, size_t size, const void* buffer) {
    File* file = of(base);
    if (at + size > file->eof) file->eof = at + size;
    const auto* from = static_cast<const char*>(buffer);
    while (size > 0 && file->owner->error_ == 0) {
      const ssize_t done = pwrite(file->descriptor, from, size, static_cast<off_t>(at));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) {
        file->owner->note(done < 0 ? errno : ENOSPC);
        break;
      }
      from += done;
      at += static_cast<haddr_t>(done);
      size -= static_cast<size_t>(done);
    }
    return 0;
  }
  // HDF5 closes a file at its end of addresses, which may lie beyond the last byte written.
  static herr_t truncate(H5FD_t* base, hid_t /*transfer*/, hbool_t /*closing*/) {
    File* file = of(base);
    if (file->eof == file->eoa) return 0;
    while (file->owner->error_ == 0 && ftruncate(file->descriptor, static_cast<off_t>(file->eoa)) != 0) {
      if (errno != EINTR) file->owner->note(errno);
    }
    file->eof = file->eoa;
    return 0;
  }

  // HDF5 keeps the class by address; one for all files.
  static const H5FD_class_t& description() {
    static const H5FD_class_t made = [] {
      H5FD_class_t driver{};
      driver.name = "farcast-output";
      driver.maxaddr = (haddr_t{1} << 62) - 1;
      driver.fc_degree = H5F_CLOSE_STRONG;
      driver.fapl_size = sizeof(Hdf5Output*);
      driver.open = open;
      driver.close = close;
      driver.query = query;
      driver.get_eoa = get_eoa;
      driver.set_eoa = set_eoa;
      driver.get_eof = get_eof;
      driver.read = read;
      driver.write = write;
      driver.truncate = truncate;
      const H5FD_mem_t one_list[] = H5FD_FLMAP_DICHOTOMY;
      static_assert(sizeof(one_list) == sizeof(driver.fl_map));
      std::memcpy(driver.fl_map, one_list, sizeof(one_list));
      return driver;
    }();
    return made;
  }
};

bool Hdf5Output::install(hid_t access) {
  static const hid_t driver = H5FDregister(&Driver::description()); // stays registered
  Hdf5Output* self = this;
  return driver >= 0 && H5Pset_driver(access, driver, &self) >= 0;
}

} // namespace farcast::trace
