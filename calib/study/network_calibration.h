// What the network probe measured, as parameters of farcast's two message models, with how good
// they are.
//
// ProbeOutput -> NetworkCalibration, per class of pair (same cache ... other node), and of a rank
// to itself. Units SI; sizes are the program's bytes, without envelope or headers. How the
// parameters follow (bounds and special cases stand at the functions):
// 1. Eager limit: by the probe, to the byte, from sends to a receiver that is not in MPI.
// 2. os, ois, or: sections through how long the calls take; `or` of eager sizes alone, for only
//    those meet a message that is there.
// 3. Half a ping-pong less os and or is the network's part: sections with a break at the eager
//    limit. Of base a and slope b,
//      LF * latency = a - 16 b,   BF * bandwidth = 1 / b
//    hold T = LF (s+16) latency + (s+16) / (BF (s+16) bandwidth) exactly; 16 is SimGrid's envelope,
//    boundaries are strict.
// 4. Bandwidth is the wire's: of the last section, plus the headers of full packets where the
//    kernel tells of TCP.
// 5. Latency is the wire's: half the kernel's own round-trip time, without any process in it, less
//    what the headers take of the links. What else the network's part of an empty message takes is
//    the wake-up latency of a process that waits. Where the kernel knows nothing, latency is all of
//    it and the wake-up 0.
// 6. A message of a rank to itself crosses no network: sections through all that it takes, to the
//    end of both calls. Likewise what a rank reduces or copies by itself.
// Source: Heinrich17 IV-B; SimGrid 3.32's SMPI model. Threads: pure functions.
#pragma once

#include "calib/fit/piecewise.h"
#include "calib/study/curves.h"
#include "calib/study/probe_output.h"
#include "predictor/platform/platform.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace farcast::study {

// Bytes of a packet beyond IP: Ethernet header 14, checksum 4, preamble 8, gap 12.
inline constexpr double kFrameOverhead = 38.0;

inline constexpr double kEnvelopeBytes = 16.0; // SimGrid adds it to each message

struct FactorLine {
  double above_bytes; // of message and envelope; strict
  double factor;      // > 0
};

// What the kernel knows of the connection.
struct TcpFigures {
  double payload_bytes = 0.0; // of a full packet
  double path_mtu = 0.0;
  double least_rtt_s = 0.0;  // of the library's connection; 0: unknown
  double round_trip_s = 0.0; // of a byte between kernels, without processes: the lower quartile; 0: unknown
};

// What several flows at once take per byte, against one alone: latency, which they do not share, is
// out of it. By the median of the slopes between all bulk samples (Theil 1950, Sen 1968).
struct Contention {
  std::string kind; // "both", "both-slow", "many-to-one", "one-to-many", "pairs"
  int messages = 0; // at once
  double slowdown = 0.0;
  std::size_t samples = 0;
};

// What a call takes per byte of bulk data: the median of the slopes between all samples of a batch
// (Theil 1950, Sen 1968). Its base is the reading of an answer, and what all calls take.
struct BulkCall {
  fit::Estimate per_byte_s; // 0: not measured
  std::size_t samples = 0;
};

struct PairCalibration {
  std::string name;  // class
  std::string where; // which ranks and hosts
  double eager_limit = 0.0;
  bool rendezvous_seen = false; // false: every size up to the largest was eager
  Curve one_way, send, isend, receive, network;
  std::vector<OverheadLine> send_overhead, isend_overhead, receive_overhead;
  double latency_s = 0.0;          // one way
  double bytes_per_second = 0.0;   // of the wire
  double payload_per_second = 0.0; // of large messages
  double wakeup_latency_s = 0.0;
  // 95 % intervals, by the scatter between the run's batches (fit/batches.h).
  fit::Estimate start_s;                   // one way of an empty message, by extrapolation of the first section
  fit::Interval bytes_per_second_interval; // of bytes_per_second: by the section that this comes from
  std::vector<FactorLine> latency_factor, bandwidth_factor;
  std::optional<TcpFigures> tcp;
  BulkCall bulk_write, bulk_read; // of the call that writes a rendezvous message's data, and of the one that reads what has come
  fit::Estimate cold_call_s;      // how much longer a small isend takes alone than right behind another; 0: not measured
  fit::Estimate message_gap_s;    // between small messages in flight to one peer; 0: not measured
  std::vector<Contention> contention;
};

struct NetworkCalibration {
  std::vector<PairCalibration> pairs; // from near to far; at least one
  Curve self;                         // messages of a rank to itself; without samples: not measured
  std::vector<OverheadLine> self_message;
  Curve reduction;        // MPI_Reduce_local inside a rank; without samples: not measured
  Curve copy;             // likewise
  fit::Estimate iprobe_s; // fruitless; 0: not measured
  fit::Estimate test_s;
  int batches = 0; // that the measurement was held in; 0: the probe does not know any
  int cores = 1;   // of the node of rank 0
  int hosts = 1;
  int ranks = 2;
  std::map<std::string, std::size_t> samples; // [kind of measurement]
  std::string mpi;                            // as the library names itself
  platform::TransportKind transport{};
  std::vector<std::string> notes; // sentences: what was not measured or not fitted

  // Returns: the class that the platform's links are made of: the farthest.
  [[nodiscard]] const PairCalibration& main_pair() const { return pairs.back(); }
  // Returns: the farthest class within a node; nullptr: no node had two ranks.
  [[nodiscard]] const PairCalibration* pair_within_node() const;
};

// Errors: too few samples, or none of any class; one sentence.
base::Result<NetworkCalibration> calibrate_network(const ProbeOutput& output);

// Returns: seconds of a message by SimGrid's model with these factors, without overheads.
double factor_time(const PairCalibration& pair, double bytes);

} // namespace farcast::study
