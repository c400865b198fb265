// The names of actions and what they mean. ti_trace.md lists their arguments.
//
// Threads: the table is constant.
#pragma once

#include "predictor/base/flat_map.h"
#include "predictor/trace/operation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <type_traits>

namespace farcast::trace {

enum class TiVerb : std::uint8_t {
  compute,
  sleep,
  init,
  finalize,
  location,
  nothing, // SimGrid's own communicator actions: its replay runs everything on MPI_COMM_WORLD
  send,
  isend,
  receive,
  ireceive,
  probe,
  send_receive,
  wait,
  wait_all,
  test,
  collective,
  // Beyond SimGrid.
  start,
  forget,
  put,
  get,
  transfer,
  lock,
  unlock,
  communicator,
  inter_communicator,
};

// [Lock] the kind in the arguments of lock and unlock.
inline constexpr std::array<std::string_view, 4> kTiLocks = {"", "shared", "exclusive", "all"};

// The arguments of a collective.
enum class TiShape : std::uint8_t {
  none,
  work,           // [SECONDS], of a rank's own work in it, its waiting included (Collective::works)
  whole,          // COUNT [ROOT TYPE], ROOT only of rooted ones
  reduction,      // COUNT FLOPS [ROOT TYPE]
  blocks,         // SEND RECEIVE [ROOT TYPE TYPE]
  gather_list,    // SEND R0.. [ROOT TYPE TYPE]
  allgather_list, // SEND R0.. [TYPE TYPE] [displacements]
  scatter_list,   // S0.. RECEIVE [ROOT TYPE TYPE]
  reduce_list,    // R0.. FLOPS [TYPE]
  both_lists,     // BUFFER S0.. BUFFER R0.. [TYPE TYPE]
  neighbors,      // SEND RECEIVE to RANK.. from RANK..
  neighbor_lists, // to RANK:BYTES.. from RANK:BYTES..
};

struct TiAction {
  std::string_view name;
  TiVerb verb = TiVerb::nothing;
  std::string_view function;        // "MPI_Send"
  std::string_view function_beside; // of its non-blocking form: "MPI_Isend"
  SendMode mode = SendMode::standard;
  CollectiveKind kind = CollectiveKind::barrier;
  TiShape shape = TiShape::none;
  bool rooted = false;
};

namespace ti_actions {

using K = CollectiveKind;
using S = TiShape;
using V = TiVerb;
constexpr SendMode kStandard = SendMode::standard;

constexpr TiAction plain(std::string_view name, TiVerb verb, std::string_view function = "") {
  return {.name = name, .verb = verb, .function = function, .function_beside = function};
}
constexpr TiAction sends(std::string_view name, TiVerb verb, std::string_view function, SendMode mode = kStandard) {
  return {.name = name, .verb = verb, .function = function, .function_beside = function, .mode = mode};
}
constexpr TiAction all(std::string_view name, K kind, S shape, std::string_view function, std::string_view beside,
                       bool rooted = false) {
  return {.name = name,
          .verb = V::collective,
          .function = function,
          .function_beside = beside,
          .kind = kind,
          .shape = shape,
          .rooted = rooted};
}

inline constexpr TiAction kActions[] = {
    plain("compute", V::compute),
    plain("sleep", V::sleep),
    plain("init", V::init, "MPI_Init"),
    plain("finalize", V::finalize, "MPI_Finalize"),
    plain("location", V::location),
    plain("comm_size", V::nothing),
    plain("comm_split", V::nothing),
    plain("comm_dup", V::nothing),
    sends("send", V::send, "MPI_Send"),
    sends("ssend", V::send, "MPI_Ssend", SendMode::synchronous),
    sends("Ssend", V::send, "MPI_Ssend", SendMode::synchronous), // as SMPI writes them
    sends("bsend", V::send, "MPI_Bsend", SendMode::buffered),
    sends("rsend", V::send, "MPI_Rsend", SendMode::ready),
    sends("isend", V::isend, "MPI_Isend"),
    sends("issend", V::isend, "MPI_Issend", SendMode::synchronous),
    sends("ISsend", V::isend, "MPI_Issend", SendMode::synchronous),
    sends("ibsend", V::isend, "MPI_Ibsend", SendMode::buffered),
    sends("irsend", V::isend, "MPI_Irsend", SendMode::ready),
    plain("recv", V::receive, "MPI_Recv"),
    plain("irecv", V::ireceive, "MPI_Irecv"),
    plain("probe", V::probe, "MPI_Probe"),
    plain("sendRecv", V::send_receive, "MPI_Sendrecv"),
    plain("wait", V::wait, "MPI_Wait"),
    plain("waitany", V::wait, "MPI_Waitany"),
    plain("waitsome", V::wait, "MPI_Waitsome"),
    plain("waitall", V::wait_all, "MPI_Waitall"),
    plain("test", V::test, "MPI_Test"),
    all("barrier", K::barrier, S::none, "MPI_Barrier", "MPI_Ibarrier"),
    all("bcast", K::bcast, S::whole, "MPI_Bcast", "MPI_Ibcast", true),
    all("reduce", K::reduce, S::reduction, "MPI_Reduce", "MPI_Ireduce", true),
    all("allreduce", K::allreduce, S::reduction, "MPI_Allreduce", "MPI_Iallreduce"),
    all("scan", K::scan, S::reduction, "MPI_Scan", "MPI_Iscan"),
    all("exscan", K::exscan, S::reduction, "MPI_Exscan", "MPI_Iexscan"),
    all("alltoall", K::alltoall, S::blocks, "MPI_Alltoall", "MPI_Ialltoall"),
    all("allgather", K::allgather, S::blocks, "MPI_Allgather", "MPI_Iallgather"),
    all("gather", K::gather, S::blocks, "MPI_Gather", "MPI_Igather", true),
    all("scatter", K::scatter, S::blocks, "MPI_Scatter", "MPI_Iscatter", true),
    all("gatherv", K::gatherv, S::gather_list, "MPI_Gatherv", "MPI_Igatherv", true),
    all("allgatherv", K::allgatherv, S::allgather_list, "MPI_Allgatherv", "MPI_Iallgatherv"),
    all("scatterv", K::scatterv, S::scatter_list, "MPI_Scatterv", "MPI_Iscatterv", true),
    all("reducescatter", K::reduce_scatter, S::reduce_list, "MPI_Reduce_scatter", "MPI_Ireduce_scatter"),
    all("alltoallv", K::alltoallv, S::both_lists, "MPI_Alltoallv", "MPI_Ialltoallv"),
    // Beyond SimGrid 3.32.
    all("reducescatterblock", K::reduce_scatter_block, S::reduction, "MPI_Reduce_scatter_block", "MPI_Ireduce_scatter_block"),
    all("alltoallw", K::alltoallw, S::both_lists, "MPI_Alltoallw", "MPI_Ialltoallw"),
    all("synchronize", K::synchronize, S::work, "MPI_Win_create", "MPI_Win_create"),
    all("construct", K::construct, S::none, "MPI_Comm_dup", "MPI_Comm_idup"),
    all("neighbor_allgather", K::neighbor_allgather, S::neighbors, "MPI_Neighbor_allgather", "MPI_Ineighbor_allgather"),
    all("neighbor_alltoall", K::neighbor_alltoall, S::neighbors, "MPI_Neighbor_alltoall", "MPI_Ineighbor_alltoall"),
    all("neighbor_allgatherv", K::neighbor_allgatherv, S::neighbor_lists, "MPI_Neighbor_allgatherv", "MPI_Ineighbor_allgatherv"),
    all("neighbor_alltoallv", K::neighbor_alltoallv, S::neighbor_lists, "MPI_Neighbor_alltoallv", "MPI_Ineighbor_alltoallv"),
    all("neighbor_alltoallw", K::neighbor_alltoallw, S::neighbor_lists, "MPI_Neighbor_alltoallw", "MPI_Ineighbor_alltoallw"),
    plain("start", V::start, "MPI_Start"),
    plain("cancel", V::forget, "MPI_Cancel"),
    plain("request_free", V::forget, "MPI_Request_free"),
    plain("put", V::put, "MPI_Put"),
    plain("get", V::get, "MPI_Get"),
    plain("transfer", V::transfer, "MPI_Get_accumulate"),
    plain("lock", V::lock, "MPI_Win_lock"),
    plain("unlock", V::unlock, "MPI_Win_unlock"),
    plain("comm", V::communicator),
    plain("intercomm", V::inter_communicator),
};
constexpr std::uint8_t kCount = std::size(kActions);
constexpr std::size_t kSlots = 256; // a power of two, well above kCount

// Up to eight bytes as a number: for names of four to eight characters the name itself.
constexpr std::uint64_t key_of(std::string_view name) {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  if (std::is_constant_evaluated()) {
    for (std::size_t i = 0; i < 4; ++i) {
      head |= std::uint64_t{static_cast<unsigned char>(name[i])} << (8 * i);
      tail |= std::uint64_t{static_cast<unsigned char>(name[name.size() - 4 + i])} << (8 * i);
    }
  } else {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, name.data(), sizeof bytes);
    head = bytes;
    std::memcpy(&bytes, name.data() + name.size() - sizeof bytes, sizeof bytes);
    tail = bytes;
  }
  return head | tail << 32;
}

constexpr std::size_t slot_of(std::uint64_t key, std::size_t size) {
  return static_cast<std::size_t>((key + size) * base::kGolden >> 56) & (kSlots - 1);
}
constexpr std::size_t kShortest = 4;
constexpr std::size_t kExact = 8;

struct Slot {
  std::uint64_t key = 0;
  std::uint8_t size = 0;
  std::uint8_t action = kCount;
};

// Open addressing: an action lies in the first free slot behind its own.
constexpr std::array<Slot, kSlots> index_actions() {
  std::array<Slot, kSlots> out{};
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::string_view name = kActions[i].name;
    if (name.size() < kShortest) continue;
    const std::uint64_t key = key_of(name);
    std::size_t slot = slot_of(key, name.size());
    while (out[slot].action != kCount) slot = (slot + 1) & (kSlots - 1);
    out[slot] = {key, static_cast<std::uint8_t>(name.size()), static_cast<std::uint8_t>(i)};
  }
  return out;
}
inline constexpr std::array<Slot, kSlots> kIndex = index_actions();
static_assert(std::endian::native == std::endian::little);
static_assert(kCount < kSlots / 2);

} // namespace ti_actions

inline constexpr std::size_t kNoTiAction = ti_actions::kCount;
inline constexpr const TiAction& ti_action(std::size_t index) { return ti_actions::kActions[index]; }

// Returns: index of the action of that name; kNoTiAction when there is none.
inline std::size_t find_ti_action(std::string_view name) {
  using namespace ti_actions;
  if (name.size() < kShortest) {
    const auto* const found =
        std::find_if(std::begin(kActions), std::end(kActions), [&](const TiAction& a) { return a.name == name; });
    return static_cast<std::size_t>(found - std::begin(kActions));
  }
  const std::uint64_t key = key_of(name);
  for (std::size_t at = slot_of(key, name.size()); kIndex[at].action != kCount; at = (at + 1) & (kSlots - 1)) {
    const Slot& slot = kIndex[at];
    if (slot.key == key && slot.size == name.size() && (name.size() <= kExact || kActions[slot.action].name == name))
      return slot.action;
  }
  return kCount;
}

} // namespace farcast::trace
