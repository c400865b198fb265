// TI traces: lines that repeat, found as text.
//
// The same lines mean the same operations if the reader is in the same state before them. So a rank's lines between its mark and
// here come again if the file has the same bytes again from here, and here it is as it was at the mark, but for the numbers that
// only count: of lines, of requests, of collectives (all members of a communicator leave out as many).
#include "predictor/trace/ti_trace.h"

#include <algorithm>
#include <utility>

namespace farcast::trace {

TiTimelines::Mark TiTimelines::here(std::size_t rank) const {
  const State& state = states_[rank];
  Mark mark;
  mark.place = files_[rank].place();
  mark.line = files_[rank].number();
  mark.pending_s = state.pending_s;
  mark.default_size = state.default_size;
  mark.last_id = state.last_id;
  mark.site = state.site;
  mark.last_site = state.last_site;
  mark.requests = state.requests.left();
  mark.plain = !state.finalized && state.taken == state.more.size() && error_.empty();
  if (state.names == nullptr) return mark;
  mark.communicators = state.names->communicators.size();
  for (const auto& [number, request] : state.names->requests) {
    mark.numbered.emplace_back(number, request.id);
    mark.plain = mark.plain && request.start == nullptr;
  }
  return mark;
}

bool TiTimelines::mark() {
  if (shared_) return false;
  marks_.clear();
  for (std::size_t rank = 0; rank < states_.size(); ++rank) marks_.push_back(here(rank));
  return true;
}

std::uint32_t TiTimelines::requests_since_mark(int timeline) const {
  const auto rank = static_cast<std::size_t>(timeline);
  return states_[rank].last_id - marks_[rank].last_id;
}

std::uint64_t TiTimelines::repeats(int timeline, std::uint64_t most) {
  const auto rank = static_cast<std::size_t>(timeline);
  const Mark& mark = marks_[rank];
  const Mark now = here(rank);
  const std::uint32_t more = now.last_id - mark.last_id;
  const bool numbered =
      std::equal(now.numbered.begin(), now.numbered.end(), mark.numbered.begin(), mark.numbered.end(),
                 [more](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second + more; });
  const bool same = mark.plain && now.plain && now.pending_s == mark.pending_s && now.default_size == mark.default_size &&
                    now.site == mark.site && now.last_site == mark.last_site && now.communicators == mark.communicators &&
                    now.requests.like(mark.requests, more) && numbered;
  return same ? files_[rank].repeats(mark.place, most) : 0;
}

void TiTimelines::skip(int timeline, std::uint64_t times) {
  const auto rank = static_cast<std::size_t>(timeline);
  TiLines& file = files_[rank];
  const std::uint64_t lines = file.number() - marks_[rank].line;
  file.skip(times * (file.place() - marks_[rank].place), times * lines);
  states_[rank].line += times * lines;
}

} // namespace farcast::trace
