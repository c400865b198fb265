// A store-and-forward Ethernet switch in user space: every host has a full-duplex link to it, of a
// known rate and latency.
//
// In: frames from the hosts' TAP devices. Out: the same frames, handed to their hosts when the
// links would have delivered them.
//   1. A frame passes the sender's up link, the backbone when there is one between the two hosts,
//      and the receiver's down link. Half of the latency lies on the up link, half on the down
//      link; the backbone adds none.
//   2. Packets queue in front of the backbone and of a down link in the order in which they come
//      there, not in that in which their frames were read from the hosts: those of segments that two
//      hosts send to a third one go by turns, and a small frame waits for what has come before it, not
//      for a segment of which the first packet has.
//   3. Nothing is dropped. An up link with more than kBackPressure waiting is not read, so the
//      host's own queue fills and its sockets wait; what waits before the backbone and the down
//      links is bounded by what the hosts' TCP windows allow.
//   4. A host gets a segment that its sender's kernel left uncut in pieces, each when it is whole, as
//      from a card that merges what comes before it interrupts; it acknowledges each.
//   5. The backbone joins the first half of the hosts with the second half; it is full duplex.
// Threads: none. Runs until `stop` is set; writes its statistics when `report` is set, and at the end.
#pragma once

#include "fabric.h"
#include "tap.h"

#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace farcast::bottle {

struct SwitchOptions {
  std::string prefix; // of the hosts' namespaces: prefix0, prefix1, ...
  std::size_t hosts = 0;
  double bits_per_second = 0;
  double latency_us = 0;               // one way, host to host
  double backbone_bits_per_second = 0; // 0: none
  std::string statistics_path;
};

struct Statistics {         // since the last report
  std::uint64_t frames = 0; // given to hosts
  std::uint64_t bytes = 0;
  std::uint64_t strangers = 0; // to addresses that nobody has
  std::uint64_t refused = 0;   // by the host that they were for
  std::uint64_t late = 0;      // by more than kLate
  Nanoseconds lateness = 0;    // summed
  Nanoseconds greatest_lateness = 0;
  std::uint64_t read = 0;  // frames taken from hosts
  Nanoseconds taking = 0;  // how long that took
  Nanoseconds waiting = 0; // actively, for what is due
  Nanoseconds giving = 0;  // how long it took to give frames to hosts, with all that the kernel does for the receiver meanwhile
};

inline constexpr Nanoseconds kLate = 200'000;
inline constexpr Nanoseconds kWakingTime = 30'000; // before something is due; it waits actively from then on
inline constexpr double kLeastOnWire = 84;         // bytes: the shortest frame with preamble, checksum and gap
inline constexpr double kBackPressure = 256.0 * 1024;

class Switch {
public:
  // Throws std::system_error when a device cannot be made.
  explicit Switch(const SwitchOptions& options);
  void run(const volatile std::sig_atomic_t& stop, volatile std::sig_atomic_t& report);

private:
  struct Due {
    Delivery piece;
    std::uint64_t order;
    bool operator>(const Due& other) const {
      return piece.at != other.piece.at ? piece.at > other.piece.at : order > other.order;
    }
  };
  static constexpr int kBurst = 4; // frames read from one host before the others have their turn

  [[nodiscard]] std::unique_ptr<Frame> fresh();
  void deliver_due();
  void deliver(const Delivery& piece, Nanoseconds now);
  void read_from(std::size_t host);
  void take_turns(Nanoseconds now);
  [[nodiscard]] Nanoseconds choose_readers(Nanoseconds now);
  void listen_to(std::size_t host, bool on);
  void write_statistics();

  SwitchOptions options_;
  Nanoseconds half_latency_;
  Nanoseconds least_transit_; // of the shortest frame over one link
  Fabric fabric_;
  std::vector<Tap> taps_;
  std::vector<bool> listening_;
  std::vector<Delivery> pieces_; // that the last turns have brought
  std::vector<Due> due_;         // heap
  std::vector<std::unique_ptr<Frame>> spare_;
  Statistics statistics_;
  Nanoseconds reported_work_ = 0; // the thread's own CPU time at the last report
  long reported_sleeps_ = 0;      // how often it had fallen asleep then
  std::uint64_t order_ = 0;
  int events_ = -1; // epoll
};

} // namespace farcast::bottle
