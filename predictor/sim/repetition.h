// Rounds that repeat: what the engine remembers of an earlier moment, to see that the present one is the same, only later.
//
// A deterministic simulation that comes into a state again goes on as it did from there. Rule: when at some moment
//   1. the state is that of an earlier moment, with all times later by the same T (up to rounding, kSame), and
//   2. the operations that each timeline has handed out in between come again n times (trace::Timelines::repeats),
// then the next n rounds are the one in between, shifted. They are not played: times go on by n T, what the round has added to
// the accounts is added n times more, and the timelines leave out its operations n times (engine_repetition.cpp).
//
// Why the state is all there is to compare: a moment is only looked at when nothing is under way in the network, so that neither
// flows nor shares are part of it; it consists of
//   - strands: operation at hand, stage, place in a schedule, times, what they wait for, their next event. A strand that has done
//     nothing since the earlier moment keeps its times (it has ended, or waits since before), and must have no event to come;
//   - requests: those that wait for their other end, in the order of their queues, and those that are complete but were not
//     waited for. Their indexes are names; so are the timelines' numbers of requests (requests_since_mark);
//   - communicators: all members of each have called as many more collectives, so that the calls' numbers are names, too;
//   - what each core does, for its energy; the readers' own state is compared by the timelines.
// A flow that is under way, or a computation that goes on for longer than a round, prevents it: that is a state that changes.
// The order of what happens at one instant is not compared; it hangs on ranks (sim/engine.h).
//
// Not with: ordered channels, company, further threads, non-blocking collectives under way, probes that wait, formulas of
// collectives under way, timelines without mark(). Moments are looked at once for each operation of rank 0.
// Cost: moments are kept and compared only as long as that is a small part of the work (kShare); an earlier moment is given up
// for a later one after 1, 2, 4 ... kLongest looks (Brent's cycle detection). Memory: a copy of strands, requests and accounts.
// Error: what is the same up to kSame may be n times that later after n rounds. Where a period is short against the present time
// (kLong), n is bounded (kAtOnce; then one round is played), so that all of it stays below 1e-12 of the time. A program that
// makes rounding errors grow from round to round keeps its round's: its own prediction is no more exact than these are.
#pragma once

#include "predictor/sim/account.h"
#include "predictor/sim/cores.h"
#include "predictor/sim/request.h"
#include "predictor/sim/strand.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace farcast::sim {

struct Repetition {
  static constexpr double kSame = 4e-15;          // of the present time: far below what the network takes for one instant
  static constexpr double kShortest = 1e3;        // periods of less than this times kSame of the present time are none
  static constexpr double kLong = 4e-3;           // of the present time: a period from which on n is not bounded
  static constexpr std::uint64_t kAtOnce = 250;   // periods that are left out at once, when they are shorter
  static constexpr std::uint64_t kShare = 16;     // of operations and messages, per strand that is looked at
  static constexpr std::uint64_t kAnyMoment = 64; // strands whose looks cost as much as keeping the least moment
  static constexpr std::uint64_t kFree = 64;      // moments, as far as what they cost is free
  static constexpr std::uint32_t kLongest = 256;  // looks
  static constexpr std::size_t kMostTables = 64;  // call sites: more would make a moment large

  struct OfStrand {
    double clock, entered, posted, ready, busy_until, called_until;
    std::uint64_t taken;
    std::uint32_t outstanding;
    Stage stage;
    bool started;
    std::size_t at;
    std::uint32_t open;
    double owed, newest_owed, second_owed;
    collective::StepKind waits;
    trace::Operation operation;
    double event; // when it goes on; none: below 0
  };
  struct OfRequest {
    MatchKey key;
    std::uint32_t place; // in its queue; kNone: complete
    std::uint32_t rank;  // whose timeline has named it; kNone: none has
    std::uint32_t name;  // its number there
    std::uint32_t index; // not compared
    std::uint32_t strand;
    std::uint32_t flags;
    double bytes, reply, overhead, ready;
  };

  // The earlier moment.
  bool there = false;
  double now = 0;
  std::vector<OfStrand> strands;
  std::vector<std::uint64_t> ready; // Engine::ready_, sorted
  std::vector<OfRequest> requests;  // sorted
  std::vector<CoreState> cores;
  std::optional<Account> account;
  std::optional<energy::PowerMeter> meter;
  std::uint64_t operations = 0;
  std::uint64_t messages = 0;
  std::uint64_t problems = 0;

  // Of the comparison at hand.
  std::vector<bool> moved; // [strand] its times are later; otherwise it has done nothing
  std::vector<OfRequest> requests_now;
  std::vector<std::uint32_t> requests_moved;

  std::uint64_t seen = 0; // operations of rank 0 at the last look
  std::uint64_t spent = 0;
  std::uint32_t looks = 0; // since the earlier moment was kept
  std::uint32_t window = 1;
};

} // namespace farcast::sim
