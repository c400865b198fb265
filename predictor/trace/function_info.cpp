#include "predictor/trace/function_info.h"

#include "libinterpose/functions.h"

#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace farcast::trace {
namespace {

using C = FunctionClass;

const std::unordered_map<std::string_view, FunctionClass>& classes() {
  static const std::unordered_map<std::string_view, FunctionClass> map = {{"local", C::local},
                                                                          {"init", C::init},
                                                                          {"finalize", C::finalize},
                                                                          {"abort", C::abort},
                                                                          {"session", C::session},
                                                                          {"pcontrol", C::pcontrol},
                                                                          {"send", C::send},
                                                                          {"recv", C::recv},
                                                                          {"isend", C::isend},
                                                                          {"irecv", C::irecv},
                                                                          {"sendrecv", C::sendrecv},
                                                                          {"isendrecv", C::isendrecv},
                                                                          {"probe", C::probe},
                                                                          {"iprobe", C::iprobe},
                                                                          {"mprobe", C::mprobe},
                                                                          {"improbe", C::improbe},
                                                                          {"mrecv", C::mrecv},
                                                                          {"imrecv", C::imrecv},
                                                                          {"send_init", C::send_init},
                                                                          {"recv_init", C::recv_init},
                                                                          {"psend_init", C::psend_init},
                                                                          {"precv_init", C::precv_init},
                                                                          {"coll_init", C::coll_init},
                                                                          {"start", C::start},
                                                                          {"startall", C::startall},
                                                                          {"pready", C::pready},
                                                                          {"parrived", C::parrived},
                                                                          {"wait", C::wait},
                                                                          {"waitall", C::waitall},
                                                                          {"waitany", C::waitany},
                                                                          {"waitsome", C::waitsome},
                                                                          {"test", C::test},
                                                                          {"testall", C::testall},
                                                                          {"testany", C::testany},
                                                                          {"testsome", C::testsome},
                                                                          {"request_free", C::request_free},
                                                                          {"cancel", C::cancel},
                                                                          {"request_get_status", C::request_get_status},
                                                                          {"coll", C::coll},
                                                                          {"icoll", C::icoll},
                                                                          {"comm_ctor", C::comm_ctor},
                                                                          {"comm_group_ctor", C::comm_group_ctor},
                                                                          {"intercomm_ctor", C::intercomm_ctor},
                                                                          {"comm_ictor", C::comm_ictor},
                                                                          {"comm_spawn", C::comm_spawn},
                                                                          {"comm_free", C::comm_free},
                                                                          {"type_ctor", C::type_ctor},
                                                                          {"type_free", C::type_free},
                                                                          {"win_ctor", C::win_ctor},
                                                                          {"win_free", C::win_free},
                                                                          {"rma", C::rma},
                                                                          {"rma_request", C::rma_request},
                                                                          {"win_sync_coll", C::win_sync_coll},
                                                                          {"win_sync", C::win_sync},
                                                                          {"file_coll_ctor", C::file_coll_ctor},
                                                                          {"io", C::io},
                                                                          {"io_coll", C::io_coll},
                                                                          {"io_request", C::io_request},
                                                                          {"io_begin", C::io_begin},
                                                                          {"io_end", C::io_end},
                                                                          {"io_sync", C::io_sync}};
  return map;
}

// "MPI_Ineighbor_alltoallv", "MPIX_Neighbor_alltoallv_init", "MPI_Neighbor_alltoallv_init_c" -> "neighbor_alltoallv"
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

bool is_unmodelled(FunctionClass kind) {
  switch (kind) {
  case C::rma:
  case C::rma_request:
  case C::win_sync:
  case C::io:
  case C::io_coll:
  case C::io_request:
  case C::io_begin:
  case C::io_end:
  case C::comm_spawn:
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

const std::vector<FunctionInfo>& function_infos() {
  static const std::vector<FunctionInfo> infos = [] {
    std::vector<FunctionInfo> out;
    const interpose::FunctionTable table = interpose::function_table();
    out.reserve(table.size);
    for (std::size_t i = 0; i < table.size; ++i) {
      FunctionInfo info;
      info.name = table.entries[i].name;
      info.kind = classes().at(table.entries[i].kind);
      info.mode = send_mode(info.name);
      info.collective = collective_kind(collective_name(info.name));
      info.unmodelled = is_unmodelled(info.kind);
      out.push_back(std::move(info));
    }
    return out;
  }();
  return infos;
}

} // namespace farcast::trace
