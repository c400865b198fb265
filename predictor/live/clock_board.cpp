#include "predictor/live/clock_board.h"

#include "predictor/live/sealed_memory.h"

#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace farcast::live {

ClockBoard::~ClockBoard() {
  if (clocks_ != nullptr) munmap(clocks_, stream::kClocksBytes);
  if (file_ >= 0) close(file_);
}

int ClockBoard::file() {
  if (clocks_ != nullptr) return file_;
  const SealedMemory memory = make_sealed_memory("farcast-clocks", stream::kClocksBytes);
  if (memory.address == nullptr) return -1;
  file_ = memory.file;
  clocks_ = new (memory.address) stream::Clocks{};
  clocks_->magic = stream::kClocksMagic;
  return file_;
}

void ClockBoard::share(const trace::Bounds& bounds) {
  stream::Clocks& all = *clocks_;
  const std::uint32_t changes = all.changes.load(std::memory_order_relaxed);
  all.changes.store(changes + 1, std::memory_order_relaxed);
  // Each is a release: who acquires one of them sees that they are being changed.
  all.events.store(bounds.events, std::memory_order_release);
  all.delay.store(bounds.delay, std::memory_order_release);
  all.beside.store(bounds.beside, std::memory_order_release);
  for (std::size_t rank = 0; rank < bounds.acts.size(); ++rank)
    all.acts[rank].store(bounds.acts[rank], std::memory_order_release);
  for (std::size_t rank = 0; rank < bounds.comes.size(); ++rank)
    all.comes[rank].store(bounds.comes[rank], std::memory_order_release);
  all.changes.store(changes + 2, std::memory_order_release);
}

void ClockBoard::poke(int rank) { stream::poke(clocks_->clocks[rank]); }

void ClockBoard::resumes(int rank) { clocks_->clocks[rank].polls.store(stream::RankClock::resuming, std::memory_order_release); }

double ClockBoard::reached(int rank) const { return clocks_->clocks[rank].reached.load(std::memory_order_acquire); }

bool ClockBoard::asks(int rank) const {
  return clocks_->clocks[rank].polls.load(std::memory_order_acquire) == stream::RankClock::asking;
}

} // namespace farcast::live
