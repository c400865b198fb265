#include "predictor/live/job_socket.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace farcast::live {

using stream::MeetingPlace;

namespace {

constexpr int kBacklog = 1024;
constexpr int kTries = 100; // of 10 ms: for what another predictor does within microseconds
constexpr unsigned kPauseUs = 10'000;
constexpr unsigned kMostStrangers = 64;
constexpr int kMostKnocks = 2048; // taken at once
constexpr int kMostLeftOvers = 1024;

using Path = std::array<char, sizeof(sockaddr_un::sun_path)>;

int bound_socket(const MeetingPlace& place) {
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && bind(fd, reinterpret_cast<const sockaddr*>(&place.address), place.length) == 0) return fd;
  const int error = errno;
  if (fd >= 0) close(fd);
  errno = error;
  return -1;
}

void close_and_forget(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

bool same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

// Removes what predictors of this boot left that were killed: sockets at which nobody listens.
// Requires: the folder's lock.
void remove_left_overs(const char* folder) {
  DIR* entries = opendir(folder);
  if (entries == nullptr) return;
  Path prefix{};
  stream::boot_prefix(prefix.data(), prefix.size());
  for (int i = 0; i < kMostLeftOvers; ++i) {
    const dirent* entry = readdir(entries);
    if (entry == nullptr) break;
    if (!std::string_view(entry->d_name).starts_with(prefix.data())) continue;
    MeetingPlace place{};
    place.address.sun_family = AF_UNIX;
    constexpr std::size_t kRoom = sizeof(place.address.sun_path);
    const int length = std::snprintf(place.address.sun_path, kRoom, "%s/%s", folder, entry->d_name);
    if (length <= 0 || static_cast<std::size_t>(length) >= kRoom) continue;
    place.folder_length = std::strlen(folder);
    place.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + static_cast<std::size_t>(length) + 1);
    const int fd = stream::connect_to(place);
    if (fd < 0 && errno == ECONNREFUSED) unlink(place.address.sun_path);
    if (fd >= 0) close(fd);
  }
  closedir(entries);
}

} // namespace

JobSocket::Opening JobSocket::open(const std::string& job) {
  MeetingPlace place{};
  for (unsigned number = 0; number < stream::kMeetingPlaces; ++number) {
    if (!stream::meeting_place(job.c_str(), number, place)) continue;
    const int fd = stream::connect_to(place);
    const bool full = fd < 0 && errno == EAGAIN && place.folder_length > 0; // in our own folder it can only be ours
    if (fd >= 0) ::close(fd);
    if (fd >= 0 || full) return Opening::anothers;
  }
  const auto take = [&](unsigned from, unsigned to, auto&& one) {
    Taking taking = Taking::unusable;
    for (unsigned number = from; number < to && taking == Taking::unusable; ++number) {
      if (stream::meeting_place(job.c_str(), number, place)) taking = one(place);
    }
    return taking;
  };
  const Taking file = take(0, stream::kMeetingFolders, [this](const MeetingPlace& p) { return take_folder(p); });
  if (file == Taking::anothers) return Opening::anothers;
  const Taking name =
      take(stream::kMeetingFolders, stream::kMeetingPlaces, [this](const MeetingPlace& p) { return take_abstract(p); });
  knocks_ = epoll_create1(EPOLL_CLOEXEC);
  spare_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool listening = false;
  if (name != Taking::anothers) {
    for (const int socket : {file_, abstract_}) listening = listen_to(socket) || listening;
  }
  if (!listening) close(); // with the lock still held
  if (folder_ >= 0) flock(folder_, LOCK_UN);
  return name == Taking::anothers ? Opening::anothers : listening ? Opening::ours : Opening::nowhere;
}

bool JobSocket::listen_to(int socket) {
  epoll_event event{};
  event.events = EPOLLIN;
  return socket >= 0 && ::listen(socket, kBacklog) == 0 && epoll_ctl(knocks_, EPOLL_CTL_ADD, socket, &event) == 0;
}

// Makes the folder when it is not there, and takes its lock. Returns: it is this user's own, and
// locked.
bool JobSocket::lock_folder(const char* path) {
  for (int i = 0; i < kTries; ++i) {
    if (mkdir(path, S_IRWXU) == 0) {
      if (chmod(path, S_IRWXU) != 0) return false; // a umask may have taken our own rights
    } else if (errno != EEXIST) {
      return false;
    }
    if (!stream::is_own_folder(path)) {
      if (errno != ENOENT) return false;
      continue;
    }
    close_and_forget(folder_);
    folder_ = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder_ < 0) continue; // removed meanwhile
    if (flock(folder_, LOCK_EX | LOCK_NB) == 0) {
      struct stat held {};
      struct stat found {};
      if (fstat(folder_, &held) == 0 && lstat(path, &found) == 0 && same_file(held, found)) return true;
    } else {
      usleep(kPauseUs);
    }
  }
  return false;
}

JobSocket::Taking JobSocket::take_folder(const MeetingPlace& place) {
  char folder[sizeof(place.address.sun_path)];
  stream::folder_of(place, folder);
  if (!lock_folder(folder)) {
    close_and_forget(folder_);
    return Taking::unusable;
  }
  place_ = place;
  remove_left_overs(folder);
  file_ = bound_socket(place);
  if (file_ < 0 && errno == EADDRINUSE) {
    const int fd = stream::connect_to(place);
    const bool served = fd >= 0 || errno == EAGAIN;
    if (fd >= 0) ::close(fd);
    if (served) {
      close_and_forget(folder_);
      return Taking::anothers;
    }
    unlink(place.address.sun_path);
    file_ = bound_socket(place);
  }
  if (file_ >= 0 && chmod(place.address.sun_path, S_IRUSR | S_IWUSR) == 0) return Taking::taken;
  leave_folder();
  return Taking::unusable;
}

// Requires: no other process of the job listens at our names, or we hold them.
void JobSocket::leave_folder() {
  if (file_ >= 0) unlink(place_.address.sun_path);
  close_and_forget(file_);
  if (folder_ < 0) return;
  char folder[sizeof(place_.address.sun_path)];
  stream::folder_of(place_, folder);
  rmdir(folder); // unless other jobs are in it
  close_and_forget(folder_);
}

JobSocket::Taking JobSocket::take_abstract(const MeetingPlace& place) {
  abstract_ = bound_socket(place);
  if (abstract_ >= 0) return Taking::taken;
  // One of ours that does not listen yet refuses, as a stranger may for ever.
  for (int i = 0; i < kTries / 4; ++i) {
    const int fd = stream::connect_to(place);
    const int error = errno;
    if (fd >= 0) ::close(fd);
    if (fd >= 0) return Taking::anothers;
    if (error != ECONNREFUSED) break;
    usleep(kPauseUs);
  }
  return Taking::unusable;
}

int JobSocket::accept_from(int listener) {
  const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket >= 0 || (errno != EMFILE && errno != ENFILE)) return socket;
  // No descriptor is left. Whoever knocks must not knock for ever: that would keep us awake.
  close_and_forget(spare_);
  const int refused = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (refused >= 0) ::close(refused);
  spare_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  errno = EMFILE;
  return -1;
}

int JobSocket::accept() {
  for (const int listener : {file_, abstract_}) {
    for (int knocks = 0; listener >= 0 && knocks < kMostKnocks; ++knocks) {
      const int socket = accept_from(listener);
      if (socket < 0) break;
      if (stream::is_same_user(socket)) return socket;
      ::close(socket);
      if (listener != abstract_ || file_ < 0 || ++strangers_ < kMostStrangers) continue;
      close_and_forget(abstract_); // the file is enough for those that share the folder
      break;
    }
  }
  return -1;
}

void JobSocket::close() {
  if (folder_ >= 0) {
    for (int i = 0; i < kTries && flock(folder_, LOCK_EX | LOCK_NB) != 0; ++i) usleep(kPauseUs);
  }
  leave_folder();
  close_and_forget(abstract_);
  close_and_forget(knocks_);
  close_and_forget(spare_);
}

} // namespace farcast::live
