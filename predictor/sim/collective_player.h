// Collectives: the schedule of each member (collective::build), played as messages that nothing
// else can match.
//
// Local reductions and copies take what the platform says of them (platform.h: reduction, copy).
// With Options::collectives.closed_form those of one group take a formula's time instead
// (meetings.h). Non-blocking collectives progress by themselves (SimGrid's rule), on a strand
// beside their rank's. Threads: none; one owner.
#pragma once

#include "predictor/sim/communicators.h"
#include "predictor/sim/meetings.h"
#include "predictor/sim/messages.h"
#include "predictor/sim/power_saving.h"
#include "predictor/sim/problem_list.h"
#include "predictor/sim/send_overhead.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace farcast::sim {

class CollectivePlayer {
public:
  CollectivePlayer(const Setting& setting, Scheduler& scheduler, Requests& requests, Messages& messages,
                   const MessageLayer& layer, SendOverhead& overhead, PowerSaving& saving, ProblemList& problems);

  // A strand enters its operation's call, blocking or not.
  void enter(std::uint32_t strand);
  // Plays steps until one of them takes time or has to wait.
  void play(std::uint32_t strand);
  // The overhead of the send step at hand is paid.
  void post_step(std::uint32_t strand);

  // Adds which collectives were played as messages where formulas were asked for.
  void say(Prediction& prediction) const;

private:
  [[nodiscard]] std::unique_ptr<SchedulePlay> plan(const Strand& strand);
  void enter_beside(const Strand& strand, std::unique_ptr<SchedulePlay> play);
  const collective::NodeLayout* nodes_of(Communicators::Entry& entry, const trace::Communicator& communicator,
                                         trace::CollectiveKind kind) const;
  const collective::Wire& wire_of(Communicators::Entry& entry, const trace::Communicator& communicator) const;
  bool meet_in_closed_form(std::uint32_t strand, const SchedulePlay& play, int root);
  bool play_step(std::uint32_t strand, const collective::Step& step);
  bool send_step(std::uint32_t strand, const collective::Step& step);
  bool receive_step(std::uint32_t strand, const collective::Step& step);
  bool local_step(std::uint32_t strand, const platform::Overhead& takes, double bytes);
  bool work(std::uint32_t strand);
  void finish(std::uint32_t strand);
  void tell(const Strand& strand) const;
  std::uint32_t peer_of(const Strand& strand, int peer);

  const Setting& setting_;
  collective::Selection selection_; // what is asked for, and what the policy takes
  Scheduler& scheduler_;
  Requests& requests_;
  Messages& messages_;
  const MessageLayer& layer_;
  SendOverhead& overhead_;
  PowerSaving& saving_;
  ProblemList& problems_;
  Communicators communicators_;
  Meetings meetings_; // of those by closed formulas
  std::vector<Meetings::Release> released_;
  std::array<bool, collective::kKinds> as_messages_{}; // [kind] some call had no formula
};

} // namespace farcast::sim
