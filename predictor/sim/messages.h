// Point to point: posted sends and receives, which of them belong together, and who probes for them.
//
// A message of a rank to itself is a copy where Setting says so (engine.h: rule 11): it is complete
// when both ends are posted.
// Threads: none; one owner.
#pragma once

#include "predictor/sim/account.h"
#include "predictor/sim/locks.h"
#include "predictor/sim/matching_queues.h"
#include "predictor/sim/message_layer.h"
#include "predictor/sim/requests.h"
#include "predictor/sim/setting.h"
#include "predictor/sim/wildcards.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace farcast::sim {

class Messages {
public:
  // Parts that are told of what happens to messages.
  // asked: there are receives of any source.
  Messages(const Setting& setting, Scheduler& scheduler, Account& account, Requests& requests, bool asked);
  // Before anything is posted.
  void carry_with(MessageLayer& layer, bool over_links);

  [[nodiscard]] bool is_copy(std::uint32_t source, std::uint32_t destination, int tag) const {
    return source == destination && (copies_[source] || trace::is_generalized(tag));
  }
  [[nodiscard]] bool is_copy(const MatchKey& key) const {
    return is_copy(key.source, key.destination, static_cast<int>(key.tag));
  }
  // Returns: the number of the request.
  std::uint32_t post_send(const MatchKey& key, double bytes, bool detached, bool synchronous = false);
  std::uint32_t post_receive(const MatchKey& key);
  // Of any source or with any tag; `id`: what the rank's timelines call it, 0 for a blocking call.
  std::uint32_t post_receive(const Pattern& pattern, std::uint32_t id, std::shared_ptr<const trace::Communicator> communicator);
  // Of a detached send that has just been posted: MessageLayer::handing_over().
  std::uint32_t handing_over(const MatchKey& key) {
    return is_copy(key) ? kNone : layer_->handing_over(key.source, key.destination);
  }
  // Starts a one-sided transfer, which its rank calls `id`; 0: nobody waits for it. reply_bytes
  // below 0: nothing comes back.
  void post_transfer(const MatchKey& key, double bytes, double reply_bytes, std::uint32_t id, trace::Lock lock);
  // Withdraws a receive that nobody has met.
  void withdraw(std::uint32_t receive);
  // Returns: whether a message of that key waits for its receive; if not the strand is woken when
  // one does. Either way it takes the message out where it is to (Operation::message) and the engine
  // does not decide what it finds.
  bool probe(std::uint32_t strand, const MatchKey& key);
  bool probe(std::uint32_t strand, const Pattern& pattern);
  // It waits for the receive of that Operation::message alone.
  void take_out(std::uint32_t send, std::uint32_t message);
  [[nodiscard]] static MatchKey taken_key(std::uint32_t destination, std::uint32_t message) {
    return {destination, 0, kTakenContext, message};
  }
  // Returns: the message that waits and fits, or kNone.
  [[nodiscard]] std::uint32_t waiting_message(const Pattern& pattern) { return wildcards_.first_unexpected(pattern); }
  // Returns: what receives of any source or with any tag have met since it was asked last.
  [[nodiscard]] std::vector<trace::Match> take_matches(std::uint32_t rank) { return std::exchange(matches_[rank], {}); }

  // Of the layer: a send is visible to its receiver; it meets its receive, or waits for one.
  void offer(std::uint32_t send);
  // A message has arrived that both ends know of: both are complete.
  void finish(std::uint32_t send, std::uint32_t receive);
  void transfer_arrived(std::uint32_t request);
  // The last byte of a message is at its receiver. `request`: either end of it.
  void note_arrival(std::uint32_t request) {
    ++arrived_;
    if (setting_.observer != nullptr) setting_.observer->arrived({message_of_[request], scheduler_.now()});
  }
  // Returns: whether a receive waits for this send already.
  [[nodiscard]] bool receive_is_posted_for(std::uint32_t send) {
    const MatchKey& key = requests_[send].key;
    return matching_.has_receive(requests_.pool(), key) || (wildcards_.on() && wildcards_.has_receive(key));
  }

  [[nodiscard]] MatchingQueues& queues() { return matching_; }
  [[nodiscard]] std::uint64_t arrived() const { return arrived_; }
  [[nodiscard]] bool one_sided() const { return one_sided_; }       // there were transfers
  [[nodiscard]] bool self_assumed() const { return self_assumed_; } // there were copies whose time nobody measured

private:
  void note_post(std::uint32_t request);
  void note_match(std::uint32_t send, std::uint32_t receive);
  void meet(std::uint32_t send, std::uint32_t receive, bool by_receive);
  void lock_arrived(std::uint32_t request);
  void reply(std::uint32_t request);
  double copy_s(const MatchKey& key, double bytes);
  void meet_unknown(std::uint32_t send, std::uint32_t receive, bool by_receive);
  void wake_probes(const MatchKey& key, std::uint32_t send);
  bool takes_out(std::uint32_t strand, std::uint32_t send);
  void wake_probe(std::uint32_t strand, std::uint32_t send);

  const Setting& setting_;
  Scheduler& scheduler_;
  Account& account_;
  Requests& requests_;
  MessageLayer* layer_ = nullptr;
  std::vector<bool> copies_; // [rank]: its messages to itself cross no link
  MatchingQueues matching_;
  struct Unknown { // a receive of any source or with any tag
    std::uint32_t id = 0;
    std::shared_ptr<const trace::Communicator> communicator;
  };
  Wildcards wildcards_;
  Locks locks_;
  base::FlatMap<std::uint64_t, Unknown> unknown_;                          // [receive]
  std::vector<std::vector<trace::Match>> matches_;                         // [rank]
  base::FlatMap<MatchKey, std::vector<std::uint32_t>, MatchHash> probing_; // strands
  std::vector<std::uint64_t> message_of_;                                  // [request] its number, for an observer
  std::uint64_t posted_ = 0;                                               // messages, for an observer
  std::uint64_t arrived_ = 0;
  bool one_sided_ = false;
  bool self_assumed_ = false;
};

} // namespace farcast::sim
