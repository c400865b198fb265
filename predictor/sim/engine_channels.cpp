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

void Engine::use_channels() {
  const bool in_call =
      options_.progress.value_or(platform_.transport.progress.value_or(ProgressRule::in_call)) == ProgressRule::in_call;
  channels_ = std::make_unique<ChannelPlay>(platform_, timelines_.ranks(), in_call);
  // A rank with several threads: which of them is inside a call at what time is not followed.
  for (int i = timelines_.ranks(); i < timelines_.timelines(); ++i) {
    channels_->helped[static_cast<std::size_t>(timelines_.rank_of(i))] = true;
  }
}

void Engine::send_parcel(const ChannelPlay::Parcel& parcel, double payload, bool report_left) {
  const platform::Transport& transport = platform_.transport;
  const network::ChannelNetwork::Pair pair{parcel.from, parcel.to, placement_.host_of[parcel.from],
                                           placement_.host_of[parcel.to]};
  const double bytes = network::parcel_bytes(transport, parcel.kind, payload);
  channels_->network.send(pair, bytes, channels_->add(parcel), report_left, network::may_pass(transport, parcel.kind), now_);
}

// A posted send: what the receiver gets to see of it first.
void Engine::announce(std::uint32_t index) {
  const Request& send = requests_[index];
  const bool eager = send.bytes <= platform_.transport.eager_limit && !send.synchronous;
  send_parcel({eager ? ParcelKind::eager : ParcelKind::rts, index, kNone, send.key.source, send.key.destination}, send.bytes,
              false);
}

void Engine::advance_channels() {
  ChannelPlay& play = *channels_;
  play.events.clear();
  play.network.advance(now_, play.events);
  for (const network::ChannelNetwork::Event& event : play.events) {
    const ChannelPlay::Parcel parcel = play.parcels[event.token];
    const bool left = event.kind == network::ChannelNetwork::Event::Kind::left;
    if (!left) play.free.push_back(event.token);
    if (!left && parcel.kind == ParcelKind::data) continue; // the receiver's kernel and library take it; `fin` tells of it
    if (parcel.kind == ParcelKind::transfer) {
      arrive(parcel.request);
      continue;
    }
    const std::uint32_t rank = left ? parcel.from : parcel.to;
    play.inboxes[rank].waiting.push_back(ChannelPlay::Notice{parcel, left});
    if (reads(rank)) arrange_reading(rank);
  }
}

bool Engine::reads(std::uint32_t rank) const {
  const Strand& main = strands_[rank];
  return channels_->helped[rank] || main.outstanding > 0 || main.stage == Stage::ended;
}

void Engine::arrange_reading(std::uint32_t rank) {
  ChannelPlay::Inbox& inbox = channels_->inboxes[rank];
  if (inbox.reading || inbox.waiting.empty()) return;
  inbox.reading = true;
  queue_.push(now_ + std::max(0.0, platform_.transport.handling.value()), rank, kNone);
}

void Engine::read_inbox(std::uint32_t rank) {
  ChannelPlay& play = *channels_;
  ChannelPlay::Inbox& inbox = play.inboxes[rank];
  inbox.reading = false;
  if (!reads(rank)) return; // it has left its call meanwhile: the next one that waits reads
  play.being_read.swap(inbox.waiting);
  for (const ChannelPlay::Notice& notice : play.being_read) handle(notice);
  play.being_read.clear();
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
    return send_data(parcel);
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
    return send_parcel({ParcelKind::cts, send_index, receive_index, send.key.destination, send.key.source}, 0, false);
  }
  ++messages_;
  complete(receive_index);
  complete(send_index);
}

// The receiver is ready: everything is written, as far as the socket's buffer takes it at once.
void Engine::send_data(const ChannelPlay::Parcel& cts) {
  const double bytes = requests_[cts.request].bytes;
  const double buffered = std::min(bytes, std::max(0.0, platform_.transport.socket_buffer));
  const ChannelPlay::Parcel data{ParcelKind::data, cts.request, cts.answer, cts.to, cts.from};
  if (buffered < bytes) send_parcel(data, bytes - buffered, true);
  send_parcel(data, buffered, false);
  if (!(buffered < bytes)) finish_data(data);
}

// The last byte is in the socket's buffer.
void Engine::finish_data(const ChannelPlay::Parcel& data) {
  send_parcel({ParcelKind::fin, data.answer, kNone, data.from, data.to}, 0, false);
  complete(data.request);
}

} // namespace farcast::sim
