// Somebody who means harm to a job of another user, or a rank that means harm to its own job:
//   stranger VICTIM ATTACKER JOB WHAT     users as numbers; JOB as in FARCAST_JOB; WHAT: see the table at the end
// Says "ready" on stdout when its harm is done, and stays until its standard input ends.
#include "libinterpose/stream/file_message.h"
#include "libinterpose/stream/meeting_place.h"
#include "libinterpose/stream/protocol.h"
#include "libinterpose/stream/segment.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace farcast::stream;

namespace {

std::string job;       // its whole name
std::string plain_job; // as in FARCAST_JOB
std::vector<MeetingPlace> places;
std::vector<std::string> made; // folders

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

void say_ready_and_stay() {
  std::puts("ready");
  std::fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  for (auto folder = made.rbegin(); folder != made.rend(); ++folder) remove(folder->c_str());
}

int seqpacket() { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0); }

// Listens there, and lets so many wait that everybody else waits too.
void take(const sockaddr_un& address, socklen_t length) {
  const int fd = seqpacket();
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), length) != 0 || listen(fd, 0) != 0) die("a name");
  while (connect(seqpacket(), reinterpret_cast<const sockaddr*>(&address), length) == 0) {
  }
  if (errno != EAGAIN) die("a full queue");
}

void take_abstract(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  take(address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size()));
}

// All folders that this user can make, and the first `names` abstract names.
void hold(unsigned names) {
  take_abstract(job); // the name of old
  for (const MeetingPlace& place : places) {
    if (place.folder_length == 0) {
      if (names-- > 0) take(place.address, place.length);
      if (names == 0) break;
      continue;
    }
    char folder[sizeof(place.address.sun_path)];
    folder_of(place, folder);
    if (mkdir(folder, 0755) != 0) continue; // somebody else's parent
    made.emplace_back(folder);
    made.emplace_back(place.address.sun_path);
    take(place.address, place.length);
    chmod(place.address.sun_path, 0777);
  }
}

// Connects to the job's predictor wherever it can be reached: at its places, or at whatever
// abstract name it has.
std::vector<int> knock() {
  std::vector<int> out;
  const auto try_at = [&](const sockaddr_un& address, socklen_t length) {
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), length) == 0)
      out.push_back(fd);
    else
      close(fd);
  };
  for (const MeetingPlace& place : places) try_at(place.address, place.length);
  std::ifstream all("/proc/net/unix");
  for (std::string line; std::getline(all, line);) {
    const std::size_t at = line.find("@farcast-");
    if (at == std::string::npos || line.substr(at + 1) != job) continue;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, line.data() + at + 1, line.size() - at - 1);
    try_at(address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + line.size() - at));
  }
  if (out.empty()) std::fprintf(stderr, "nobody answers\n");
  return out;
}

struct Claim {
  int rank = -1;
  int size = 0;
};

int make_file(Claim claim) {
  const int file = memfd_create("stranger", MFD_ALLOW_SEALING);
  if (file < 0 || posix_fallocate(file, 0, kSegmentsOffset) != 0) die("a file");
  auto* header = static_cast<RankHeader*>(mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  header->magic = kMagic;
  header->version = kVersion;
  header->world_rank = claim.rank;
  header->world_size = claim.size;
  header->threads = 1;
  std::strcpy(header->mpi_version, "MPICH of a stranger");
  header->state = static_cast<std::uint32_t>(claim.size > 0 ? RankState::running : RankState::starting);
  return file;
}

void greet(int socket, int file) {
  if (!send_with_file(socket, {kMagic, kVersion, MessageKind::hello, 0}, file)) std::perror("hello");
}

// Until the predictor has read what was sent, or will have nothing of it.
void wait_until_read(int socket) {
  for (int i = 0; i < 100; ++i) {
    char byte;
    if (recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) return;
    usleep(10'000);
  }
}

// A file that can shrink, and does.
void unsealed() {
  for (const int socket : knock()) {
    const int file = make_file({});
    greet(socket, file);
    wait_until_read(socket);
    if (ftruncate(file, 0) != 0) die("ftruncate");
  }
  usleep(100'000);
}

// Says that it is another rank of another job.
void claim() {
  for (const int socket : knock()) {
    const int file = make_file({5, 7});
    if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) != 0) die("a seal");
    greet(socket, file);
    wait_until_read(socket);
  }
}

// Connects, and says nothing.
void silent() { knock(); }

// Never stops talking.
void flood() {
  for (const int socket : knock()) {
    const int file = make_file({});
    if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) != 0) die("a seal");
    greet(socket, file);
    if (fork() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // not longer than the test
    std::string text(kMaxMessageBytes, ' ');
    const MessageHeader head{kMagic, kVersion, MessageKind::modules, 0};
    for (unsigned long number = 0;; ++number) {
      std::memcpy(text.data(), &head, sizeof(head));
      std::size_t at = sizeof(head);
      for (char line[64]; at + sizeof(line) < text.size(); ++number)
        at += static_cast<std::size_t>(
            std::snprintf(text.data() + at, sizeof(line), "%lx %lx - /%lu\n", number, number + 1, number));
      if (send(socket, text.data(), at, MSG_NOSIGNAL) < 0) std::exit(0);
    }
  }
}

} // namespace

int main(int count, char** words) {
  if (count != 5) return 2;
  const auto victim = static_cast<uid_t>(std::atoi(words[1]));
  const auto attacker = static_cast<uid_t>(std::atoi(words[2]));
  plain_job = words[3];
  job = "farcast-" + std::to_string(victim) + "-" + plain_job;
  if (seteuid(victim) != 0) die("seteuid");
  for (unsigned number = 0; number < kMeetingPlaces; ++number) {
    MeetingPlace place;
    if (meeting_place(job.c_str(), number, place)) places.push_back(place);
  }
  if (seteuid(getuid()) != 0 || setgid(attacker) != 0 || setuid(attacker) != 0) die("setuid");
  umask(0);
  const std::string what = words[4];
  if (what == "places") { // no harm: which files of the job there are
    for (const MeetingPlace& place : places) {
      if (place.folder_length > 0 && access(place.address.sun_path, F_OK) == 0) std::puts(place.address.sun_path);
    }
    return 0;
  }
  if (what == "hold-some") hold(kAbstractNames / 2);
  if (what == "hold-all") hold(kAbstractNames);
  if (what == "unsealed") unsealed();
  if (what == "claim") claim();
  if (what == "silent") silent();
  if (what == "flood") flood();
  say_ready_and_stay();
  return 0;
}
