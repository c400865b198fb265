// The records of one thread of one rank, in the predictor's memory: appended by the drain thread,
// read by any number of cursors.
//
// Slots lie in blocks; full ones, and the last one of a closed stream, are packed (slot_packing.h), and
// past a memory budget (shared by all streams of a run) those move to an unlinked temporary file.
// Invariants: (1) append-only; (2) a reader sees slots in order, each once; (3) next() blocks until
// data or close(); readers that want whole blocks, until one is full.
// Threads: one appender; each cursor belongs to one reader; readers and the appender need no
// further locking.
#pragma once

#include "libinterpose/stream/free_memory.h"
#include "libinterpose/stream/record.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace farcast::trace {

// Blocks of memory for slots as they are: of streams that grow, and of cursors. A block that nobody
// holds any more is used again: touching new memory costs more than copying. Thread-safe.
class BlockPool {
public:
  static constexpr std::size_t kBlockSlots = 8192;
  using Block = std::shared_ptr<stream::Slot[]>;
  BlockPool();
  // Returns: a block, its content undefined. Throws std::bad_alloc where there is no memory.
  Block take();

private:
  struct Chunks;
  std::shared_ptr<Chunks> chunks_; // outlives the pool as long as blocks are held
};

// Where blocks go that do not fit into memory. Thread-safe.
class SpillFile {
public:
  explicit SpillFile(std::uint64_t memory_budget_bytes) : budget_(memory_budget_bytes) {}
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;
  ~SpillFile();

  // Accounts for `bytes` more in memory. Returns: true when there are more than the budget, or than
  // a share of the memory that is free (stream/free_memory.h).
  bool charge(std::uint64_t bytes);
  // Where `free` comes from; tests have their own.
  void watch(std::uint64_t (*free)()) { free_ = free; }
  // Returns: the offset of the written bytes, or -1 when the disk refuses (they stay in memory then).
  std::int64_t write(const void* data, std::uint64_t bytes);
  bool read(std::int64_t offset, void* data, std::uint64_t bytes) const;
  [[nodiscard]] BlockPool::Block take_block() { return blocks_.take(); }

private:
  BlockPool blocks_;
  std::mutex mutex_;
  std::uint64_t budget_;
  std::uint64_t in_memory_ = 0;
  std::uint64_t (*free_)() = [] { return stream::free_memory(); };
  std::uint64_t limit_ = 0;   // the budget, or the share of free memory where that is less
  std::uint64_t charged_ = 0; // since the limit was found
  bool known_ = false;        // it was
  std::int64_t end_ = 0;
  int file_ = -1;
  bool failed_ = false;
};

// Who lets the stream of a running program grow when somebody waits for it.
class SlotSource {
public:
  // Waits until the stream may have more than `have` slots, or is closed; not for long.
  virtual void fetch(std::uint64_t have) = 0;
  // Returns: whether the call that was answered last has returned, where its rank was asked to say so.
  [[nodiscard]] virtual bool is_back() const = 0;
  struct LastCall { // ticks; `entered` past `left`: the rank is in it
    std::uint64_t entered = 0;
    std::uint64_t left = 0;
  };
  // Brings what the stream may have by now. Returns: the rank's last call, now or later.
  virtual LastCall bring() = 0;

protected:
  ~SlotSource() = default;
};

// When a reader goes on that waits for slots.
enum class Reading : std::uint8_t {
  at_once,   // as soon as there are any
  in_blocks, // with a full block: it is in no hurry, and wakes seldom
  fetching,  // as soon as there are any, which it asks the stream's source for
};

class SlotStream {
public:
  explicit SlotStream(SpillFile& spill) : spill_(spill) {}

  // For readers that fetch; null: there is none. The source outlives them.
  void come_from(SlotSource* source) { source_.store(source, std::memory_order_release); }

  // Returns: the copy of the last one. Requires: at least one.
  stream::Slot append(std::span<const stream::Slot> slots);
  // No more slots will come.
  void close();
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] bool closed() const;

private:
  friend class SlotCursor;
  static constexpr std::size_t kBlockSlots = BlockPool::kBlockSlots;
  using Packed = std::vector<std::byte>;
  struct Block {
    BlockPool::Block memory;              // as it is filled; null once it is packed
    std::shared_ptr<const Packed> packed; // null: in the spill file
    std::int64_t offset = -1;
    std::size_t bytes = 0; // there
    std::size_t slots = 0; // that are packed
  };
  [[nodiscard]] BlockPool::Block unpacked(const Block& block) const;
  void seal(std::size_t index, const BlockPool::Block& block, std::size_t slots);

  mutable std::mutex mutex_;
  std::condition_variable grown_;
  std::condition_variable filled_; // a block is full, or the stream is closed
  std::atomic<SlotSource*> source_{nullptr};
  std::deque<Block> blocks_; // all full but the last; packed ones do not change any more
  std::uint64_t size_ = 0;
  bool closed_ = false;
  SpillFile& spill_;
};

class SlotCursor {
public:
  explicit SlotCursor(const SlotStream& stream, Reading reading = Reading::at_once) : stream_(&stream), reading_(reading) {}
  // Returns: the next slots, at least one, valid until the next call; empty at the end of a closed
  // stream, and where its disk does not give them back.
  std::span<const stream::Slot> next();
  // Returns: whether it did not.
  [[nodiscard]] bool failed() const { return failed_; }
  // Of a cursor that fetches: whether next() would return at once, or the program is computing up to
  // that. `waits`: unless it does, for a while.
  [[nodiscard]] bool has_come(bool waits) const;
  // Returns: how many slots the stream holds that this cursor has not returned.
  [[nodiscard]] std::uint64_t behind() const { return stream_->size() - at_; }
  [[nodiscard]] bool closed() const { return stream_->closed(); }
  // Returns: who lets the stream grow; null: nobody has to.
  [[nodiscard]] SlotSource* source() const { return stream_->source_.load(std::memory_order_acquire); }

private:
  void wait(std::unique_lock<std::mutex>& lock, SlotStream& stream) const;

  const SlotStream* stream_;
  Reading reading_;
  std::uint64_t at_ = 0;
  BlockPool::Block held_; // the block of the last answer
  std::size_t index_ = 0; // of it
  bool failed_ = false;
};

} // namespace farcast::trace
