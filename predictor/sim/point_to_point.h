// The MPI calls that are no collectives: what each does to requests, messages and its strand when
// it is entered.
//
// Threads: none; one owner.
#pragma once

#include "predictor/sim/answers.h"
#include "predictor/sim/messages.h"
#include "predictor/sim/polls.h"
#include "predictor/sim/problem_list.h"
#include "predictor/sim/send_overhead.h"

#include <cstdint>

namespace farcast::sim {

class PointToPoint {
public:
  PointToPoint(const Setting& setting, Scheduler& scheduler, Requests& requests, Messages& messages, Polls& polls,
               MessageLayer& layer, SendOverhead& overhead, Answers& answers, ProblemList& problems)
      : setting_(setting), scheduler_(scheduler), requests_(requests), messages_(messages), polls_(polls), layer_(layer),
        overhead_(overhead), answers_(answers), problems_(problems) {}

  // A strand enters its operation's call.
  void send(std::uint32_t strand); // isend too, and so on
  void receive(std::uint32_t strand);
  void send_receive(std::uint32_t strand);
  void transfer(std::uint32_t strand);
  void probe(std::uint32_t strand);
  void poll(std::uint32_t strand);
  void wait(std::uint32_t strand);
  void forget(std::uint32_t strand);
  // The overhead of a send, send_receive or transfer is paid: posts its messages.
  void post(std::uint32_t strand);

private:
  [[nodiscard]] bool valid_peer(const Strand& strand, int peer, PeerRole role);
  [[nodiscard]] bool sends_to_itself(const Strand& strand) const {
    return messages_.is_copy(strand.rank, static_cast<std::uint32_t>(strand.operation.peer), strand.operation.tag);
  }
  [[nodiscard]] bool is_detached(const trace::Operation& operation) const;
  // Returns: the request of the operation's receive; kNone: it has none.
  std::uint32_t post_receive(const Strand& strand, int source, int tag, std::uint32_t id);
  void pay_before_post(std::uint32_t strand, bool immediate, bool whole);
  void post_transfer(const Strand& strand);
  std::uint32_t post_own_send(Strand& strand);

  const Setting& setting_;
  Scheduler& scheduler_;
  Requests& requests_;
  Messages& messages_;
  Polls& polls_;
  MessageLayer& layer_;
  SendOverhead& overhead_;
  Answers& answers_;
  ProblemList& problems_;
};

} // namespace farcast::sim
