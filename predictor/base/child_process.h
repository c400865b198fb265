// Programs started by us: their arguments, their end, what they print. Threads: any, one per child.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace farcast::base {

// Becomes the program at a path, or the one that PATH has. Returns: only when there is none to
// become; errno tells why.
void become(const std::string& path, const std::vector<std::string>& words);
void become_from_path(const std::vector<std::string>& words);

// Waits for a child to end. Returns: its exit code, 128 + signal where it died of one.
int wait_for(int child);

struct Heard {
  std::string text;
  int exit_code = 127; // as of wait_for
};
// Runs `play` in a child with a descriptor to write to, and collects what comes. Requires: `play`
// does not return where it can become another program. Returns: no text and 127 where there is no
// pipe or no process.
Heard listen_to_child(const std::function<void(int descriptor)>& play);

} // namespace farcast::base
