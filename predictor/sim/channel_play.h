// What the engine keeps while it plays messages on ordered channels; engine_channels.cpp works on it.
//
// A process is one thread: it learns of a parcel when it reads its inbox, and with in-call progress it does so only while it
// waits inside a call. It begins to read `handling` after a parcel has come (the kernel's way, and the wake-up of who sleeps;
// what of it is chance: sim/chance.h); reading takes its time before it has any effect. The first read's time holds a look (one
// poll) at who has sent; they are read in the order of a library's descriptors (sim/chance.h), not of time, then comes another
// look. What has come from the same peer until the first of it is read comes in the same system call. The time, in order:
//   the p2p model's `or` of an eager message's size, its least for control messages; for `fin` that of the piece of its data that
//   comes last, by bulk_read_s where the platform has it; more in the same call: without the least of `or` (the system calls);
//   what is written in answer: the least of `os` for control messages, for data that of what one system call hands over.
#pragma once

#include "predictor/base/slots.h"
#include "predictor/network/channel_network.h"
#include "predictor/network/channel_protocol.h"
#include "predictor/network/ethernet_network.h"
#include "predictor/sim/chance.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace farcast::sim {

struct ChannelPlay {
  struct Parcel {
    network::ParcelKind kind;
    std::uint32_t request; // of the sender; fin: of the receiver
    std::uint32_t answer;  // cts: the receiver's request, for the fin that will come
    std::uint32_t from;    // ranks
    std::uint32_t to;
    double message_bytes; // of the message that it belongs to
  };
  struct Notice {
    Parcel parcel;
    double came; // s
    bool left;   // it has left, and this is its sender; otherwise it has arrived
    [[nodiscard]] std::uint32_t peer() const { return left ? parcel.to : parcel.from; }
  };
  struct Inbox {
    enum class State : std::uint8_t { idle, writing, waking, reading, reading_more };
    std::vector<Notice> waiting; // in order of arrival, from `head` on
    std::size_t head = 0;        // those before it have been read
    std::size_t in_round = 0;    // how many of the last look are still to be read
    std::size_t in_one_go = 0;   // how many are being read
    std::uint64_t draws = 0;     // of chance
    double writes_until = 0;     // s; a process that writes bulk data reads nothing meanwhile
    State state = State::idle;   // unless idle, an event is arranged
    [[nodiscard]] bool empty() const { return head == waiting.size(); }
    [[nodiscard]] const Notice& front() const { return waiting[head]; }
  };

  ChannelPlay(const platform::Platform& platform, int ranks, bool progress_in_call, std::uint64_t seed)
      : chance(seed), inboxes(static_cast<std::size_t>(ranks)), helped(static_cast<std::size_t>(ranks), !progress_in_call) {
    const double at_once = platform.transport.eager_limit;
    write_per_byte_s = platform.transport.bulk_write_s > 0 ? platform.transport.bulk_write_s
                                                           : network::overhead_per_byte_s(platform.p2p.send_overhead, at_once);
    if (platform.transport.kind == platform::TransportKind::rdma)
      network = std::make_unique<network::ChannelNetwork>(platform);
    else
      network = std::make_unique<network::EthernetNetwork>(platform);
  }

  std::uint32_t add(const Parcel& parcel) {
    const std::uint32_t index = base::take_slot(parcels, free);
    parcels[index] = parcel;
    return index;
  }
  void remove(std::uint32_t index) { free.push_back(index); }

  Chance chance;
  double write_per_byte_s = 0; // of bulk data
  std::unique_ptr<network::OrderedNetwork> network;
  std::vector<Parcel> parcels;
  std::vector<std::uint32_t> free;
  std::vector<Inbox> inboxes;                         // [rank]
  std::vector<bool> helped;                           // [rank]: it reads whatever its main strand does
  std::vector<network::OrderedNetwork::Event> events; // of the present instant
  std::vector<std::uint32_t> readers;                 // ranks that these are for
  std::vector<Notice> being_read;
};

} // namespace farcast::sim
