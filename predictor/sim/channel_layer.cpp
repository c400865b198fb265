#include "predictor/sim/channel_layer.h"

#include "predictor/network/channel_network.h"
#include "predictor/network/ethernet_network.h"
#include "predictor/sim/causes.h"

#include <algorithm>

namespace farcast::sim {

using network::FragmentKind;
using Event = network::OrderedNetwork::Event;

namespace {

std::unique_ptr<network::OrderedNetwork> network_of(const platform::Platform& platform) {
  if (platform.transport.kind == platform::TransportKind::rdma) return std::make_unique<network::ChannelNetwork>(platform);
  return std::make_unique<network::EthernetNetwork>(platform);
}

} // namespace

ChannelLayer::ChannelLayer(const Setting& setting, const trace::Timelines& timelines, Scheduler& scheduler, Requests& requests,
                           Messages& messages, BlockingWaits& waits)
    : setting_(setting), scheduler_(scheduler), requests_(requests), messages_(messages), network_(network_of(setting.platform)),
      progress_(setting, timelines, scheduler, messages, waits, *network_, *this),
      connects_(setting.platform.transport.kind == platform::TransportKind::tcp_openmpi && !setting.options.preconnected) {}

TransportUse ChannelLayer::use() const { return {MessageModel::channel, progress_.rule(), setting_.options.seed}; }

// Processes of one host have no connection: they share memory.
bool ChannelLayer::has_to_connect(std::uint32_t from, std::uint32_t to) const {
  return connects_ && setting_.host_of(from) != setting_.host_of(to);
}

// A call is over when what it sends has been written: so it helps to make the connection.
std::uint32_t ChannelLayer::handing_over(std::uint32_t source, std::uint32_t destination) {
  if (!has_to_connect(source, destination) || connections_.is_open(source, destination)) return kNone;
  const std::uint32_t request = requests_.take(Request::Kind::send);
  requests_[request].ready = scheduler_.now();
  connections_.wait(source, destination, request);
  return request;
}

void ChannelLayer::send(const Fragment& fragment, double payload, bool report_left) {
  if (!has_to_connect(fragment.from, fragment.to)) return write(fragment, payload, report_left);
  switch (connections_.ask({fragment, payload, report_left})) {
  case Connections::Answer::open:
    return write(fragment, payload, report_left);
  case Connections::Answer::wait:
    return;
  case Connections::Answer::begin:
    return write({FragmentKind::syn, kNone, kNone, fragment.from, fragment.to, 0}, 0, false);
  }
}

// The end is open: what has waited goes.
void ChannelLayer::open(std::uint32_t rank, std::uint32_t peer) {
  const Connections::Waiting waiting = connections_.open(rank, peer);
  for (const Connections::Held& one : waiting.fragments) write(one.fragment, one.payload, one.report_left);
  for (const std::uint32_t request : waiting.requests) requests_.complete(request);
}

void ChannelLayer::write(const Fragment& fragment, double payload, bool report_left) {
  const platform::Transport& transport = setting_.platform.transport;
  const network::OrderedNetwork::Pair pair{fragment.from, fragment.to, setting_.host_of(fragment.from),
                                           setting_.host_of(fragment.to)};
  const double bytes = network::fragment_bytes(transport, fragment.kind, payload);
  const std::uint32_t token = base::take_slot(fragments_, free_fragments_);
  fragments_[token] = fragment;
  network_->send(pair, bytes, token, report_left, network::may_pass(transport, fragment.kind), scheduler_.now());
}

// What the receiver gets to see of it first.
void ChannelLayer::post(std::uint32_t index) {
  const Request& posted = requests_[index];
  const FragmentKind kind = is_eager(posted) ? FragmentKind::eager : FragmentKind::rts;
  send({kind, index, kNone, posted.key.source, posted.key.destination, posted.bytes}, posted.bytes, false);
}

void ChannelLayer::transfer(std::uint32_t index) {
  const Request& request = requests_[index];
  send({FragmentKind::transfer, index, kNone, request.key.source, request.key.destination, request.bytes}, request.bytes, false);
}

void ChannelLayer::advance() {
  events_.clear();
  readers_.clear();
  network_->advance(scheduler_.now(), events_);
  for (const Event& event : events_) {
    const Fragment fragment = fragments_[event.token];
    const bool left = event.kind == Event::Kind::left;
    if (!left && fragment.kind == FragmentKind::data) continue; // read as it comes; `fin` tells of it
    if (fragment.kind == FragmentKind::syn) {                   // the kernel answers
      answer(FragmentKind::syn_ack, fragment);
      continue;
    }
    if (fragment.kind == FragmentKind::transfer) {
      messages_.transfer_arrived(fragment.request);
      continue;
    }
    const std::uint32_t rank = left ? fragment.from : fragment.to;
    progress_.add(rank, Notice{fragment, scheduler_.now(), left});
    readers_.push_back(rank);
  }
  // Only now: on a way without latency a fragment may arrive before it is told that it has left.
  for (const Event& event : events_) {
    if (event.kind == Event::Kind::arrived) free_fragments_.push_back(event.token);
  }
  for (const std::uint32_t rank : readers_) progress_.poll(rank);
}

// A process that was idle when something came goes on because of it; what came before it was, has
// waited for the process. What comes of it is the process's doing.
void ChannelLayer::tell_causes(const Notice& notice) {
  const Fragment& fragment = notice.fragment;
  const std::uint32_t rank = notice.left ? fragment.from : fragment.to; // a rank's main strand has its number
  const Strand& main = scheduler_[rank];
  if (main.outstanding == 0 || main.stage == Stage::ended) return; // a helper reads
  if (read_until_.empty()) read_until_.resize(static_cast<std::size_t>(setting_.ranks));
  const double idle_from = std::max({main.entered, read_until_[rank], progress_.writes_until(rank)});
  read_until_[rank] = scheduler_.now();
  const bool of_message = notice.left || fragment.kind == FragmentKind::eager || fragment.kind == FragmentKind::rts ||
                          fragment.kind == FragmentKind::cts || fragment.kind == FragmentKind::fin;
  if (!of_message) return;
  CriticalPath& path = setting_.causes->path;
  if (!(notice.came < idle_from)) path.woken(rank, fragment.request);
  path.held_up(fragment.request, rank);
  if (fragment.kind == FragmentKind::cts) path.held_up(fragment.answer, rank);
}

void ChannelLayer::read(const Notice& notice) {
  const Fragment& fragment = notice.fragment;
  scheduler_.note_event();
  if (setting_.causes != nullptr) tell_causes(notice);
  if (notice.left) return finish_data(fragment);
  switch (fragment.kind) {
  case FragmentKind::eager:
  case FragmentKind::rts:
    return messages_.offer(fragment.request);
  case FragmentKind::cts:
    return send_data(notice);
  case FragmentKind::fin:
    messages_.note_arrival(fragment.request);
    return requests_.complete(fragment.request);
  case FragmentKind::syn_ack:
    return answer(FragmentKind::hello, fragment);
  case FragmentKind::hello:
    answer(FragmentKind::welcome, fragment);
    return open(fragment.to, fragment.from);
  case FragmentKind::welcome:
    return open(fragment.to, fragment.from);
  case FragmentKind::data:
  case FragmentKind::transfer:
  case FragmentKind::syn:
    return;
  }
}

void ChannelLayer::meet(std::uint32_t send_index, std::uint32_t receive_index) {
  const Request& met = requests_[send_index];
  if (!is_eager(met))
    return send({FragmentKind::cts, send_index, receive_index, met.key.destination, met.key.source, met.bytes}, 0, false);
  messages_.note_arrival(send_index);
  messages_.finish(send_index, receive_index);
}

// The receiver is ready: everything is written, as far as the socket's buffer takes it at once.
void ChannelLayer::send_data(const Notice& cts) {
  const Fragment& fragment = cts.fragment;
  const double bytes = fragment.message_bytes;
  const double buffered = progress_.written_at_once(bytes);
  const Fragment data{FragmentKind::data, fragment.request, fragment.answer, fragment.to, fragment.from, bytes};
  if (buffered < bytes) send(data, bytes - buffered, true);
  send(data, buffered, false);
  progress_.write_bulk(cts);
  if (!(buffered < bytes)) finish_data(data);
}

// Libraries write data, and say that it is complete, once they have read what there was: the
// answers to that stand before `fin`.
void ChannelLayer::end_read() {
  for (const Fragment& data : written_) {
    send({FragmentKind::fin, data.answer, kNone, data.from, data.to, data.message_bytes}, 0, false);
    requests_.complete(data.request);
  }
  written_.clear();
}

} // namespace farcast::sim
