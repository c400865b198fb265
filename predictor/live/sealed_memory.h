// Memory that is handed to ranks by its descriptor.
#pragma once

#include <cstddef>

namespace farcast::live {

struct SealedMemory {
  void* address = nullptr; // zeroed; null: there is no memory
  int file = -1;
};
// Blocks are reserved and the size is sealed, so that no rank can be killed by touching its memory;
// nor can one add a seal that keeps others out.
SealedMemory make_sealed_memory(const char* name, std::size_t bytes);

} // namespace farcast::live
