// Deferred receives of coupled mode: their placeholders, posting them once their message is decided, completing them.
#include "libinterpose/counted_calls.h"
#include "libinterpose/coupled.h"
#include "libinterpose/grown_list.h"
#include "libinterpose/real.h"

#include <cstdlib>
#include <sched.h>

namespace farcast::interpose {

namespace {

constinit Real<int (*)(int, MPI_Request*, int*, int*, MPI_Status*)> real_testany{"PMPI_Testany"};
constinit Real<int (*)(int, MPI_Request*, int*, int*, MPI_Status*)> real_testsome{"PMPI_Testsome"};
constinit Real<int (*)(MPI_Request*)> real_cancel{"PMPI_Cancel"};
constinit Real<int (*)(MPI_Request, int*, MPI_Status*)> real_get_status{"PMPI_Request_get_status"};
constinit Real<int (*)(MPI_Datatype, MPI_Datatype*)> real_type_dup{"PMPI_Type_dup"};
constinit Real<int (*)(MPI_Datatype*)> real_type_free{"PMPI_Type_free"};
constinit Real<int (*)(MPI_Grequest_query_function*, MPI_Grequest_free_function*, MPI_Grequest_cancel_function*, void*,
                       MPI_Request*)>
    real_grequest_start{"PMPI_Grequest_start"};
constinit Real<int (*)(MPI_Status*, MPI_Datatype, int)> real_set_elements{"PMPI_Status_set_elements"};
constinit Real<int (*)(MPI_Status*, int)> real_set_cancelled{"PMPI_Status_set_cancelled"};
constinit Real<int (*)(MPI_Request)> real_grequest_complete{"PMPI_Grequest_complete"};
constinit Real<int (*)(MPI_Request*, int*, MPI_Status*)> real_test{"PMPI_Test"};
constinit Real<int (*)(MPI_Request*, MPI_Status*)> real_wait{"PMPI_Wait"};

struct Kept { // of a placeholder that is completed by hand: what its status is to say
  bool known;
  MPI_Status status;
};
struct Deferred { // a receive with a placeholder; in the order in which they were posted
  MPI_Request placeholder;
  Receive receive; // its datatype is ours: the program may free its own meanwhile
  MPI_Request real;
  Kept* kept;
  bool decided;
  bool cancelled;
  bool persistent; // the placeholder is complete already, and stays (coupled_persistent.cpp)
};
constinit List<Deferred> deferred{};

std::size_t find_deferred(MPI_Request placeholder) {
  for (std::size_t i = 0; i < deferred.size; ++i) {
    if (deferred.values[i].placeholder == placeholder) return i;
  }
  return deferred.size;
}

void set_empty(MPI_Status* status, bool cancelled) {
  real_set_elements.get()(status, type_packed(), 0);
  real_set_cancelled.get()(status, cancelled ? 1 : 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
}

int query(void* state, MPI_Status* status) {
  const auto* kept = static_cast<const Kept*>(state);
  if (kept != nullptr && kept->known)
    *status = kept->status;
  else
    set_empty(status, false);
  return MPI_SUCCESS;
}
int forget(void* state) {
  std::free(state);
  return MPI_SUCCESS;
}
int cancel(void* /*state*/, int /*complete*/) { return MPI_SUCCESS; }

int start_placeholder(Kept* kept, MPI_Request* request) {
  return real_grequest_start.get()(query, forget, cancel, kept, request);
}

void post(Deferred& one, int source, int tag) {
  const Receive& receive = one.receive;
  one.decided = true;
  irecv_counted(receive.buffer, receive.count, receive.type, source, tag, receive.comm, &one.real);
  real_type_free.get()(&one.receive.type);
}

// Waits as a blocking call does where nobody decides: the placeholders of others are completed meanwhile.
int wait_alone(MPI_Request* request, MPI_Status* status) {
  for (;;) {
    sweep_deferred();
    int flag = 0;
    const int code = real_test.get()(request, &flag, status);
    if (code != MPI_SUCCESS || flag != 0) return code;
    sched_yield();
  }
}

} // namespace

void post_decided(const stream::AnswerMatch& match) {
  for (std::size_t i = 0; i < deferred.size; ++i) {
    Deferred& one = deferred.values[i];
    if (one.decided || key_of(one.placeholder) != match.handle) continue;
    return post(one, match.source, match.tag);
  }
}

void post_undecided() {
  for (std::size_t i = 0; i < deferred.size; ++i) {
    Deferred& one = deferred.values[i];
    if (!one.decided && !one.cancelled) post(one, one.receive.source, one.receive.tag);
  }
}

bool any_deferred() { return deferred.size > 0; }

int finished_request(MPI_Request* request) {
  const int code = start_placeholder(nullptr, request);
  return code == MPI_SUCCESS ? real_grequest_complete.get()(*request) : code;
}

bool is_deferred(int source, int tag, MPI_Comm comm) {
  if (source == MPI_PROC_NULL) return false;
  if (source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG) return true;
  for (std::size_t i = 0; i < deferred.size; ++i) {
    if (!deferred.values[i].decided && !deferred.values[i].cancelled && deferred.values[i].receive.comm == comm) return true;
  }
  return false;
}

int defer_receive(const Receive& receive, MPI_Request* request) {
  Deferred* const one = deferred.add();
  auto* const kept = static_cast<Kept*>(std::calloc(1, sizeof(Kept)));
  if (one == nullptr || kept == nullptr) give_up("there is no memory for what the program receives");
  Receive own = receive;
  int code = real_type_dup.get()(receive.type, &own.type);
  if (code == MPI_SUCCESS) code = start_placeholder(kept, request);
  if (code != MPI_SUCCESS) {
    --deferred.size;
    std::free(kept);
    return code;
  }
  *one = {*request, own, MPI_Request{}, kept, false, false, false};
  return MPI_SUCCESS;
}

int defer_started(const Receive& receive, MPI_Request request) {
  if (receive.source == MPI_PROC_NULL) return MPI_SUCCESS;
  const bool waits = is_deferred(receive.source, receive.tag, receive.comm);
  Deferred* const one = deferred.add();
  if (one == nullptr) give_up("there is no memory for what the program receives");
  Receive own = receive;
  if (const int code = real_type_dup.get()(receive.type, &own.type); code != MPI_SUCCESS) {
    --deferred.size;
    return code;
  }
  *one = {request, own, MPI_Request{}, nullptr, false, false, true};
  if (!waits) post(*one, receive.source, receive.tag);
  return MPI_SUCCESS;
}

int receive_now(void* buffer, std::int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return recv_counted(buffer, count, type, source, tag, comm, status);
}

bool cancel_deferred(MPI_Request request) {
  const std::size_t at = find_deferred(request);
  if (at == deferred.size) return false;
  Deferred& one = deferred.values[at];
  if (one.decided) return real_cancel.get()(&one.real) == MPI_SUCCESS; // it goes on alone
  one.cancelled = true;
  real_type_free.get()(&one.receive.type);
  return true;
}

int complete(MPI_Request* request, MPI_Status* status) {
  if (alone) return wait_alone(request, status);
  const std::size_t at = find_deferred(*request);
  if (at == deferred.size) return real_wait.get()(request, status);
  Deferred one = deferred.values[at];
  if (one.cancelled && status != MPI_STATUS_IGNORE) set_empty(status, true);
  if (!one.decided && !one.cancelled) give_up("a receive is complete whose message is not known"); // the stream is corrupt
  const int code = one.cancelled ? MPI_SUCCESS : real_wait.get()(&one.real, status);
  deferred.remove(at);
  if (!one.persistent) real_grequest_complete.get()(*request);
  real_wait.get()(request, MPI_STATUS_IGNORE);
  return code;
}

int complete_status(MPI_Request request, MPI_Status* status) {
  const std::size_t at = find_deferred(request);
  const MPI_Request real = at == deferred.size ? request : deferred.values[at].real;
  int flag = 0;
  int code = MPI_SUCCESS;
  while (flag == 0 && code == MPI_SUCCESS) code = real_get_status.get()(real, &flag, status);
  return code;
}

void sweep_deferred() {
  for (std::size_t i = 0; i < deferred.size;) {
    Deferred& one = deferred.values[i];
    int done = one.cancelled ? 1 : 0;
    if (one.cancelled)
      set_empty(&one.kept->status, true);
    else if (real_test.get()(&one.real, &done, &one.kept->status) != MPI_SUCCESS)
      done = 1;
    if (done == 0) {
      ++i;
      continue;
    }
    one.kept->known = true;
    const MPI_Request placeholder = one.placeholder;
    deferred.remove(i);
    real_grequest_complete.get()(placeholder);
  }
  if (deferred.size == 0) is_coupled = false; // nothing is left to be done by hand
}

int wait_any_alone(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  for (;;) {
    sweep_deferred();
    int flag = 0;
    const int code = real_testany.get()(count, requests, index, &flag, status);
    if (code != MPI_SUCCESS || flag != 0) return code;
    sched_yield();
  }
}

int wait_some_alone(int count, MPI_Request* requests, int* taken, int* indices, MPI_Status* statuses) {
  for (;;) {
    sweep_deferred();
    const int code = real_testsome.get()(count, requests, taken, indices, statuses);
    if (code != MPI_SUCCESS || *taken != 0) return code; // MPI_UNDEFINED: none is active
    sched_yield();
  }
}

} // namespace farcast::interpose
