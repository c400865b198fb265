// LiveSession: the ranks of a coupled program, whose calls the engine waits for.
#include "predictor/live/live_session.h"

#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace farcast::live {

namespace {

constexpr long kNapNs = 10'000'000; // a rank that dies says nothing

} // namespace

std::vector<stream::Answer*> LiveSession::couple() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<stream::Answer*> out(recording_.ranks.size());
  for (const auto& client : clients_) {
    if (!client->covered || client->memory == nullptr || client->recording->threads.empty()) continue;
    auto* ring = reinterpret_cast<stream::RingHeader*>(static_cast<char*>(client->memory) + stream::ring_offset(0));
    const auto rank = static_cast<std::size_t>(client->claim.rank);
    if (rank >= out.size()) continue;
    out[rank] = &ring->answer;
    sources_.push_back(std::make_unique<CallSource>(*this, *client, ring->answer));
    client->recording->threads.front()->come_from(sources_.back().get());
  }
  return out;
}

void LiveSession::CallSource::fetch(std::uint64_t have) {
  const std::uint32_t seen = answer_.asked.load(std::memory_order_acquire);
  const trace::SlotStream& stream = *client_.recording->threads.front();
  {
    const std::lock_guard<std::mutex> lock(session_.mutex_);
    session_.drain(client_);
  }
  if (stream.size() > have || stream.closed()) return;
  answer_.awaited.store(1, std::memory_order_seq_cst);
  const timespec time{0, kNapNs};
  syscall(SYS_futex, &answer_.asked, FUTEX_WAIT, seen, &time, nullptr, 0);
  answer_.awaited.store(0, std::memory_order_relaxed);
}

} // namespace farcast::live
