#include "predictor/platform/placement.h"

#include "predictor/platform/hostfile.h"
#include "predictor/platform/reachability.h"
#include "predictor/platform/text_file.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

namespace farcast::platform {

namespace {

int cpus_of(const PlacementRequest& request) {
  return std::max(1, request.cpus_per_rank > 0 ? request.cpus_per_rank : request.cpus_seen);
}

// " of 2 cores each": nothing where each rank has one.
std::string of_cores(int cpus) { return cpus > 1 ? fmt::format(" of {} cores each", cpus) : ""; }

// Where the number comes from when nobody asked for it.
std::string as_seen(const PlacementRequest& request, int cpus) {
  if (request.cpus_per_rank > 0 || request.cpus_seen <= 1) return "";
  if (cpus >= request.cpus_seen) return " (as many as their threads used; --cpus-per-rank says otherwise)";
  return fmt::format(" (their threads used {} cores, for which there is no room)", request.cpus_seen);
}

bool has_threads(const Host& host) { return host.processor != nullptr && host.processor->threads; }

// The slots that ranks of so many cores may fill, in the order in which they are filled; a host may
// be there several times. `hostfile`: what it says, if there is one.
base::Result<std::vector<HostSlots>> slots_of(const Platform& platform, const PlacementRequest& request,
                                              std::string_view hostfile, int cpus) {
  if (!request.hostfile.empty()) return parse_hostfile(hostfile, request.hostfile, platform, cpus);
  std::vector<HostSlots> slots;
  for (HostId host = 0; host < platform.hosts.size(); ++host)
    slots.push_back(
        {host, std::max(platform.hosts[host].cores / cpus, has_threads(platform.hosts[host]) ? request.ranks_per_node : 0)});
  return slots;
}

// Hands out cores: the next free ones of a host, up to a limit per host.
class Cores {
public:
  Cores(const Platform& platform, Placement& placement) : used_(platform.hosts.size(), 0), placement_(placement) {}

  void take(HostId host) {
    placement_.host_of.push_back(host);
    placement_.core_of.push_back(used_[host]++ * placement_.cpus_per_rank);
  }
  [[nodiscard]] int used(HostId host) const { return used_[host]; }
  [[nodiscard]] std::pair<int, int> fewest_and_most() const { // over the used hosts
    std::pair<int, int> range{0, 0};
    for (const int count : used_) {
      if (count > 0) {
        range = {range.first == 0 ? count : std::min(range.first, count), std::max(range.second, count)};
      }
    }
    return range;
  }
  [[nodiscard]] std::int64_t used_hosts() const {
    return std::count_if(used_.begin(), used_.end(), [](int count) { return count > 0; });
  }

private:
  std::vector<int> used_; // [host] ranks placed on it
  Placement& placement_;
};

// One entry per host, in order of first appearance, with all its slots: what a round robin walks over.
std::vector<HostSlots> merged(const std::vector<HostSlots>& slots, std::size_t hosts) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> index(hosts, kNone);
  std::vector<HostSlots> result;
  for (const HostSlots& entry : slots) {
    if (index[entry.host] == kNone) {
      index[entry.host] = result.size();
      result.push_back({entry.host, 0});
    }
    result[index[entry.host]].slots += entry.slots;
  }
  return result;
}

// Requires: enough slots for all ranks.
void fill_blocks(const std::vector<HostSlots>& slots, int limit, std::size_t ranks, Placement& placement, Cores& cores) {
  for (const HostSlots& entry : slots) {
    for (int slot = 0; slot < entry.slots && cores.used(entry.host) < limit && placement.host_of.size() < ranks; ++slot) {
      cores.take(entry.host);
    }
  }
}

// Requires: enough slots for all ranks.
void fill_round_robin(std::vector<HostSlots> hosts, int limit, std::size_t ranks, Placement& placement, Cores& cores) {
  std::erase_if(hosts, [](const HostSlots& entry) { return entry.slots == 0; });
  while (placement.host_of.size() < ranks) {
    for (const HostSlots& entry : hosts) {
      if (placement.host_of.size() < ranks) {
        cores.take(entry.host);
      }
    }
    std::erase_if(hosts, [&](const HostSlots& entry) { return cores.used(entry.host) >= std::min(entry.slots, limit); });
  }
}

std::string describe(const Platform& platform, const PlacementRequest& request, const Cores& cores, int cpus) {
  const auto [fewest, most] = cores.fewest_and_most();
  const std::string per_node =
      fmt::format("{}{} rank{}{} per node", fewest == most ? "" : "up to ", most, most == 1 ? "" : "s", of_cores(cpus));
  const std::string nodes =
      fmt::format("{} of {} node{}", cores.used_hosts(), platform.hosts.size(), platform.hosts.size() == 1 ? "" : "s");
  std::string text = request.round_robin ? fmt::format("round robin, {}, over {}", per_node, nodes)
                                         : fmt::format("blocks of {} on {}", per_node, nodes);
  if (!request.hostfile.empty()) {
    text += fmt::format(", hosts from {}", request.hostfile);
  }
  return text + as_seen(request, cpus);
}

base::Result<void> check(const Platform& platform, int ranks, const PlacementRequest& request, int cpus) {
  if (ranks < 1) {
    return base::fail(fmt::format("placement: found {} ranks, expected at least 1", ranks));
  }
  if (request.ranks_per_node < 0) {
    return base::fail(fmt::format("placement: found {} ranks per node, expected at least 1", request.ranks_per_node));
  }
  for (const Host& host : platform.hosts) {
    const int most = host.cores / cpus;
    if (request.ranks_per_node > most && (!has_threads(host) || !request.hostfile.empty())) {
      return base::fail(fmt::format(
          "placement: found {} ranks per node{}{}, expected at most {}: host {} of platform {} has {} cores",
          request.ranks_per_node, of_cores(cpus), as_seen(request, cpus), most, host.name, platform.name, host.cores));
    }
  }
  return {};
}

struct Room {
  std::vector<HostSlots> slots;                // in order
  std::vector<HostSlots> hosts;                // merged
  int limit = std::numeric_limits<int>::max(); // ranks of a host
};

// Returns: where ranks of so many cores may go, all of them.
base::Result<Room> room_for(const Platform& platform, int ranks, const PlacementRequest& request, std::string_view hostfile,
                            int cpus) {
  if (const base::Result<void> fine = check(platform, ranks, request, cpus); !fine) return tl::make_unexpected(fine.error());
  base::Result<std::vector<HostSlots>> slots = slots_of(platform, request, hostfile, cpus);
  if (!slots) return tl::make_unexpected(slots.error());
  Room room{std::move(*slots), {}};
  room.hosts = merged(room.slots, platform.hosts.size());
  if (request.ranks_per_node > 0) room.limit = request.ranks_per_node;
  const std::int64_t available =
      std::accumulate(room.hosts.begin(), room.hosts.end(), std::int64_t{0},
                      [&room](std::int64_t sum, const HostSlots& entry) { return sum + std::min(entry.slots, room.limit); });
  if (available >= ranks) return room;
  const std::string where =
      fmt::format("on {} host{} of platform {}{}{}", room.hosts.size(), room.hosts.size() == 1 ? "" : "s", platform.name,
                  request.ranks_per_node > 0 ? fmt::format(" with {} ranks per node", request.ranks_per_node) : "",
                  request.hostfile.empty() ? "" : fmt::format(" with hostfile {}", request.hostfile));
  return base::fail(
      cpus == 1 ? fmt::format("placement: found {} cores {}, expected at least {}, one for each rank", available, where, ranks)
                : fmt::format("placement: found room for {} ranks{}{} {}, expected at least {}", available, of_cores(cpus),
                              as_seen(request, cpus), where, ranks));
}

} // namespace

base::Result<Placement> place(const Platform& platform, int ranks, const PlacementRequest& request) {
  std::string hostfile;
  if (!request.hostfile.empty()) {
    base::Result<std::string> text = read_text_file(request.hostfile, "a hostfile");
    if (!text) return tl::make_unexpected(text.error());
    hostfile = std::move(*text);
  }
  int cpus = cpus_of(request);
  base::Result<Room> room = room_for(platform, ranks, request, hostfile, cpus);
  while (!room && request.fewer_cpus && request.cpus_per_rank == 0 && cpus > 1)
    room = room_for(platform, ranks, request, hostfile, --cpus);
  if (!room) return tl::make_unexpected(room.error());
  Placement placement;
  placement.cpus_per_rank = cpus;
  placement.host_of.reserve(static_cast<std::size_t>(ranks));
  placement.core_of.reserve(static_cast<std::size_t>(ranks));
  Cores cores(platform, placement);
  if (request.round_robin) {
    fill_round_robin(room->hosts, room->limit, static_cast<std::size_t>(ranks), placement, cores);
  } else {
    fill_blocks(room->slots, room->limit, static_cast<std::size_t>(ranks), placement, cores);
  }
  if (const base::Result<void> fine = check_routes(platform, placement.host_of); !fine) {
    return tl::make_unexpected(fine.error());
  }
  placement.description = describe(platform, request, cores, cpus);
  return placement;
}

void add_threads(Platform& platform, const Placement& placement) {
  std::vector<int> threads(platform.hosts.size(), 0); // [host]
  for (std::size_t rank = 0; rank < placement.host_of.size(); ++rank) {
    int& most = threads[placement.host_of[rank]];
    most = std::max(most, placement.core_of[rank] + placement.cpus_per_rank);
  }
  int most = 0;
  const Host* fullest = nullptr;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    Host& host = platform.hosts[i];
    if (threads[i] <= host.cores) continue;
    host.cores = threads[i];
    // The figures of thread_watts are those of the first processor state.
    if (!host.processor->threads->power || host.state != 0) host.power.reset();
    if (threads[i] > most) fullest = &host;
    most = std::max(most, threads[i]);
  }
  if (fullest == nullptr) return;
  const model::ThreadTime& time = fullest->processor->threads->time;
  platform.warnings.push_back(
      fmt::format("nodes have more ranks than cores: {} threads on the {} cores of {} take {:.4g} times as long as on cores of "
                  "their own while "
                  "all of them compute (farcast:thread_times, Proficz16), and {}",
                  most, time.low_threads, fullest->name, model::computation_time(time, 1.0, most) / time.minimum,
                  fullest->power ? "draw by the number of threads, whatever they do (farcast:thread_watts)"
                                 : "what they draw is not known (farcast:thread_watts of the clock in use)"));
}

} // namespace farcast::platform
