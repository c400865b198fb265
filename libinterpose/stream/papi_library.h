// PAPI, opened at run time where it is installed: the functions that ranks and calibration use of
// it, by the types of <papi.h>.
//
// Requires: dlopen may be called. Errors are codes of PAPI. Threads: each user has a Papi of its
// own, filled by one thread.
#pragma once

#include <dlfcn.h>
#include <papi.h>

namespace farcast::stream {

struct Papi {
  decltype(&PAPI_library_init) library_init;
  decltype(&PAPI_thread_init) thread_init;
  decltype(&PAPI_create_eventset) create_eventset;
  decltype(&PAPI_add_named_event) add_named_event;
  decltype(&PAPI_start) start;
  decltype(&PAPI_read) read;
  decltype(&PAPI_stop) stop;
  decltype(&PAPI_cleanup_eventset) cleanup_eventset;
  decltype(&PAPI_destroy_eventset) destroy_eventset;
  decltype(&PAPI_unregister_thread) unregister_thread;
  decltype(&PAPI_strerror) error_text;
};

constexpr int kPapiMajor = 7; // whose binary interface papi.h describes
static_assert(PAPI_VERSION_MAJOR(PAPI_VERSION) == kPapiMajor);
constexpr const char* kNoPapi = "PAPI 7 (libpapi.so.7) is not installed";

// The library is named after its major and minor version; what changed between them is not used here.
constexpr const char* kPapiLibraries[] = {"libpapi.so.7", "libpapi.so.7.0", "libpapi.so.7.1", "libpapi.so.7.2"};

inline bool papi_is_loaded() {
  for (const char* name : kPapiLibraries) {
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) {
      dlclose(library);
      return true;
    }
  }
  return false;
}

// Privately, so that no name of PAPI or of its libraries takes the place of the program's. It stays
// open: its threads and exit handlers may be at work. Returns: null when there is none.
inline void* open_papi() {
  for (const char* name : kPapiLibraries) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

template <class Function> bool find_papi_function(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  return out != nullptr;
}

// Returns: false when the library lacks one.
inline bool find_papi_functions(void* library, Papi& papi) {
  return find_papi_function(library, "PAPI_library_init", papi.library_init) &&
         find_papi_function(library, "PAPI_thread_init", papi.thread_init) &&
         find_papi_function(library, "PAPI_create_eventset", papi.create_eventset) &&
         find_papi_function(library, "PAPI_add_named_event", papi.add_named_event) &&
         find_papi_function(library, "PAPI_start", papi.start) && find_papi_function(library, "PAPI_read", papi.read) &&
         find_papi_function(library, "PAPI_stop", papi.stop) &&
         find_papi_function(library, "PAPI_cleanup_eventset", papi.cleanup_eventset) &&
         find_papi_function(library, "PAPI_destroy_eventset", papi.destroy_eventset) &&
         find_papi_function(library, "PAPI_unregister_thread", papi.unregister_thread) &&
         find_papi_function(library, "PAPI_strerror", papi.error_text);
}

// PAPI wants to hear its own version; to any other it says no and does nothing. Returns: PAPI_OK,
// or a code for reason_of().
inline int init_papi(const Papi& papi) {
  int code = 0;
  for (int minor = 0; minor <= 9; ++minor) {
    const int version = PAPI_VERSION_NUMBER(kPapiMajor, minor, 0, 0);
    code = papi.library_init(version);
    if (code == version) return PAPI_OK;
  }
  return code < 0 ? code : -1;
}

inline const char* reason_of(const Papi& papi, int code) {
  const char* text = papi.error_text(code);
  return text == nullptr ? "unknown error" : text;
}

} // namespace farcast::stream
