#include "predictor/trace/decode_ahead.h"

#include <algorithm>
#include <utility>

namespace farcast::trace {

namespace {

constexpr std::size_t kMostAhead = 16384; // operations of all timelines, about: what stays in a cache
constexpr std::size_t kLeastBatch = 2;
constexpr std::size_t kMostBatch = 512;

} // namespace

DecodeAhead::DecodeAhead(const std::vector<Place>& places, std::function<void()> begin, std::atomic<std::uint64_t>& slots_read)
    : batch_(std::clamp(kMostAhead / std::max<std::size_t>(places.size(), 1), kLeastBatch, kMostBatch)), begin_(std::move(begin)),
      slots_read_(slots_read) {
  for (const Place& place : places) {
    auto timeline = std::make_unique<Timeline>();
    timeline->place = place;
    place.decoder->keep_folded();
    timelines_.push_back(std::move(timeline));
  }
  thread_ = std::thread([this] { work(); });
}

DecodeAhead::~DecodeAhead() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  more_.notify_one();
  thread_.join();
}

bool DecodeAhead::next(std::size_t index, Operation& out) {
  Timeline& timeline = *timelines_[index];
  if (timeline.repeated.count > 0) {
    repeat(timeline.repeated, timeline.repeats);
    out = timeline.repeats;
    return true;
  }
  if (timeline.played.at == timeline.played.size) {
    if (timeline.played.last) return false;
    refill(index);
    if (timeline.played.size == 0) return false;
  }
  const std::size_t at = timeline.played.at++;
  timeline.repeated = timeline.played.repeated[at];
  // What `out` held goes back into the batch: its memory is used again, and given back by the
  // thread that took it.
  std::swap(out, timeline.played.operations[at]);
  if (timeline.repeated.count > 0) timeline.repeats = out;
  return true;
}

bool DecodeAhead::next_alike(std::size_t index, Operation& last) {
  Timeline& timeline = *timelines_[index];
  if (timeline.repeated.count == 0) return false;
  repeat(timeline.repeated, timeline.repeats);
  last.compute = timeline.repeats.compute;
  last.measured = timeline.repeats.measured;
  last.request = timeline.repeats.request;
  return true;
}

void DecodeAhead::ask(std::size_t index) {
  timelines_[index]->asked = true;
  bool first = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    first = jobs_.empty();
    jobs_.push_back(index);
  }
  if (first) more_.notify_one();
}

void DecodeAhead::refill(std::size_t index) {
  Timeline& timeline = *timelines_[index];
  if (!timeline.asked) ask(index);
  timeline.ready.wait(false, std::memory_order_acquire);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (fault_ != nullptr) std::rethrow_exception(fault_);
  }
  timeline.ready.store(false, std::memory_order_relaxed);
  timeline.asked = false;
  std::swap(timeline.played, timeline.decoded);
  if (!timeline.played.last) ask(index);
}

bool DecodeAhead::take_job(std::size_t& index) {
  std::unique_lock<std::mutex> lock(mutex_);
  more_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
  if (ending_) return false;
  index = jobs_.front();
  jobs_.pop_front();
  return true;
}

void DecodeAhead::work() {
  bool begun = false;
  for (std::size_t index = 0; take_job(index);) {
    Timeline& timeline = *timelines_[index];
    try {
      if (!std::exchange(begun, true)) begin_();
      decode(timeline);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      fault_ = std::current_exception();
    }
    timeline.ready.store(true, std::memory_order_release);
    timeline.ready.notify_one();
  }
}

void DecodeAhead::decode(Timeline& timeline) {
  Decoder& decoder = *timeline.place.decoder;
  Batch& batch = timeline.decoded;
  batch.operations.resize(batch_);
  batch.repeated.resize(batch_);
  batch.at = batch.size = 0;
  const std::uint64_t before = decoder.slots_read();
  for (; batch.size < batch_ && decoder.next(timeline.place.thread, batch.operations[batch.size]); ++batch.size)
    batch.repeated[batch.size] = decoder.repeated();
  batch.last = batch.size < batch_;
  slots_read_.fetch_add(decoder.slots_read() - before, std::memory_order_relaxed);
}

} // namespace farcast::trace
