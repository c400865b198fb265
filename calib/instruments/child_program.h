// Runs one program after the other for a command that measures them: output into a file, ended with
// the command, nothing left.
//
// Ctrl-C, SIGTERM and SIGHUP end the child's whole process group and what outlives it, and then us,
// by exit code 128 + signal, once the temporary folder is gone. Threads: one; one TemporaryFolder
// and one run at a time in a process.
#pragma once

#include "predictor/base/result.h"

#include <string>
#include <utility>
#include <vector>

namespace farcast::instruments {

// A fresh folder that goes with the object, also when a signal ends the command. What killed
// commands left goes when one is made.
class TemporaryFolder {
public:
  static base::Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

struct ChildProgram {
  std::vector<std::string> command;                             // the program's path first
  std::vector<std::pair<std::string, std::string>> environment; // set on top of ours
  std::string output;                                           // file that gets both of its outputs
};

// Runs it to its end. Its standard input is ours from the beginning where that is a file, else empty.
// Returns: the exit code, 128 + signal where it died of one.
int run_to_end(const ChildProgram& child);
// From now on SIGINT, SIGTERM and SIGHUP no longer end this process by themselves: ending_signal()
// tells them. A SIGHUP that is ignored (nohup) stays so. A TemporaryFolder does that too.
void watch_signals();
// Returns: a signal to end by has come (run_to_end has ended the child then); 0: none.
int ending_signal();
// Returns: false when a signal to end by came before `seconds` were over. Requires: watch_signals()
// was called.
bool sleep_unless_ended(double seconds);

// Returns: the last lines of a text file, each behind `indent`.
std::string last_lines(const std::string& path, std::size_t count, const std::string& indent);

} // namespace farcast::instruments
