#include "predictor/region/debug_file.h"

#include <cstdlib>
#include <cstring>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace farcast::region {
namespace {

constexpr std::string_view kDebugRoot = "/usr/lib/debug";

bool has_build_id(int descriptor, const unsigned char* bits, int length) {
  Elf* const elf = elf_begin(descriptor, ELF_C_READ_MMAP, nullptr);
  if (!elf) return false;
  const void* found = nullptr;
  const ssize_t found_length = dwelf_elf_gnu_build_id(elf, &found);
  const bool same = found_length == length && std::memcmp(found, bits, static_cast<std::size_t>(length)) == 0;
  elf_end(elf);
  return same;
}

// Returns: a descriptor of `path` when that is an object of this build, else -1.
int open_if_same_build(const std::string& path, const unsigned char* bits, int length) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return -1;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && has_build_id(descriptor, bits, length)) return descriptor;
  ::close(descriptor);
  return -1;
}

std::string by_build_id(const unsigned char* bits, int length) {
  std::string path = fmt::format("{}/.build-id/{:02x}/", kDebugRoot, bits[0]);
  for (int i = 1; i < length; ++i) path += fmt::format("{:02x}", bits[i]);
  return path + ".debug";
}

std::string directory_of(const char* file_name) {
  const std::string_view name = file_name ? file_name : "";
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? "." : std::string(name.substr(0, slash));
}

} // namespace

int find_debug_file(Dwfl_Module* module, void** /*user_data*/, const char* /*module_name*/, Dwarf_Addr /*base*/,
                    const char* file_name, const char* debug_link, GElf_Word debug_link_crc, char** debug_file_name) {
  if (debug_link && debug_link_crc == 0)
    return -1; // libdw asks for the file that dwz shares between packages: it is not of this build, and libdw finds it by itself
  const unsigned char* bits = nullptr;
  GElf_Addr where = 0;
  const int length = dwfl_module_build_id(module, &bits, &where);
  if (length < 2) return -1; // no build-id: nothing proves that a debug file belongs to this object
  const std::string directory = directory_of(file_name);
  std::string candidates[4] = {by_build_id(bits, length)};
  if (debug_link && debug_link[0] != '\0' && !std::strchr(debug_link, '/')) {
    candidates[1] = fmt::format("{}/{}", directory, debug_link);
    candidates[2] = fmt::format("{}/.debug/{}", directory, debug_link);
    candidates[3] = fmt::format("{}{}/{}", kDebugRoot, directory, debug_link);
  }
  for (const std::string& candidate : candidates) {
    if (candidate.empty()) continue;
    const int descriptor = open_if_same_build(candidate, bits, length);
    if (descriptor >= 0) {
      *debug_file_name = ::strdup(candidate.c_str()); // libdw frees it
      return descriptor;
    }
  }
  return -1;
}

} // namespace farcast::region
