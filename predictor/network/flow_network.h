// Messages under way as flows that share the platform's links (SimGrid 3.32's SMPI model).
//
// In: start(source, destination, bytes, token) at ascending times; out: the tokens of the messages
// that arrive, in advance(). With s = bytes + envelope, lat and bw over the links of the route
// there (NetworkCm02Model of SimGrid 3.32):
//   1. a flow first waits LF(s) * sum(lat) and takes no bandwidth; then it shares, with
//   2. penalty = sum(lat) + sum(weight_S / bw)   (1 when sum(lat) is 0),
//      bound   = min(min(bw), gamma / (2 * sum(lat))),   no gamma limit when gamma or the latency is 0,
//      weight 1 on each link there and, with cross-traffic, 0.05 more on each link of the way back;
//   3. it moves BF(s) bytes for each byte of its share: alone it takes LF(s) * sum(lat) + s /
//      (BF(s) * bound).
// Fat pipes limit each flow by itself and are not shared; a flow that meets nothing else is not
// given to the solver: its end is known when it starts. Nor is one that shares while no other flow
// does, unless another begins before its end. LF and BF may be others below one cache, on one node,
// and below one switch (platform.h: NearFactors).
//
// A file's bytes are a flow too: over the disk that has it and, where that is another host's, over
// the way between (without one, neither factors nor envelope). Reads and writes of a disk do not
// share.
//
// All flows of one pair of hosts have the same rate: they form a class, with one clock (bytes that
// each of its flows has been given) and a queue of its flows by the reading at which they end. So a
// change of rates costs one update per class. Instants closer than kInstant * now are one: what
// rounding tears apart is one change, handled once.
// Threads: none; one owner. No global state; the same calls give the same bits.
#pragma once

#include "predictor/base/fetch_ahead.h"
#include "predictor/base/flat_map.h"
#include "predictor/network/delay_queue.h"
#include "predictor/network/finish_queue.h"
#include "predictor/network/link_use.h"
#include "predictor/network/max_min.h"
#include "predictor/platform/platform.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace farcast::network {

class FlowNetwork {
public:
  using Token = std::uint32_t;
  static constexpr double kInstant = 2e-12;
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  // `platform` must outlive the network.
  explicit FlowNetwork(const platform::Platform& platform) : FlowNetwork(platform, platform.p2p) {}
  // With other parameters than the platform's; they too must outlive the network.
  FlowNetwork(const platform::Platform& platform, const platform::PointToPoint& p2p);

  // Starts a message of `bytes` payload. Requires: now_s not before any earlier call's; hosts of
  // the platform. same_cache: between cores of one host that share a cache.
  void start(platform::HostId source, platform::HostId destination, double bytes, Token token, double now_s,
             bool same_cache = false);
  // Starts to read bytes of a file, or to write them. Requires: platform.storage_of(host).
  enum class Access : std::uint8_t { read, write };
  void start_access(platform::HostId host, Access access, double bytes, Token token, double now_s);
  // Returns: when the message that `source` has started last arrives at the soonest, whatever else is
  // under way. Before anything else is started or happens.
  [[nodiscard]] double soonest_of_last(platform::HostId source) const {
    const FlowClass& last = classes_[last_of_[source].flow_class];
    const double rate = last.alone_rate > 0 ? last.alone_rate : shares_.bound(last.group);
    return now_ + last.last_delay + (last.last_work > 0 ? last.last_work / rate : 0.0);
  }
  // Returns: when something happens next (a flow begins to share, or arrives); kNever when nothing
  // is under way.
  [[nodiscard]] double next_event();
  // The same, once those flows have begun to share that do so before `until` and before the next
  // message arrives: nobody else hears of them.
  [[nodiscard]] double next_event_before(double until);
  // Lets everything happen that is due at now_s, and appends the tokens of arrived messages.
  // Requires: now_s <= next_event(), except that it may lie before it only when nothing is due.
  void advance(double now_s, std::vector<Token>& arrived) {
    settle();
    now_ = std::max(now_, now_s);
    if (const double tolerance = kInstant * now_; next_due() <= now_ + tolerance) advance_due(tolerance, arrived);
  }
  // Fetches into the cache what the next few events will need, a step further at each call; worth
  // its while only when a lot is under way. Appends to `soon` the tokens of messages that are
  // likely to arrive next.
  void look_ahead(std::vector<Token>& soon);
  // The same for a host that is likely to send next, as it did last: first the memory of that, then
  // what it leads to.
  void fetch_last_of(platform::HostId source) const;
  void fetch_class_of(platform::HostId source) const;
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }
  // From now on calls `watcher` with what each link has carried whenever rates change. Before
  // anything is started.
  void watch(LinkWatcher watcher) { watcher_ = std::move(watcher); }

private:
  struct Pending { // waits out its latency
    std::uint64_t order;
    double work;
    std::uint32_t flow_class;
    Token token;
  };
  struct Ending { // of a flow that shares bandwidth
    double at_clock;
    std::uint64_t order;
    Token token;
    bool operator>(const Ending& other) const {
      return at_clock != other.at_clock ? at_clock > other.at_clock : order > other.order;
    }
  };
  static constexpr Ending kNoEnding{kNever, 0, 0};
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Arrival { // shares nothing with anybody
    std::uint32_t flow_class;
    Token token;
  };
  struct Factors { // of classes; there are few different ones
    const platform::Factor* latency;
    const platform::Factor* bandwidth;
    double envelope_bytes;
    bool operator==(const Factors&) const = default;
  };
  // Two cache lines: what a message asks when it starts, and what changes while its flow is under way.
  struct alignas(64) FlowClass {
    std::uint64_t key = 0;
    double alone_rate = 0; // bytes per second of its flows when they share no link; 0: they do
    double latency = 0;
    platform::HostId source = 0;
    std::uint32_t factors = 0; // in factors_
    // Most messages of a pair are alike: of the last one's bytes, what it moves and how long it
    // waits before.
    double last_bytes = std::numeric_limits<double>::quiet_NaN();
    double last_work = 0;
    double last_delay = 0;
    double lone_rate = 0; // of one flow of it while no other flow shares; 0: not yet known

    alignas(64) double clock = 0; // bytes given to each flow, as of `updated`
    double updated = 0;           // s
    double rate = 0;              // bytes per second
    Ending first = kNoEnding;     // of its flows
    std::uint32_t others = kNone; // heap of the other flows' ends: index into endings_
    MaxMin::Group group = 0;
    std::uint32_t users = 0; // flows that wait or share
    bool touched = false;    // in touched_
    bool idle = false;       // counted in idle_classes_
  };

  // What the flows of a class have in common: where their bytes go, and the disk that they come
  // from or go to.
  struct Way {
    platform::HostId source;
    platform::HostId destination;
    std::optional<Access> access{};
    bool same_cache = false;
    [[nodiscard]] std::uint64_t key() const {
      const std::uint64_t kind = access ? 1 + static_cast<std::uint64_t>(*access) : same_cache ? 3 : 0;
      return kind << 62 | static_cast<std::uint64_t>(source) << 32 | destination;
    }
  };
  // A flow that shares while no other does, and is not given to the solver.
  struct Lone {
    double ends = kNever; // infinity: there is none
    double began = 0;
    double work = 0;
    std::uint64_t order = 0;
    std::uint32_t flow_class = 0;
    Token token = 0;
    bool settled = false; // what began with it has been made one change
  };
  struct Last {                     // a host's last message: most send along few ways
    std::uint64_t key = UINT64_MAX; // of no way
    std::uint32_t flow_class = 0;
  };
  void start_on(const Way& way, double bytes, Token token, double now_s);
  std::uint32_t class_of(const Way& way);
  void describe(std::uint32_t index, const Way& way);
  void describe_message(FlowClass& flow_class, double bytes) const;
  double use_disk(const Way& way);
  void touch(std::uint32_t index);
  void bring_up(FlowClass& flow_class, double now_s) const;
  void add_ending(FlowClass& flow_class, Ending ending);
  void drop_first_ending(FlowClass& flow_class);
  // Requires: settle() has run.
  [[nodiscard]] double next_due() const {
    const double next = std::min({pending_.top_time(), arriving_.top_time(), lone_.ends});
    return finishing_.empty() ? next : std::min(next, finishing_.top_time());
  }
  void advance_due(double tolerance, std::vector<Token>& arrived);
  std::uint32_t index_of(const Factors& factors);
  void begin_sharing(std::uint32_t index, double work, std::uint64_t order, Token token, double now_s);
  void share(std::uint32_t index, double work, std::uint64_t order, Token token, double now_s);
  void share_lone();
  void end_lone(std::vector<Token>& arrived);
  void begin_due(double due);
  void end_flows(std::uint32_t index, double now_s, double tolerance, std::vector<Token>& arrived);
  void settle() {
    lone_.settled = true;
    if (!touched_.empty()) settle_touched();
  }
  void settle_touched();
  void settle_only(std::uint32_t index);
  void tell_loads();
  using FetchWindow = base::FetchWindow<std::uint32_t, 3>; // classes
  void fetch_clock(std::uint32_t index) const { __builtin_prefetch(&classes_[index].clock, 1); }
  bool foresee(FetchWindow& window, std::uint32_t index);
  void foresee_pending();
  void schedule(std::uint32_t index);
  void release(std::uint32_t index);
  void end_alone(double due, std::vector<Token>& arrived);

  const platform::Platform& platform_;
  const platform::PointToPoint& p2p_;
  MaxMin shares_;
  std::vector<FlowClass> classes_;
  std::vector<Factors> factors_;
  std::vector<std::uint32_t> free_classes_;
  std::vector<std::vector<Ending>> endings_; // heaps, of classes that have several flows
  std::vector<std::uint32_t> free_endings_;
  base::FlatMap<std::uint64_t, std::uint32_t> class_index_;
  std::vector<Last> last_of_; // [source]
  std::uint32_t idle_classes_ = 0;
  DelayQueue<Pending> pending_;
  DelayQueue<Arrival> arriving_;
  Lone lone_;
  std::uint64_t sharing_ = 0;      // flows that the solver has
  FinishQueue finishing_;          // of classes
  std::vector<std::uint32_t> due_; // classes of which flows end
  std::vector<std::uint32_t> touched_;
  std::vector<MaxMin::Group> changed_;
  std::vector<MaxMin::Use> uses_; // scratch
  // [host] the solver's link of reading its disk, the one of writing follows; empty: no host has a disk
  std::vector<MaxMin::Link> disk_links_;
  FetchWindow beginning_; // of look_ahead(): flows of theirs begin soon
  FetchWindow ending_;    // or end soon
  LinkWatcher watcher_;
  std::vector<double> loads_; // [link] bytes per second since loaded_since_, for the watcher
  double loaded_since_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t in_flight_ = 0;
  double now_ = 0;
};

} // namespace farcast::network
