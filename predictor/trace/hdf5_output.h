// An HDF5 file driver for writing that never tells HDF5 about errors: it keeps them, and drops what
// follows.
//
// Why: HDF5 cannot close a file that it failed to flush (disk full), and then crashes when the
// process ends. With this driver it always closes cleanly; the writer asks error() afterwards and
// throws the file away.
// Threads: as HDF5 itself: one at a time (hdf5_file.h holds the lock).
#pragma once

#include <hdf5.h>
#include <string>

namespace farcast::trace {

class Hdf5Output {
public:
  // Makes files opened through `access` write to `path` (an existing file) and report here.
  // Requires: this object outlives the HDF5 file. Returns: false when HDF5 refuses the driver.
  bool install(hid_t access);
  // Returns: errno of the first operation that failed; 0: none.
  [[nodiscard]] int error() const { return error_; }

private:
  struct File;
  struct Driver;
  void note(int error) {
    if (error_ == 0) error_ = error;
  }

  int error_ = 0;
};

} // namespace farcast::trace
