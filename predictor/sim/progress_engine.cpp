#include "predictor/sim/progress_engine.h"

#include <algorithm>
#include <utility>

namespace farcast::sim {

using network::FragmentKind;

ProgressEngine::ProgressEngine(const Setting& setting, const trace::Timelines& timelines, Scheduler& scheduler,
                               Messages& messages, BlockingWaits& waits, const network::OrderedNetwork& network, Reader& reader)
    : setting_(setting), scheduler_(scheduler), messages_(messages), waits_(waits), network_(network), reader_(reader),
      chance_(setting.options.seed),
      rule_(setting.options.progress.value_or(setting.platform.transport.progress.value_or(ProgressRule::in_call))),
      inboxes_(static_cast<std::size_t>(setting.ranks)),
      helped_(static_cast<std::size_t>(setting.ranks), rule_ != ProgressRule::in_call) {
  const platform::Transport& transport = setting.platform.transport;
  write_per_byte_s_ = transport.bulk_write_s > 0
                          ? transport.bulk_write_s
                          : network::overhead_per_byte_s(setting.platform.p2p.send_overhead, transport.eager_limit);
  // A rank with several threads: which of them is inside a call at what time is not followed.
  for (int i = timelines.ranks(); i < timelines.timelines(); ++i) helped_[static_cast<std::size_t>(timelines.rank_of(i))] = true;
}

bool ProgressEngine::reads(std::uint32_t rank) const {
  const Strand& main = scheduler_[rank]; // a rank's main strand has its number
  return helped_[rank] || main.outstanding > 0 || main.stage == Stage::ended;
}

// What one notice costs its process.
ProgressEngine::Cost ProgressEngine::cost_of(std::uint32_t rank, const Notice& notice) const {
  const platform::PointToPoint& p2p = setting_.platform.p2p;
  const platform::Transport& transport = setting_.platform.transport;
  const Fragment& fragment = notice.fragment;
  const double pace = scheduler_[rank].pace; // a rank's main strand has its number
  const double write_control = pace * network::least_overhead_s(p2p.send_overhead);
  if (notice.left) return {0, 0, write_control};
  const bool fin = fragment.kind == FragmentKind::fin; // the rest of its data has been read as it came
  const double bytes = fin ? network_.last_piece(written_at_once(fragment.message_bytes)) : fragment.message_bytes;
  const double at_once = std::min(bytes, transport.eager_limit);
  const double begin = network::least_overhead_s(p2p.receive_overhead);
  Cost cost{pace * begin, pace * begin, 0};
  if (fin && transport.bulk_read_s > 0)
    cost.read = pace * (begin + transport.bulk_read_s * at_once);
  else if (fragment.kind == FragmentKind::eager || fin)
    cost.read = pace * std::max(begin, platform::overhead_at(p2p.receive_overhead, at_once).value());
  else if (fragment.kind == FragmentKind::rts && messages_.receive_is_posted_for(fragment.request))
    cost.write = write_control;
  else if (fragment.kind == FragmentKind::syn_ack || fragment.kind == FragmentKind::hello)
    cost.write = write_control;
  else if (fragment.kind == FragmentKind::cts)
    cost.write = pace * std::max(0.0, platform::overhead_at(p2p.send_overhead, at_once).value());
  return cost;
}

double ProgressEngine::written_at_once(double bytes) const {
  return std::min(bytes, std::max(0.0, setting_.platform.transport.socket_buffer));
}

// The first of the data is away when the cts has been read (reading_cost).
void ProgressEngine::write_bulk(const Notice& cts) {
  const double bytes = cts.fragment.message_bytes;
  const double further = written_at_once(bytes) - std::min(bytes, setting_.platform.transport.eager_limit);
  double& until = inboxes_[cts.fragment.to].writes_until;
  until = std::max(until, scheduler_.now()) + std::max(0.0, further) * write_per_byte_s_;
}

// `awake`: it has had its time to wake.
void ProgressEngine::read_on(std::uint32_t rank, bool awake) {
  Inbox& inbox = inboxes_[rank];
  using State = Inbox::State;
  while (inbox.state == State::idle && !inbox.empty() && reads(rank)) {
    if (inbox.looks && inbox.in_round == 0) break;
    // Not to the last bit: an event comes with others of its instant, which may be a rounding
    // before its time.
    if (inbox.writes_until > scheduler_.instant_end()) return read_until(rank, State::writing, inbox.writes_until);
    if (!awake && inbox.in_round == 0) {
      const double usual = std::max(0.0, setting_.platform.transport.wakeup_latency.value());
      const double asleep = sleeps(rank) ? waits_.wake(rank) : 0.0;
      const double wakes = inbox.front().came + asleep + usual * chance_.wake(rank, inbox.draws++);
      if (wakes > scheduler_.now()) return read_until(rank, State::waking, wakes);
    }
    awake = false;
    const double taken = scheduler_.now() + kTaken * cost_of(rank, inbox.front()).read;
    if (taken > scheduler_.now()) return read_until(rank, State::reading, taken);
    if (read_more(rank)) return;
    take_in(rank);
  }
  if (inbox.looks && inbox.state == State::idle) end_look(rank);
  if (sleeps(rank) && inbox.state == State::idle && inbox.empty()) waits_.begin_again(rank);
}

bool ProgressEngine::begin_look(std::uint32_t rank) {
  Inbox& inbox = inboxes_[rank];
  if (helped_[rank] || inbox.empty()) return false;
  inbox.looks = true;
  if (inbox.in_round == 0) poll_connections(rank);
  return true;
}

void ProgressEngine::end_look(std::uint32_t rank) {
  Inbox& inbox = inboxes_[rank];
  inbox.looks = false;
  Strand& main = scheduler_[rank];
  main.outstanding = 0;
  main.busy_until = std::max(main.busy_until, inbox.writes_until);
  reader_.looked(rank);
}

// Who has sent? They are read in the order of the library's descriptors.
void ProgressEngine::poll_connections(std::uint32_t rank) {
  Inbox& inbox = inboxes_[rank];
  const auto first = inbox.waiting.begin() + static_cast<std::ptrdiff_t>(inbox.head);
  const auto place = [this, rank, draw = inbox.draws++](const Notice& notice) {
    return chance_.place(rank, draw, notice.peer());
  };
  std::stable_sort(first, inbox.waiting.end(), [&place](const auto& a, const auto& b) { return place(a) < place(b); });
  inbox.in_round = inbox.waiting.size() - inbox.head;
}

void ProgressEngine::read_until(std::uint32_t rank, Inbox::State state, double time) {
  inboxes_[rank].state = state;
  scheduler_.at(time, rank, Scheduler::kProgress);
}

// The system call of a read takes what there is of the first one's peer, of whom more may have come
// meanwhile. Returns: whether the rest of it takes more time.
bool ProgressEngine::read_more(std::uint32_t rank) {
  Inbox& inbox = inboxes_[rank];
  if (inbox.in_round == 0) poll_connections(rank);
  const Cost first = cost_of(rank, inbox.front());
  double cost = (1 - kTaken) * first.read + first.write;
  inbox.in_one_go = 1;
  for (std::size_t next = inbox.head + 1; next < inbox.waiting.size(); ++next, ++inbox.in_one_go) {
    if (inbox.waiting[next].peer() != inbox.front().peer()) break;
    const Cost further = cost_of(rank, inbox.waiting[next]);
    cost += further.read - further.call + further.write;
  }
  if (!(scheduler_.now() + cost > scheduler_.now())) return false;
  read_until(rank, Inbox::State::reading_more, scheduler_.now() + cost);
  return true;
}

void ProgressEngine::resume(std::uint32_t rank) {
  using State = Inbox::State;
  const State state = std::exchange(inboxes_[rank].state, State::idle);
  if (!reads(rank)) return; // it has left its call meanwhile: the next one that waits reads
  if (state == State::reading && read_more(rank)) return;
  if (state == State::reading || state == State::reading_more) take_in(rank);
  read_on(rank, state == State::waking);
}

// What was read in one go has its effects.
void ProgressEngine::take_in(std::uint32_t rank) {
  Inbox& inbox = inboxes_[rank];
  const auto first = inbox.waiting.begin() + static_cast<std::ptrdiff_t>(inbox.head);
  being_read_.assign(first, first + static_cast<std::ptrdiff_t>(inbox.in_one_go));
  inbox.head += inbox.in_one_go;
  inbox.in_round -= std::min(inbox.in_round, inbox.in_one_go);
  if (inbox.head * 2 >= inbox.waiting.size()) { // those read are as many as those that wait: the room is theirs
    inbox.waiting.erase(inbox.waiting.begin(), inbox.waiting.begin() + static_cast<std::ptrdiff_t>(inbox.head));
    inbox.head = 0;
  }
  for (const Notice& notice : being_read_) reader_.read(notice);
  reader_.end_read();
}

} // namespace farcast::sim
