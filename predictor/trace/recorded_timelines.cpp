#include "predictor/trace/recorded_timelines.h"

#include <algorithm>
#include <utility>

namespace farcast::trace {

namespace {

constexpr std::uint32_t kLookEvery = 4096; // operations that are played before it is asked again whether the program has ended

} // namespace

namespace {

// Returns: the communicator rank of a world rank; of the remote group in an inter-communicator.
int rank_in(const Communicator* communicator, int world_rank) {
  if (communicator == nullptr) return world_rank;
  const std::vector<int>& members = communicator->remote.empty() ? communicator->members : communicator->remote;
  const auto found = std::find(members.begin(), members.end(), world_rank);
  return found == members.end() ? -1 : static_cast<int>(found - members.begin());
}

} // namespace

RecordedTimelines::RecordedTimelines(Recording& recording, AnswerSink* answers)
    : recording_(recording), answers_(answers), asked_on_(recording.ranks.size()) {
  for (const auto& rank : recording.ranks) {
    decoders_.push_back(std::make_unique<Decoder>(recording, *rank, sites_, comms_, answers != nullptr));
    places_.push_back({rank->rank, 0});
  }
  for (std::size_t rank = 0; rank < decoders_.size(); ++rank) {
    for (std::size_t thread = 1; thread < decoders_[rank]->threads(); ++thread)
      places_.push_back({static_cast<int>(rank), thread});
  }
  counted_.resize(decoders_.size(), 0);
  behind_.resize(places_.size());
}

void RecordedTimelines::correct_with(CorunnerCorrection& correction) {
  correction_ = &correction;
  follow_corunners();
}

void RecordedTimelines::answer(int timeline, const Answer& answer) {
  const Place place = places_[static_cast<std::size_t>(timeline)];
  if (answers_ == nullptr || place.thread != 0) return;
  const Decoder& decoder = *decoders_[static_cast<std::size_t>(place.rank)];
  rank_answer_ = {answer.time.value(),
                  answer.found,
                  answer.outside,
                  answer.away,
                  -1,
                  answer.tag,
                  answer.done,
                  {},
                  answer.together,
                  answer.quiet.value(),
                  answer.poll.value(),
                  answer.grows,
                  answer.messages,
                  answer.pace,
                  answer.least_poll.value()};
  if (answer.source >= 0) rank_answer_.source = rank_in(asked_on_[static_cast<std::size_t>(timeline)].get(), answer.source);
  for (const Match& match : answer.matches) {
    rank_answer_.matches.push_back({match.request == 0 ? 0 : decoder.deferred_handle(match.request),
                                    rank_in(match.communicator.get(), match.source), match.tag});
  }
  answers_->give(place.rank, rank_answer_);
}

bool RecordedTimelines::has_come(int timeline, bool waits) {
  const Place place = places_[static_cast<std::size_t>(timeline)];
  if (answers_ == nullptr || place.thread != 0 || ahead_ != nullptr) return true;
  if (recording_.abandoned.load(std::memory_order_relaxed)) return true;
  if (!behind_[static_cast<std::size_t>(timeline)].operations.empty()) return true;
  return decoders_[static_cast<std::size_t>(place.rank)]->has_come(waits);
}

void RecordedTimelines::decode_ahead(std::function<void()> begin) {
  if (std::thread::hardware_concurrency() > 1) begin_ = std::move(begin);
}

bool RecordedTimelines::all_closed() const {
  const std::lock_guard<std::mutex> lock(recording_.mutex);
  return std::all_of(recording_.ranks.begin(), recording_.ranks.end(), [](const auto& rank) {
    return std::all_of(rank->threads.begin(), rank->threads.end(), [](const auto& stream) { return stream->closed(); });
  });
}

bool RecordedTimelines::outcomes_as_recorded() const {
  return recording_.coupled_to.empty() &&
         std::any_of(decoders_.begin(), decoders_.end(), [](const auto& decoder) { return decoder->outcomes_hung_on_timing(); });
}

bool RecordedTimelines::complete() {
  if (!complete_ && until_look_-- == 0) {
    until_look_ = kLookEvery;
    complete_ = all_closed();
  }
  return complete_;
}

std::span<const Operation> RecordedTimelines::until_question(int timeline) {
  const Place place = places_[static_cast<std::size_t>(timeline)];
  if (answers_ == nullptr || place.thread != 0 || ahead_ != nullptr || !answers_->asks(place.rank)) return {};
  if (corunners_ != nullptr && correction_ == nullptr) return {}; // corunner_shares() is asked for behind next()
  Behind& behind = behind_[static_cast<std::size_t>(timeline)];
  if (behind.asked) return {};
  Operation operation;
  while ((behind.operations.empty() || !behind.operations.back().asked) && decode(timeline, operation))
    behind.operations.push_back(std::move(operation));
  return std::span<const Operation>(behind.operations).subspan(behind.at);
}

bool RecordedTimelines::next(int timeline, Operation& out) {
  if (recording_.abandoned.load(std::memory_order_relaxed)) return false;
  Behind& behind = behind_[static_cast<std::size_t>(timeline)];
  if (behind.operations.empty()) {
    const bool more = decode(timeline, out);
    behind.asked = more && out.asked;
    return more;
  }
  out = std::move(behind.operations[behind.at]);
  if (++behind.at == behind.operations.size()) behind = {};
  behind.asked = out.asked;
  return true;
}

bool RecordedTimelines::decode(int timeline, Operation& out) {
  if (ahead_ != nullptr) return ahead_->next(static_cast<std::size_t>(timeline), out);
  if (begin_ != nullptr && corunners_ == nullptr && complete()) {
    std::vector<DecodeAhead::Place> places;
    for (const Place& place : places_) places.push_back({decoders_[static_cast<std::size_t>(place.rank)].get(), place.thread});
    ahead_ = std::make_unique<DecodeAhead>(places, begin_, slots_read_);
    return ahead_->next(static_cast<std::size_t>(timeline), out);
  }
  const Place place = places_[static_cast<std::size_t>(timeline)];
  Decoder& decoder = *decoders_[static_cast<std::size_t>(place.rank)];
  const bool more = decoder.next(place.thread, out);
  if (answers_ != nullptr && place.thread == 0) asked_on_[static_cast<std::size_t>(timeline)] = out.communicator;
  share_.clear();
  if (more && corunners_ != nullptr && place.thread == 0) {
    const auto [from, to] = decoder.computed();
    if (to > from) {
      corunners_->shares(static_cast<std::size_t>(timeline), from, to, share_);
      if (correction_ != nullptr) out.alone_share = correction_->alone_share(out, share_);
    }
  }
  const std::uint64_t now = decoder.slots_read();
  std::uint64_t& counted = counted_[static_cast<std::size_t>(place.rank)];
  slots_read_.fetch_add(now - counted, std::memory_order_relaxed);
  counted = now;
  return more;
}

} // namespace farcast::trace
