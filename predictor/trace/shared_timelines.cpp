#include "predictor/trace/shared_timelines.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace farcast::trace {

namespace {

constexpr std::size_t kAtOnce = std::size_t{1} << 20; // operations that the batches of all timelines may have room for, about
constexpr std::uint32_t kFirstBatch = 16;             // operations; each further batch of a timeline is twice as large
constexpr std::uint32_t kMostBatch = 512;
constexpr std::size_t kMostCollectives = 4096; // that are held once
constexpr std::chrono::milliseconds kBetweenLooks{1};

} // namespace

struct SharedTimelines::Batch {
  explicit Batch(std::uint32_t room) : capacity(room) { operations.reserve(room); }

  const std::uint32_t capacity;
  std::vector<Operation> operations;                  // [0, size) are decoded
  std::atomic<std::vector<double>*> details{nullptr}; // [operation]; null: none of them has any
  std::unique_ptr<std::vector<double>[]> owned;
  std::atomic<std::uint32_t> size{0};
  std::atomic<bool> ended{false};        // the timeline ends with it
  std::atomic<std::uint32_t> holders{1}; // who fills it, the batch before it, the beginning, readers
  Batch* next = nullptr;                 // once it is full; held
  std::uint64_t bytes = 0;

  void keep_details(std::uint32_t index, const std::vector<double>& of_operation) {
    if (of_operation.empty()) return;
    if (owned == nullptr) {
      owned = std::make_unique<std::vector<double>[]>(capacity);
      details.store(owned.get(), std::memory_order_release); // who reads an earlier operation may see it too
    }
    owned[index] = of_operation;
  }
  [[nodiscard]] const std::vector<double>& details_of(std::uint32_t index) const {
    static const std::vector<double> kNone;
    const std::vector<double>* const list = details.load(std::memory_order_acquire);
    return list == nullptr ? kNone : list[index];
  }
};

namespace {

// Returns: a pointer that nobody counts.
template <class Object> std::shared_ptr<const Object> unowned(const Object* object) {
  return {std::shared_ptr<const Object>(), object};
}

// What an operation takes beside itself.
std::uint64_t bytes_beside(const Operation& operation) {
  std::uint64_t bytes = operation.requests.capacity() * sizeof(std::uint32_t);
  if (operation.collective == nullptr || operation.collective.use_count() != 1) return bytes;
  const Collective& collective = *operation.collective;
  bytes += sizeof(Collective);
  for (const auto& counts : {collective.send_counts, collective.receive_counts})
    if (counts != nullptr) bytes += counts->capacity() * sizeof(double);
  return bytes;
}

} // namespace

SharedTimelines::SharedTimelines(Timelines& decoding, Details details, std::uint64_t allowance)
    : decoding_(decoding), details_(std::move(details)), allowance_(allowance) {
  const auto count = static_cast<std::size_t>(decoding.timelines());
  largest_batch_ =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(kAtOnce / std::max<std::size_t>(count, 1), kFirstBatch, kMostBatch));
  for (std::size_t i = 0; i < count; ++i) {
    tails_.push_back(make_batch(kFirstBatch));
    tails_.back()->holders.fetch_add(1, std::memory_order_relaxed);
  }
  beginning_ = tails_;
}

SharedTimelines::~SharedTimelines() {
  end_of_readers();
  for (Batch* const tail : tails_) drop(tail);
}

std::unique_ptr<SharedTimelines::Reader> SharedTimelines::reader() {
  const std::lock_guard<std::mutex> lock(readers_mutex_);
  if (beginning_.size() != tails_.size()) return nullptr;
  auto made = std::unique_ptr<Reader>(new Reader(*this));
  for (Batch* const first : beginning_) {
    first->holders.fetch_add(1, std::memory_order_relaxed);
    made->places_.push_back({first, first->operations.data(), 0});
  }
  readers_.push_back(made.get());
  return made;
}

void SharedTimelines::end_of_readers() {
  const std::lock_guard<std::mutex> lock(readers_mutex_);
  drop_beginning();
}

// Requires: the lock of the readers.
void SharedTimelines::drop_beginning() {
  for (Batch* const first : std::exchange(beginning_, {})) drop(first);
}

SharedTimelines::Batch* SharedTimelines::make_batch(std::uint32_t operations) {
  auto* const batch = new Batch(operations);
  batch->bytes = sizeof(Batch) + operations * sizeof(Operation);
  bytes_held_.fetch_add(batch->bytes, std::memory_order_relaxed);
  return batch;
}

// One holder less, of this batch and of those behind it that nobody else holds: as many as there
// are, so in a loop.
void SharedTimelines::drop(Batch* batch) {
  while (batch != nullptr && batch->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    Batch* const next = batch->next;
    bytes_held_.fetch_sub(batch->bytes, std::memory_order_relaxed);
    operations_held_.fetch_sub(batch->size.load(std::memory_order_relaxed), std::memory_order_relaxed);
    delete batch;
    batch = next;
  }
}

// What many operations share is held here once, so that readers on several threads do not count its
// holders all the time.
void SharedTimelines::own(Operation& operation) {
  if (operation.communicator != nullptr && operation.communicator.use_count() > 0 &&
      operation.communicator->members.size() == static_cast<std::size_t>(decoding_.ranks())) {
    if (whole_ == nullptr) whole_ = operation.communicator;
    if (whole_ == operation.communicator) operation.communicator = unowned(whole_.get());
  }
  if (operation.collective == nullptr || operation.collective->has_lists()) return;
  const Collective& wanted = *operation.collective;
  if (last_collective_ == nullptr || *last_collective_ != wanted) {
    const auto found = collectives_.find(wanted);
    if (found == collectives_.end() && collectives_.size() == kMostCollectives) return;
    last_collective_ = found != collectives_.end() ? found->second.get() : (collectives_[wanted] = operation.collective).get();
  }
  operation.collective = unowned(last_collective_);
}

// Decodes on in a timeline whose last batch a reader found to hold `known` operations: until it is
// full where that does not block, else one operation.
void SharedTimelines::decode(std::size_t timeline, Batch* batch, std::uint32_t known) {
  const std::lock_guard<std::mutex> lock(decoding_mutex_);
  std::uint32_t size = batch->size.load(std::memory_order_relaxed);
  if (size > known || batch->ended.load(std::memory_order_relaxed)) return; // somebody else has
  const std::uint32_t until = decoding_.complete() ? batch->capacity : known + 1;
  std::uint64_t beside = 0;
  for (; size < until; ++size) {
    Operation& operation = batch->operations.emplace_back();
    if (!decoding_.next(static_cast<int>(timeline), operation)) {
      batch->operations.pop_back();
      batch->ended.store(true, std::memory_order_release);
      break;
    }
    if (details_ != nullptr) batch->keep_details(size, details_());
    own(operation);
    beside += bytes_beside(operation);
    if (size + 1 == batch->capacity) { // its successor is there before anybody sees that it is full
      batch->next = make_batch(std::min(2 * batch->capacity, largest_batch_));
      batch->next->holders.fetch_add(1, std::memory_order_relaxed);
      tails_[timeline] = batch->next;
    }
    batch->size.store(size + 1, std::memory_order_release);
  }
  batch->bytes += beside;
  bytes_held_.fetch_add(beside, std::memory_order_relaxed);
  operations_held_.fetch_add(size - known, std::memory_order_relaxed);
  decoded_.fetch_add(size - known, std::memory_order_relaxed);
  if (tails_[timeline] != batch) drop(batch); // who asks holds it too
}

// Too much is held: what nobody but new readers would need goes, and a reader that is not the last
// lets the others come nearer. It looks now and then, so that those who play need not tell how far
// they are.
void SharedTimelines::wait_for_others(const Reader& reader) {
  const auto is_last = [&] {
    return std::all_of(readers_.begin(), readers_.end(), [&](const Reader* other) { return reader.read() <= other->read(); });
  };
  std::unique_lock<std::mutex> lock(readers_mutex_);
  drop_beginning();
  while (bytes_held() > allowance_ && !is_last()) left_.wait_for(lock, kBetweenLooks);
}

void SharedTimelines::leave(Reader& reader) {
  for (const Place& place : reader.places_) drop(place.batch);
  const std::lock_guard<std::mutex> lock(readers_mutex_);
  std::erase(readers_, &reader);
  left_.notify_all();
}

SharedTimelines::Reader::~Reader() { shared_.leave(*this); }

bool SharedTimelines::Reader::next(int timeline, Operation& out) {
  Place& place = places_[static_cast<std::size_t>(timeline)];
  for (;;) {
    const std::uint32_t size = place.batch->size.load(std::memory_order_acquire);
    if (place.at < size) break;
    if (size == place.batch->capacity) {
      go_on(place);
    } else if (!place.batch->ended.load(std::memory_order_acquire)) {
      shared_.decode(static_cast<std::size_t>(timeline), place.batch, size);
    } else if (place.at == place.batch->size.load(std::memory_order_acquire)) {
      return false;
    }
  }
  out = place.operations[place.at];
  if (adapt_ != nullptr) adapt_(timeline, out, place.batch->details_of(place.at));
  ++place.at;
  fetch(timeline); // readers go through many timelines: no cache foresees what comes next in each of them
  read_.store(read_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return true;
}

void SharedTimelines::Reader::go_on(Place& place) {
  Batch* const passed = place.batch;
  place = {passed->next, passed->next->operations.data(), 0};
  place.batch->holders.fetch_add(1, std::memory_order_relaxed);
  shared_.drop(passed);
  if (shared_.bytes_held() > shared_.allowance_) shared_.wait_for_others(*this);
}

void SharedTimelines::Reader::fetch(int timeline) const {
  constexpr std::size_t kCacheLine = 64;
  const Place& place = places_[static_cast<std::size_t>(timeline)];
  const char* const from = reinterpret_cast<const char*>(place.operations + place.at);
  for (std::size_t byte = 0; byte < sizeof(Operation); byte += kCacheLine) __builtin_prefetch(from + byte);
}

} // namespace farcast::trace
