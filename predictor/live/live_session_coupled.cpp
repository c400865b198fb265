// LiveSession: the ranks of a coupled program, whose calls the engine waits for.
#include "libinterpose/stream/brief_wait.h"
#include "libinterpose/stream/file_message.h"
#include "predictor/live/live_session.h"

#include <algorithm>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace farcast::live {

namespace {

stream::RingHeader& ring_of(void* memory) {
  return *reinterpret_cast<stream::RingHeader*>(static_cast<char*>(memory) + stream::ring_offset(0));
}

constexpr long kNapNs = 10'000'000; // a rank that dies says nothing

} // namespace

std::vector<stream::Answer*> LiveSession::couple() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<stream::Answer*> out(recording_.ranks.size());
  has_cores_ = out.size() <= cores_;
  if (has_cores_) clocks_.tell_cores();
  for (const auto& client : clients_) {
    if (!client->covered || client->memory == nullptr || client->recording->threads.empty()) continue;
    stream::RingHeader& ring = ring_of(client->memory);
    const auto rank = static_cast<std::size_t>(client->claim.rank);
    if (rank >= out.size()) continue;
    out[rank] = &ring.answer;
    sources_.push_back(std::make_unique<CallSource>(*this, *client, ring));
    client->recording->threads.front()->come_from(sources_.back().get());
  }
  return out;
}

// A hello may ask for them, and waits for the answer.
bool LiveSession::show_clocks(const Client& client) {
  return stream::send_with_file(client.socket, {stream::kMagic, stream::kVersion, stream::MessageKind::clocks, 0},
                                clocks_.file());
}

void LiveSession::release(const Client& client, std::uint32_t why) {
  if (client.memory == nullptr) return;
  stream::Answer& answer = ring_of(client.memory).answer;
  if (answer.over.exchange(why, std::memory_order_acq_rel) == why) return;
  const auto ranks = static_cast<std::size_t>(std::max(recording_.world_size, 0));
  if (client.covered && clocks_.serves(ranks) && static_cast<std::size_t>(client.claim.rank) < ranks)
    clocks_.poke(client.claim.rank);
  else
    syscall(SYS_futex, &answer.given, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void LiveSession::release(std::uint32_t why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& client : clients_) release(*client, why);
}

void LiveSession::release_strangers() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& client : clients_) {
    if (settled_ && !client->covered) release(*client, stream::kAlone);
  }
}

void LiveSession::note_last_call(Client& client, std::span<const stream::Slot> slots) {
  for (auto slot = slots.rbegin(); slot != slots.rend(); ++slot) {
    if (slot->kind != stream::SlotKind::call || (slot->call.flags & stream::kFlagRow) != 0) continue;
    client.last_call = slot->call;
    return;
  }
}

std::vector<LiveSession::LastCall> LiveSession::last_calls() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<LastCall> out;
  for (const auto& client : clients_) {
    if (!client->covered || client->ended) continue;
    const stream::CallSlot& last = client->last_call;
    out.push_back({client->claim.rank, client->recording->pid, client->recording, last.site, last.function});
  }
  std::sort(out.begin(), out.end(), [](const LastCall& a, const LastCall& b) { return a.rank < b.rank; });
  return out;
}

std::uint64_t LiveSession::slots_published() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::uint64_t slots = 0;
  for (const auto& client : clients_) {
    for (const stream::RingReader& reader : client->readers) slots += reader.published();
  }
  return slots;
}

void LiveSession::CallSource::fetch(std::uint64_t have) {
  const std::uint32_t seen = answer_.asked.load(std::memory_order_acquire);
  {
    const std::lock_guard<std::mutex> lock(session_.mutex_);
    session_.drain(client_);
  }
  if (stream_.size() > have || stream_.closed()) return;
  if (session_.has_cores_ && stream::comes_soon([&] { return answer_.asked.load(std::memory_order_acquire) != seen; })) return;
  answer_.awaited.store(1, std::memory_order_seq_cst);
  const timespec time{0, kNapNs};
  syscall(SYS_futex, &answer_.asked, FUTEX_WAIT, seen, &time, nullptr, 0);
  answer_.awaited.store(0, std::memory_order_relaxed);
}

trace::SlotSource::LastCall LiveSession::CallSource::bring() {
  if (const std::uint64_t published = ring_.published.load(std::memory_order_acquire); published != brought_) {
    const std::lock_guard<std::mutex> lock(session_.mutex_);
    session_.drain(client_);
    brought_ = published;
  }
  const std::uint64_t entered = ring_.entered.load(std::memory_order_acquire);
  return {entered, ring_.left.load(std::memory_order_acquire)};
}

} // namespace farcast::live
