#include "predictor/live/rank_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace farcast::live {

bool can_be_mapped(int file, std::size_t bytes) {
  const int seals = fcntl(file, F_GET_SEALS); // first: it fails for all but memory, and asks no file server
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return false;
  struct statfs system {};
  struct stat status {};
  // Huge pages have no blocks of their own until they are touched.
  return fstatfs(file, &system) == 0 && system.f_type == TMPFS_MAGIC && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
         static_cast<std::size_t>(status.st_size) >= bytes;
}

} // namespace farcast::live
