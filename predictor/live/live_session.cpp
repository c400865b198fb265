#include "predictor/live/live_session.h"

#include "libinterpose/stream/file_message.h"
#include "predictor/base/process_info.h"
#include "predictor/live/call_cost.h"
#include "predictor/live/rank_file.h"
#include "predictor/live/threads_seen.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
extern "C" {
#include <sys/pidfd.h> // glibc 2.36 forgot its C linkage
}
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace farcast::live {

using stream::MessageHeader;
using stream::MessageKind;

namespace {

// Of what processes may ask of us. None of them keeps us from the others, however much it sends.
constexpr int kMostArrivals = 256; // in one look
constexpr int kMostMessages = 8;   // of one process in one look
constexpr std::size_t kMostClients = 16384;
constexpr std::size_t kMostNotes = 8;
constexpr std::chrono::seconds kHelloWithin{stream::kGiveUpSeconds};

} // namespace

LiveSession::~LiveSession() {
  for (const auto& client : clients_) {
    client->readers.clear();
    if (client->memory != nullptr) munmap(client->memory, stream::kSegmentsOffset);
    if (client->socket >= 0) close(client->socket);
    if (client->file >= 0) close(client->file);
    if (client->pidfd >= 0) close(client->pidfd);
  }
}

bool LiveSession::listen(const std::string& job) { return socket_.open(job) == JobSocket::Opening::ours; }

void LiveSession::accept_client() {
  for (int arrivals = 0; arrivals < kMostArrivals; ++arrivals) {
    const int socket = socket_.accept();
    if (socket < 0) return;
    if (clients_.size() >= kMostClients) {
      close(socket);
      continue;
    }
    ucred peer{};
    socklen_t size = sizeof(peer);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) peer.pid = 0;
    auto client = std::make_unique<Client>();
    client->socket = socket;
    client->owned = std::make_unique<trace::RankRecording>();
    client->recording = client->owned.get();
    client->recording->pid = peer.pid;
    client->pidfd = pidfd_open(peer.pid, 0); // -1 on old kernels and across containers: then its socket's end is its own
    client->recording->host = base::host_name();
    clients_.push_back(std::move(client));
  }
}

// Processes that are gone, or closed their socket or were closed out, before they handed over a file.
void LiveSession::drop_strangers() {
  std::erase_if(clients_, [](const std::unique_ptr<Client>& client) {
    if (!client->ended || client->memory != nullptr) return false;
    for (const int descriptor : {client->socket, client->file, client->pidfd}) {
      if (descriptor >= 0) close(descriptor);
    }
    return true;
  });
}

// Says it once, and not without end.
void LiveSession::note(std::string text) {
  const std::lock_guard<std::mutex> lock(recording_.mutex);
  const auto& notes = recording_.notes;
  if (notes.size() >= kMostNotes || std::find(notes.begin(), notes.end(), text) != notes.end()) return;
  recording_.notes.push_back(std::move(text));
}

bool LiveSession::receive_hello(Client& client) {
  MessageHeader head{};
  const stream::Received received = stream::receive_with_file(client.socket, head, client.file);
  if (received != stream::Received::file) return received == stream::Received::nothing_yet;
  if (head.version != stream::kVersion) {
    note("a process spoke another version of the stream; it is not covered");
    return false;
  }
  if (head.kind != MessageKind::hello || !can_be_mapped(client.file, stream::kSegmentsOffset)) {
    note("a process handed over a file that is no sealed memory; it is not covered");
    return false;
  }
  void* memory = mmap(nullptr, stream::kSegmentsOffset, PROT_READ | PROT_WRITE, MAP_SHARED, client.file, 0);
  if (memory == MAP_FAILED) return false;
  client.memory = memory;
  if (header(client).magic != stream::kMagic || header(client).version != stream::kVersion) return false;
  last_arrival_ = std::chrono::steady_clock::now(); // not before: other jobs' predictors knock to see whether we are there
  somebody_came_ = true;
  const std::uint32_t tokens = head.value & ~stream::kAsksForClocks;
  if (tokens > 0 && !seat_client(client, tokens)) return false;
  return (head.value & stream::kAsksForClocks) == 0 || show_clocks(client);
}

// A hello that names ranks asks for a seat at the gate of --isolate, and waits for the answer.
bool LiveSession::seat_client(Client& client, std::uint32_t tokens) {
  const std::optional<std::uint32_t> seat = gate_.seat(tokens);
  client.seat = seat;
  return stream::send_with_file(client.socket, {stream::kMagic, stream::kVersion, MessageKind::gate, seat.value_or(0)},
                                seat ? gate_.file() : -1);
}

// The process is gone, or is at its end: a token that it holds goes to the next rank.
void LiveSession::leave_gate(Client& client) {
  if (client.seat) gate_.reclaim(*client.seat);
  client.seat.reset();
}

// Returns: false when there may be more to read.
bool LiveSession::read_messages(Client& client) {
  static thread_local std::vector<char> text(stream::kMaxMessageBytes);
  if (client.mute) client.gone = has_exited(client);
  for (int messages = 0; !client.gone && !client.mute; ++messages) {
    if (messages == kMostMessages) return false;
    if (client.memory == nullptr) {
      const bool late = std::chrono::steady_clock::now() - client.since > kHelloWithin;
      if (!receive_hello(client) || (late && client.memory == nullptr)) client.gone = true;
      if (client.memory == nullptr) return true;
    }
    const ssize_t got = recv(client.socket, text.data(), text.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (got < static_cast<ssize_t>(sizeof(MessageHeader))) {
      // A program may close descriptors that it does not know: what counts is whether the process
      // is still there.
      client.mute = true;
      client.waits = false;
      client.gone = has_exited(client);
      return true;
    }
    MessageHeader head;
    std::memcpy(&head, text.data(), sizeof(head));
    if (head.kind == MessageKind::modules) {
      const std::lock_guard<std::mutex> lock(recording_.mutex);
      client.modules.add({text.data() + sizeof(head), static_cast<std::size_t>(got) - sizeof(head)}, client.recording->modules);
    } else if (head.kind == MessageKind::finalized) {
      client.finalized = true;
      client.waits = head.value != 0;
      client.prints = head.value == stream::kPrintsReport;
    }
  }
  return true;
}

bool LiveSession::has_exited(const Client& client) const {
  pollfd waiting{client.pidfd, POLLIN, 0};
  return client.pidfd < 0 || poll(&waiting, 1, 0) != 0;
}

// The rank may write there while we read: each number is read once, and then looked at.
void LiveSession::read_header(Client& client) {
  const stream::RankHeader& head = header(client);
  const auto state = static_cast<stream::RankState>(head.state.load(std::memory_order_acquire));
  if (client.claim.world_size > 0 || state == stream::RankState::starting) return;
  if (client.readers.empty() && state == stream::RankState::running) return; // it has taken its ring since we looked
  Claim claim = claim_in(head, client.recording->pid);
  if (claim.world_size == 0) return;
  client.claim = std::move(claim);
  const std::lock_guard<std::mutex> lock(recording_.mutex);
  trace::RankRecording& rank = *client.recording;
  rank.rank = client.claim.rank;
  rank.overhead_ticks = read_once(head.overhead_ticks);
  rank.call_cost_ticks = read_once(head.call_cost_ticks);
  rank.in_call_ticks = rank.call_cost_ticks - std::min(rank.call_cost_ticks, rank.overhead_ticks);
  rank.cpu_clock = read_once(head.cpu_clock) != 0;
  rank.fixed_clock = read_once(head.fixed_clock) != 0;
  rank.isolation = static_cast<int>(std::min(read_once(head.isolate), 1u << 16));
  rank.cores = std::max(0, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  rank.multithreaded = read_once(head.multithreaded) != 0;
  settle_claims();
}

// What the job is does not change any more once its recording is being read. Requires: the
// recording's lock.
void LiveSession::settle_claims() {
  std::vector<const Claim*> claims;
  for (const auto& client : clients_) claims.push_back(&client->claim);
  if (!settled_) recording_.world_size = size_by_voices(claims);
  const std::vector<bool> covered = accepted(claims, recording_.world_size);
  const Client* speaker = nullptr; // for all of them
  ranks_here_ = 0;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    clients_[i]->covered = covered[i];
    if (!covered[i]) continue;
    ++ranks_here_;
    if (speaker == nullptr || claims[i]->rank == 0) speaker = clients_[i].get();
  }
  if (settled_ || speaker == nullptr) return;
  recording_.mpi_version = speaker->claim.mpi_version;
  recording_.mpi_library = recording_.mpi_version.starts_with("Open MPI") ? "Open MPI" : "MPICH";
  recording_.counters = event_names(speaker->claim.counters);
  if (speaker->recording->pid == program_of_) return;
  program_of_ = speaker->recording->pid;
  recording_.program = base::command_line(program_of_);
  recording_.executable = base::executable_path(program_of_);
}

// Returns: how many slots there were.
std::uint64_t LiveSession::drain(Client& client) {
  if (client.memory == nullptr || client.ended) return 0;
  const std::uint32_t threads = std::min(header(client).threads.load(std::memory_order_acquire), stream::kMaxThreads);
  while (client.readers.size() < threads) {
    const auto index = static_cast<std::uint32_t>(client.readers.size());
    auto* ring = reinterpret_cast<stream::RingHeader*>(static_cast<char*>(client.memory) + stream::ring_offset(index));
    client.readers.emplace_back(ring, client.file);
    const std::lock_guard<std::mutex> lock(recording_.mutex);
    client.recording->threads.push_back(std::make_unique<trace::SlotStream>(recording_.spill));
  }
  std::vector<std::uint64_t> limits;
  for (const stream::RingReader& reader : client.readers) limits.push_back(reader.published());
  const bool writer_gone = client.gone;
  if (!read_messages(client)) return 0; // whatever was sent before those records were published; the rest at the next look
  read_header(client);
  const auto state = static_cast<stream::RankState>(header(client).state.load(std::memory_order_acquire));
  if (client.mute && state == stream::RankState::finalized) client.finalized = true;
  // A rank that stopped recording and has entered MPI_Finalize will publish no more.
  const bool complete = writer_gone || (client.finalized && state == stream::RankState::off);
  std::uint64_t slots = 0;
  for (std::size_t i = 0; i < client.readers.size(); ++i) {
    trace::SlotStream& stream = *client.recording->threads[i];
    stream::Slot last{};
    const auto keep = [&](std::span<const stream::Slot> some) {
      slots += some.size();
      last = stream.append(some);
      if (i == 0) note_last_call(client, some);
    };
    if (client.readers[i].drain(keep, complete, limits[i]) == stream::RingReader::Status::corrupt) client.corrupt = true;
    if (last.kind == stream::SlotKind::end && last.extension.aux == stream::kEndOfRank && client.finalized)
      client.end_seen = true;
  }
  if (client.end_seen && !complete) drain_rest(client);
  if (client.corrupt || (complete && slots == 0) || client.end_seen) finish(client);
  return slots;
}

// After MPI_Finalize: the last calls of threads that live on.
void LiveSession::drain_rest(Client& client) {
  for (std::size_t i = 0; i < client.readers.size(); ++i) {
    trace::SlotStream& stream = *client.recording->threads[i];
    const auto keep = [&](std::span<const stream::Slot> some) { stream.append(some); };
    const std::uint64_t published = client.readers[i].published();
    std::uint64_t before = 0;
    do {
      before = client.readers[i].drained();
      if (client.readers[i].drain(keep, true, published) == stream::RingReader::Status::corrupt) client.corrupt = true;
    } while (!client.corrupt && client.readers[i].drained() > before && client.readers[i].drained() < published);
  }
}

void LiveSession::finish(Client& client) {
  const stream::RankHeader& head = header(client);
  if (head.open_sessions.load(std::memory_order_relaxed) > 0)
    note("sessions were still open at MPI_Finalize: what the program did with them afterwards is not covered");
  const std::lock_guard<std::mutex> lock(recording_.mutex);
  trace::RankRecording& rank = *client.recording;
  const auto state = static_cast<stream::RankState>(head.state.load(std::memory_order_acquire));
  rank.refused = head.refused_without_ring.load(std::memory_order_relaxed);
  std::vector<stream::CostSamples> costs;
  for (const stream::RingReader& reader : client.readers) {
    rank.refused += reader.refused();
    costs.push_back(reader.cost());
  }
  // What it really was in this run, where that is known; else the figure of empty calls at its
  // start stays.
  rank.call_cost_ticks = sampled_call_cost(costs, rank.ticks_per_second).value_or(rank.call_cost_ticks);
  rank.end = state == stream::RankState::off ? trace::RankEnd::switched_off
             : client.finalized              ? trace::RankEnd::finalized
                                             : trace::RankEnd::died;
  rank.threads_seen = threads_seen(head);
  rank.aside_partial = head.aside_partial.load(std::memory_order_relaxed) != 0;
  rank.off_reason.assign(head.off_reason, strnlen(head.off_reason, sizeof(head.off_reason)));
  if (head.counters_off.load(std::memory_order_acquire) != 0) {
    rank.counters_note.assign(head.counters_note, strnlen(head.counters_note, sizeof(head.counters_note)));
    if (rank.counters_note.empty()) rank.counters_note = "no reason was given";
  }
  for (const auto& thread : rank.threads) thread->close();
  client.ended = true;
}

void LiveSession::step() {
  const auto before = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock(mutex_);
  accept_client();
  std::uint64_t most = 0;
  for (const auto& client : clients_) {
    if (client->memory == nullptr) read_messages(*client);
    most = std::max(most, drain(*client));
    if (client->gone && client->memory == nullptr) client->ended = true;
    if (client->gone) leave_gate(*client);
  }
  drop_strangers();
  const int wait_ms = pause_ms(most, std::chrono::steady_clock::now() - before);
  lock.unlock();
  poll(waiting_.data(), waiting_.size(), wait_ms);
}

// What is waited for until somebody connects, speaks or ends, or until it is time to look: records
// come without a signal. `slots`: what the busiest rank had, since the last look. Returns:
// milliseconds until then.
int LiveSession::pause_ms(std::uint64_t slots, std::chrono::steady_clock::duration took) {
  const bool at_end = std::any_of(clients_.begin(), clients_.end(), [](const auto& c) { return c->finalized || c->ended; });
  const bool busy = !cores_idle() && gate_.file() < 0;
  const int wait_ms = at_end ? pace_.wait_at_end()
                      : busy ? pace_.wait_when_busy(slots, std::chrono::duration<double, std::milli>(took).count())
                             : pace_.wait_when_idle();
  waiting_.assign(1, {socket_.descriptor(), POLLIN, 0});
  for (const auto& client : clients_) {
    if (client->ended) continue;
    const int sign = client->mute ? client->pidfd : client->socket;
    if (sign >= 0 && !client->gone) waiting_.push_back({sign, POLLIN, 0});
  }
  return wait_ms;
}

bool LiveSession::idle_since_start(std::chrono::seconds limit) const {
  return !somebody_came_ && std::chrono::steady_clock::now() - started_ > limit;
}

int LiveSession::first_pid() const {
  auto one = std::find_if(clients_.begin(), clients_.end(), [](const auto& c) { return c->covered; });
  if (one == clients_.end())
    one = std::find_if(clients_.begin(), clients_.end(), [](const auto& c) { return c->memory != nullptr; });
  return one == clients_.end() ? 0 : (*one)->recording->pid;
}

bool LiveSession::all_ranks_known() const {
  return recording_.world_size > 0 && ranks_here() == static_cast<std::size_t>(recording_.world_size);
}

bool LiveSession::any_in_init() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::any_of(clients_.begin(), clients_.end(),
                     [](const auto& c) { return c->memory != nullptr && c->claim.world_size == 0 && !c->ended; });
}

bool LiveSession::all_ended() const {
  // Once all ranks are known, a process of the job that is none of them keeps nobody waiting.
  const bool ranks_only = all_ranks_known();
  const std::lock_guard<std::mutex> lock(mutex_);
  return somebody_came_ &&
         std::all_of(clients_.begin(), clients_.end(), [&](const auto& c) { return c->ended || (ranks_only && !c->covered); });
}

bool LiveSession::any_multithreaded() const {
  return std::any_of(clients_.begin(), clients_.end(), [](const auto& c) { return c->covered && c->recording->multithreaded; });
}

bool LiveSession::all_coupled() const {
  return std::all_of(clients_.begin(), clients_.end(), [this](const auto& c) {
    return !c->covered || (c->memory != nullptr && read_once(header(*c).coupled) != 0);
  });
}

void LiveSession::order_ranks() {
  const auto said_otherwise = [&](const auto& c) {
    return c->claim.world_size > 0 && c->claim.world_size != recording_.world_size;
  };
  if (std::any_of(clients_.begin(), clients_.end(), said_otherwise))
    note("processes that said the job had another number of ranks are not covered");
  const std::lock_guard<std::mutex> lock(recording_.mutex);
  settled_ = true;
  for (const auto& client : clients_) {
    // Not covered: a second program under the same launcher, too; the first one is the job.
    if (client->owned != nullptr && client->covered) recording_.ranks.push_back(std::move(client->owned));
  }
  std::sort(recording_.ranks.begin(), recording_.ranks.end(), [](const auto& a, const auto& b) { return a->rank < b->rank; });
}

} // namespace farcast::live
