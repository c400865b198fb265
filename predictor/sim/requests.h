// Requests: what strands wait for, and how strands go on when it is complete.
//
// A call names all that it waits for by wait_for(), then calls begin_wait(). Each request that
// completes adds the overhead that its receive owes (`or`); the call ends when all are complete and
// paid for. The steps of a schedule wait by their age instead (collective::StepKind): their
// requests are `step`.
// Threads: none; one owner.
#pragma once

#include "predictor/sim/blocking_waits.h"
#include "predictor/sim/causes.h"
#include "predictor/sim/named_requests.h"
#include "predictor/sim/polls.h"
#include "predictor/sim/request.h"
#include "predictor/sim/scheduler.h"

#include <cstdint>

namespace farcast::sim {

class Requests {
public:
  Requests(Scheduler& scheduler, Polls& polls, BlockingWaits& waits) : scheduler_(scheduler), polls_(polls), waits_(waits) {}

  // From now on it is told what strands wait for.
  void tell(Causes* causes) { causes_ = causes; }

  std::uint32_t take(Request::Kind kind) {
    const std::uint32_t index = pool_.take();
    pool_[index].kind = kind;
    if (causes_ != nullptr) causes_->path.taken(index);
    return index;
  }
  void release(std::uint32_t request) { pool_.release(request); }
  Request& operator[](std::uint32_t request) { return pool_[request]; }
  RequestPool& pool() { return pool_; }

  // The rank's timelines call the request `id` from now on.
  void name(std::uint32_t rank, std::uint32_t id, std::uint32_t request);
  // Returns: the request of that name, which has none from now on; kNone when there is none: a
  // detached send, a null or an inactive request.
  std::uint32_t take_named(std::uint32_t rank, std::uint32_t id) { return named_.take(rank, id); }
  // The same; it keeps its name.
  [[nodiscard]] std::uint32_t find_named(std::uint32_t rank, std::uint32_t id) const { return named_.find(rank, id); }

  // Makes a strand wait for a request; takes it at once when it is complete.
  void wait_for(std::uint32_t strand, std::uint32_t request);
  // The strand waits for any of several requests: wakes it when this one is complete, and leaves it.
  void watch(std::uint32_t strand, std::uint32_t request);
  void unwatch(std::uint32_t request);
  // Takes a complete request of the strand's rank, with the overhead that it owes; a send that had
  // no name owes none.
  void take_done(std::uint32_t strand, std::uint32_t id);
  // The call has named all that it waits for: its core polls from now on, at least for the
  // overheads that are owed.
  void begin_wait(std::uint32_t strand);
  // Whoever waits for the request goes on.
  void complete(std::uint32_t request);
  // What the strand waits for is there.
  void wake(std::uint32_t strand);

  // A schedule's isend or ireceive step is under way.
  void add_step(std::uint32_t strand, std::uint32_t request);
  // Waits for the steps under way (wait_earlier: but for the newest), then pays what their receives
  // owe; wait_second: for the second newest alone. Returns: whether all that has happened already.
  bool finish_steps(std::uint32_t strand, collective::StepKind which);
  bool finish_second_step(std::uint32_t strand);

private:
  void consume(std::uint32_t strand, std::uint32_t request);
  void consume_awaited(std::uint32_t strand, std::uint32_t request);
  void deliver(std::uint32_t request);
  bool deliver_step(std::uint32_t strand, std::uint32_t request);
  bool wait_for_steps(std::uint32_t strand, collective::StepKind which);

  Scheduler& scheduler_;
  Polls& polls_;
  BlockingWaits& waits_;
  Causes* causes_ = nullptr; // null: nobody asks
  RequestPool pool_;
  NamedRequests named_;
};

} // namespace farcast::sim
