#include "predictor/live/isolation_gate.h"

#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace farcast::live {

IsolationGate::~IsolationGate() {
  if (gate_ != nullptr) munmap(gate_, stream::kGateBytes);
  if (file_ >= 0) close(file_);
}

std::optional<std::uint32_t> IsolationGate::seat(std::uint32_t tokens) {
  if (gate_ == nullptr) {
    file_ = memfd_create("farcast-gate", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file_ < 0) return std::nullopt;
    // Blocks are reserved and the size is sealed, so that no rank can be killed by touching its
    // memory; nor can one add a seal that keeps others out.
    void* memory = MAP_FAILED;
    if (posix_fallocate(file_, 0, stream::kGateBytes) == 0 &&
        fcntl(file_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
      memory = mmap(nullptr, stream::kGateBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory == MAP_FAILED) {
      close(file_);
      file_ = -1;
      return std::nullopt;
    }
    gate_ = new (memory) stream::Gate{};
    stream::open_gate(*gate_, tokens);
  }
  if (next_ >= stream::kGateSeats) return std::nullopt;
  return next_++;
}

void IsolationGate::reclaim(std::uint32_t seat) {
  if (gate_ != nullptr) stream::reclaim_seat(*gate_, seat);
}

std::uint32_t IsolationGate::lent() const { return gate_ == nullptr ? 0 : gate_->lent.load(std::memory_order_relaxed); }

} // namespace farcast::live
