// Finds the functions that we stand in front of. Lazy: wrappers may run before any constructor of ours.
#pragma once

#include <atomic>

namespace farcast::interpose {

// Returns: the next definition of `name` after this library; for an MPI library that came by
// dlopen, the one in it; null if none.
void* find_symbol(const char* name);
// Returns: the address of a variable of the MPI library (its copy in the program, where the linker
// made one); null if none.
void* find_variable(const char* name);
// Returns: this library's MPI library is loaded (and not the other one).
bool is_our_library();
// find_symbol, but a missing function ends the program as an undefined symbol would: nothing
// sensible can be called.
void* require_symbol(const char* name);

// The real function behind one wrapper.
template <class Function> class Real {
public:
  constexpr explicit Real(const char* name) : name_(name) {}
  Function get() {
    void* found = address_.load(std::memory_order_relaxed);
    if (__builtin_expect(found == nullptr, 0)) {
      found = require_symbol(name_);
      address_.store(found, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function>(found);
  }

private:
  const char* name_;
  std::atomic<void*> address_{nullptr};
};

} // namespace farcast::interpose
