// Collectives of coupled mode that are started (MPI_Ibcast, MPI_Bcast_init) and that a member may
// complete before all have entered them: messages of their own, as of blocking ones
// (coupled_collectives.h).
//
// What a member gives leaves at the start; what it takes is received once its request, a
// placeholder, is complete in virtual time: who gives it has entered by then. Several may be under
// way on a communicator and complete in any order, so each has a tag of its own, by the number that
// all members count alike.
#include "libinterpose/coupled.h"
#include "libinterpose/coupled_neighbours.h"
#include "libinterpose/grown_list.h"
#include "libinterpose/real.h"

#include <cstdlib>

namespace farcast::interpose {

namespace {

constinit Real<int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)> real_send_init{"PMPI_Send_init"};
constinit Real<int (*)(MPI_Request)> real_grequest_complete{"PMPI_Grequest_complete"};
constinit Real<int (*)(MPI_Request*, MPI_Status*)> real_wait{"PMPI_Wait"};
constinit Real<int (*)(MPI_Datatype, int*, int*, int*, int*)> real_envelope{"PMPI_Type_get_envelope"};
constinit Real<int (*)(MPI_Datatype, MPI_Datatype*)> real_type_dup{"PMPI_Type_dup"};
constinit Real<int (*)(MPI_Datatype*)> real_type_free{"PMPI_Type_free"};
constinit Real<int (*)(MPI_Op*)> real_op_free{"PMPI_Op_free"};

constexpr std::uint32_t kTags = 1u << 10; // that many may be under way, or be persistent, on a communicator

struct Started {
  MPI_Request request; // a placeholder; of persistent ones, a message to nobody
  Apart what;          // its datatypes are ours
  bool persistent;
  bool active; // it has not all that it takes
};
constinit List<Started> started{};
struct Counts { // collectives made so
  std::uint32_t once;
  std::uint32_t persistent;
};
constinit List<Counts> counts{}; // [communicator's number]
constinit List<MPI_Op> left{};   // operators that the program has freed, and that are used later

std::size_t find(MPI_Request request) {
  return started.find([=](const Started& one) { return one.request == request; });
}

bool is_own(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  real_envelope.get()(type, &integers, &addresses, &types, &combiner);
  return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL && combiner != MPI_COMBINER_F90_COMPLEX &&
         combiner != MPI_COMBINER_F90_INTEGER;
}

// The program may free its own as soon as the call has returned.
void keep(MPI_Datatype& type) {
  if (!is_own(type)) return;
  MPI_Datatype copy = type;
  if (real_type_dup.get()(type, &copy) == MPI_SUCCESS) type = copy;
}

void release(MPI_Datatype type) {
  if (is_own(type)) real_type_free.get()(&type);
}

int types_of(const Apart& what, bool given) {
  if (what.kind != Apart::Kind::neighbours) return what.size;
  Neighbours peers;
  peers.find(what.comm, what.rank);
  const auto count = static_cast<int>(given ? peers.to.size : peers.from.size);
  peers.free();
  return count;
}

// Those that are read after the call: of what is taken, and of what is given by each start.
void keep_types(Apart& what, Apart::Part& part, bool given) {
  if (part.types == nullptr) return keep(part.type);
  const int count = types_of(what, given);
  auto* const own = static_cast<MPI_Datatype*>(std::malloc(sizeof(MPI_Datatype) * static_cast<std::size_t>(count + 1)));
  if (own == nullptr) give_up("there is no memory for the datatypes of a collective");
  for (int i = 0; i < count; ++i) {
    own[i] = part.types[i];
    if (what.count_of(part, i) > 0) keep(own[i]);
  }
  part.types = own;
}

void release_types(const Apart& what, Apart::Part& part, bool given) {
  if (part.types == nullptr) return release(part.type);
  const int count = types_of(what, given);
  for (int i = 0; i < count; ++i) {
    if (what.count_of(part, i) > 0) release(part.types[i]);
  }
  std::free(const_cast<MPI_Datatype*>(part.types));
}

bool is_used(MPI_Op op) {
  return started.any([=](const Started& one) { return one.what.combines() && one.what.op == op; });
}

void forget(std::size_t which) {
  Started& one = started.values[which];
  if (one.what.takes()) release_types(one.what, one.what.in, false);
  if (one.persistent && one.what.gives_out()) release_types(one.what, one.what.out, true);
  started.remove(which);
  free_left();
  const auto is_free = [](MPI_Op op) { return !is_used(op); };
  for (std::size_t at = left.find(is_free); at < left.size; at = left.find(is_free)) {
    MPI_Op op = left.values[at];
    left.remove(at);
    real_op_free.get()(&op);
  }
}

Started& add(const Apart& apart, std::uint32_t communicator, bool persistent) {
  while (counts.size <= communicator) {
    Counts* const none = counts.add();
    if (none == nullptr) give_up("there is no memory for the program's collectives");
    *none = {0, 0};
  }
  Started* const one = started.add();
  if (one == nullptr) give_up("there is no memory for the program's collectives");
  *one = {MPI_Request{}, apart, persistent, false};
  Counts& count = counts.values[communicator];
  const std::uint32_t number = persistent ? kTags + count.persistent++ % kTags : count.once++ % kTags;
  one->what.tag = own_tag() - 2 - 2 * static_cast<int>(number); // neighbours take two
  if (one->what.takes()) keep_types(one->what, one->what.in, false);
  if (persistent && one->what.gives_out()) keep_types(one->what, one->what.out, true);
  return *one;
}

int begin(Started& one) {
  one.active = true;
  one.what.contributed = false;
  return one.what.contribute();
}

int finish(Started& one) {
  if (!one.active) return MPI_SUCCESS;
  one.active = false;
  return one.what.finish();
}

} // namespace

bool any_started() { return started.size > 0; }
bool is_started_on(MPI_Comm comm) {
  return started.any([=](const Started& one) { return one.what.comm == comm; });
}
int free_op(MPI_Op* op, int (*real)(MPI_Op*)) {
  if (!any_started() || !is_used(*op)) return real(op);
  MPI_Op* const one = left.add();
  if (one == nullptr) give_up("there is no memory for the program's operators");
  *one = *op;
  *op = op_null();
  return MPI_SUCCESS;
}
bool is_started(MPI_Request request) { return find(request) < started.size; }

int start_apart(const Apart& apart, std::uint32_t communicator, MPI_Request* request) {
  Started& one = add(apart, communicator, false);
  int code = begin(one);
  if (code == MPI_SUCCESS) code = start_placeholder(request);
  if (code == MPI_SUCCESS)
    one.request = *request;
  else
    forget(started.size - 1);
  return code;
}

int make_apart(const Apart& apart, std::uint32_t communicator, MPI_Request* request) {
  const int code = real_send_init.get()(nullptr, 0, type_packed(), MPI_PROC_NULL, 0, apart.comm, request);
  if (code == MPI_SUCCESS) add(apart, communicator, true).request = *request;
  return code;
}

int begin_again(MPI_Request request) { return begin(started.values[find(request)]); }

int complete_started(MPI_Request* request, MPI_Status* status) {
  const std::size_t at = find(*request);
  Started& one = started.values[at];
  const int code = finish(one);
  if (!one.persistent) {
    real_grequest_complete.get()(*request);
    forget(at);
  }
  const int waited = real_wait.get()(request, status);
  return code == MPI_SUCCESS ? waited : code;
}

int complete_started_status(MPI_Request request, MPI_Status* status) {
  if (status != MPI_STATUS_IGNORE) set_empty(status, false);
  return finish(started.values[find(request)]);
}

void forget_started(MPI_Request request) {
  if (const std::size_t at = find(request); at < started.size) forget(at);
}

} // namespace farcast::interpose
