// The predictor's end of a job's socket on this node (libinterpose/stream/meeting_place.h): taken
// by one predictor at a time, open to processes of the same user alone, gone when the predictor
// ends; what a killed one left is removed by the next.
//
// Two predictors of one job decide by two names at once, a file and an abstract one; neither
// listens before it has both, so that no rank ever talks to the one that yields. Threads: one
// owner. No call waits for another process longer than a second or so.
#pragma once

#include "libinterpose/stream/meeting_place.h"

#include <cstdint>
#include <string>

namespace farcast::live {

class JobSocket {
public:
  enum class Opening : std::uint8_t {
    ours,
    anothers, // a predictor of this user serves the job already
    nowhere,  // no folder could be used, and others hold all abstract names
  };

  JobSocket() = default;
  JobSocket(const JobSocket&) = delete;
  JobSocket& operator=(const JobSocket&) = delete;
  ~JobSocket() { close(); }

  // Takes the job's names. Requires: not open.
  Opening open(const std::string& job);
  // Takes the next one that knocks, if it is of the same user. Returns: its socket, which never
  // blocks; -1: nobody is there for now.
  int accept();
  // Readable when somebody knocks; -1 when not open.
  [[nodiscard]] int descriptor() const { return knocks_; }
  void close();

private:
  enum class Taking : std::uint8_t { taken, anothers, unusable };

  Taking take_folder(const stream::MeetingPlace& place);
  Taking take_abstract(const stream::MeetingPlace& place);
  bool lock_folder(const char* path);
  void leave_folder();
  bool listen_to(int socket);
  int accept_from(int listener);

  stream::MeetingPlace place_{}; // of the file
  int folder_ = -1;              // its folder's descriptor, for the lock
  int file_ = -1;                // listens there
  int abstract_ = -1;            // listens at an abstract name
  int knocks_ = -1;              // epoll of both
  int spare_ = -1;               // a descriptor to spend when there is no other
  unsigned strangers_ = 0;       // that knocked at the abstract name
};

} // namespace farcast::live
