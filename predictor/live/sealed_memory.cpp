#include "predictor/live/sealed_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace farcast::live {

SealedMemory make_sealed_memory(const char* name, std::size_t bytes) {
  const int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return {};
  void* memory = MAP_FAILED;
  if (posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0 &&
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) return {memory, file};
  close(file);
  return {};
}

} // namespace farcast::live
