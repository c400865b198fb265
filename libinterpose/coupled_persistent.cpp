// Persistent messages of coupled mode: each start sends a copy, or posts a receive that may wait
// for its message to be decided.
//
// The library gets a persistent request of MPI_PROC_NULL in place of the program's: a handle that
// every call of MPI understands, and that is complete as soon as it is started.
#include "libinterpose/coupled.h"
#include "libinterpose/grown_list.h"
#include "libinterpose/real.h"

namespace farcast::interpose {

namespace {

constinit Real<int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)> real_send_init{"PMPI_Send_init"};
constinit Real<int (*)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)> real_recv_init{"PMPI_Recv_init"};
constinit Real<int (*)(MPI_Request*)> real_start{"PMPI_Start"};
constinit Real<int (*)(MPI_Datatype, MPI_Datatype*)> real_type_dup{"PMPI_Type_dup"};
constinit Real<int (*)(MPI_Datatype*)> real_type_free{"PMPI_Type_free"};

struct Persistent {
  MPI_Request request; // of MPI_PROC_NULL
  bool sends;
  Receive what; // of a send: its source is the destination; its datatype is ours
};
constinit List<Persistent> persistent{};

std::size_t find(MPI_Request request) {
  return persistent.find([=](const Persistent& one) { return one.request == request; });
}

int make(const Receive& what, bool sends, MPI_Request* request) {
  Persistent* const one = persistent.add();
  if (one == nullptr) give_up("there is no memory for the program's persistent requests");
  Receive own = what;
  int code = real_type_dup.get()(what.type, &own.type);
  if (code == MPI_SUCCESS) {
    code = sends ? real_send_init.get()(what.buffer, 0, what.type, MPI_PROC_NULL, what.tag, what.comm, request)
                 : real_recv_init.get()(what.buffer, 0, what.type, MPI_PROC_NULL, what.tag, what.comm, request);
    if (code != MPI_SUCCESS) real_type_free.get()(&own.type);
  }
  if (code == MPI_SUCCESS)
    *one = {*request, sends, own};
  else
    --persistent.size;
  return code;
}

} // namespace

bool any_persistent() { return persistent.size > 0; }
bool is_persistent_on(MPI_Comm comm) {
  return persistent.any([=](const Persistent& one) { return one.what.comm == comm; });
}

int make_persistent_send(const Receive& what, MPI_Request* request) { return make(what, true, request); }
int make_persistent_receive(const Receive& what, MPI_Request* request) { return make(what, false, request); }

int start_persistent(MPI_Request* request) {
  const std::size_t at = find(*request);
  int code = real_start.get()(request);
  if (at == persistent.size && code == MPI_SUCCESS && is_started(*request)) return begin_again(*request);
  if (at == persistent.size || code != MPI_SUCCESS) return code;
  const Persistent& one = persistent.values[at];
  if (!one.sends) return defer_started(one.what, *request);
  return send_copy(one.what.buffer, one.what.count, one.what.type, one.what.source, one.what.tag, one.what.comm);
}

void forget_persistent(MPI_Request request) {
  const std::size_t at = find(request);
  if (at == persistent.size) return;
  real_type_free.get()(&persistent.values[at].what.type);
  persistent.remove(at);
  free_left();
}

} // namespace farcast::interpose
