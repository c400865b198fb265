// The engine: strands play their operations against each other on the virtual network.
//
// In: timelines, platform, placement; out: a Prediction. It wires the parts and goes from instant
// to instant; what they do:
//   scheduler.h       the clock, the strands, who goes on when      message_layer.h  what carries messages; two of them:
//   computation.h     what ranks compute between calls                flow_layer.h     independent flows (SimGrid's model)
//   point_to_point.h  MPI calls that are no collectives               channel_layer.h  ordered channels, the library's protocol
//   collective_player.h  collectives as messages                      progress_engine.h  when a process learns what has come
//   messages.h        posted sends and receives, matching           files.h          file accesses
//   requests.h        what strands wait for                         account.h        where time goes
//   causes.h          why it takes so long: the critical path, wait states
//   blocking_waits.h  waiting without a core                        power_saving.h   collectives at a lower clock
//   away.h            ranks of a coupled run in calls that nobody models
// Rules, beyond sim/predict.h:
//   1. A message of mode standard or ready that the layer detaches, or buffered: the sender goes on
//      when its overhead (os blocking, ois non-blocking) is paid. Otherwise it waits until the
//      message has been delivered; a blocking rendezvous pays no overhead, unless synchronous.
//   2. A receive that owes `or` pays it when it is completed; several completed by one call pay one
//      after another.
//   3. A probe returns as soon as its message has been posted by the sender and no receive has
//      taken it.
//   4. Calls before MPI_Init take no time; without MPI_Init a rank starts at time 0 with its first
//      call that is not local.
//   5. `forget` withdraws a receive that nobody has met (it was cancelled); anything else completes
//      alone.
//   6. Waiting, per call: from posting (or entering the wait) until the last partner was there; the
//      rest is transfer.
//   7. A message of a rank to itself is a copy: its receive pays platform::self_message_at, and
//      nothing else is paid. It is a message like others where a platform without
//      farcast:self_message has a loopback, and with Options::self_over_links. That of a generalized
//      request (trace::is_generalized) takes no time.
// At one instant: arrivals first, then strands by (rank, strand). Threads: none; an Engine belongs
// to one thread. No global state.
#pragma once

#include "predictor/energy/link_meter.h"
#include "predictor/sim/away.h"
#include "predictor/sim/causes.h"
#include "predictor/sim/collective_player.h"
#include "predictor/sim/computation.h"
#include "predictor/sim/files.h"
#include "predictor/sim/flows.h"
#include "predictor/sim/horizon.h"
#include "predictor/sim/look_ahead.h"
#include "predictor/sim/point_to_point.h"
#include "predictor/sim/polls_ahead.h"
#include "predictor/sim/power_saving.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace farcast::sim {

class Engine {
public:
  Engine(trace::Timelines& timelines, const platform::Platform& platform, const platform::Placement& placement,
         const Options& options, Progress* progress, Observer* observer);
  Prediction run();

private:
  [[nodiscard]] std::unique_ptr<MessageLayer> layer_for(const platform::Platform& platform, const Options& options);
  void watch_links();
  void play_instants();
  void run_ready();
  void resume(std::uint32_t strand);
  void go_on(std::uint32_t strand);
  void take_next(std::uint32_t strand);
  bool start_late(std::uint32_t strand);
  void divide_polls(Strand& strand) const;
  void next_poll(std::uint32_t strand);
  void enter(std::uint32_t strand);
  void enter_collective(std::uint32_t strand);
  void leave(std::uint32_t strand);
  void answer(Strand& strand);
  void use_others(const Strand& strand, double spent);
  void end(std::uint32_t strand, bool finalized);
  void tell(const Strand& strand, Activity activity, double begin, double end) const;
  void tell_progress();
  void report_blocked();
  double end_of_run();
  [[nodiscard]] std::optional<Bottlenecks> bottlenecks(base::Seconds time) const;
  Prediction conclude();

  trace::Timelines& timelines_;
  Setting setting_;
  Progress* progress_;
  Account account_;
  Cores cores_;
  Scheduler scheduler_;
  ProblemList problems_;
  Polls polls_;
  BlockingWaits waits_;
  Requests requests_;
  Messages messages_;
  network::FlowNetwork network_;
  Flows flows_;
  bool layer_acts_ = true; // at times of its own
  std::unique_ptr<MessageLayer> layer_;
  SendOverhead overhead_;
  Computation computation_;
  Horizon horizon_;
  Answers answers_;
  PollsAhead ahead_;
  Away away_;
  PointToPoint point_to_point_;
  PowerSaving saving_;
  CollectivePlayer collectives_;
  Files files_;
  LookAhead look_ahead_;
  std::optional<energy::LinkMeter> link_meter_; // where links have power figures
  std::optional<Causes> causes_;                // where bottlenecks are asked for
  std::uint64_t operations_ = 0;
};

} // namespace farcast::sim
