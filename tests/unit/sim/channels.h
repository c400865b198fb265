// What the tests of ordered channels share: a platform whose calls take no time of their own, and
// what messages take then.
#pragma once

#include "predictor/network/channel_protocol.h"
#include "unit/sim/scenario.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

namespace scenario {

inline constexpr double kWakeup = 10e-6;
inline constexpr sim::TransportUse kInCalls{sim::MessageModel::channel, sim::ProgressRule::in_call, 0};
inline constexpr double kSmall = 1000;
inline constexpr double kBulk = 4e6;
inline constexpr double kTail = 25240; // of kBulk, behind 61 segments of 45 packets that the receiver has read as they came
inline constexpr double kWay = 2 * kLatency;

inline Approx near(double value) { return Approx(value).epsilon(1e-9).margin(0); }

// Overheads of calls and slow start are left out, so that times are the network's alone.
inline platform::Platform connected(int hosts, platform::TransportKind kind = platform::TransportKind::tcp_openmpi) {
  platform::Platform result = flat(hosts);
  result.p2p.send_overhead.clear();
  result.p2p.isend_overhead.clear();
  result.p2p.receive_overhead.clear();
  result.transport.kind = kind;
  result.transport.wakeup_latency = Seconds(kWakeup);
  result.transport.first_window = 0;
  return result;
}

// What `bytes` on the connection take of the link.
inline double leaving(double bytes) { return (bytes + std::max(1.0, std::ceil(bytes / 1448)) * 90) / kBandwidth; }
// What its first packet takes of the second link of the way, on which the rest follows it.
inline double handed_on(double bytes) { return leaving(std::min(bytes, 1448.0)); }
// From the sending of a control message until the other side has read it.
inline double heard(double bytes) { return leaving(bytes) + handed_on(bytes) + kWay + kWakeup; }
// The data and `fin`, which follows in the same queues.
inline double heard_all(double bytes) { return leaving(24 + bytes) + handed_on(24 + bytes) + leaving(32) + kWay + kWakeup; }

inline double rendezvous(double bytes) { return heard(40) + heard(64) + heard_all(bytes); }

// With all connections open.
inline sim::Prediction play_with(Program& program, const platform::Platform& platform, sim::Options options) {
  program.rewind();
  options.preconnected = true;
  return sim::predict(program, platform, one_per_host(program.ranks()), options);
}

// Rank 1 reads rank 0's request to send together with a small message, before it posts its own: so
// its answer goes first, and rank 0's answer finds rank 0's bulk data before it (seen with Open MPI
// 4.1.4 after a barrier of two ranks).
inline void write_skewed_exchange(Program& program) {
  program.all_init();
  program.rank(0).send(1, 0, 1).ireceive(1, 1).isend(1, kBulk, 2).wait({1}).wait({2});
  program.rank(1).receive(0, 1).ireceive(0, 1).isend(0, kBulk, 2).wait({1}).wait({2});
  program.all_finalize();
}

} // namespace scenario
