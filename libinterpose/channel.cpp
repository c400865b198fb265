#include "libinterpose/channel.h"

#include "libinterpose/coupled_board.h"
#include "libinterpose/stream/file_message.h"
#include "libinterpose/stream/meeting_place.h"
#include "libinterpose/stream/protocol.h"
#include "libinterpose/stream/record.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
extern char** environ;

namespace farcast::interpose {
namespace {

using stream::MessageHeader;
using stream::MessageKind;

constinit char buffer[stream::kMaxMessageBytes] = {}; // of a message, in MPI_Finalize or of the one coupled thread

int integer_variable(const char* const* names, int otherwise) {
  for (; *names != nullptr; ++names) {
    const char* text = std::getenv(*names);
    if (text != nullptr && *text != '\0') return std::atoi(text);
  }
  return otherwise;
}

// Hydra gives its ranks no job name; its proxy is their common ancestor on the node.
long ancestor_named(const char* name) {
  long pid = getppid();
  for (int depth = 0; depth < 16 && pid > 1; ++depth) {
    char path[64];
    std::snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char text[512];
    const ssize_t got = read(file, text, sizeof(text) - 1);
    close(file);
    if (got <= 0) return 0;
    text[got] = '\0';
    const char* open_bracket = std::strchr(text, '(');
    const char* close_bracket = std::strrchr(text, ')');
    if (open_bracket == nullptr || close_bracket == nullptr) return 0;
    if (std::strncmp(open_bracket + 1, name, std::strlen(name)) == 0) return pid;
    char state = 0;
    if (std::sscanf(close_bracket + 1, " %c %ld", &state, &pid) != 2) return 0;
  }
  return 0;
}

// Process numbers repeat in other name spaces, which may share folders and the network with this one.
unsigned long process_space() {
  struct stat space {};
  return stat("/proc/self/ns/pid", &space) == 0 ? static_cast<unsigned long>(space.st_ino) : 0;
}

bool predictor_path(char* out, std::size_t size) {
  if (const char* set = std::getenv("FARCAST_PREDICTOR"); set != nullptr && *set != '\0') {
    return static_cast<std::size_t>(std::snprintf(out, size, "%s", set)) < size && access(out, X_OK) == 0;
  }
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&predictor_path), &self) == 0 || self.dli_fname == nullptr) return false;
  char folder[PATH_MAX];
  if (realpath(self.dli_fname, folder) == nullptr) return false;
  for (int up = 0; up < 5; ++up) {
    char* slash = std::strrchr(folder, '/');
    if (slash == nullptr) return false;
    *slash = '\0';
    if (static_cast<std::size_t>(std::snprintf(out, size, "%s/bin/farcast", folder)) < size && access(out, X_OK) == 0)
      return true;
  }
  return false;
}

constexpr int kNotStarted = -2;

struct Launch {
  const char* path;
  char* const* arguments;
  char* const* environment;
  pid_t predictor; // result
};

// Runs in a child that shares our memory (vfork semantics): only system calls. The grandchild
// becomes the predictor, and belongs to init, not to the host: no SIGCHLD, no zombie, nothing that
// a host's wait() could see.
int launch_child(void* data) {
  auto* launch = static_cast<Launch*>(data);
  const pid_t grandchild = vfork();
  if (grandchild == 0) {
    // A process group of its own, not a session: with automatic scheduling groups a new session
    // would get as much processor time as the whole program, whatever priority its threads have.
    setpgid(0, 0);
    execve(launch->path, launch->arguments, launch->environment);
    _exit(127);
  }
  launch->predictor = grandchild;
  _exit(0);
}

// Starts the predictor in a process group of its own. Returns: a descriptor that is readable once
// it has ended, -1 on an old kernel; -2 when it could not be started.
int spawn_predictor(const char** error) {
  static char path[PATH_MAX];
  if (!predictor_path(path, sizeof(path))) {
    *error = "its program `farcast` was not found (FARCAST_PREDICTOR can name it)";
    return kNotStarted;
  }
  static char key[stream::kMostJobKey];
  if (!job_key(key, sizeof(key))) return kNotStarted;
  static char name[] = "farcast";
  static char verb[] = "predictor";
  char* arguments[] = {name, verb, key, nullptr};
  // The host's environment without the preload variables: the predictor is not to be watched.
  constexpr std::size_t kMaxVariables = 4096;
  static char* environment[kMaxVariables];
  std::size_t used = 0;
  for (char** variable = environ; *variable != nullptr && used + 1 < kMaxVariables; ++variable) {
    if (std::strncmp(*variable, "LD_PRELOAD=", 11) != 0 && std::strncmp(*variable, "LD_BIND_NOW=", 12) != 0)
      environment[used++] = *variable;
  }
  environment[used] = nullptr;
  Launch launch{path, arguments, environment, -1};
  alignas(16) static char stack[64 * 1024];
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const int child = clone(launch_child, stack + sizeof(stack), CLONE_VM | CLONE_VFORK, &launch);
  int status = 0;
  while (child > 0 && waitpid(child, &status, __WCLONE) < 0 && errno == EINTR) {
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child > 0 && launch.predictor > 0) return static_cast<int>(syscall(SYS_pidfd_open, launch.predictor, 0));
  *error = "a process could not be started";
  return kNotStarted;
}

bool has_ended(int pidfd) {
  pollfd waiting{pidfd, POLLIN, 0};
  return pidfd >= 0 && poll(&waiting, 1, 0) > 0;
}

// Returns: a connection to the job's predictor, whose messages never wait longer than it may be
// silent; -1: there is none yet. `taken`: another user's process was found in its place.
int try_connect(bool& taken) {
  static char key[stream::kMostJobKey];
  if (!job_key(key, sizeof(key))) return -1;
  for (unsigned number = 0; number < stream::kMeetingPlaces; ++number) {
    stream::MeetingPlace place;
    if (!stream::meeting_place(key, number, place)) continue;
    const int fd = stream::connect_to(place);
    taken = taken || (fd < 0 && errno == EPERM);
    if (fd < 0) continue;
    const timeval patience{stream::kGiveUpSeconds, 0};
    if (fcntl(fd, F_SETFL, 0) == 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) == 0) return fd;
    close(fd);
  }
  return -1;
}

bool send_message(int fd, MessageKind kind, std::uint32_t value, const char* body, std::size_t size) {
  MessageHeader header{stream::kMagic, stream::kVersion, kind, value};
  iovec parts[2] = {{&header, sizeof(header)}, {const_cast<char*>(body), size}}; // NOLINT(cppcoreguidelines-pro-type-const-cast)
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = size == 0 ? 1 : 2;
  constexpr int kAttempts = 1000; // signals interrupt it
  ssize_t sent = -1;
  for (int attempt = 0; attempt < kAttempts && sent < 0; ++attempt) {
    sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) break;
  }
  if (sent < 0) shutdown(fd, SHUT_RDWR); // a predictor that stands still is waited for once
  return sent >= 0;
}

struct ModuleText {
  int socket;
  std::size_t used;
  char text[stream::kMaxMessageBytes - sizeof(MessageHeader)];
};

void build_id_of(const dl_phdr_info* info, char* out, std::size_t size) {
  std::snprintf(out, size, "-");
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    const char* end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const char* name = at + sizeof(*note);
      const char* description = name + (note->n_namesz + 3) / 4 * 4;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0 && note->n_descsz <= 32) {
        for (unsigned byte = 0; byte < note->n_descsz; ++byte) {
          std::snprintf(out + std::size_t{2} * byte, size - std::size_t{2} * byte, "%02x",
                        static_cast<unsigned>(static_cast<unsigned char>(description[byte])));
        }
        return;
      }
      at = description + (note->n_descsz + 3) / 4 * 4;
    }
  }
}

int add_module(dl_phdr_info* info, std::size_t, void* data) {
  auto* out = static_cast<ModuleText*>(data);
  static char program[PATH_MAX];
  const char* path = info->dlpi_name;
  if (path == nullptr || *path == '\0') {
    const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length < 0 ? 0 : length] = '\0';
    path = program;
  }
  unsigned long long end = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && info->dlpi_addr + segment.p_vaddr + segment.p_memsz > end) {
      end = info->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    }
  }
  char id[80];
  build_id_of(info, id, sizeof(id));
  char line[PATH_MAX + 160];
  const int length =
      std::snprintf(line, sizeof(line), "%llx %llx %s %s\n", static_cast<unsigned long long>(info->dlpi_addr), end, id, path);
  if (length <= 0 || static_cast<std::size_t>(length) >= sizeof(line)) return 0;
  if (out->used + static_cast<std::size_t>(length) > sizeof(out->text)) {
    send_message(out->socket, MessageKind::modules, 0, out->text, out->used);
    out->used = 0;
  }
  std::memcpy(out->text + out->used, line, static_cast<std::size_t>(length));
  out->used += static_cast<std::size_t>(length);
  return 0;
}

void write_all(int to, const char* at, std::size_t left) {
  while (left > 0) {
    const ssize_t written = write(to, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return; // a closed stderr is the user's choice
    at += written;
    left -= static_cast<std::size_t>(written);
  }
}

} // namespace
int local_ranks() {
  const char* names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_TASKS_PER_NODE", nullptr};
  return integer_variable(names, 0);
}

int local_rank() {
  const char* names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", nullptr};
  return integer_variable(names, -1);
}

int ranks_of_other_launcher() {
  const auto any_of = [](const char* const* names) {
    while (*names != nullptr && std::getenv(*names) == nullptr) ++names;
    return *names != nullptr;
  };
#ifdef FARCAST_OPENMPI // PMI_SIZE alone may be Slurm's, which knows Open MPI; MPI_LOCALNRANKS is Hydra's
  const char* own[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", nullptr};
  const char* size[] = {"PMI_SIZE", nullptr};
  const char* other[] = {"MPI_LOCALNRANKS", nullptr};
#else
  const char* own[] = {"PMI_RANK", "PMI_FD", "PMI_PORT", nullptr};
  const char* size[] = {"OMPI_COMM_WORLD_SIZE", nullptr};
  const char* const* other = size;
#endif
  const int ranks = any_of(own) || !any_of(other) ? 0 : integer_variable(size, 0);
  return ranks > 1 ? ranks : 0;
}

bool job_key(char* out, std::size_t size) {
  int written = 0;
  const unsigned uid = getuid();
  if (const char* set = std::getenv("FARCAST_JOB"); set != nullptr && *set != '\0') {
    written = std::snprintf(out, size, "farcast-%u-%s", uid, set);
  } else if (const char* space = std::getenv("PMIX_NAMESPACE"); space != nullptr && *space != '\0') {
    const char* slurm = std::getenv("SLURM_JOB_ID"); // Slurm's namespaces repeat over jobs in containers; the job id does not
    written = std::snprintf(out, size, "farcast-%u-%s-%s", uid, slurm == nullptr ? "x" : slurm, space);
  } else if (const long proxy = std::getenv("PMI_RANK") != nullptr ? ancestor_named("hydra_pmi_proxy") : 0; proxy > 0) {
    written = std::snprintf(out, size, "farcast-%u-hydra-%ld-%lu", uid, proxy, process_space());
  } else if (const char* step = std::getenv("SLURM_STEP_ID"); step != nullptr && std::getenv("SLURM_JOB_ID") != nullptr) {
    written = std::snprintf(out, size, "farcast-%u-slurm-%s-%s", uid, std::getenv("SLURM_JOB_ID"), step);
  } else {
    written = std::snprintf(out, size, "farcast-%u-single-%d-%lu", uid, getpid(), process_space());
  }
  return written > 0 && static_cast<std::size_t>(written) < size;
}

int connect_predictor(const char** error) {
  *error = "the predictor did not answer";
  bool taken = false;
  int fd = try_connect(taken);
  if (fd >= 0) return fd;
  constexpr int kAttempts = 7500;
  constexpr long kPauseNs = 2'000'000;
  constexpr int kOthersAfter = 500; // a local rank 0 that farcast does not watch cannot start the predictor
  const int start_at = local_rank() <= 0 ? 0 : kOthersAfter;
  int predictor = -1;
  for (int attempt = 0; attempt < kAttempts && fd < 0; ++attempt) {
    if (attempt == start_at && (predictor = spawn_predictor(error)) == kNotStarted) return -1;
    const timespec pause{0, kPauseNs};
    nanosleep(&pause, nullptr);
    const bool ended = has_ended(predictor); // ours may have found another rank's in place: then connecting works
    fd = try_connect(taken);
    if (fd < 0 && ended) {
      *error = taken ? "another user's processes hold the names of its socket" : "its process ended at once";
      break;
    }
  }
  if (predictor >= 0) close(predictor);
  return fd;
}

bool send_hello(int socket, int file, std::uint32_t asks) {
  return stream::send_with_file(socket, {stream::kMagic, stream::kVersion, MessageKind::hello, asks}, file);
}

int receive_file(int socket, MessageKind kind, std::uint32_t& value) {
  pollfd ready{socket, POLLIN, 0};
  while (poll(&ready, 1, stream::kGiveUpSeconds * 1000) < 0 && errno == EINTR) {
  }
  if ((ready.revents & POLLIN) == 0) return -1;
  MessageHeader header{};
  int file = -1;
  if (stream::receive_with_file(socket, header, file) != stream::Received::file || header.kind != kind) return -1;
  value = header.value;
  return file;
}

void send_modules(int socket) {
  static ModuleText text;
  text.socket = socket;
  text.used = 0;
  dl_iterate_phdr(add_module, &text);
  if (text.used > 0) send_message(socket, MessageKind::modules, 0, text.text, text.used);
}

bool send_finalized(int socket, std::uint32_t report) { return send_message(socket, MessageKind::finalized, report, nullptr, 0); }

bool relay_report(int socket, int to) {
  for (;;) {
    pollfd ready{socket, POLLIN, 0};
    const int got = poll(&ready, 1, stream::kGiveUpSeconds * 1000);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    const ssize_t size = recv(socket, buffer, sizeof(buffer), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < static_cast<ssize_t>(sizeof(MessageHeader))) return false;
    MessageHeader header;
    std::memcpy(&header, buffer, sizeof(header));
    if (header.magic != stream::kMagic || header.kind == MessageKind::done) return header.magic == stream::kMagic;
    if (header.kind != MessageKind::text || !board.first_to_print(header.value)) continue;
    write_all(to, buffer + sizeof(header), static_cast<std::size_t>(size) - sizeof(header));
  }
}

void relay_texts(int socket, int to) {
  for (;;) {
    const ssize_t size = recv(socket, buffer, sizeof(buffer), MSG_DONTWAIT);
    if (size < static_cast<ssize_t>(sizeof(MessageHeader))) return;
    MessageHeader header;
    std::memcpy(&header, buffer, sizeof(header));
    if (header.kind != MessageKind::text || !board.first_to_print(header.value)) continue;
    write_all(to, buffer + sizeof(header), static_cast<std::size_t>(size) - sizeof(header));
  }
}

bool is_gone(int socket) {
  char byte = 0;
  const ssize_t got = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

} // namespace farcast::interpose
