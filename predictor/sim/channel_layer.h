// Messages on ordered channels: the MPI library's protocol (network/channel_protocol.h) between
// requests.
//
// Threads: none; one owner.
#pragma once

#include "predictor/sim/channel_message.h"
#include "predictor/sim/connections.h"
#include "predictor/sim/message_layer.h"
#include "predictor/sim/messages.h"
#include "predictor/sim/progress_engine.h"

#include <memory>
#include <vector>

namespace farcast::sim {

class ChannelLayer final : public MessageLayer, private ProgressEngine::Reader {
public:
  ChannelLayer(const Setting& setting, const trace::Timelines& timelines, Scheduler& scheduler, Requests& requests,
               Messages& messages, BlockingWaits& waits);

  [[nodiscard]] bool detaches(double bytes) const override { return bytes <= setting_.platform.transport.eager_limit; }
  [[nodiscard]] bool has_headers() const override { return true; }
  std::uint32_t handing_over(std::uint32_t source, std::uint32_t destination) override;
  void post(std::uint32_t send) override;
  [[nodiscard]] bool waits_for_receive(std::uint32_t send) const override { return !is_eager(requests_[send]); }
  void meet(std::uint32_t send, std::uint32_t receive) override;
  void transfer(std::uint32_t request) override;
  [[nodiscard]] double next_event() override { return network_->next_event(); }
  void advance() override;
  void progress(std::uint32_t rank) override { progress_.resume(rank); }
  bool poll(std::uint32_t rank) override { return progress_.begin_look(rank); }
  [[nodiscard]] bool unread(std::uint32_t rank) const override { return progress_.unread(rank); }
  [[nodiscard]] bool learns_by_polls() const override { return progress_.rule() == ProgressRule::in_call; }
  void paused(const Strand& strand) override {
    if (strand.main) progress_.paused(strand.rank);
  }
  [[nodiscard]] bool busy(std::uint32_t rank) const override { return progress_.busy(rank); }
  [[nodiscard]] std::uint64_t in_flight() const override { return network_->in_flight(); }
  void watch(network::LinkWatcher watcher) override { network_->watch(std::move(watcher)); }
  [[nodiscard]] TransportUse use() const override;

private:
  [[nodiscard]] bool is_eager(const Request& send) const {
    return send.bytes <= setting_.platform.transport.eager_limit && !send.synchronous;
  }
  [[nodiscard]] bool has_to_connect(std::uint32_t from, std::uint32_t to) const;
  void send(const Fragment& fragment, double payload, bool report_left);
  void write(const Fragment& fragment, double payload, bool report_left);
  void answer(network::FragmentKind kind, const Fragment& fragment) {
    write({kind, kNone, kNone, fragment.to, fragment.from, 0}, 0, false);
  }
  void open(std::uint32_t rank, std::uint32_t peer);
  void read(const Notice& notice) override;
  void end_read() override;
  void looked(std::uint32_t rank) override { requests_.wake(rank); } // a rank's main strand has its number
  void tell_causes(const Notice& notice);
  void send_data(const Notice& cts);
  void finish_data(const Fragment& data) { written_.push_back(data); }

  const Setting& setting_;
  Scheduler& scheduler_;
  Requests& requests_;
  Messages& messages_;
  std::unique_ptr<network::OrderedNetwork> network_;
  ProgressEngine progress_;
  bool connects_; // when first needed; else all pairs are connected
  Connections connections_;
  std::vector<Fragment> fragments_; // [token]
  std::vector<std::uint32_t> free_fragments_;
  std::vector<network::OrderedNetwork::Event> events_; // of the present instant
  std::vector<std::uint32_t> readers_;                 // ranks that these are for
  std::vector<Fragment> written_;                      // data, in the read that is going on
  std::vector<double> read_until_;                     // [rank] when it last had read something; empty: nobody asks
};

} // namespace farcast::sim
