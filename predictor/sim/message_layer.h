// What carries messages: the interface of sim/flow_layer.h (independent flows, SimGrid's model) and
// sim/channel_layer.h (ordered channels with the MPI library's protocol).
//
// The engine posts sends and receives (sim/messages.h) and tells the layer; the layer tells
// Messages when a send is visible to its receiver (offer), and when a message has arrived. Requests
// are named by their number in sim/requests.h. Threads: none; one owner.
#pragma once

#include "predictor/network/link_use.h"
#include "predictor/sim/prediction.h"
#include "predictor/sim/strand.h"

#include <cstdint>
#include <limits>

namespace farcast::sim {

class MessageLayer {
public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  MessageLayer() = default;
  MessageLayer(const MessageLayer&) = delete;
  MessageLayer& operator=(const MessageLayer&) = delete;
  virtual ~MessageLayer() = default;

  // Returns: whether a standard send of that size is over for its sender once it is posted.
  [[nodiscard]] virtual bool detaches(double bytes) const = 0;
  // Returns: whether processes send headers: empty messages, and what asks for a receive, cost what
  // small messages do. Else they cost nothing.
  [[nodiscard]] virtual bool has_headers() const = 0;
  // Returns: a request that is complete once a detached send which has just been posted is with its
  // process's kernel, for a call that waits until it is; kNone: it is.
  virtual std::uint32_t handing_over(std::uint32_t /*source*/, std::uint32_t /*destination*/) { return kNone; }
  // A send has been posted, which is no copy (messages.h).
  virtual void post(std::uint32_t send) = 0;
  // Returns: whether nothing of the message goes, or has gone, before its receive is there. Before
  // meet().
  [[nodiscard]] virtual bool waits_for_receive(std::uint32_t send) const = 0;
  // It has met its receive.
  virtual void meet(std::uint32_t send, std::uint32_t receive) = 0;
  // Carries what a one-sided transfer sends; Messages::transfer_arrived() at its end.
  virtual void transfer(std::uint32_t request) = 0;

  // Returns: whether it does anything at times of its own, so that next_event(), advance() and
  // paused() mean something.
  [[nodiscard]] virtual bool has_events() const { return true; }
  // Returns: when something happens next; kNever when nothing is under way but what sim/flows.h
  // carries.
  [[nodiscard]] virtual double next_event() = 0;
  // Lets all happen that is due now.
  virtual void advance() = 0;
  // An event of kind Scheduler::kProgress that this layer has arranged for the rank.
  virtual void progress(std::uint32_t /*rank*/) {}
  // The rank's main strand polls: whether its library has something to read. Then the strand waits
  // (Strand::outstanding), and the layer lets it go on once that has been read and answered.
  virtual bool poll(std::uint32_t /*rank*/) { return false; }
  // Returns: whether something has come for the rank that its next poll reads first.
  [[nodiscard]] virtual bool unread(std::uint32_t /*rank*/) const { return false; }
  // Returns: whether processes learn of messages by polls: whether it matters at what time there is
  // one.
  [[nodiscard]] virtual bool learns_by_polls() const { return false; }
  // The rank's main strand has got as far as it can at this instant: perhaps it waits inside a call
  // from now on.
  virtual void paused(const Strand& /*strand*/) {}
  // Returns: whether the rank's process reads or writes at this instant.
  [[nodiscard]] virtual bool busy(std::uint32_t /*rank*/) const { return false; }
  [[nodiscard]] virtual std::uint64_t in_flight() const = 0;
  // As OrderedNetwork::watch().
  virtual void watch(network::LinkWatcher watcher) = 0;
  // Returns: what the report says of how messages were played.
  [[nodiscard]] virtual TransportUse use() const = 0;
};

} // namespace farcast::sim
