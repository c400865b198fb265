// What leaves from a private copy in coupled mode: sends, and the data of collectives that a member leaves early.
#include "libinterpose/counted_calls.h"
#include "libinterpose/coupled.h"
#include "libinterpose/grown_list.h"
#include "libinterpose/real.h"

#include <cstdlib>
#include <cstring>

namespace farcast::interpose {

namespace {

constinit Real<int (*)(MPI_Request*, int*, MPI_Status*)> real_test{"PMPI_Test"};
constinit Real<int (*)(MPI_Datatype, MPI_Aint*, MPI_Aint*)> real_extent{"PMPI_Type_get_extent"};
constinit Real<int (*)(MPI_Datatype, MPI_Aint*, MPI_Aint*)> real_true_extent{"PMPI_Type_get_true_extent"};
constinit Real<int (*)(MPI_Request*, MPI_Status*)> real_wait{"PMPI_Wait"};

struct Sent { // under way from its copy
  MPI_Request request;
  void* copy;
};
constinit List<Sent> sent{};

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
  int code = pack_counted(buffer, count, type, copy, comm, &size);
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

int start_apart(const Decided& decided, const LeftData& data, Member member,
                int (*start)(void* state, const void* data, MPI_Request* request), void* state) {
  MPI_Request request;
  quiet.starts_apart(member.rank, member.size);
  MPI_Aint low = 0, true_low = 0, extent = 0, true_extent = 0;
  bool copies = decided.together == stream::kAhead && data.buffer != MPI_IN_PLACE;
  if (copies) {
    copies = real_extent.get()(data.type, &low, &extent) == MPI_SUCCESS &&
             real_true_extent.get()(data.type, &true_low, &true_extent) == MPI_SUCCESS && extent >= 0;
  }
  if (!copies) { // it waits
    const int code = start(state, data.buffer, &request);
    return code == MPI_SUCCESS ? real_wait.get()(&request, MPI_STATUS_IGNORE) : code;
  }
  const std::size_t size = data.count <= 0 ? 0 : static_cast<std::size_t>(true_extent + (data.count - 1) * extent);
  auto* const copy = static_cast<char*>(std::malloc(size > 0 ? size : 1));
  Sent* const one = copy == nullptr ? nullptr : sent.add();
  if (one == nullptr) give_up("there is no memory for what the program sends");
  std::memcpy(copy, static_cast<const char*>(data.buffer) + true_low, size);
  const int code = start(state, copy - true_low, &request);
  if (code != MPI_SUCCESS) {
    --sent.size;
    std::free(copy);
    return code;
  }
  *one = {request, copy};
  return MPI_SUCCESS;
}

} // namespace farcast::interpose
