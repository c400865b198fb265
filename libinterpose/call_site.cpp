#include "libinterpose/call_site.h"

#include "libinterpose/process.h"
#include "libinterpose/spin_guard.h"

#include <atomic>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace farcast::interpose {

ProgramText program_text;
std::uint32_t stack_depth = 1;
Backtrace backtrace_function = nullptr;

namespace {

// libunwind's fast stack walk. Opened privately (RTLD_LOCAL): its shared object exports _Unwind_*,
// which in the global scope would take over the host's C++ exceptions, and Debian's archive of it
// is not position-independent.

enum class ObjectKind : std::uint8_t { program, binding, mpi, wrapper, self };

bool starts_with(const char* text, const char* prefix) { return std::strncmp(text, prefix, std::strlen(prefix)) == 0; }

bool named_as_wrapper(const char* name) {
  const char* list = process.settings.skip_libraries;
  while (*list != '\0') {
    const char* comma = std::strchr(list, ',');
    const std::size_t length = comma == nullptr ? std::strlen(list) : static_cast<std::size_t>(comma - list);
    if (length > 0 && std::strncmp(name, list, length) == 0) return true;
    list += length;
    if (*list == ',') ++list;
  }
  return false;
}

ObjectKind kind_of_object(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  if (starts_with(name, "libfarcast-")) return ObjectKind::self;
  // Bindings of Fortran and C++, then the libraries themselves and their plug-ins.
  const char* const bindings[] = {"libmpi_mpifh", "libmpi_usempi", "libmpichfort", "libmpi_cxx", "libmpichcxx", "libmpi_java"};
  for (const char* binding : bindings) {
    if (starts_with(name, binding)) return ObjectKind::binding;
  }
  const char* const libraries[] = {"libmpi.so", "libmpich.so",   "libopen-pal", "libopen-rte",
                                   "mca_",      "libmca_common", "libompitrace"};
  for (const char* library : libraries) {
    if (starts_with(name, library)) return ObjectKind::mpi;
  }
  return named_as_wrapper(name) ? ObjectKind::wrapper : ObjectKind::program;
}

// "ompi_send_f", "pmpi_send_", "mpi_send_f08ts_", "MPIR_Send_cdesc" -> "send". Returns: length
// written to out.
void base_name(const char* symbol, char* out, std::size_t size) {
  char text[256];
  std::size_t length = 0;
  for (; symbol[length] != '\0' && length + 1 < sizeof(text); ++length) {
    text[length] = static_cast<char>(std::tolower(static_cast<unsigned char>(symbol[length])));
  }
  text[length] = '\0';
  const char* at = text;
  const char* const prefixes[] = {"ompi_", "ompix_", "pmpir_", "mpir_", "pmpi_", "mpi_", "pmpix_", "mpix_"};
  for (const char* prefix : prefixes) {
    if (starts_with(at, prefix)) {
      at += std::strlen(prefix);
      break;
    }
  }
  std::strncpy(out, at, size - 1);
  out[size - 1] = '\0';
  const char* const suffixes[] = {"_", "_", "_large", "_f08ts", "_f08", "_f90", "_large", "_cdesc", "_f", "_c"};
  for (const char* suffix : suffixes) {
    const std::size_t have = std::strlen(out);
    const std::size_t cut = std::strlen(suffix);
    if (have > cut && std::strcmp(out + have - cut, suffix) == 0) out[have - cut] = '\0';
  }
}

// The C++ bindings and the Fortran ones: is this the function's own binding, or a helper call?
bool is_own_binding(const char* symbol, const char* function) {
  char caller[256];
  char callee[256];
  base_name(symbol, caller, sizeof(caller));
  base_name(function, callee, sizeof(callee));
  return std::strcmp(caller, callee) == 0;
}

// What is loaded, as ranges of addresses. dladdr looks through all symbols of an object for the
// nearest one: 1 us in a small library, much more in a large one, for each new call site. Only what
// depends on the symbol asks it.
constexpr std::uint32_t kMostObjects = 1024;
struct LoadedObject {
  std::uint64_t begin;
  std::uint64_t size;
  ObjectKind kind;
};
LoadedObject objects[kMostObjects];
std::uint32_t object_count = 0;
std::uint64_t object_changes = 0; // loads and unloads when the list was made; 0: never
std::atomic_flag objects_lock = ATOMIC_FLAG_INIT;

int read_changes(dl_phdr_info* info, std::size_t, void* data) {
  *static_cast<std::uint64_t*>(data) = info->dlpi_adds + info->dlpi_subs;
  return 1; // the same in each of them
}

int list_object(dl_phdr_info* info, std::size_t, void*) {
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uint64_t first = info->dlpi_addr + segment.p_vaddr;
    if (first < begin) begin = first;
    if (first + segment.p_memsz > end) end = first + segment.p_memsz;
  }
  if (begin < end) objects[object_count++] = {begin, end - begin, kind_of_object(info->dlpi_name)};
  return object_count == kMostObjects ? 1 : 0;
}

// Returns: the kind of the object that the address lies in; `program` where there is none (code
// that was made at run time).
ObjectKind kind_at(std::uint64_t address) {
  std::uint64_t changes = 0;
  dl_iterate_phdr(read_changes, &changes);
  const SpinGuard guard(objects_lock);
  if (changes != object_changes) {
    object_count = 0;
    dl_iterate_phdr(list_object, nullptr);
    object_changes = changes;
  }
  ObjectKind kind = ObjectKind::program;
  for (std::uint32_t i = 0; i < object_count; ++i) {
    if (address - objects[i].begin < objects[i].size) kind = objects[i].kind;
  }
  return kind;
}

ObjectKind object_at(std::uint64_t address, const char** symbol, const char** path) {
  Dl_info info{};
  *symbol = nullptr;
  *path = "";
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0 || info.dli_fname == nullptr) return ObjectKind::program;
  *symbol = info.dli_sname;
  *path = info.dli_fname;
  return kind_of_object(info.dli_fname);
}

ProgramText own_text; // this library's code

int note_own(dl_phdr_info* info, std::size_t, void*) {
  const auto here = reinterpret_cast<std::uint64_t>(&note_own);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || here - begin >= segment.p_memsz) continue;
    own_text = {begin, segment.p_memsz};
    return 1;
  }
  return 0;
}

int note_program(dl_phdr_info* info, std::size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
      program_text = {info->dlpi_addr + segment.p_vaddr, segment.p_memsz};
    }
  }
  return 1; // the first object is the program
}

// The C half of MPICH's mpi_f08 module has no exported names: its caller, the binding proper, says
// what the program called.
const char* outermost_binding() {
  constexpr int kDeepest = 32;
  void* stack[kDeepest];
  const int got = backtrace_function == nullptr ? 0 : backtrace_function(stack, kDeepest);
  const char* found = nullptr;
  bool inside = false;
  for (int i = 0; i < got; ++i) {
    const char* symbol = nullptr;
    const char* path = nullptr;
    const bool binding = object_at(reinterpret_cast<std::uint64_t>(stack[i]) - 1, &symbol, &path) == ObjectKind::binding;
    if (inside && !binding) break;
    inside = inside || binding;
    if (binding && symbol != nullptr) found = symbol;
  }
  return found;
}

CallerKind decide(std::uint64_t address, const char* function) {
  const char* symbol = nullptr;
  const char* path = nullptr;
  switch (kind_at(address - 1)) {
  case ObjectKind::mpi:
  case ObjectKind::self:
    return CallerKind::internal;
  case ObjectKind::wrapper:
    return CallerKind::wrapped;
  case ObjectKind::binding:
    object_at(address - 1, &symbol, &path);
    if (std::strstr(path, "cxx") != nullptr) return CallerKind::wrapped;
    if (symbol == nullptr) symbol = outermost_binding();
    return symbol != nullptr && is_own_binding(symbol, function) ? CallerKind::wrapped : CallerKind::internal;
  case ObjectKind::program:
    break;
  }
  return CallerKind::program;
}

} // namespace

void prepare_call_sites() {
  if (void* library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL)) {
    backtrace_function = reinterpret_cast<Backtrace>(dlsym(library, "unw_backtrace"));
  }
  dl_iterate_phdr(note_own, nullptr);
  if (stack_depth == 1) dl_iterate_phdr(note_program, nullptr);
}

bool is_internal(void* caller, const char* function) {
  if (reinterpret_cast<std::uint64_t>(caller) - program_text.begin < program_text.size) return false;
  return decide(reinterpret_cast<std::uint64_t>(caller), function) == CallerKind::internal;
}

bool is_inside_wrapper() {
  constexpr int kDeepest = 256;
  void* stack[kDeepest];
  if (backtrace_function == nullptr) return true;
  const int got = backtrace_function(stack, kDeepest);
  bool left_own = false; // the innermost frames are those of the wrapper that asks
  for (int i = 0; i < got; ++i) {
    const bool own = reinterpret_cast<std::uint64_t>(stack[i]) - own_text.begin < own_text.size;
    if (own && left_own) return true;
    left_own = left_own || !own;
  }
  return false;
}

bool is_binding_of(std::uint64_t address, const char* function) {
  const char* symbol = nullptr;
  const char* path = nullptr;
  if (kind_at(address - 1) != ObjectKind::binding) return false;
  return object_at(address - 1, &symbol, &path) == ObjectKind::binding && symbol != nullptr && is_own_binding(symbol, function);
}

CallerKind classify_slow(SiteCaches& caches, std::uint64_t address, const char* function) {
  return caches.callers.add(address, decide(address, function));
}

bool is_program_frame(SiteCaches& caches, std::uint64_t address) {
  if (address - program_text.begin < program_text.size) return true;
  if (const CallerKind* known = caches.frames.find(address)) return *known == CallerKind::program;
  const bool program = kind_at(address - 1) == ObjectKind::program;
  return caches.frames.add(address, program ? CallerKind::program : CallerKind::internal) == CallerKind::program;
}

} // namespace farcast::interpose
