// What the engine keeps while it plays messages on ordered channels; engine_channels.cpp works on it.
//
// A process learns of a parcel when it reads its inbox: `handling` after the first arrival, all that has come until then in one
// go and in order; with in-call progress only while it waits inside a call.
#pragma once

#include "predictor/network/channel_network.h"
#include "predictor/network/channel_protocol.h"

#include <cstdint>
#include <vector>

namespace farcast::sim {

struct ChannelPlay {
  struct Parcel {
    network::ParcelKind kind;
    std::uint32_t request; // of the sender; fin: of the receiver
    std::uint32_t answer;  // cts: the receiver's request, for the fin that will come
    std::uint32_t from;    // ranks
    std::uint32_t to;
  };
  struct Notice {
    Parcel parcel;
    bool left; // it has left, and this is its sender; otherwise it has arrived
  };
  struct Inbox {
    std::vector<Notice> waiting; // in order of arrival
    bool reading = false;        // a look at it is arranged
  };

  ChannelPlay(const platform::Platform& platform, int ranks, bool progress_in_call)
      : network(platform), inboxes(static_cast<std::size_t>(ranks)), helped(static_cast<std::size_t>(ranks), !progress_in_call) {}

  std::uint32_t add(const Parcel& parcel) {
    if (free.empty()) {
      parcels.push_back(parcel);
      return static_cast<std::uint32_t>(parcels.size() - 1);
    }
    const std::uint32_t index = free.back();
    free.pop_back();
    parcels[index] = parcel;
    return index;
  }

  network::ChannelNetwork network;
  std::vector<Parcel> parcels;
  std::vector<std::uint32_t> free;
  std::vector<Inbox> inboxes;                         // [rank]
  std::vector<bool> helped;                           // [rank]: it reads whatever its main strand does
  std::vector<network::ChannelNetwork::Event> events; // of the present instant
  std::vector<Notice> being_read;
};

} // namespace farcast::sim
