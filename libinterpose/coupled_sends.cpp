// Sends of coupled mode, which leave from a private copy.
#include "libinterpose/counted_calls.h"
#include "libinterpose/coupled.h"
#include "libinterpose/grown_list.h"
#include "libinterpose/real.h"

#include <cstdlib>

namespace farcast::interpose {

namespace {

constinit Real<int (*)(MPI_Request*, int*, MPI_Status*)> real_test{"PMPI_Test"};
constinit Real<int (*)(MPI_Request*, MPI_Status*)> real_wait{"PMPI_Wait"};

struct Sent { // under way from its copy
  MPI_Request request;
  void* copy;
};
constinit List<Sent> sent{};

// As packing, of data that begin at MPI_BOTTOM: MPICH's MPI_Pack refuses that.
int pack_absolute(const void* buffer, std::int64_t count, MPI_Datatype type, void* copy, std::int64_t* size) {
  MPI_Request in;
  MPI_Request out;
  MPI_Status status;
  int code = irecv_counted(copy, *size, type_packed(), 0, own_tag(), comm_self(), &in);
  if (code == MPI_SUCCESS) code = isend_counted(buffer, count, type, 0, own_tag(), comm_self(), &out);
  if (code == MPI_SUCCESS) code = real_wait.get()(&out, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS) code = real_wait.get()(&in, &status);
  if (code == MPI_SUCCESS) *size = static_cast<std::int64_t>(status_bytes(status));
  return code;
}

} // namespace

bool any_sent() { return sent.size > 0; }

void sweep_sent() {
  for (std::size_t i = 0; i < sent.size;) {
    int done = 0;
    if (real_test.get()(&sent.values[i].request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) done = 1;
    if (done == 0) {
      ++i;
      continue;
    }
    std::free(sent.values[i].copy);
    sent.remove(i);
  }
}

int send_copy(const void* buffer, std::int64_t count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  MPI_Request request;
  if (destination == MPI_PROC_NULL || count == 0) {
    const int code = isend_counted(buffer, count, type, destination, tag, comm, &request);
    return code == MPI_SUCCESS ? real_wait.get()(&request, MPI_STATUS_IGNORE) : code;
  }
  std::int64_t size = 0;
  const int sized = pack_size_counted(count, type, comm, &size);
  if (sized != MPI_SUCCESS) return sized;
  void* copy = std::malloc(static_cast<std::size_t>(size > 0 ? size : 1));
  Sent* const one = copy == nullptr ? nullptr : sent.add();
  if (one == nullptr) give_up("there is no memory for what the program sends");
  int code = buffer == MPI_BOTTOM ? pack_absolute(buffer, count, type, copy, &size)
                                  : pack_counted(buffer, count, type, copy, comm, &size);
  if (code == MPI_SUCCESS) code = isend_counted(copy, size, type_packed(), destination, tag, comm, &request);
  if (code != MPI_SUCCESS) {
    --sent.size;
    std::free(copy);
    return code;
  }
  *one = {request, copy};
  sweep_sent();
  return MPI_SUCCESS;
}

} // namespace farcast::interpose
