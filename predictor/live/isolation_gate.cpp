#include "predictor/live/isolation_gate.h"

#include "predictor/live/sealed_memory.h"

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
    const SealedMemory memory = make_sealed_memory("farcast-gate", stream::kGateBytes);
    if (memory.address == nullptr) return std::nullopt;
    file_ = memory.file;
    gate_ = new (memory.address) stream::Gate{};
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
