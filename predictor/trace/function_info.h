// What a record's function number means to the predictor: the table's class as an enum, the mode of
// a send, the kind of a collective.
#pragma once

#include "libinterpose/stream/record.h"
#include "predictor/trace/operation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace farcast::trace {

enum class FunctionClass : std::uint8_t {
  local,
  init,
  finalize,
  abort,
  session,
  pcontrol,
  send,
  recv,
  isend,
  irecv,
  sendrecv,
  isendrecv,
  probe,
  iprobe,
  mprobe,
  improbe,
  mrecv,
  imrecv,
  send_init,
  recv_init,
  psend_init,
  precv_init,
  coll_init,
  start,
  startall,
  pready,
  parrived,
  wait,
  waitall,
  waitany,
  waitsome,
  test,
  testall,
  testany,
  testsome,
  request_free,
  cancel,
  request_get_status,
  coll,
  icoll,
  comm_ctor,
  comm_group_ctor,
  intercomm_ctor,
  comm_ictor,
  comm_spawn,
  comm_connect,
  comm_free,
  comm_disconnect,
  type_ctor,
  type_free,
  grequest_start,
  grequest_complete,
  win_ctor,
  win_free,
  rma,
  rma_request,
  win_sync_coll,
  win_sync,
  file_coll_ctor,
  io,
  io_coll,
  io_request,
  io_begin,
  io_end,
  io_sync,
};

// Returns: whether it makes a communicator with processes of another job.
constexpr bool is_with_other_jobs(FunctionClass kind) {
  return kind == FunctionClass::comm_spawn || kind == FunctionClass::comm_connect;
}

// What the decoder does with a class.
enum class FunctionGroup : std::uint8_t {
  local, // and what is not modelled: takes its measured time
  init,
  finalize,
  message,
  probe,
  persistent,
  start,
  completion,
  collective,
  agreement,
  object_request,
  window,  // one-sided communication
  storage, // bytes of files
};

// What a function means to a window.
enum class WindowAccess : std::uint8_t {
  none,
  put,      // data go to the target
  get,      // data come from it
  exchange, // both: Get_accumulate, Fetch_and_op, Compare_and_swap
  lock,     // asks the target
  lock_all,
  unlock, // waits for the accesses to one target, and gives the lock up
  unlock_all,
  complete, // waits for the accesses to one target
  complete_all,
  // Post, start, complete and wait: an epoch between groups.
  expose,
  begin_epoch,
  end_epoch,
  await_epochs,
};

struct FunctionInfo {
  std::string name; // "MPI_Send"
  FunctionClass kind = FunctionClass::local;
  FunctionGroup group = FunctionGroup::local;
  SendMode mode = SendMode::standard;
  CollectiveKind collective = CollectiveKind::synchronize;
  WindowAccess access = WindowAccess::none;
  bool reads = false;        // storage: bytes come from the file; otherwise they go there
  bool splits = false;       // a communicator: its constructor gathers a color and a key of each rank
  bool timed_values = false; // what it gives hangs on timing, and no coupled run decides it
  bool unmodelled = false;   // communicates or moves data, and the engine takes it at its measured time
};

// Returns: whether what comes of the call hangs on when messages come and ranks get to it: which of
// several requests or messages, and whether there is one yet.
bool hangs_on_timing(const FunctionInfo& info, const stream::CallSlot& slot);

// Returns: the table, [function number]. Built once; const access from all threads.
const std::vector<FunctionInfo>& function_infos();

} // namespace farcast::trace
