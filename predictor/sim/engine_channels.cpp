// Messages on ordered channels: Open MPI's protocol (network/channel_protocol.h) between the engine's requests.
#include "predictor/sim/engine.h"

#include <algorithm>
#include <utility>

namespace farcast::sim {

using network::ParcelKind;

// Returns: whether a standard send of that size is over for its sender once it is posted.
bool Engine::goes_at_once(double bytes) const {
  return channels_ ? bytes <= platform_.transport.eager_limit : bytes < platform_.p2p.detached_below_bytes;
}

// Returns: what a call that posts a send takes which begins now, `alone` of it after a pause.
double Engine::call_alone(std::uint32_t rank, double alone) const {
  return now_ <= strands_[rank].called_until ? right_behind(alone) : alone;
}

// Returns: the same for a call right behind another.
double Engine::right_behind(double alone) const { return std::max(0.0, alone - platform_.transport.cold_call.value()); }

// Such a call is over in `time` from now. Returns: that.
double Engine::called(std::uint32_t rank, double time) {
  strands_[rank].called_until = (now_ + time) * (1 + 1e-12); // sums may be rounded up
  return time;
}

// Returns: what such a call takes from now on.
double Engine::time_of_call(std::uint32_t rank, double alone) { return called(rank, call_alone(rank, alone)); }

void Engine::use_channels() {
  const bool in_call =
      options_.progress.value_or(platform_.transport.progress.value_or(ProgressRule::in_call)) == ProgressRule::in_call;
  channels_ = std::make_unique<ChannelPlay>(platform_, timelines_.ranks(), in_call, options_.seed);
  // A rank with several threads: which of them is inside a call at what time is not followed.
  for (int i = timelines_.ranks(); i < timelines_.timelines(); ++i) {
    channels_->helped[static_cast<std::size_t>(timelines_.rank_of(i))] = true;
  }
}

void Engine::send_parcel(const ChannelPlay::Parcel& parcel, double payload, bool report_left) {
  const platform::Transport& transport = platform_.transport;
  const network::OrderedNetwork::Pair pair{parcel.from, parcel.to, placement_.host_of[parcel.from],
                                           placement_.host_of[parcel.to]};
  const double bytes = network::parcel_bytes(transport, parcel.kind, payload);
  channels_->network->send(pair, bytes, channels_->add(parcel), report_left, network::may_pass(transport, parcel.kind), now_);
}

// A posted send: what the receiver gets to see of it first.
void Engine::announce(std::uint32_t index) {
  const Request& send = requests_[index];
  const bool eager = send.bytes <= platform_.transport.eager_limit && !send.synchronous;
  send_parcel({eager ? ParcelKind::eager : ParcelKind::rts, index, kNone, send.key.source, send.key.destination, send.bytes},
              send.bytes, false);
}

void Engine::advance_channels() {
  ChannelPlay& play = *channels_;
  play.events.clear();
  play.readers.clear();
  play.network->advance(now_, play.events);
  for (const network::OrderedNetwork::Event& event : play.events) {
    const ChannelPlay::Parcel parcel = play.parcels[event.token];
    const bool left = event.kind == network::OrderedNetwork::Event::Kind::left;
    if (!left && parcel.kind == ParcelKind::data) continue; // read as it comes; `fin` tells of it
    if (parcel.kind == ParcelKind::transfer) {
      arrive(parcel.request);
      continue;
    }
    const std::uint32_t rank = left ? parcel.from : parcel.to;
    play.inboxes[rank].waiting.push_back(ChannelPlay::Notice{parcel, now_, left});
    play.readers.push_back(rank);
  }
  // Only now: on a way without latency a parcel may arrive before it is told that it has left.
  for (const network::OrderedNetwork::Event& event : play.events) {
    if (event.kind == network::OrderedNetwork::Event::Kind::arrived) play.remove(event.token);
  }
  for (const std::uint32_t rank : play.readers) read_on(rank);
}

// A process waits from now on, in a call that it has just come to.
void Engine::begin_reading(std::uint32_t rank) {
  if (reads(rank)) read_on(rank);
}

bool Engine::reads(std::uint32_t rank) const {
  const Strand& main = strands_[rank];
  return channels_->helped[rank] || main.outstanding > 0 || main.stage == Stage::ended;
}

// What one notice costs its process. `further`: read in one go with another of the same peer.
double Engine::reading_cost(const ChannelPlay::Notice& notice, bool further) {
  const platform::PointToPoint& p2p = platform_.p2p;
  const ChannelPlay::Parcel& parcel = notice.parcel;
  const double write_control = network::least_overhead_s(p2p.send_overhead);
  if (notice.left) return write_control;
  const bool fin = parcel.kind == ParcelKind::fin; // the rest of its data has been read as it came
  const double bytes = fin ? channels_->network->last_piece(written_at_once(parcel.message_bytes)) : parcel.message_bytes;
  const double at_once = std::min(bytes, platform_.transport.eager_limit);
  const double begin = network::least_overhead_s(p2p.receive_overhead);
  double read = begin;
  double write = 0;
  if (fin && platform_.transport.bulk_read_s > 0)
    read = begin + platform_.transport.bulk_read_s * at_once;
  else if (parcel.kind == ParcelKind::eager || fin)
    read = std::max(begin, platform::overhead_at(p2p.receive_overhead, at_once).value());
  else if (parcel.kind == ParcelKind::rts && matching_.has_receive(requests_, requests_[parcel.request].key))
    write = write_control;
  else if (parcel.kind == ParcelKind::cts)
    write = platform::overhead_at(p2p.send_overhead, at_once).value();
  return std::max(0.0, further ? read - begin : read) + std::max(0.0, write);
}

// How much of a message's data goes into the socket at once. Returns: bytes.
double Engine::written_at_once(double bytes) const { return std::min(bytes, std::max(0.0, platform_.transport.socket_buffer)); }

// For how long a process that has read the notice writes on: the first of its data is away after reading_cost().
double Engine::writing_after(const ChannelPlay::Notice& notice) const {
  if (notice.left || notice.parcel.kind != ParcelKind::cts) return 0;
  const double bytes = notice.parcel.message_bytes;
  return std::max(0.0, written_at_once(bytes) - std::min(bytes, platform_.transport.eager_limit)) * channels_->write_per_byte_s;
}

// Lets a process that may read go on with its inbox, up to the next thing that takes time.
// `awake`: it has had its time to wake.
void Engine::read_on(std::uint32_t rank, bool awake) {
  ChannelPlay::Inbox& inbox = channels_->inboxes[rank];
  using State = ChannelPlay::Inbox::State;
  while (inbox.state == State::idle && !inbox.empty() && reads(rank)) {
    // Not to the last bit: an event comes with others of its instant, which may be a rounding before its time.
    if (inbox.writes_until > instant_end()) return read_until(rank, State::writing, inbox.writes_until);
    if (!awake && inbox.in_round == 0) {
      const double mean = std::max(0.0, platform_.transport.handling.value());
      const double wakes = inbox.front().came + mean * channels_->chance.wake(rank, inbox.draws++);
      if (wakes > now_) return read_until(rank, State::waking, wakes);
    }
    awake = false;
    const double read = now_ + reading_cost(inbox.front(), false);
    if (read > now_) return read_until(rank, State::reading, read);
    if (read_more(rank)) return;
    take_in(rank);
  }
}

// Who has sent? They are read in the order of the library's descriptors.
void Engine::look(std::uint32_t rank) {
  ChannelPlay::Inbox& inbox = channels_->inboxes[rank];
  const auto first = inbox.waiting.begin() + static_cast<std::ptrdiff_t>(inbox.head);
  const auto place = [this, rank, draw = inbox.draws++](const auto& notice) {
    return channels_->chance.place(rank, draw, notice.peer());
  };
  std::stable_sort(first, inbox.waiting.end(), [&place](const auto& a, const auto& b) { return place(a) < place(b); });
  inbox.in_round = inbox.waiting.size() - inbox.head;
}

void Engine::read_until(std::uint32_t rank, ChannelPlay::Inbox::State state, double time) {
  channels_->inboxes[rank].state = state;
  queue_.push(time, rank, kNone);
}

// The time of one read is over: it is of the first one's peer, of whom more may have come meanwhile. Returns: whether that takes
// more time.
bool Engine::read_more(std::uint32_t rank) {
  ChannelPlay::Inbox& inbox = channels_->inboxes[rank];
  if (inbox.in_round == 0) look(rank);
  double cost = 0;
  inbox.in_one_go = 1;
  for (std::size_t next = inbox.head + 1; next < inbox.waiting.size(); ++next, ++inbox.in_one_go) {
    if (inbox.waiting[next].peer() != inbox.front().peer()) break;
    cost += reading_cost(inbox.waiting[next], true);
  }
  if (!(now_ + cost > now_)) return false;
  read_until(rank, ChannelPlay::Inbox::State::reading_more, now_ + cost);
  return true;
}

void Engine::read_inbox(std::uint32_t rank) {
  using State = ChannelPlay::Inbox::State;
  const State state = std::exchange(channels_->inboxes[rank].state, State::idle);
  if (!reads(rank)) return; // it has left its call meanwhile: the next one that waits reads
  if (state == State::reading && read_more(rank)) return;
  if (state == State::reading || state == State::reading_more) take_in(rank);
  read_on(rank, state == State::waking);
}

// What was read in one go has its effects.
void Engine::take_in(std::uint32_t rank) {
  ChannelPlay& play = *channels_;
  ChannelPlay::Inbox& inbox = play.inboxes[rank];
  const auto first = inbox.waiting.begin() + static_cast<std::ptrdiff_t>(inbox.head);
  play.being_read.assign(first, first + static_cast<std::ptrdiff_t>(inbox.in_one_go));
  inbox.head += inbox.in_one_go;
  inbox.in_round -= std::min(inbox.in_round, inbox.in_one_go);
  if (inbox.head * 2 >= inbox.waiting.size()) { // those read are as many as those that wait: the room is theirs
    inbox.waiting.erase(inbox.waiting.begin(), inbox.waiting.begin() + static_cast<std::ptrdiff_t>(inbox.head));
    inbox.head = 0;
  }
  for (const ChannelPlay::Notice& notice : play.being_read) handle(notice);
}

void Engine::handle(const ChannelPlay::Notice& notice) {
  const ChannelPlay::Parcel& parcel = notice.parcel;
  last_event_ = now_;
  if (notice.left) return finish_data(parcel);
  switch (parcel.kind) {
  case ParcelKind::eager:
  case ParcelKind::rts:
    return offer(parcel.request);
  case ParcelKind::cts:
    return send_data(notice);
  case ParcelKind::fin:
    ++messages_;
    return complete(parcel.request);
  case ParcelKind::data:
  case ParcelKind::transfer:
    return;
  }
}

// A message's first parcel is read: it meets its receive, or waits for one.
void Engine::offer(std::uint32_t send) {
  const MatchKey key = requests_[send].key;
  const std::uint32_t receive = matching_.match_or_wait(requests_, key, send);
  if (receive != kNone) return meet(send, receive);
  wake_probes(key);
}

void Engine::meet_on_channel(std::uint32_t send_index, std::uint32_t receive_index) {
  const Request& send = requests_[send_index];
  if (send.bytes > platform_.transport.eager_limit || send.synchronous) {
    return send_parcel({ParcelKind::cts, send_index, receive_index, send.key.destination, send.key.source, send.bytes}, 0, false);
  }
  ++messages_;
  complete(receive_index);
  complete(send_index);
}

// The receiver is ready: everything is written, as far as the socket's buffer takes it at once.
void Engine::send_data(const ChannelPlay::Notice& cts) {
  const ChannelPlay::Parcel& parcel = cts.parcel;
  const double bytes = parcel.message_bytes;
  const double buffered = written_at_once(bytes);
  const ChannelPlay::Parcel data{ParcelKind::data, parcel.request, parcel.answer, parcel.to, parcel.from, bytes};
  if (buffered < bytes) send_parcel(data, bytes - buffered, true);
  send_parcel(data, buffered, false);
  double& writes_until = channels_->inboxes[parcel.to].writes_until;
  writes_until = std::max(writes_until, now_) + writing_after(cts);
  if (!(buffered < bytes)) finish_data(data);
}

// The last byte is in the socket's buffer.
void Engine::finish_data(const ChannelPlay::Parcel& data) {
  send_parcel({ParcelKind::fin, data.answer, kNone, data.from, data.to, data.message_bytes}, 0, false);
  complete(data.request);
}

} // namespace farcast::sim
