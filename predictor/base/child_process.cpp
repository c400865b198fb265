#include "predictor/base/child_process.h"

#include <array>
#include <cerrno>
#include <sys/wait.h>
#include <unistd.h>

namespace farcast::base {

namespace {

// Ends with a null pointer, as exec wants it.
std::vector<char*> arguments_of(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str())); // NOLINT: exec's signature
  arguments.push_back(nullptr);
  return arguments;
}

} // namespace

void become(const std::string& path, const std::vector<std::string>& words) { execv(path.c_str(), arguments_of(words).data()); }

void become_from_path(const std::vector<std::string>& words) { execvp(words.front().c_str(), arguments_of(words).data()); }

int wait_for(int child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 127; // somebody else has waited for it
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Heard listen_to_child(const std::function<void(int descriptor)>& play) {
  Heard heard;
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return heard;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    play(ends[1]);
    _exit(127);
  }
  close(ends[1]);
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = read(ends[0], piece.data(), piece.size())) > 0 || (got < 0 && errno == EINTR);) {
    if (got > 0) heard.text.append(piece.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (child > 0) heard.exit_code = wait_for(child);
  return heard;
}

} // namespace farcast::base
