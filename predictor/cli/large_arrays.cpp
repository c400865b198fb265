// The farcast program's operator new: arrays of kLarge bytes and more lie on huge pages where the kernel gives them (madvise(2)).
// A prediction of tens of thousands of ranks goes through more memory than the processor keeps page addresses of.
// Threads: any. Errors: std::bad_alloc. Left out where sanitizers bring their own (predictor/CMakeLists.txt).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21; // bytes
constexpr std::size_t kLarge = 2 * kHugePage;

void* allocate(std::size_t bytes) noexcept {
  if (bytes < kLarge || bytes > PTRDIFF_MAX) return std::malloc(bytes > 0 ? bytes : 1);
  void* memory = std::aligned_alloc(kHugePage, (bytes + kHugePage - 1) / kHugePage * kHugePage);
  if (memory != nullptr) (void)madvise(memory, bytes, MADV_HUGEPAGE); // small pages do as well
  return memory;
}

} // namespace

void* operator new(std::size_t bytes) {
  while (true) {
    if (void* const memory = allocate(bytes)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
