#include "predictor/live/answer_writer.h"

#include "libinterpose/stream/protocol.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <iterator>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace farcast::live {

// Where ranks have clocks they sleep there.
void AnswerWriter::wake(std::size_t rank) {
  if (clocks_ != nullptr) return clocks_->poke(static_cast<int>(rank));
  syscall(SYS_futex, &answers_[rank]->given, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// Returns: false when the rank does not read.
bool AnswerWriter::await_taken(stream::Answer& at) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(stream::kGiveUpSeconds);
  while (at.taken.load(std::memory_order_acquire) != at.given.load(std::memory_order_relaxed)) {
    if (std::chrono::steady_clock::now() > until) return false;
    usleep(20);
  }
  return true;
}

void AnswerWriter::give(int rank, const trace::RankAnswer& answer) {
  stream::Answer& at = *answers_[static_cast<std::size_t>(rank)];
  if (clocks_ != nullptr && answer.grows && !answer.found) clocks_->resumes(rank);
  std::size_t done = 0;
  std::size_t matches = 0;
  for (;;) {
    at.time_s = answer.time_s;
    at.found = answer.found ? 1 : 0;
    at.outside = answer.outside ? 1 : 0;
    at.away = answer.away ? 1 : 0;
    at.source = answer.source;
    at.tag = answer.tag;
    at.together = answer.together == trace::Answer::Together::all     ? stream::kTogether
                  : answer.together == trace::Answer::Together::apart ? stream::kApart
                                                                      : stream::kAhead;
    at.quiet_s = answer.quiet_s;
    at.poll_s = answer.poll_s;
    at.pace = answer.pace;
    at.least_poll_s = answer.least_poll_s;
    at.grows = answer.grows ? 1 : 0;
    at.messages = answer.messages ? 1 : 0;
    const std::size_t some_done = std::min(answer.done.size() - done, stream::kAnswerWords);
    std::copy_n(answer.done.begin() + static_cast<std::ptrdiff_t>(done), some_done, at.words);
    at.done_count = static_cast<std::uint32_t>(some_done);
    const std::size_t some_matches = std::min(answer.matches.size() - matches, std::size(at.matches));
    for (std::size_t i = 0; i < some_matches; ++i) {
      const trace::RankAnswer::Match& match = answer.matches[matches + i];
      at.matches[i] = {match.handle, match.source, match.tag};
    }
    at.match_count = static_cast<std::uint32_t>(some_matches);
    done += some_done;
    matches += some_matches;
    const bool more = done < answer.done.size() || matches < answer.matches.size();
    const bool goes_on = answer.together == trace::Answer::Together::apart && !answer.found; // waiting
    at.more = more || goes_on ? 1 : 0;
    at.given.fetch_add(1, std::memory_order_release);
    wake(static_cast<std::size_t>(rank));
    if (at.more != 0 && !await_taken(at)) return;
    if (!more) return;
  }
}

void AnswerWriter::over() {
  for (std::size_t rank = 0; rank < answers_.size(); ++rank) {
    answers_[rank]->over.store(stream::kDeadlock, std::memory_order_release);
    wake(rank);
  }
}

} // namespace farcast::live
