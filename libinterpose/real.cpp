#include "libinterpose/real.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

namespace farcast::interpose {
namespace {

#if defined(FARCAST_OPENMPI)
constexpr const char* kLibraryPrefix = "libmpi.so";
#else
constexpr const char* kLibraryPrefix = "libmpich.so";
#endif

struct Search {
  char path[4096];
};

int match_library(dl_phdr_info* info, size_t, void* data) {
  const char* slash = std::strrchr(info->dlpi_name, '/');
  const char* name = slash == nullptr ? info->dlpi_name : slash + 1;
  if (std::strncmp(name, kLibraryPrefix, std::strlen(kLibraryPrefix)) != 0) return 0;
  std::strncpy(static_cast<Search*>(data)->path, info->dlpi_name, sizeof(Search::path) - 1);
  return 1;
}

// A handle of the MPI library that somebody loaded with dlopen, perhaps with RTLD_LOCAL: invisible
// to RTLD_NEXT.
void* loaded_library() {
  static Search search;
  if (search.path[0] == '\0' && dl_iterate_phdr(match_library, &search) == 0) return nullptr;
  return dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
}

} // namespace

void* find_symbol(const char* name) {
  if (void* found = dlsym(RTLD_NEXT, name)) return found;
  const int saved = errno;
  void* library = loaded_library();
  void* found = library == nullptr ? nullptr : dlsym(library, name);
  dlerror(); // our failed attempts must not be taken for the host's
  errno = saved;
  return found;
}

void* find_variable(const char* name) {
  if (void* found = dlsym(RTLD_DEFAULT, name)) return found;
  void* library = loaded_library();
  return library == nullptr ? nullptr : dlsym(library, name);
}

bool is_our_library() { return loaded_library() != nullptr; }

void* require_symbol(const char* name) {
  if (void* found = find_symbol(name)) return found;
  constexpr const char kText[] = "farcast: the program's MPI library does not have ";
  if (write(2, kText, sizeof(kText) - 1) < 0 || write(2, name, std::strlen(name)) < 0 || write(2, "\n", 1) < 0) _exit(127);
  _exit(127); // what the dynamic linker does for an undefined symbol
}

} // namespace farcast::interpose
