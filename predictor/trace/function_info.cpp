#include "predictor/trace/function_info.h"

#include "libinterpose/functions.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace farcast::trace {
namespace {

using C = FunctionClass;

using G = FunctionGroup;

struct ClassEntry {
  std::string_view name; // as the function table writes it
  FunctionClass kind;
  FunctionGroup group;
};

constexpr ClassEntry kClasses[] = {
    {"local", C::local, G::local},
    {"init", C::init, G::init},
    {"finalize", C::finalize, G::finalize},
    {"abort", C::abort, G::local},
    {"session", C::session, G::local},
    {"pcontrol", C::pcontrol, G::local},
    {"send", C::send, G::message},
    {"recv", C::recv, G::message},
    {"isend", C::isend, G::message},
    {"irecv", C::irecv, G::message},
    {"sendrecv", C::sendrecv, G::message},
    {"isendrecv", C::isendrecv, G::message},
    {"probe", C::probe, G::probe},
    {"iprobe", C::iprobe, G::probe},
    {"mprobe", C::mprobe, G::probe},
    {"improbe", C::improbe, G::probe},
    {"mrecv", C::mrecv, G::message},
    {"imrecv", C::imrecv, G::message},
    {"send_init", C::send_init, G::persistent},
    {"recv_init", C::recv_init, G::persistent},
    {"psend_init", C::psend_init, G::object_request},
    {"precv_init", C::precv_init, G::object_request},
    {"coll_init", C::coll_init, G::persistent},
    {"start", C::start, G::start},
    {"startall", C::startall, G::start},
    {"pready", C::pready, G::local},
    {"parrived", C::parrived, G::local},
    {"wait", C::wait, G::completion},
    {"waitall", C::waitall, G::completion},
    {"waitany", C::waitany, G::completion},
    {"waitsome", C::waitsome, G::completion},
    {"test", C::test, G::completion},
    {"testall", C::testall, G::completion},
    {"testany", C::testany, G::completion},
    {"testsome", C::testsome, G::completion},
    {"request_free", C::request_free, G::completion},
    {"cancel", C::cancel, G::completion},
    {"request_get_status", C::request_get_status, G::completion},
    {"coll", C::coll, G::collective},
    {"icoll", C::icoll, G::collective},
    {"comm_ctor", C::comm_ctor, G::agreement},
    {"comm_group_ctor", C::comm_group_ctor, G::agreement},
    {"intercomm_ctor", C::intercomm_ctor, G::agreement},
    {"comm_ictor", C::comm_ictor, G::agreement},
    {"comm_spawn", C::comm_spawn, G::local},
    {"comm_connect", C::comm_connect, G::local},
    {"comm_free", C::comm_free, G::local},
    {"comm_disconnect", C::comm_disconnect, G::agreement},
    {"type_ctor", C::type_ctor, G::local},
    {"type_free", C::type_free, G::local},
    {"grequest_start", C::grequest_start, G::object_request},
    {"grequest_complete", C::grequest_complete, G::object_request},
    {"win_ctor", C::win_ctor, G::agreement},
    {"win_free", C::win_free, G::agreement},
    {"rma", C::rma, G::window},
    {"rma_request", C::rma_request, G::window},
    {"win_sync_coll", C::win_sync_coll, G::agreement},
    {"win_sync", C::win_sync, G::window},
    {"file_coll_ctor", C::file_coll_ctor, G::agreement},
    {"io", C::io, G::storage},
    {"io_coll", C::io_coll, G::storage},
    {"io_request", C::io_request, G::storage},
    {"io_begin", C::io_begin, G::storage},
    {"io_end", C::io_end, G::storage},
    {"io_sync", C::io_sync, G::agreement},
};

const ClassEntry& class_of(std::string_view name) {
  static const std::unordered_map<std::string_view, const ClassEntry*> map = [] {
    std::unordered_map<std::string_view, const ClassEntry*> out;
    for (const ClassEntry& entry : kClasses) out.emplace(entry.name, &entry);
    return out;
  }();
  return *map.at(name);
}

// "MPI_Ineighbor_alltoallv", "MPIX_Neighbor_alltoallv_init", "MPI_Neighbor_alltoallv_init_c" ->
// "neighbor_alltoallv"
std::string collective_name(std::string name) {
  name.erase(0, name.find('_') + 1);
  for (const std::string_view suffix : {"_c", "_init"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  if (name.size() > 1 && name[0] == 'I' && name[1] >= 'a' && name[1] <= 'z') name.erase(0, 1);
  if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') name[0] = static_cast<char>(name[0] - 'A' + 'a');
  return name;
}

CollectiveKind collective_kind(const std::string& name) {
  using K = CollectiveKind;
  static constexpr std::array<std::pair<std::string_view, K>, 22> kinds = {{{"barrier", K::barrier},
                                                                            {"bcast", K::bcast},
                                                                            {"reduce", K::reduce},
                                                                            {"allreduce", K::allreduce},
                                                                            {"reduce_scatter", K::reduce_scatter},
                                                                            {"reduce_scatter_block", K::reduce_scatter_block},
                                                                            {"scan", K::scan},
                                                                            {"exscan", K::exscan},
                                                                            {"gather", K::gather},
                                                                            {"gatherv", K::gatherv},
                                                                            {"scatter", K::scatter},
                                                                            {"scatterv", K::scatterv},
                                                                            {"allgather", K::allgather},
                                                                            {"allgatherv", K::allgatherv},
                                                                            {"alltoall", K::alltoall},
                                                                            {"alltoallv", K::alltoallv},
                                                                            {"alltoallw", K::alltoallw},
                                                                            {"neighbor_allgather", K::neighbor_allgather},
                                                                            {"neighbor_allgatherv", K::neighbor_allgatherv},
                                                                            {"neighbor_alltoall", K::neighbor_alltoall},
                                                                            {"neighbor_alltoallv", K::neighbor_alltoallv},
                                                                            {"neighbor_alltoallw", K::neighbor_alltoallw}}};
  for (const auto& [text, kind] : kinds) {
    if (text == name) return kind;
  }
  return K::synchronize;
}

SendMode send_mode(const std::string& name) {
  for (const std::string_view verb : {"MPI_Ssend", "MPI_Issend"}) {
    if (name.starts_with(verb)) return SendMode::synchronous;
  }
  for (const std::string_view verb : {"MPI_Bsend", "MPI_Ibsend"}) {
    if (name.starts_with(verb)) return SendMode::buffered;
  }
  for (const std::string_view verb : {"MPI_Rsend", "MPI_Irsend"}) {
    if (name.starts_with(verb)) return SendMode::ready;
  }
  return SendMode::standard;
}

// The name decides, with or without a request of its own (MPI_Rput) and for large counts (MPI_Put_c).
WindowAccess window_access(FunctionClass kind, const std::string& name) {
  using W = WindowAccess;
  const auto has = [&name](std::string_view part) { return name.find(part) != std::string::npos; };
  switch (kind) {
  case C::rma:
  case C::rma_request:
    if (has("_accumulate") || has("_and_")) return W::exchange;
    return has("get") || has("Get") ? W::get : W::put;
  case C::win_sync_coll:
  case C::win_free:
    return W::complete_all;
  case C::win_sync:
    if (has("_flush")) return has("_all") ? W::complete_all : W::complete;
    if (has("_unlock")) return has("_all") ? W::unlock_all : W::unlock;
    if (has("_lock")) return has("_all") ? W::lock_all : W::lock;
    if (has("_post")) return W::expose;
    if (has("_start")) return W::begin_epoch;
    if (has("_complete")) return W::end_epoch;
    if (has("_wait")) return W::await_epochs;
    return W::none;
  default:
    return W::none;
  }
}

// Whether MPI_Win_test was successful is not recorded. MPI_Win_sync moves nothing.
bool is_unmodelled_window_call(const std::string& name) { return name.ends_with("_test"); }

// Atomic operations on windows, what asks for others' progress, and what gives memory that they
// store to.
bool gives_timed_values(std::string_view name) {
  constexpr std::array kNames = {"MPI_Fetch_and_op", "MPI_Compare_and_swap", "MPI_Get_accumulate",  "MPI_Rget_accumulate",
                                 "MPI_Win_test",     "MPI_Parrived",         "MPI_Win_shared_query"};
  if (name.ends_with("_c")) name.remove_suffix(2); // for large counts
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_unmodelled(FunctionClass kind) {
  switch (kind) {
  case C::comm_spawn:
  case C::comm_connect:
  case C::psend_init:
  case C::precv_init:
  case C::pready:
  case C::parrived:
    return true;
  default:
    return false;
  }
}

} // namespace

bool hangs_on_timing(const FunctionInfo& info, const stream::CallSlot& slot) {
  switch (info.kind) {
  case C::iprobe:
  case C::improbe:
  case C::test:
  case C::testall:
  case C::testany:
  case C::testsome:
  case C::waitany:
  case C::waitsome:
    return true;
  case C::recv:
  case C::irecv:
  case C::recv_init:
  case C::probe:
  case C::mprobe:
    return slot.peer == stream::kAnyPeer;
  default:
    return false;
  }
}

const std::vector<FunctionInfo>& function_infos() {
  static const std::vector<FunctionInfo> infos = [] {
    std::vector<FunctionInfo> out;
    const interpose::FunctionTable table = interpose::function_table();
    out.reserve(table.size);
    for (std::size_t i = 0; i < table.size; ++i) {
      FunctionInfo info;
      info.name = table.entries[i].name;
      const ClassEntry& entry = class_of(table.entries[i].kind);
      info.kind = entry.kind;
      info.group = entry.group;
      info.mode = send_mode(info.name);
      info.collective = collective_kind(collective_name(info.name));
      info.access = window_access(info.kind, info.name);
      info.reads = info.group == G::storage && info.name.find("read") != std::string::npos;
      info.splits = info.name.starts_with("MPI_Comm_split");
      info.timed_values = gives_timed_values(info.name);
      info.unmodelled = is_unmodelled(info.kind) || (info.kind == C::win_sync && is_unmodelled_window_call(info.name));
      out.push_back(std::move(info));
    }
    return out;
  }();
  return infos;
}

} // namespace farcast::trace
