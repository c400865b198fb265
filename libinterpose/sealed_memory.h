// Memory that the predictor shares with the ranks (the gate of --isolate, the clocks of coupled
// runs), from the descriptor that it has sent. Threads: any.
#pragma once

#include <cstddef>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace farcast::interpose {

// Closes `file`. Returns: its first `bytes`, mapped; nullptr when it has fewer, or could shrink: a
// reader would be killed.
inline void* map_sealed(int file, std::size_t bytes) {
  struct stat status {};
  void* memory = MAP_FAILED;
  const int seals = fcntl(file, F_GET_SEALS);
  if (seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat(file, &status) == 0 &&
      static_cast<std::size_t>(status.st_size) >= bytes)
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? nullptr : memory;
}

} // namespace farcast::interpose
