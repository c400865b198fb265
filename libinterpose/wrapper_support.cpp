#include "libinterpose/wrapper_support.h"

#include "libinterpose/coupled.h"
#include "libinterpose/isolation.h"

namespace farcast::interpose {
namespace {

Real<int (*)(MPI_Comm, int*)> comm_rank{"PMPI_Comm_rank"};
Real<int (*)(MPI_Comm, int*)> comm_size{"PMPI_Comm_size"};
Real<int (*)(int*)> query_thread{"PMPI_Query_thread"};
Real<int (*)(char*, int*)> library_version{"PMPI_Get_library_version"};
Real<int (*)(int, int*)> error_class{"PMPI_Error_class"};

} // namespace

std::uint16_t index_outcome(Call& call, int code, const int* index) {
  if (code != MPI_SUCCESS) return stream::kOutcomeError;
  if (*index == MPI_UNDEFINED || *index < 0) return stream::kOutcomeUndefined;
  if (*index < stream::kOutcomeLarge) return static_cast<std::uint16_t>(*index);
  call.completed(1, index);
  return stream::kOutcomeLarge;
}

void some_outcome(Call& call, int code, const int* outcount, const int* indices, StatusArray& statuses) {
  if (code != MPI_SUCCESS || *outcount == MPI_UNDEFINED || *outcount <= 0) return;
  call.completed(*outcount, indices);
  if (statuses.readable()) call.statuses(statuses.get(), *outcount, indices);
}

void leaders(Call& call, MPI_Comm local, int leader, MPI_Comm peers, int other, int tag) {
  call.communicator(local);
  call.slot().tag = tag_code(tag);
  std::uint32_t between = stream::kNoComm;
  if (call.slot().comm < stream::kSessionComm && call.group_rank() == leader) {
    between = comm_info(call.thread(), peers).id;
    call.slot().peer = peer_code(other);
  }
  call.slot().bytes = row_word(static_cast<int>(between), leader);
}

void let_in(Call& call) { write_aside(call.thread(), stream::SlotKind::call_aside, {0, ns_of(clock_ticks() - call.entered())}); }

bool is_truncation(int code) {
  int kind = MPI_SUCCESS;
  return error_class.get()(code, &kind) == MPI_SUCCESS && kind == MPI_ERR_TRUNCATE;
}

bool took_part(int code) {
  int kind = MPI_SUCCESS;
  if (error_class.get()(code, &kind) != MPI_SUCCESS) return false;
  for (const int of_arguments : {MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_TAG, MPI_ERR_COMM, MPI_ERR_RANK,
                                 MPI_ERR_ROOT, MPI_ERR_GROUP, MPI_ERR_OP, MPI_ERR_TOPOLOGY, MPI_ERR_DIMS, MPI_ERR_ARG}) {
    if (kind == of_arguments) return false;
  }
  return true;
}

std::uint64_t request_set_key(int count, const MPI_Request* requests) {
  std::uint64_t key = static_cast<std::uint64_t>(count) | 1;
  for (int i = 0; i < count; ++i) key = stream::spread(key ^ key_of(requests[i]));
  return key;
}

long call_fortran(const NamedFunction* names, int count, FortranFunction real, void* return_address, void* frame, void* a,
                  void* b, void* c, void* d, void* e, void* f) {
  int chosen = 0;
  for (int i = 1; i < count; ++i) {
    if (is_binding_of(reinterpret_cast<std::uint64_t>(return_address), names[i].name)) chosen = i;
  }
  Call call;
  if (!call.begin(names[chosen].number, names[chosen].name, return_address, frame)) return real(a, b, c, d, e, f);
  call.publish();
  const long value = real(a, b, c, d, e, f);
  call.end(MPI_SUCCESS);
  return value;
}

void start_watching() {
  start();
  note_own_threads();
  if (process.recording.load(std::memory_order_relaxed)) yield_when_idle(process.settings.coupled);
}

void finish_init(Call& call, int code) {
  if (code != MPI_SUCCESS || process.saw_init) return;
  load_constants();
  int rank = 0;
  int size = 0;
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  const MPI_Comm world = comm_world();
  comm_rank.get()(world, &rank);
  comm_size.get()(world, &size);
  library_version.get()(version, &length);
  int provided = MPI_THREAD_SINGLE;
  query_thread.get()(&provided);
  note_library_threads();
  begin_coupling(rank, size, provided >= MPI_THREAD_SERIALIZED);
  if (!coupled()) yield_when_idle(false); // or it was refused
  after_init(rank, size, provided >= MPI_THREAD_SERIALIZED && !coupled(), version);
  comm_info(call.thread(), world); // every rank describes MPI_COMM_WORLD first
  begin_isolation(call.thread());
}

bool finalizes_unrecorded() {
  return !process.finalized && process.header != nullptr && (current == nullptr || !current->recording);
}

void publish_end(Call& call) {
  Thread& thread = call.thread();
  if (!thread.recording) return;
  const int sessions = open_session_count();
  process.header->open_sessions.store(sessions > 0 ? static_cast<std::uint32_t>(sessions) : 0, std::memory_order_relaxed);
  if (stream::Slot* slot = thread.ring.reserve()) {
    slot->extension = {};
    slot->kind = stream::SlotKind::end;
    slot->extension.aux = stream::kEndOfRank;
    thread.ring.publish();
  } else {
    out_of_room(thread); // else its reader waits for that slot
  }
  thread.recording = false;
  stop_aside(thread.aside);
}

} // namespace farcast::interpose
