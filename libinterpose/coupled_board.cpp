#include "libinterpose/coupled_board.h"

#include "libinterpose/channel.h"
#include "libinterpose/sealed_memory.h"
#include "libinterpose/stream/brief_wait.h"

#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace farcast::interpose {

constinit Board board;

bool Board::join(int socket) {
  std::uint32_t unused = 0;
  const int file = receive_file(socket, stream::MessageKind::clocks, unused);
  if (file < 0) return false;
  void* const memory = map_sealed(file, stream::kClocksBytes);
  if (memory == nullptr) return false;
  clocks_ = static_cast<stream::Clocks*>(memory);
  if (clocks_->magic != stream::kClocksMagic) clocks_ = nullptr;
  return clocks_ != nullptr;
}

void Board::begin_rank(std::uint32_t rank, std::uint32_t ranks) {
  rank_ = rank;
  ranks_ = ranks;
  if (clocks_ == nullptr || rank >= ranks || ranks > stream::kMostClocks) return;
  own_ = &clocks_->clocks[rank];
}

void Board::begin_access(int target, bool waits) {
  if (clocks_ == nullptr) return;
  end_access();
  accessed_ = target < 0 || static_cast<std::uint32_t>(target) >= ranks_ || own_ == nullptr ? kOfAll : target;
  if (accessed_ == kOfAll) {
    clocks_->needs_all.fetch_add(1, std::memory_order_seq_cst);
    if (waits) poke(true);
    return;
  }
  stream::RankClock& clock = clocks_->clocks[target];
  clock.accessed.fetch_add(1, std::memory_order_seq_cst);
  if (waits) stream::poke(clock);
}

void Board::end_access_begun() {
  (accessed_ == kOfAll ? clocks_->needs_all : clocks_->clocks[accessed_].accessed).fetch_sub(1, std::memory_order_relaxed);
  accessed_ = kNone;
}

bool Board::first_to_say(bool ends) {
  if (clocks_ == nullptr) return local_rank() <= 0;
  std::uint32_t state = clocks_->said.load(std::memory_order_acquire);
  while (state == stream::kNotSaid || (ends && state == stream::kWentOn)) {
    if (clocks_->said.compare_exchange_weak(state, stream::kBeingSaid, std::memory_order_acq_rel)) return true;
  }
  return false;
}

void Board::end_saying(bool ends) {
  if (clocks_ != nullptr) clocks_->said.store(ends ? stream::kSaid : stream::kWentOn, std::memory_order_release);
}

bool Board::is_being_said() const {
  return clocks_ != nullptr && clocks_->said.load(std::memory_order_acquire) == stream::kBeingSaid;
}

bool Board::first_to_print(std::uint32_t number) {
  if (clocks_ == nullptr || number == 0) return true;
  std::uint32_t told = clocks_->told.load(std::memory_order_relaxed);
  while (told < number) {
    if (clocks_->told.compare_exchange_weak(told, number, std::memory_order_acq_rel)) return true;
  }
  return false;
}

bool Board::poked_soon(std::uint32_t seen, long ns) const {
  if (own_ == nullptr || clocks_->has_cores.load(std::memory_order_relaxed) == 0) return false;
  return stream::comes_soon([&] { return own_->pokes.load(std::memory_order_acquire) != seen; }, ns);
}

void Board::sleep(std::uint32_t seen, stream::RankClock::Sleeps so, std::atomic<std::uint32_t>& word, std::uint32_t seen_word,
                  long ns) const {
  const timespec time{ns / 1'000'000'000, ns % 1'000'000'000};
  if (own_ == nullptr) {
    syscall(SYS_futex, &word, FUTEX_WAIT, seen_word, &time, nullptr, 0);
    return;
  }
  own_->sleeps.store(so, std::memory_order_seq_cst);
  syscall(SYS_futex, &own_->pokes, FUTEX_WAIT, seen, &time, nullptr, 0);
  own_->sleeps.store(stream::RankClock::awake, std::memory_order_relaxed);
}

void Board::poke(bool all) const {
  if (own_ == nullptr) return;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    stream::RankClock& clock = clocks_->clocks[rank];
    const std::uint32_t sleeps = clock.sleeps.load(std::memory_order_seq_cst);
    if (sleeps == stream::RankClock::sleeping_owing || (all && sleeps != stream::RankClock::awake)) stream::poke(clock);
  }
}

void Board::wake(int rank) const {
  if (own_ == nullptr || rank < 0 || static_cast<std::uint32_t>(rank) >= ranks_) return;
  stream::RankClock& clock = clocks_->clocks[rank];
  if (clock.sleeps.load(std::memory_order_seq_cst) != stream::RankClock::sleeping) stream::poke(clock); // about to sleep, too
}

} // namespace farcast::interpose
