#include "predictor/sim/meetings.h"

#include <algorithm>

namespace farcast::sim {

using collective::Cost;
using collective::Flow;

std::optional<double> Meetings::join_from_root(Meeting& meeting, const Member& member, const Cost& cost, double now,
                                               std::vector<Release>& released) {
  if (!member.is_root) {
    if (meeting.root_is_in) return std::max(now, meeting.ready + meeting.seconds);
    meeting.waiting.push_back(member);
    return std::nullopt;
  }
  meeting.root_is_in = true;
  meeting.ready = now;
  meeting.seconds = cost.seconds;
  for (const Member& other : meeting.waiting) released.push_back({other.strand, now + cost.seconds});
  meeting.waiting.clear();
  return now + cost.alone;
}

std::optional<double> Meetings::join_upwards(Meeting& meeting, const Member& member, const Cost& cost, double now,
                                             std::vector<Release>& released) {
  meeting.entries.resize(static_cast<std::size_t>(member.size));
  meeting.entries[static_cast<std::size_t>(member.rank)] = now;
  meeting.seconds = std::max(meeting.seconds, cost.seconds);
  while (meeting.prefix < member.size) {
    const std::optional<double>& entry = meeting.entries[static_cast<std::size_t>(meeting.prefix)];
    if (!entry) break;
    meeting.ready = std::max(meeting.ready, *entry);
    ++meeting.prefix;
  }
  std::erase_if(meeting.waiting, [&](const Member& other) {
    if (other.rank >= meeting.prefix) return false;
    released.push_back({other.strand, now + meeting.seconds});
    return true;
  });
  if (member.rank == 0) return now + cost.alone;
  if (member.rank < meeting.prefix) return now + meeting.seconds;
  meeting.waiting.push_back(member);
  return std::nullopt;
}

std::optional<double> Meetings::join(std::uint64_t key, const Member& member, const Cost& cost, double now,
                                     std::vector<Release>& released) {
  Meeting& meeting = meetings_[key];
  const bool last = ++meeting.entered == member.size;
  std::optional<double> own;
  switch (cost.flow) {
  case Flow::from_root:
    own = join_from_root(meeting, member, cost, now, released);
    break;
  case Flow::upwards:
    own = join_upwards(meeting, member, cost, now, released);
    break;
  case Flow::to_root:
    meeting.seconds = std::max(meeting.seconds, cost.seconds);
    if (member.is_root && !last)
      meeting.waiting.push_back(member);
    else
      own = now + (member.is_root ? meeting.seconds : cost.alone);
    break;
  case Flow::everyone:
    meeting.seconds = std::max(meeting.seconds, cost.seconds);
    if (last)
      own = now + meeting.seconds;
    else
      meeting.waiting.push_back(member);
    break;
  }
  if (last) {
    for (const Member& other : meeting.waiting) released.push_back({other.strand, now + meeting.seconds});
    meetings_.erase(key);
  }
  return own;
}

} // namespace farcast::sim
