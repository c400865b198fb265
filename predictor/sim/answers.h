// What comes of calls whose outcome the program waits for (trace::Operation::asked), and telling it.
//
// A poll looks when its cost has passed; a wait for any of several requests returns at the instant
// at which the first is complete: MPI_Waitany and Testany take the first one in the list then,
// Waitsome and Testsome all. What is not taken stays as it is. A collective is answered as soon as
// all have entered it: the library may let nobody go before; a member that leaves earlier is
// answered then, and all are told, for it must not wait in the library for those that come later:
// those who wait at once, as what they give may be what it takes (trace::Answer: apart and not
// found; their answer is still to come).
// Threads: none; one owner.
#pragma once

#include "predictor/sim/horizon.h"
#include "predictor/sim/messages.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace farcast::sim {

class Answers {
public:
  Answers(trace::Timelines& timelines, Scheduler& scheduler, Requests& requests, Messages& messages)
      : timelines_(timelines), scheduler_(scheduler), requests_(requests), messages_(messages) {}

  // A wait for any of its operation's requests begins. Returns: whether one is complete, or none is
  // active.
  bool begin_wait(std::uint32_t strand);
  // The poll has looked, the wait is over: takes what is complete. Its overheads count from now on.
  void settle(std::uint32_t strand);
  // MPI_Cancel: a receive that no message has met is withdrawn, and complete; nothing else is that
  // is modelled, and what is not is to be cancelled really.
  void cancel(std::uint32_t strand);
  // Returns: whether the operation's requests are messages that it sends and receives, and nothing else.
  [[nodiscard]] bool only_messages(const Strand& strand) { return only_messages(strand.rank, strand.operation); }
  [[nodiscard]] bool only_messages(std::uint32_t rank, const trace::Operation& operation);
  // Returns: whether a poll of its requests would find nothing now.
  [[nodiscard]] bool in_vain(std::uint32_t rank, const trace::Operation& operation);
  // The strand's poll will find nothing when it looks, at `time`: its program may know now.
  void give_ahead(Strand& strand, double time, const Quiet& quiet);
  // The strand has entered a collective, which it plays now.
  void entered(std::uint32_t strand);
  // The call returns. Who knows already is told nothing.
  void give(Strand& strand, const Quiet& quiet = {});

private:
  enum class State : std::uint8_t { inactive, pending, complete };
  [[nodiscard]] State state_of(std::uint32_t rank, std::uint32_t id);
  void tell_apart(const Strand& strand);
  void tell(const Strand& strand, trace::Answer& answer, double time, const Quiet& quiet);
  void look_for_message(const Strand& strand);
  void look_at_requests(Strand& strand);

  trace::Timelines& timelines_;
  Scheduler& scheduler_;
  Requests& requests_;
  Messages& messages_;
  base::FlatMap<std::uint64_t, trace::Answer> settled_; // [strand] what is given when its call returns
  using Call = std::pair<std::uint32_t, std::uint32_t>; // of a collective: its context, and its number there
  struct Gathering {
    std::size_t entered = 0;
    bool apart = false;                 // a member has gone on before all had entered
    std::vector<std::uint32_t> waiting; // strands
  };
  std::map<Call, Gathering> gatherings_;
  std::map<std::uint32_t, Call> gathers_; // strand -> its collective, until it is answered
};

// Returns: what the operation's receive or probe takes.
Pattern pattern_of(const trace::Operation& operation, std::uint32_t destination, int source, int tag);

} // namespace farcast::sim
