// Ordered channels over TCP and switched Ethernet: queues in front of links, instead of flows that
// share them at every instant.
//
// In and out: network/ordered_network.h. What a sender writes to a connection stands in its socket,
// and a little of it in the queue of the network card; switches hand packets on once they have them
// whole, and queue them in front of the next link in the order in which they come. So:
//   1. A fragment of b bytes is b + ceil(b / payload) * overhead bytes on the wire. What stands in a
//      socket is a stream, and travels as trains, whole fragments and parts of them: of at most
//      max(kTrainPackets packets, 1 / kMostTrains of the first fragment), or of what the
//      connection's pace makes of a segment: kSegmentTime of kPacing windows per smoothed round
//      trip, and the more the nearer the receiver is. What may come between two trains is another
//      connection's train.
//   2. Each link serves trains in the order in which their first packets come to it, without a
//      pause while any waits. A train's first packet is on the next link when it has wholly left
//      this one and the latency is over (store and forward), the rest follows at the pace of the
//      slower link: alone, over links of one rate, T = wire / rate + (hops - 1) * packet / rate +
//      sum(lat).
//   3. A connection gives its card a train while less than kInCard times as much stands there of its
//      own, or less than kSegmentTime of its pace, or no more than one train is not acknowledged: so
//      connections of one host take turns, and what is written to an idle one waits for some trains
//      of each busy one, not for all that they have.
//      What is written and fills no segment stays in the socket while anything of its connection
//      stands in the card, until some of that has left (or something is acknowledged): where the
//      card is busy with what others have, a second small message goes behind all that came meanwhile.
//   4. A link that is busy holds nobody up on the links before it: what waits there stands in the
//      switch.
//   5. Of one connection no more than its window is on the way (what has not been acknowledged
//      stays in the sender's socket), where each packet counts as a full one, as Linux does it (of a window
//      of ten, nine full packets went behind one of 64 B). Each second packet is acknowledged, or what comes within
//      kMerged at a time, by packets without data, which take their place and their time on each
//      link: what a process writes while bulk data comes for it stands behind their like. What
//      answers less than two packets waits as long and takes no time: it travels with data as a rule.
//      A window begins with transport.first_window
//      packets and grows by what is acknowledged while it is used (slow start), up to
//      transport.socket_buffer bytes; with each kIdle that nothing was sent half of it is gone.
//      Where it has no room for a segment, trains are a fifth of it at most, for acknowledgements
//      make room some packets at a time.
//   6. A fat pipe serves each connection as if it were alone, its trains one after the other.
// Nothing is ever dropped, as in a network whose buffers hold what the windows allow. Memory
// follows what is under way, and the ways of recent pairs. The same calls give the same bits.
// Source: RFC 9293 (order, window), RFC 5681, 6928 and 2861 (slow start, acknowledgements, the first
// window, windows after a pause), 6298 (round trips), IEEE 802.1Q (store and forward); segments and
// what stands in the card as Linux does it since 5.18 (net/ipv4: tcp_update_pacing_rate,
// tcp_tso_autosize, tcp_small_queue_check, tcp_should_autocork), whatever the discipline of the card's
// queue; what is acknowledged at a time: a card's interrupts for bulk data, 4,000 a second in Linux'
// drivers e1000e and igb.
#pragma once

#include "predictor/base/flat_map.h"
#include "predictor/network/ordered_network.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace farcast::network {

class EthernetNetwork final : public OrderedNetwork {
public:
  static constexpr double kTrainPackets = 45;     // 64 KB of full packets: the largest segment that a kernel hands over uncut
  static constexpr double kLeastPackets = 2;      // tcp_min_tso_segs
  static constexpr double kLeastAcknowledged = 2; // packets: RFC 5681, 4.2
  static constexpr double kMostTrains = 256;
  static constexpr double kPacing = 2;               // windows per round trip, while nothing is lost: tcp_pacing_ss_ratio
  static constexpr double kSegmentTime = 1.0 / 1024; // s: sk_pacing_shift
  static constexpr double kNearby = 512e-6;          // s: largest segments for round trips below it: tcp_tso_rtt_log
  static constexpr double kInCard = 2;               // times what comes next: tcp_small_queue_check
  static constexpr double kMerged = 250e-6;          // s: what comes meanwhile is acknowledged at once
  static constexpr double kIdle = 0.2;      // s, and a round trip: the least retransmission timeout, TCP_RTO_MIN of Linux
  static constexpr double kInstant = 2e-12; // events closer than this share of the present time are one instant

  explicit EthernetNetwork(const platform::Platform& platform); // which must outlive the network

  void send(const Pair& pair, double bytes, Token token, bool report_left, bool may_pass, double now_s) override;
  [[nodiscard]] double next_event() override;
  void advance(double now_s, std::vector<Event>& events) override;
  [[nodiscard]] std::uint64_t in_flight() const override { return in_flight_; }
  void watch(LinkWatcher watcher) override { watcher_ = std::move(watcher); }
  [[nodiscard]] double last_piece(double bytes) const override;

private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Hop {
    platform::LinkId link;
    double bytes_per_second;
    double latency;
    bool queues;        // false: a fat pipe
    double free_at = 0; // of a fat pipe: when it has served all that came to it from this connection
  };
  struct Fragment {
    double wire_bytes = 0;      // in all
    double left_bytes = 0;      // not yet given to the network card
    double end = 0;             // bytes of the train that it ends with, up to its own last one
    std::uint32_t next = kNone; // of the connection; once given to the card, of those that end with a train
    Token token = 0;
    bool report_left = false;
  };
  struct InCard {
    double until = 0; // s: it has wholly left by then
    double bytes = 0;
  };
  struct Connection {
    std::uint64_t processes = 0;
    std::vector<Hop> hops;
    std::vector<Hop> back; // the way of what acknowledges
    double latency = 0;
    double slowest = 0;         // bytes/s of its links; 0: of one host, or without links
    double window = 0;          // bytes that may be on the way
    double round_trip = 0;      // s, smoothed, from that of the handshake on
    double on_the_way = 0;      // of the window: what is not acknowledged
    std::uint32_t trains = 0;   // they are in so many trains
    double given_at = 0;        // when the network card got something last
    std::array<InCard, 4> card; // the latest trains that the network card got, oldest first
    bool waits_for_card = false;
    bool limited = false;       // of what is on the way at least half of the window was used at a time
    std::uint32_t head = kNone; // fragments not wholly given to the network card
    std::uint32_t tail = kNone;
    double waiting = 0;      // bytes of them
    std::uint32_t users = 0; // fragments that have not arrived, acknowledgements and room that it waits for
  };
  struct Train {
    double bytes = 0;
    double packet_bytes = 0;
    double last = 0; // when its last byte comes to the present link
    std::uint32_t connection = kNone;
    std::uint32_t hop = 0;
    std::uint32_t ended = kNone; // the first of the fragments that end with it
    std::uint32_t early = 0;     // those that ended before it
    double given = 0;            // s: to the network card
    double packets = 0;          // of a train the other way, which this one acknowledges; 0: it brings data
    double acknowledges = 0;     // bytes of that train
  };
  struct Pace {
    double segment; // bytes that the kernel hands to the card in one piece
    double in_card; // bytes in the card up to which it does so
  };
  struct Due {
    enum class What : std::uint8_t { at_link, ends, arrives, left, acknowledged, room_in_card };
    double at;
    std::uint64_t order;
    double bytes;        // acknowledged
    std::uint32_t which; // train; ends: fragment; left: token; acknowledged, room_in_card: connection
    What what;
    bool operator>(const Due& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  std::uint32_t connection_of(const Pair& pair);
  [[nodiscard]] std::vector<Hop> hops_of(const platform::Route& route) const;
  void release(std::uint32_t connection);
  void set_window(Connection& connection, double now_s) const;
  [[nodiscard]] bool is_growing(const Connection& connection) const {
    return connection.limited && connection.window < platform_.transport.socket_buffer;
  }
  [[nodiscard]] double acknowledged_at(const Connection& connection, double now_s) const;
  // Returns: what a train of so many bytes takes of its connection's window.
  [[nodiscard]] double in_window(double bytes) const { return packet_ > 0 ? std::ceil(bytes / packet_ - 1e-9) * packet_ : bytes; }
  void acknowledge(const Train& train, double packets, double now_s);
  void make_room(std::uint32_t connection, double bytes, double now_s);
  static void note_round_trip(Connection& connection, double packets, double seconds);
  [[nodiscard]] Pace pace_of(const Connection& connection, const Fragment& fragment) const;
  [[nodiscard]] double largest_train(const Connection& connection, double segment) const;
  static void note_in_card(Connection& connection, const Train& train, double now_s);
  [[nodiscard]] bool has_room_in_card(std::uint32_t connection, double most, double now_s);
  [[nodiscard]] bool is_corked(std::uint32_t connection, double now_s);
  void wait_for_card(std::uint32_t connection, double until_s);
  void give_to_card(std::uint32_t connection, double now_s);
  void fill(Connection& connection, Train& train, double most);
  void pass_link(std::uint32_t train, double first_s);
  [[nodiscard]] static double left_at(const Connection& connection, const Train& train, const Fragment& fragment);
  void plan_ends(Train& train, const Hop& last);
  void end_fragment(std::uint32_t fragment, std::vector<Event>& events);
  void arrive(std::uint32_t train, double now_s, std::vector<Event>& events);
  void plan(double at, Due::What what, std::uint32_t which, double bytes = 0);

  const platform::Platform& platform_;
  double packet_; // bytes of a full packet; 0: nothing is stored before it is forwarded
  LinkWatcher watcher_;
  std::vector<double> free_at_; // [link that queues] when it has served all that came to it
  std::vector<Fragment> fragments_;
  std::vector<std::uint32_t> free_fragments_;
  std::vector<Connection> connections_;
  std::vector<std::uint32_t> free_connections_;
  base::FlatMap<std::uint64_t, std::uint32_t> connection_index_;
  std::size_t idle_connections_ = 0;
  std::vector<Train> trains_;
  std::vector<std::uint32_t> free_trains_;
  std::vector<Due> due_; // heap
  std::uint64_t order_ = 0;
  std::uint64_t in_flight_ = 0;
};

} // namespace farcast::network
