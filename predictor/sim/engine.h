// The engine: strands play their operations against each other on the virtual network.
//
// In: timelines, platform, placement; out: a Prediction. Rules, beyond sim/predict.h:
//   1. A message of mode standard below p2p.detached_below_bytes, buffered or ready, is detached: the sender goes on when its
//      overhead (os blocking, ois non-blocking) is paid. Otherwise the sender waits until the message has been delivered; a
//      blocking rendezvous pays no overhead, unless synchronous.
//   2. The flow starts when send and receive have met; below p2p.eager_flow_below_bytes already at the send.
//   3. A receive that meets a detached send pays `or` when it is completed; several completed by one call pay one after another.
//   4. A probe returns as soon as its message has been posted by the sender and no receive has taken it.
//   5. Collectives are the messages of collective::build in a context of their own per communicator and call.
//      Their local reductions and copies take no time, as in SimGrid: it lies within what calibrated overheads measure.
//      With Options::collectives.closed_form those of one group take a formula's time instead (collective/closed_form.h).
//   6. Non-blocking collectives progress by themselves (SimGrid's rule).
//   7. Calls before MPI_Init take no time; without MPI_Init a rank starts at time 0 with its first call that is not local.
//   8. `forget` withdraws a receive that nobody has met (it was cancelled); anything else completes alone.
//   9. Files: bytes are flows to and from the disk that has them (platform.h: storage_of); they do not meet messages that keep
//      their order. Where no disk is known, calls take their measured time and what they start is complete.
//  10. Waiting, per call: from posting (or entering the wait) until the last partner was there; the rest is transfer.
//  11. A message of a rank to itself is a copy: its receive pays platform::self_message_at, and nothing else is paid. It is a
//      message like others where a platform without farcast:self_message has a loopback, and with Options::self_over_links.
// At one instant: arrivals first, then strands by (rank, strand). Nothing is done per rank and event.
// Threads: none; an Engine belongs to one thread. No global state.
#pragma once

#include "predictor/base/fetch_ahead.h"
#include "predictor/network/flow_network.h"
#include "predictor/sim/account.h"
#include "predictor/sim/channel_play.h"
#include "predictor/sim/communicators.h"
#include "predictor/sim/company.h"
#include "predictor/sim/cores.h"
#include "predictor/sim/event_queue.h"
#include "predictor/sim/meetings.h"
#include "predictor/sim/predict.h"
#include "predictor/sim/request.h"
#include "predictor/sim/strand.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace farcast::sim {

class Engine {
public:
  Engine(trace::Timelines& timelines, const platform::Platform& platform, const platform::Placement& placement,
         const Options& options, Progress* progress);
  Prediction run();

private:
  // engine.cpp: the loop, and operations that involve nobody else.
  void play_instants();
  // Events until then are of the present instant.
  [[nodiscard]] double instant_end() const { return now_ * (1 + network::FlowNetwork::kInstant); }
  void make_ready(std::uint32_t rank, std::uint32_t index) { ready_.push_back(static_cast<std::uint64_t>(rank) << 32 | index); }
  void look_ahead();
  void fetch_send(std::uint32_t send);
  void fetch_receive(std::uint32_t send);
  void fetch_waiting(std::uint32_t send);
  [[nodiscard]] const Strand* waiting_for(std::uint32_t send);
  void fetch_figures(const Strand& strand) const;
  void fetch_what_it_sends(const Strand& strand);
  void run_ready();
  void resume(std::uint32_t index);
  bool advance(std::uint32_t index, double seconds, CoreState state);
  void take_next(std::uint32_t index);
  bool compute_in_company(std::uint32_t index, double measured);
  void end_computation(std::uint32_t rank, double time);
  void settle_company();
  void enter(std::uint32_t index);
  void enter_local(std::uint32_t index);
  void leave(std::uint32_t index);
  void end(std::uint32_t index, bool finalized);
  void tell_progress();

  // engine_messages.cpp: point to point.
  [[nodiscard]] double send_call_s(bool immediate, bool whole, double bytes) const;
  [[nodiscard]] bool is_copy(std::uint32_t source, std::uint32_t destination) const {
    return source == destination && copies_[source];
  }
  [[nodiscard]] bool sends_to_itself(const Strand& strand) const {
    return is_copy(strand.rank, static_cast<std::uint32_t>(strand.operation.peer));
  }
  void enter_send(std::uint32_t index);
  void post_own_send(std::uint32_t index);
  void enter_receive(std::uint32_t index);
  void enter_send_receive(std::uint32_t index);
  void enter_transfer(std::uint32_t index);
  void post_transfer(std::uint32_t index);
  double copy_s(double bytes);
  void enter_storage(std::uint32_t index);
  void enter_probe(std::uint32_t index);
  void enter_wait(std::uint32_t index);
  void forget(std::uint32_t index);
  [[nodiscard]] bool valid_peer(const Strand& strand, int peer, PeerRole role);
  [[nodiscard]] bool is_detached(const trace::Operation& operation) const;
  [[nodiscard]] MatchKey user_key(const trace::Operation& operation, std::uint32_t destination, std::uint32_t source,
                                  int tag) const;
  std::uint32_t post_send(const MatchKey& key, double bytes, bool detached, bool synchronous = false);
  std::uint32_t post_receive(const MatchKey& key);
  void meet(std::uint32_t send, std::uint32_t receive);
  void start_flow(std::uint32_t send);
  void arrive(std::uint32_t send);
  void complete(std::uint32_t request);
  void consume(std::uint32_t index, std::uint32_t request);
  void wait_for(std::uint32_t index, std::uint32_t request);
  void begin_wait(std::uint32_t index);
  void deliver(std::uint32_t request);
  void name_request(std::uint32_t rank, std::uint32_t id, std::uint32_t request);
  void wake(std::uint32_t index);
  void wake_probes(const MatchKey& key);

  // engine_polls.cpp
  double begin_poll(std::uint32_t index, const std::optional<base::Seconds>& given);
  void enter_poll(std::uint32_t index);
  void book_poll(const Strand& strand);
  [[nodiscard]] std::vector<GivenPolls> costly_polls(base::Seconds time) const;

  // engine_channels.cpp
  void use_channels();
  [[nodiscard]] bool goes_at_once(double bytes) const;
  [[nodiscard]] double call_alone(std::uint32_t rank, double alone) const;
  [[nodiscard]] double right_behind(double alone) const;
  double called(std::uint32_t rank, double time);
  double time_of_call(std::uint32_t rank, double alone);
  void send_parcel(const ChannelPlay::Parcel& parcel, double payload, bool report_left);
  void announce(std::uint32_t send);
  void advance_channels();
  [[nodiscard]] bool reads(std::uint32_t rank) const;
  [[nodiscard]] double reading_cost(const ChannelPlay::Notice& notice, bool further);
  [[nodiscard]] double written_at_once(double bytes) const;
  [[nodiscard]] double writing_after(const ChannelPlay::Notice& notice) const;
  void read_on(std::uint32_t rank, bool awake = false);
  void begin_reading(std::uint32_t rank);
  void look(std::uint32_t rank);
  void read_until(std::uint32_t rank, ChannelPlay::Inbox::State state, double time);
  bool read_more(std::uint32_t rank);
  void read_inbox(std::uint32_t rank);
  void take_in(std::uint32_t rank);
  void handle(const ChannelPlay::Notice& notice);
  void offer(std::uint32_t send);
  void meet_on_channel(std::uint32_t send, std::uint32_t receive);
  void send_data(const ChannelPlay::Notice& cts);
  void finish_data(const ChannelPlay::Parcel& data);

  // engine_collectives.cpp
  void enter_collective(std::uint32_t index);
  [[nodiscard]] std::unique_ptr<SchedulePlay> plan(const Strand& strand);
  const collective::NodeLayout* nodes_of(Communicators::Entry& entry, const trace::Communicator& communicator) const;
  void play(std::uint32_t index);
  bool play_step(std::uint32_t index, const collective::Step& step);
  [[nodiscard]] double posting_s(const collective::Step& step) const;
  void post_step(std::uint32_t index);
  void add_open_step(std::uint32_t index, std::uint32_t request);
  bool finish_steps(std::uint32_t index, collective::StepKind which);
  bool finish_second_step(std::uint32_t index);
  bool wait_for_steps(std::uint32_t index, collective::StepKind which);
  bool deliver_step(std::uint32_t index, std::uint32_t request);
  void finish_schedule(std::uint32_t index);
  std::uint32_t peer_of_step(const Strand& strand, int peer);

  // engine_closed_form.cpp
  const collective::Wire& wire_of(Communicators::Entry& entry, const trace::Communicator& communicator) const;
  bool meet_in_closed_form(std::uint32_t index, const Strand& owner, const SchedulePlay& play);

  // engine_result.cpp
  void say(Problem problem);
  void say_of(const Strand& strand, Problem problem);
  [[nodiscard]] Problem blocked(const Strand& strand) const;
  void report_blocked();
  Prediction conclude();

  trace::Timelines& timelines_;
  const platform::Platform& platform_;
  const platform::Placement& placement_;
  const Options& options_;
  Progress* progress_;

  double now_ = 0;
  network::FlowNetwork network_;
  std::unique_ptr<ChannelPlay> channels_; // instead, where messages keep their order
  std::vector<bool> copies_;              // [rank]: its messages to itself cross no link
  Cores cores_;
  std::unique_ptr<Company> company_; // only with slowdowns
  EventQueue queue_;
  Account account_;
  Communicators communicators_;
  Meetings meetings_; // of collectives by closed formulas
  std::vector<Meetings::Release> released_;
  RequestPool requests_;
  Matching matching_;
  network::FlatMap<std::uint64_t, std::uint32_t> named_;                      // rank << 32 | the timeline's request id -> request
  network::FlatMap<MatchKey, std::vector<std::uint32_t>, MatchHash> probing_; // strands
  Strands strands_;                                                           // timelines first, then non-blocking collectives
  std::vector<std::uint32_t> free_strands_;
  std::vector<std::uint64_t> ready_; // rank << 32 | strand, of those that go on at this instant
  std::vector<std::uint64_t> running_;
  std::vector<network::FlowNetwork::Token> arrived_;
  std::vector<std::uint32_t> soon_;        // sends of messages that arrive soon
  base::Sight<std::uint32_t, 4> arriving_; // the last of them
  std::uint64_t operations_ = 0;
  std::uint64_t messages_ = 0;
  std::vector<Problem> problems_;
  std::uint64_t more_problems_ = 0;
  std::set<Problem> said_;
  bool complete_ = true;
  bool one_sided_ = false;    // there were transfers
  bool self_assumed_ = false; // messages of a rank to itself took a time that nobody measured
  bool files_as_measured_ = false;
  double last_event_ = 0;
};

} // namespace farcast::sim
