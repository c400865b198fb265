// The virtual cluster: hosts, cores, links, routes, power, and the parameters of the point-to-point
// model.
//
// Built by platform/simgrid_xml.h (files) or platform/builtin.h (names); read by network/, energy/,
// sim/ and report/. Plain data after construction: const access from many threads at once.
// Source of the terms: SimGrid platform XML 4.1; Heinrich17 section IV.
#pragma once

#include "predictor/base/units.h"
#include "predictor/model/block_formulas.h"
#include "predictor/model/logp_network.h"
#include "predictor/model/thread_formulas.h"
#include "predictor/platform/ids.h"
#include "predictor/platform/topology.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farcast::platform {

enum class Sharing : std::uint8_t {
  shared,  // concurrent flows divide the bandwidth
  fatpipe, // every flow may use the full bandwidth
};

struct Link {
  std::string name;
  base::BytesPerSecond bandwidth;
  base::Seconds latency;
  Sharing sharing = Sharing::shared;
};

// What a link draws, with a switch's port and the like: linear in its load (SimGrid's link_energy
// plugin, wattage_range).
struct LinkPower {
  base::Watts idle; // nothing to carry
  base::Watts busy; // all of its bandwidth in use
};

// Power of one node, by how many of its cores are busy and with what (Heinrich17 eq. (1); SimGrid
// wattage_per_state).
// P(node) = idle                                             when no core is active
//         = static_active + sum over active cores of per-core dynamic power  otherwise
struct NodePower {
  base::Watts idle;            // no core active
  base::Watts static_active;   // at least one core active: the part that does not depend on how many (SimGrid "Epsilon")
  base::Watts all_computing;   // the whole node with all cores computing
  base::Watts all_polling;     // the whole node with all cores polling inside blocking MPI calls
  base::Watts all_probing;     // the whole node with all cores in MPI_Iprobe / MPI_Test loops
  bool polling_assumed = true; // true: not measured; taken from another state (the report says so)
  std::optional<base::Watts> all_memory{}; // the whole node with all cores bound by memory; unset: no figure of its own
};

// Where files are: how fast one node's disk, or a file server, gives and takes bytes. Reads do not
// slow writes down.
struct Disk {
  base::BytesPerSecond read;  // Proficz16 R_disk
  base::BytesPerSecond write; // Proficz16 W_disk
};

// One state of a processor (SimGrid: pstate).
struct ProcessorState {
  base::FlopsPerSecond speed;           // of one core
  std::optional<base::Hertz> frequency; // farcast:frequencies; unset: not named
  std::optional<NodePower> power;       // of the whole node; unset: no figures
};

// How collectives may save power (Kandalla10): what changing a core's state costs, and what it
// draws when it is throttled. Defaults are readings of the paper, model/collective_power.h.
struct PowerSaving {
  int sockets = 0;                            // farcast:sockets: throttled whole; 0: not said
  base::Seconds dvfs_latency{15e-6};          // farcast:dvfs_latency: O_dvfs; printed: 10 to 15 us
  base::Seconds throttle_latency{15e-6};      // farcast:throttle_latency: O_throttle; printed likewise
  std::array<double, 2> throttled{0.5, 0.12}; // farcast:throttled_shares: c_4, c_7: power against T0
};

// A node with more threads than cores: how long its computations take, and what it draws (Proficz16;
// model/thread_formulas.h).
struct ThreadFormulas {
  model::ThreadTime time;                  // farcast:thread_times
  std::optional<model::ThreadPower> power; // farcast:thread_watts; unset: not known
};

struct Processor {
  std::vector<ProcessorState> states; // in the file's order; not empty
  std::optional<double> clock_share;  // farcast:clock_share: of computing, what the clock rules; unset: not known
  PowerSaving saving{};
  std::optional<ThreadFormulas> threads{};  // unset: no more ranks than cores
  std::optional<model::LogpNetwork> logp{}; // farcast:logp: the network that the host is reached by; unset: not said

  // Returns: the clock of a state as a share of the highest one: by frequencies where they are
  // named, else by speeds.
  [[nodiscard]] double clock(std::size_t state) const;
  // Returns: the state with the lowest clock.
  [[nodiscard]] std::size_t slowest() const;
};

struct Host {
  std::string name;
  base::FlopsPerSecond speed; // of one core
  int cores = 1;
  // Speed relative to the machine that the run was recorded on; unset: computation is as fast as
  // measured.
  // It speaks of the processor's first state.
  std::optional<double> relative_speed;
  std::optional<NodePower> power; // unset: energy is unavailable
  std::optional<Disk> disk{};
  int cores_per_cache = 0; // that many neighbouring cores share a cache; 0: unknown
  // All states; `speed` and `power` above are those of the one in use. Null: there is one. Shared
  // by hosts that are alike.
  std::shared_ptr<const Processor> processor{};
  std::size_t state = 0;                     // in use
  std::optional<base::Hertz> failure_rate{}; // of the host (model/failures.h); unset: not known
};

// Returns: the host's formulas where it has more ranks than cores (add_threads() of placement.h); null
// elsewhere.
inline const ThreadFormulas* threads_beyond_cores(const Host& host) {
  if (host.processor == nullptr || !host.processor->threads) return nullptr;
  const ThreadFormulas& threads = *host.processor->threads;
  return host.cores > threads.time.low_threads ? &threads : nullptr;
}

// Piecewise-constant factor of the message size. A section applies to sizes strictly above its
// boundary (size <= boundary takes the section below), as in SimGrid.
struct FactorSection {
  double above_bytes; // 0 for the first section, ascending
  double factor;
};
using Factor = std::vector<FactorSection>;

// Piecewise-linear cost of a call: base + per_byte * size for sizes strictly above the boundary
// (SimGrid smpi/os, ois, or).
struct OverheadSection {
  double above_bytes;
  double base_s;
  double per_byte_s;
};
using Overhead = std::vector<OverheadSection>;

// Factors of messages that stay near; an empty one: as everywhere.
struct NearFactors {
  Factor latency;
  Factor bandwidth;
};

// Parameters of SimGrid's SMPI point-to-point model; defaults are those of SimGrid 3.32.
struct PointToPoint {
  Factor latency_factor;
  Factor bandwidth_factor;
  NearFactors same_cache;                        // of two cores of a host that share a cache (Host::cores_per_cache)
  NearFactors same_node;                         // of a host to itself
  NearFactors same_switch;                       // of two hosts with no more than two links between them
  Overhead send_overhead;                        // os: paid by blocking sends
  Overhead isend_overhead;                       // ois: paid by non-blocking sends
  Overhead receive_overhead;                     // or: paid by receives that meet a detached (eager) send
  double detached_below_bytes = 65536;           // smpi/send-is-detached-thresh: smaller sends return at once
  double eager_flow_below_bytes = 0;             // smpi/async-small-thresh: smaller messages travel before the receive is posted
  double envelope_bytes = 16;                    // added to each message's size
  double tcp_gamma = 4194304;                    // network/TCP-gamma: window; bandwidth <= gamma / (2 * latency); 0: no limit
  double weight_s = 8775;                        // network/weight-S
  bool crosstraffic = true;                      // network/crosstraffic: weight 0.05 on the way back
  std::optional<base::Seconds> iprobe_cost;      // smpi/iprobe: of one MPI_Iprobe; unset: as measured, kSimGridPoll in replays
  std::optional<base::Seconds> test_cost;        // smpi/test: likewise of one MPI_Test and its like
  base::BytesPerSecond loopback_bandwidth{10e9}; // network/loopback-bw: of a host to itself where the platform gives no link
  base::Seconds loopback_latency{0.0};           // network/loopback-lat
  // What a message of a rank to itself takes in all, a copy: farcast:self_message; empty: not
  // known.
  Overhead self_message;
  bool measured = false; // by `farcast calibrate network`: an empty message's overheads are those of the smallest ones
  // What collectives do beside messages: bytes reduced by MPI_Reduce_local, or copied;
  // farcast:reduction, farcast:copy. Empty: 0, as in SimGrid.
  Overhead reduction;
  Overhead copy;
};

// What SimGrid 3.32 takes for smpi/iprobe and smpi/test where nobody says: a placeholder, no figure
// of any machine.
inline constexpr base::Seconds kSimGridPoll{1e-4};

// Returns: the parameters of SimGrid 3.32's default network model (SMPI), without what it assumes
// of polls.
PointToPoint simgrid_defaults();
// Returns: the factor of the section that `bytes` falls into. Requires: a non-empty factor.
double factor_at(const Factor& factor, double bytes);
// Returns: what a message of a rank to itself takes that crosses no link: as measured, or as
// SimGrid has it for hosts of which the file gives no way to themselves (network/loopback-bw,
// -lat).
base::Seconds self_message_at(const PointToPoint& p2p, double bytes);
// Returns: the overhead at `bytes`; zero for an empty list.
base::Seconds overhead_at(const Overhead& overhead, double bytes);
// The same of a message: SimGrid lets an empty one pay nothing, and so do all files but measured ones.
base::Seconds message_overhead_at(const PointToPoint& p2p, const Overhead& overhead, double bytes);

// What carries the messages of a pair of processes. Defaults of the sizes: Open MPI 4.1.4, pml/ob1
// over btl/tcp over Ethernet.
enum class TransportKind : std::uint8_t {
  smpi,        // independent flows (SimGrid)
  tcp_openmpi, // one connection per pair, everything on it in order
  rdma,        // as tcp_openmpi, but control messages pass bulk data
};
inline constexpr std::array kTransports{TransportKind::smpi, TransportKind::tcp_openmpi, TransportKind::rdma};
// Returns: the name in platform files.
constexpr std::string_view name_of(TransportKind kind) {
  return kind == TransportKind::smpi ? "smpi" : kind == TransportKind::rdma ? "rdma" : "tcp-openmpi";
}
// When a rank advances a protocol: only inside calls that wait (real libraries over TCP), or
// whenever it can (SimGrid).
enum class ProgressRule : std::uint8_t { in_call, async };

struct Transport {
  TransportKind kind = TransportKind::smpi;
  std::optional<ProgressRule> progress; // unset: in-call with channels; smpi is always async
  double eager_limit = 65536 - 56;      // btl_tcp_eager_limit less the largest ob1 header; larger messages are rendezvous
  double eager_header = 22;             // bytes written besides an eager message's: btl header 8, match header 14
  double rts_bytes = 40;                // request to send: btl header 8, rendezvous header 32
  double cts_bytes = 64;                // clear to send: btl header 8, put header 56
  double data_header = 24;              // before bulk data: btl header 8, segment 16
  double fin_bytes = 32;                // bulk data is complete: btl header 8, fin header 24
  double packet_payload = 1448;         // of a TCP packet: 1500 less IP 20, TCP 20, time stamps 12; 0: no packets
  double packet_overhead = 90;          // those 52, Ethernet header 14, checksum 4, preamble 8, gap 12
  double socket_buffer = 8388608;       // net.ipv4.tcp_wmem: what a sender can leave to its kernel (btl_tcp_sndbuf 0: automatic)
  double first_window = 10;             // packets that a new connection sends before it is answered (initcwnd; RFC 6928); 0: all
  double bulk_write_s = 0;              // per byte, of the call that writes bulk data; 0: what os says
  double bulk_read_s = 0;               // per byte, of the calls that read it; 0: what `or` says
  base::Seconds cold_call{0.0};      // how much longer a call that posts a send takes than one right behind another (in os, ois)
  base::Seconds wakeup_latency{0.0}; // from the arrival at a process that waits to its answer; the ping-pong gives it
  // Of calls that wait by blocking (--mpi-wait block; Kandalla10 II-C prints no figures): how long
  // they poll first, and what an interrupt and the scheduler take to wake a process whose core
  // sleeps. Assumed: 50 us, an exit from a deep idle state of a server's core.
  base::Seconds blocking_spin{0.0};
  base::Seconds blocking_wakeup{50e-6};
};

// What a message, a collective or an access to a network disk takes by a formula in place of flows.
using BlockFormulas = std::array<std::optional<model::BlockParameters>, model::kBlockCount>; // [model::Block]

// The way of a message between two hosts.
struct Route {
  std::vector<LinkId> links; // in travel order
  base::Seconds latency;     // sum over the links
};

// What virtual machines cost against the nodes themselves, as factors (Balladini13: one per node, or
// one per core).
struct VirtualOverheads {
  double computation = 1.0;   // of its time
  double communication = 1.0; // of the time of messages, collectives by formula and file accesses by formula
  double power = 1.0;         // of the nodes' watts
};

// Standard errors of figures that were calibrated (uncertainty.h); 0 and empty: not known.
struct OverheadError { // of one section
  double above_bytes;
  double base_s;
  double per_byte_s;
  double correlation; // of these two
};
using OverheadErrors = std::vector<OverheadError>;
struct WattErrors { // of the fields of NodePower, as shares of them
  double idle = 0;
  double static_active = 0;
  double computing = 0;
  double polling = 0;
  double probing = 0;
  double memory = 0;
};
struct Uncertainty {
  double bandwidth = 0; // of all links' rates, as a share
  double latency = 0;   // likewise
  double bulk_write_s = 0;
  double bulk_read_s = 0;
  double cold_call_s = 0;
  OverheadErrors send_overhead, isend_overhead, receive_overhead, self_message, reduction, copy;

  std::optional<WattErrors> watts{}; // of all nodes, which are taken to be off alike
  double clock_share = 0;            // of Processor::clock_share
  double relative_speed = 0;         // of Host::relative_speed, as a share

  [[nodiscard]] bool network_known() const { return bandwidth > 0 || latency > 0 || !send_overhead.empty(); }
  [[nodiscard]] bool any() const { return network_known() || watts || clock_share > 0 || relative_speed > 0; }
};

struct Platform {
  std::string name;        // built-in name, or the path of the file
  std::string description; // one line
  std::string source;      // where the figures come from
  std::vector<Host> hosts;
  std::vector<Link> links;
  std::map<LinkId, LinkPower> link_power; // of links that have figures; none of them is a fat pipe
  PointToPoint p2p;
  Transport transport;
  Uncertainty uncertainty{};
  VirtualOverheads virtualization{}; // farcast:virtualization; all figures but the speeds of computation have them already
  BlockFormulas blocks{};            // farcast:block_p2p and so on; unset: not known
  std::vector<std::pair<std::string, std::string>> provenance; // what a calibration says about its figures, name and value
  std::vector<std::string> warnings;                           // what the file asked for and is not modelled

  std::optional<base::FlopsPerSecond> measuring_speed; // smpi/host-speed: of the machine that the run was recorded on
  std::optional<HostId> storage_host;                  // whose disk has all files; unset: each host's own. It has a disk.

  Topology topology; // where the hosts stand, and the ways between them

  // Requires: src, dst < hosts.size(); there is a way (check_routes in reachability.h; place()
  // holds it).
  [[nodiscard]] Route route(HostId src, HostId dst) const;
  [[nodiscard]] bool has_power() const; // every host has figures
  // Returns: the host whose disk has the files of `host`; nullopt: nothing is known of them.
  [[nodiscard]] std::optional<HostId> storage_of(HostId host) const {
    if (storage_host) return storage_host;
    return hosts[host].disk ? std::optional(host) : std::nullopt;
  }
};

} // namespace farcast::platform
