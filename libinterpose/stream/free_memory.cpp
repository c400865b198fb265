#include "libinterpose/stream/free_memory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace farcast::stream {
namespace {

// On the stack of a thread of the host, which may be small. What matters stands at the beginning of
// all these files.
constexpr std::size_t kTextBytes = 2048;
constexpr std::size_t kPathBytes = 512;

bool read_text(const char* path, char (&text)[kTextBytes]) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::size_t used = 0;
  ssize_t got = 0;
  while (used + 1 < kTextBytes && (got = read(file, text + used, kTextBytes - 1 - used)) > 0)
    used += static_cast<std::size_t>(got);
  close(file);
  text[used] = '\0';
  return used > 0;
}

// Returns: the number behind `name` at the beginning of a line; 0 when there is none.
std::uint64_t number_after(const char* text, const char* name) {
  const std::size_t length = std::strlen(name);
  for (const char* line = text; line != nullptr && *line != '\0'; line = std::strchr(line, '\n')) {
    if (*line == '\n') ++line;
    if (std::strncmp(line, name, length) == 0) return std::strtoull(line + length, nullptr, 10);
  }
  return 0;
}

// Returns: the number that a file consists of; kUnlimited for "max" and for no file.
std::uint64_t number_in(const char* folder, const char* name, char (&text)[kTextBytes]) {
  char path[kPathBytes];
  if (static_cast<std::size_t>(std::snprintf(path, sizeof(path), "%s/%s", folder, name)) >= sizeof(path)) return kUnlimited;
  return read_text(path, text) && *text >= '0' && *text <= '9' ? std::strtoull(text, nullptr, 10) : kUnlimited;
}

struct Names { // of a control group's files
  const char* limit;
  const char* usage;
  const char* cache[2]; // of memory.stat: what the kernel would give back
};
constexpr Names kFirst{"memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file ", "total_active_file "}};
constexpr Names kSecond{"memory.max", "memory.current", {"inactive_file ", "active_file "}};

std::uint64_t free_in_group(const char* folder, const Names& names, char (&text)[kTextBytes]) {
  const std::uint64_t limit = number_in(folder, names.limit, text);
  if (limit >= kUnlimited / 4) return kUnlimited; // version 1 says so by a very large number
  std::uint64_t usage = number_in(folder, names.usage, text);
  if (usage == kUnlimited) return kUnlimited;
  char path[kPathBytes];
  if (static_cast<std::size_t>(std::snprintf(path, sizeof(path), "%s/memory.stat", folder)) < sizeof(path) &&
      read_text(path, text)) {
    const std::uint64_t cache = number_after(text, names.cache[0]) + number_after(text, names.cache[1]);
    usage -= cache < usage ? cache : usage;
  }
  return limit > usage ? limit - usage : 0;
}

// The group and all above it. In a container the path may be that of the world outside: then only
// the mount's own root is there.
std::uint64_t free_in_groups(const char* mount, const char* group, const Names& names, char (&text)[kTextBytes]) {
  char folder[kPathBytes];
  const std::size_t base = std::strlen(mount);
  if (static_cast<std::size_t>(std::snprintf(folder, sizeof(folder), "%s%s", mount, group)) >= sizeof(folder)) return kUnlimited;
  std::uint64_t least = kUnlimited;
  for (;;) {
    const std::uint64_t here = free_in_group(folder, names, text);
    if (here < least) least = here;
    char* slash = std::strrchr(folder + base, '/');
    if (slash == nullptr) return least;
    *slash = '\0';
  }
}

} // namespace

std::uint64_t free_memory(const char* root) {
  char text[kTextBytes];
  char path[kPathBytes];
  char mount[kPathBytes];
  char group[kPathBytes];
  std::uint64_t least = kUnlimited;
  std::snprintf(path, sizeof(path), "%s/proc/meminfo", root);
  if (read_text(path, text) && std::strstr(text, "MemAvailable:") != nullptr) least = number_after(text, "MemAvailable:") * 1024;
  std::snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
  char groups[kTextBytes];
  if (!read_text(path, groups)) return least;
  for (char* line = groups; line != nullptr && *line != '\0';) {
    char* end = std::strchr(line, '\n');
    if (end != nullptr) *end = '\0';
    const bool second = std::strncmp(line, "0::", 3) == 0; // "0::PATH", or "NUMBER:CONTROLLERS:PATH"
    const char* controllers = std::strchr(line, ':');
    const char* at = controllers == nullptr ? nullptr : std::strchr(controllers + 1, ':');
    const char* memory = controllers == nullptr ? nullptr : std::strstr(controllers, "memory");
    if (at != nullptr && (second || (memory != nullptr && memory < at))) {
      std::snprintf(group, sizeof(group), "%s", std::strcmp(at + 1, "/") == 0 ? "" : at + 1);
      const char* const places[] = {second ? "" : "/memory", second ? "/unified" : "/memory"};
      for (const char* place : places) {
        std::snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup%s", root, place);
        const std::uint64_t here = free_in_groups(mount, group, second ? kSecond : kFirst, text);
        if (here < least) least = here;
      }
    }
    line = end == nullptr ? nullptr : end + 1;
  }
  return least;
}

} // namespace farcast::stream
