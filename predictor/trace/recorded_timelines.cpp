#include "predictor/trace/recorded_timelines.h"

#include <algorithm>
#include <utility>

namespace farcast::trace {

namespace {

constexpr std::uint32_t kLookEvery = 4096; // operations that are played before it is asked again whether the program has ended

} // namespace

RecordedTimelines::RecordedTimelines(Recording& recording) : recording_(recording) {
  for (const auto& rank : recording.ranks) {
    decoders_.push_back(std::make_unique<Decoder>(recording, *rank, sites_, comms_));
    places_.push_back({rank->rank, 0});
  }
  for (std::size_t rank = 0; rank < decoders_.size(); ++rank) {
    for (std::size_t thread = 1; thread < decoders_[rank]->threads(); ++thread)
      places_.push_back({static_cast<int>(rank), thread});
  }
  counted_.resize(decoders_.size(), 0);
}

void RecordedTimelines::correct_with(CorunnerCorrection& correction) {
  correction_ = &correction;
  follow_corunners();
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

bool RecordedTimelines::complete() {
  if (!complete_ && until_look_-- == 0) {
    until_look_ = kLookEvery;
    complete_ = all_closed();
  }
  return complete_;
}

bool RecordedTimelines::next(int timeline, Operation& out) {
  if (recording_.abandoned.load(std::memory_order_relaxed)) return false;
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
