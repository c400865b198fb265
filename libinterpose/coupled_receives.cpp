// Deferred receives of coupled mode: their placeholders, posting them once their message is
// decided, completing them.
#include "libinterpose/counted_calls.h"
#include "libinterpose/coupled.h"
#include "libinterpose/coupled_waits.h"
#include "libinterpose/grown_list.h"
#include "libinterpose/isolation.h"
#include "libinterpose/real.h"

#include <cstdlib>

namespace farcast::interpose {

namespace {

constinit Real<int (*)(MPI_Comm*)> real_comm_free{"PMPI_Comm_free"};
constinit Real<int (*)(MPI_Request*)> real_cancel{"PMPI_Cancel"};
constinit Real<int (*)(MPI_Request*)> real_request_free{"PMPI_Request_free"};
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

} // namespace

void set_empty(MPI_Status* status, bool cancelled) {
  real_set_elements.get()(status, type_packed(), 0);
  real_set_cancelled.get()(status, cancelled ? 1 : 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
}

namespace {

struct Deferred { // a receive with a placeholder; in the order in which they were posted
  MPI_Request placeholder;
  Receive receive; // its datatype is ours: the program may free its own meanwhile
  MPI_Request real;
  bool decided; // it has been posted
  bool cancelled;
  bool persistent; // the placeholder is complete already, and stays (coupled_persistent.cpp)
  bool freed;      // nobody waits for it
};
constinit List<Deferred> deferred{};
constinit List<MPI_Comm> left{}; // communicators that the program has freed, and that are held

std::size_t find_deferred(MPI_Request placeholder) {
  return deferred.find([=](const Deferred& one) { return one.placeholder == placeholder && !one.freed; });
}

int query(void* /*state*/, MPI_Status* status) {
  set_empty(status, false);
  return MPI_SUCCESS;
}
int forget(void* /*state*/) { return MPI_SUCCESS; }
int cancel(void* /*state*/, int /*complete*/) { return MPI_SUCCESS; }

void post(Deferred& one, int source, int tag) {
  const Receive& receive = one.receive;
  one.decided = true;
  irecv_counted(receive.buffer, receive.count, receive.type, source, tag, receive.comm, &one.real);
  real_type_free.get()(&one.receive.type);
  if (one.freed) real_request_free.get()(&one.real);
}

// Waits for what is over in virtual time.
int wait_really(MPI_Request* request, MPI_Status* status) {
  for (RealWait wait;; wait.look_again()) {
    const PollsOn here; // the wait gives the core away
    int flag = 0;
    const int code = real_test.get()(request, &flag, status);
    if (code != MPI_SUCCESS || flag != 0) return code;
  }
}

// The receive of that placeholder is complete.
void finish(std::size_t at, MPI_Request* placeholder) {
  const bool persistent = deferred.values[at].persistent;
  deferred.remove(at);
  if (!persistent) real_grequest_complete.get()(*placeholder);
  real_wait.get()(placeholder, MPI_STATUS_IGNORE);
  free_left();
}

} // namespace

int start_placeholder(MPI_Request* request) { return real_grequest_start.get()(query, forget, cancel, nullptr, request); }

void post_decided(const stream::AnswerMatch& match) {
  for (std::size_t i = 0; i < deferred.size; ++i) {
    Deferred& one = deferred.values[i];
    if (one.decided || key_of(one.placeholder) != match.handle) continue;
    post(one, match.source, match.tag);
    if (one.freed) deferred.remove(i);
    return;
  }
}

void post_undecided() {
  for (std::size_t i = 0; i < deferred.size; ++i) {
    Deferred& one = deferred.values[i];
    if (one.decided) continue;
    if (!one.cancelled) {
      post(one, one.receive.source, one.receive.tag);
    } else if (irecv_counted(nullptr, 0, type_packed(), 0, own_tag(), comm_self(), &one.real) == MPI_SUCCESS) {
      real_cancel.get()(&one.real);
    }
  }
}

bool any_deferred() { return deferred.size > 0; }

int finished_request(MPI_Request* request) {
  const int code = start_placeholder(request);
  return code == MPI_SUCCESS ? real_grequest_complete.get()(*request) : code;
}

bool has_undecided(MPI_Comm comm) {
  return deferred.any([=](const Deferred& one) { return !one.decided && !one.cancelled && one.receive.comm == comm; });
}

namespace {

// Something on it is still to be really begun, or has not left.
bool is_held(MPI_Comm comm) { return has_undecided(comm) || is_started_on(comm) || is_persistent_on(comm) || is_sent_on(comm); }

} // namespace

int free_comm(MPI_Comm* comm, int (*real)(MPI_Comm*)) {
  if (comm == nullptr) return real(comm);
  if (!is_held(*comm)) { // also of a rank that is alone: what it has sent has perhaps not left
    forget_comm(*comm);
    return real(comm);
  }
  MPI_Comm* const one = left.add();
  if (one == nullptr) give_up("there is no memory for the program's communicators");
  *one = *comm;
  *comm = comm_null();
  return MPI_SUCCESS;
}

void free_left() {
  const auto is_free = [](MPI_Comm comm) { return !is_held(comm); };
  for (std::size_t at = left.find(is_free); at < left.size; at = left.find(is_free)) {
    MPI_Comm comm = left.values[at];
    left.remove(at);
    forget_comm(comm);
    real_comm_free.get()(&comm);
  }
}

bool is_deferred(int source, int tag, MPI_Comm comm) {
  if (source == MPI_PROC_NULL) return false;
  return (source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG || has_undecided(comm)) && is_played(comm);
}

int defer_receive(const Receive& receive, MPI_Request* request) {
  Deferred* const one = deferred.add();
  if (one == nullptr) give_up("there is no memory for what the program receives");
  Receive own = receive;
  int code = real_type_dup.get()(receive.type, &own.type);
  if (code == MPI_SUCCESS) code = start_placeholder(request);
  if (code != MPI_SUCCESS) {
    --deferred.size;
    return code;
  }
  *one = {*request, own, MPI_Request{}, false, false, false, false};
  return MPI_SUCCESS;
}

int defer_started(const Receive& receive, MPI_Request request) {
  if (receive.source == MPI_PROC_NULL) return MPI_SUCCESS;
  const bool waits = !alone && is_deferred(receive.source, receive.tag, receive.comm);
  Deferred* const one = deferred.add();
  if (one == nullptr) give_up("there is no memory for what the program receives");
  Receive own = receive;
  if (const int code = real_type_dup.get()(receive.type, &own.type); code != MPI_SUCCESS) {
    --deferred.size;
    return code;
  }
  *one = {request, own, MPI_Request{}, false, false, true, false};
  if (!waits) post(*one, receive.source, receive.tag);
  return MPI_SUCCESS;
}

namespace {

// By handle; of two in the same place the later one is known.
constexpr std::uint32_t kDetermined = 4096;
std::uint64_t determined[kDetermined];

std::uint64_t& place_of(MPI_Request request) { return determined[slot_of(key_of(request), kDetermined)]; }

} // namespace

void forget_determined(MPI_Request request) {
  if (std::uint64_t& place = place_of(request); place == key_of(request)) place = 0;
}

void note_determined(MPI_Request request, MPI_Comm comm) {
  if (is_played(comm)) place_of(request) = key_of(request);
}

bool are_determined(int count, const MPI_Request* requests) {
  if (any_deferred() || owes_much()) return false; // what is decided comes with answers
  for (int i = 0; i < count; ++i) {
    if (key_of(requests[i]) != constants.request_null && place_of(requests[i]) != key_of(requests[i])) return false;
  }
  return true;
}

bool is_determined(int source, int tag, MPI_Comm comm) {
  return !any_deferred() && !owes_much() && !is_deferred(source, tag, comm) && is_played(comm);
}

int receive_now(void* buffer, std::int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status,
                bool ahead) {
  MPI_Request request;
  const int code = irecv_counted(buffer, count, type, source, tag, comm, &request);
  return code == MPI_SUCCESS ? (ahead ? complete_ahead : wait_really)(&request, status) : code;
}

bool cancel_deferred(MPI_Request request) {
  forget_determined(request);
  const std::size_t at = find_deferred(request);
  if (at == deferred.size) return false;
  Deferred& one = deferred.values[at];
  if (one.decided) return real_cancel.get()(&one.real) == MPI_SUCCESS;
  one.cancelled = true;
  real_type_free.get()(&one.receive.type);
  return true;
}

void forget_deferred(MPI_Request request) {
  const std::size_t at = find_deferred(request);
  if (at == deferred.size) return;
  Deferred& one = deferred.values[at];
  if (!one.persistent) real_grequest_complete.get()(request);
  one.freed = true;
  if (!one.decided && !one.cancelled) return; // its message is to come all the same
  if (!one.cancelled) real_request_free.get()(&one.real);
  deferred.remove(at);
}

int complete(MPI_Request* request, MPI_Status* status) {
  if (alone) {
    const RealRequests real(1, request);
    return real_wait.get()(request, status);
  }
  forget_determined(*request);
  const std::size_t at = find_deferred(*request);
  if (at == deferred.size) return is_started(*request) ? complete_started(request, status) : wait_really(request, status);
  Deferred& one = deferred.values[at];
  if (one.cancelled && status != MPI_STATUS_IGNORE) set_empty(status, true);
  if (!one.decided && !one.cancelled) give_up("a receive is complete whose message is not known"); // the stream is corrupt
  const int code = one.cancelled ? MPI_SUCCESS : wait_really(&one.real, status);
  finish(at, request);
  return code;
}

int complete_status(MPI_Request request, MPI_Status* status) {
  const std::size_t at = find_deferred(request);
  if (at == deferred.size && is_started(request)) return complete_started_status(request, status);
  if (at < deferred.size && deferred.values[at].cancelled) {
    if (status != MPI_STATUS_IGNORE) set_empty(status, true);
    return MPI_SUCCESS;
  }
  const MPI_Request real = at == deferred.size ? request : deferred.values[at].real;
  int flag = 0;
  for (RealWait wait;; wait.look_again()) {
    const int code = real_get_status.get()(real, &flag, status);
    if (code != MPI_SUCCESS || flag != 0) return code;
  }
}

RealRequests::RealRequests(int count, MPI_Request* requests) : requests_(requests) {
  if (!alone) return;
  for (int i = 0; i < count; ++i) {
    const std::size_t at = find_deferred(requests[i]);
    if (at == deferred.size) continue;
    Exchanged* const one = exchanged_.add();
    if (one == nullptr) give_up("there is no memory for the program's requests");
    *one = {i, requests[i]};
    requests[i] = deferred.values[at].real;
  }
}

RealRequests::~RealRequests() {
  for (std::size_t i = 0; i < exchanged_.size; ++i) {
    Exchanged& one = exchanged_.values[i];
    MPI_Request& request = requests_[one.index];
    const std::size_t at = find_deferred(one.placeholder);
    const bool over = key_of(request) == constants.request_null;
    deferred.values[at].real = request;
    if (!over || deferred.values[at].persistent) request = one.placeholder;
    if (over) finish(at, &one.placeholder);
  }
  std::free(exchanged_.values);
  if (alone && !any_deferred() && !any_persistent()) is_coupled = false; // nothing is left to be done by hand
}

int get_status_alone(MPI_Request request, int* flag, MPI_Status* status) {
  const RealRequests real(1, &request);
  return real_get_status.get()(request, flag, status);
}

} // namespace farcast::interpose
