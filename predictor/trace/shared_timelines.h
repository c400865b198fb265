// Timelines that are decoded once and played by several readers, each at its own pace.
//
// In: timelines that decode. Out: the same operations from any number of readers. The reader that
// comes to an operation first has it decoded; it stays, in batches per timeline, as long as a
// reader may want it.
// Invariants: (1) what has been decoded does not change; (2) once no more readers may come,
// operations that all have passed are gone; (3) beyond the allowance of memory no more readers may
// come, and one that is not the last waits for those behind it.
// Threads: each reader belongs to one; they need no further locking. Readers and operations that
// they have given must not outlive this object.
#pragma once

#include "predictor/trace/operation.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace farcast::trace {

// What a reader makes of the operations that all share: `details` is what the decoding timelines
// said of this one, often nothing.
using Adapt = std::function<void(int timeline, Operation& operation, const std::vector<double>& details)>;
// Returns: the details of the operation that the decoding timelines gave last, valid until the next.
using Details = std::function<const std::vector<double>&()>;

class SharedTimelines {
public:
  class Reader;
  // `details` may be null: there are none. `allowance`: bytes of operations, beyond which memory is
  // saved.
  SharedTimelines(Timelines& decoding, Details details, std::uint64_t allowance);
  SharedTimelines(const SharedTimelines&) = delete;
  SharedTimelines& operator=(const SharedTimelines&) = delete;
  ~SharedTimelines();

  // Returns: a reader of all timelines from their beginning; null where that is no longer held:
  // then they are to be decoded again.
  std::unique_ptr<Reader> reader();
  // No further readers will be asked for: what the present ones have passed may go.
  void end_of_readers();

  // Returns: operations that are held, and the bytes that they take.
  [[nodiscard]] std::uint64_t operations_held() const { return operations_held_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t bytes_held() const { return bytes_held_.load(std::memory_order_relaxed); }
  // Returns: operations that have been decoded so far.
  [[nodiscard]] std::uint64_t decoded() const { return decoded_.load(std::memory_order_relaxed); }

private:
  struct Batch;
  struct Place {                           // of a reader in a timeline
    Batch* batch = nullptr;                // held
    const Operation* operations = nullptr; // its own
    std::uint32_t at = 0;
  };

  void drop(Batch* batch);
  Batch* make_batch(std::uint32_t operations);
  void own(Operation& operation);
  void decode(std::size_t timeline, Batch* batch, std::uint32_t known);
  void leave(Reader& reader);
  void wait_for_others(const Reader& reader);
  void drop_beginning();

  Timelines& decoding_;
  Details details_;
  std::uint64_t allowance_;
  std::uint32_t largest_batch_;
  std::mutex decoding_mutex_;                 // of the decoding timelines and of what follows
  std::vector<Batch*> tails_;                 // [timeline] the one that is being filled; counts as one holder
  std::shared_ptr<const Communicator> whole_; // of all ranks, where operations count its holders
  std::map<Collective, std::shared_ptr<const Collective>> collectives_; // without lists
  const Collective* last_collective_ = nullptr;
  std::mutex readers_mutex_;      // of what follows
  std::condition_variable left_;  // a reader has
  std::vector<Batch*> beginning_; // [timeline]; empty: no longer held
  std::vector<const Reader*> readers_;
  std::atomic<std::uint64_t> operations_held_{0};
  std::atomic<std::uint64_t> bytes_held_{0};
  std::atomic<std::uint64_t> decoded_{0};
};

class SharedTimelines::Reader final : public Timelines {
public:
  ~Reader() override;
  // From now on next() gives what `adapt` makes of operations.
  void adapt_with(Adapt adapt) { adapt_ = std::move(adapt); }
  [[nodiscard]] int ranks() const override { return shared_.decoding_.ranks(); }
  [[nodiscard]] int timelines() const override { return shared_.decoding_.timelines(); }
  [[nodiscard]] int rank_of(int timeline) const override { return shared_.decoding_.rank_of(timeline); }
  bool next(int timeline, Operation& out) override;
  void fetch(int timeline) const override;
  // Returns: operations that it has given. Any thread.
  [[nodiscard]] std::uint64_t read() const { return read_.load(std::memory_order_relaxed); }

private:
  friend class SharedTimelines;
  explicit Reader(SharedTimelines& shared) : shared_(shared) {}
  void go_on(Place& place);

  SharedTimelines& shared_;
  Adapt adapt_;
  std::vector<Place> places_; // [timeline]
  std::atomic<std::uint64_t> read_{0};
};

} // namespace farcast::trace
