#include "libinterpose/stream/meeting_place.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace farcast::stream {

namespace {

std::uint64_t hash(std::uint64_t value, const void* data, std::size_t size) { // FNV-1a
  for (std::size_t i = 0; i < size; ++i) value = (value ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3u;
  return value;
}

// Parents that only the system's administrator or the user can have made; "" where there is none.
void parent_of_place(unsigned number, char* out, std::size_t size) {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  switch (number) {
  case 0:
    std::snprintf(out, size, "%s", runtime == nullptr || *runtime != '/' || std::strlen(runtime) >= size ? "" : runtime);
    break;
  case 1:
    std::snprintf(out, size, "/run/user/%u", geteuid());
    break;
  case 2: // root alone may write here
    std::snprintf(out, size, "/run");
    break;
  case 3:
    std::snprintf(out, size, "/tmp");
    break;
  case 4:
    std::snprintf(out, size, "/dev/shm");
    break;
  default:
    std::snprintf(out, size, "/var/tmp");
  }
}

bool is_safe_parent(const char* path) {
  struct stat status {};
  if (*path == '\0' || stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  if (status.st_uid != 0 && status.st_uid != geteuid()) return false;
  return (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (status.st_mode & S_ISVTX) != 0;
}

void socket_name(const char* job, char* out, std::size_t size) {
  struct stat network {};
  if (stat("/proc/self/ns/net", &network) != 0) network.st_ino = 0;
  const std::uint64_t space = network.st_ino;
  std::uint64_t halves[2] = {0xcbf29ce484222325u, 0x9ae16a3b2f90404fu};
  for (std::uint64_t& half : halves) half = hash(hash(half, &space, sizeof(space)), job, std::strlen(job));
  char boot[16];
  boot_prefix(boot, sizeof(boot));
  std::snprintf(out, size, "%s%016llx%016llx", boot, static_cast<unsigned long long>(halves[0]),
                static_cast<unsigned long long>(halves[1]));
}

} // namespace

void boot_prefix(char* out, std::size_t size) {
  char boot[64];
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t got = file < 0 ? 0 : read(file, boot, sizeof(boot));
  if (file >= 0) close(file);
  const std::uint64_t value = hash(0xcbf29ce484222325u, boot, got > 0 ? static_cast<std::size_t>(got) : 0);
  std::snprintf(out, size, "%08x-", static_cast<unsigned>(value ^ value >> 32));
}

bool meeting_place(const char* job, unsigned number, MeetingPlace& out) {
  out = {};
  out.address.sun_family = AF_UNIX;
  char name[64];
  int length = 0;
  constexpr int kRoom = sizeof(out.address.sun_path);
  if (number >= kMeetingFolders) {
    socket_name(job, name, sizeof(name));
    length = 1 + std::snprintf(out.address.sun_path + 1, kRoom - 1, "farcast-%u-%s-%u", geteuid(), name,
                               number - kMeetingFolders); // no null at the end: the length counts
  } else {
    char parent[kRoom];
    parent_of_place(number, parent, sizeof(parent));
    if (!is_safe_parent(parent)) return false;
    socket_name(job, name, sizeof(name));
    const int folder = std::snprintf(out.address.sun_path, kRoom, "%s/farcast-%u", parent, geteuid());
    if (folder <= 0 || folder >= kRoom) return false;
    out.folder_length = static_cast<std::size_t>(folder);
    length = folder + 1 + std::snprintf(out.address.sun_path + folder, static_cast<std::size_t>(kRoom - folder), "/%s", name);
  }
  out.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + static_cast<std::size_t>(length));
  return length <= kRoom;
}

void folder_of(const MeetingPlace& place, char (&out)[sizeof(sockaddr_un::sun_path)]) {
  std::memcpy(out, place.address.sun_path, place.folder_length);
  out[place.folder_length] = '\0';
}

bool is_own_folder(const char* path) {
  struct stat status {};
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO)) == S_IRWXU;
}

int connect_to(const MeetingPlace& place) {
  if (place.folder_length > 0) {
    char folder[sizeof(place.address.sun_path)];
    folder_of(place, folder);
    // In another user's folder a link could lead to any socket of ours that listens for something else.
    struct stat status {};
    const bool exists = lstat(folder, &status) == 0;
    if (!exists || !is_own_folder(folder)) {
      errno = exists ? EPERM : ENOENT;
      return -1;
    }
  }
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  int error = 0;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&place.address), place.length) != 0) {
    error = errno;
  } else if (!is_same_user(fd)) {
    error = EPERM;
  }
  if (error == 0) return fd;
  close(fd);
  errno = error;
  return -1;
}

bool is_same_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

} // namespace farcast::stream
