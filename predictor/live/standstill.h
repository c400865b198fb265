// A coupled run in which nothing goes on for longer than its user has patience: what each rank was
// last seen in.
//
// Threads: the session's.
#pragma once

#include "predictor/live/live_session.h"

#include <chrono>
#include <string>

namespace farcast::live {

class Standstill {
public:
  using Clock = std::chrono::steady_clock;
  // patience: 0: without end.
  explicit Standstill(std::chrono::seconds patience) : patience_(patience) {}
  // To be asked now and then. `played`: slots of the prediction that answers, which may be
  // far behind. Returns: whether patience has just come to its end; once per standstill.
  bool begins(const LiveSession& session, std::uint64_t played, Clock::time_point now);
  // Returns: whether it has lasted for so much longer.
  [[nodiscard]] bool lasts(std::chrono::seconds longer, Clock::time_point now) const {
    return told_ && now - since_ > patience_ + longer;
  }
  [[nodiscard]] std::string in_words(const LiveSession& session, trace::Recording& recording, double virtual_time_s) const;

private:
  std::chrono::seconds patience_;
  std::uint64_t progress_ = 0; // slots published and played
  Clock::time_point since_{};
  bool told_ = false;
};

} // namespace farcast::live
