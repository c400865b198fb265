#include "libinterpose/coupled.h"

#include "libinterpose/channel.h"
#include "libinterpose/real.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace farcast::interpose {

constinit bool is_coupled = false;
constinit QuietPolls quiet;

namespace {

constexpr long kFirstNapNs = 50'000; // between two rounds of the library's progress
constexpr long kLongestNapNs = 1'000'000;
constexpr int kNapsBetweenLooks = 64; // whether the predictor is still there

constinit Real<int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)> real_isend{"PMPI_Isend"};
constinit Real<int (*)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)> real_irecv{"PMPI_Irecv"};
constinit Real<int (*)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*)> real_recv{"PMPI_Recv"};
constinit Real<int (*)(MPI_Request*, MPI_Status*)> real_wait{"PMPI_Wait"};
constinit Real<int (*)(MPI_Request*, int*, MPI_Status*)> real_test{"PMPI_Test"};
constinit Real<int (*)(MPI_Request, int*, MPI_Status*)> real_get_status{"PMPI_Request_get_status"};
constinit Real<int (*)(int, int, MPI_Comm, int*, MPI_Status*)> real_iprobe{"PMPI_Iprobe"};
constinit Real<int (*)(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm)> real_pack{"PMPI_Pack"};
constinit Real<int (*)(int, MPI_Datatype, MPI_Comm, int*)> real_pack_size{"PMPI_Pack_size"};
constinit Real<int (*)(MPI_Datatype, MPI_Datatype*)> real_type_dup{"PMPI_Type_dup"};
constinit Real<int (*)(MPI_Datatype, MPI_Aint*, MPI_Aint*)> real_extent{"PMPI_Type_get_extent"};
constinit Real<int (*)(MPI_Datatype, MPI_Aint*, MPI_Aint*)> real_true_extent{"PMPI_Type_get_true_extent"};
constinit Real<int (*)(MPI_Datatype*)> real_type_free{"PMPI_Type_free"};
constinit Real<int (*)(MPI_Comm, int)> real_abort{"PMPI_Abort"};
constinit Real<double (*)()> real_wtime{"PMPI_Wtime"};
constinit Real<int (*)(MPI_Grequest_query_function*, MPI_Grequest_free_function*, MPI_Grequest_cancel_function*, void*,
                       MPI_Request*)>
    real_grequest_start{"PMPI_Grequest_start"};
constinit Real<int (*)(MPI_Status*, MPI_Datatype, int)> real_set_elements{"PMPI_Status_set_elements"};
constinit Real<int (*)(MPI_Status*, int)> real_set_cancelled{"PMPI_Status_set_cancelled"};
constinit Real<int (*)(MPI_Request)> real_grequest_complete{"PMPI_Grequest_complete"};

struct Sent { // under way from its copy
  MPI_Request request;
  void* copy;
};
struct Deferred { // a receive with a placeholder; in the order in which they were posted
  MPI_Request placeholder;
  void* buffer;
  std::int64_t count;
  MPI_Datatype type; // ours: the program may free its own meanwhile
  MPI_Comm comm;
  MPI_Request real;
  bool decided;
  bool cancelled;
};

template <class Value> struct List {
  Value* values;
  std::size_t size;
  std::size_t room;
  Value* add() {
    if (size == room) {
      const std::size_t more = room == 0 ? 64 : 2 * room;
      auto* grown = static_cast<Value*>(std::realloc(values, more * sizeof(Value)));
      if (grown == nullptr) return nullptr;
      values = grown;
      room = more;
    }
    return &values[size++];
  }
  void remove(std::size_t index) {
    for (std::size_t i = index + 1; i < size; ++i) values[i - 1] = values[i];
    --size;
  }
};
constinit List<Sent> sent{};
constinit List<Deferred> deferred{};
constinit List<std::uint32_t> positions{};
constinit std::uint32_t answered = 0; // pieces of answers that were read
constinit double wtime_at_start = 0;

[[noreturn]] void give_up(const char* why) {
  tell_first(why, "the program ends (--coupled)");
  real_abort.get()(comm_world(), 1);
  _exit(1);
}

// Frees the copies of what has left.
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

// One look of the library at what has come.
void look() {
  int flag = 0;
  MPI_Status status;
  real_iprobe.get()(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_self(), &flag, &status);
}

void make_progress() {
  look();
  if (sent.size > 0) sweep_sent();
}

// Something has been published that the predictor may be waiting for.
void tell_predictor(stream::Answer& at) {
  at.asked.fetch_add(1, std::memory_order_seq_cst);
  if (at.awaited.load(std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, &at.asked, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void nap(std::atomic<std::uint32_t>& word, std::uint32_t seen, long ns) {
  const timespec time{0, ns};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &time, nullptr, 0);
}

// Waits for the next piece of an answer.
void await_piece(stream::Answer& at) {
  long pause = kFirstNapNs;
  int naps = 0;
  for (;;) {
    const std::uint32_t given = at.given.load(std::memory_order_acquire);
    if (given != answered) return;
    if (at.over.load(std::memory_order_acquire) != 0)
      give_up(
          "all ranks wait for one another on the virtual cluster: this is a deadlock of the program, or nothing is predicted");
    make_progress();
    nap(at.given, given, pause);
    if (pause < kLongestNapNs) pause *= 2;
    if (++naps % kNapsBetweenLooks != 0) continue;
    const int socket = open_socket();
    if (socket < 0 || is_gone(socket)) give_up("the predictor is gone");
  }
}

void post_decided(const stream::AnswerMatch& match) {
  for (std::size_t i = 0; i < deferred.size; ++i) {
    Deferred& one = deferred.values[i];
    if (one.decided || key_of(one.placeholder) != match.handle) continue;
    one.decided = true;
    real_irecv.get()(one.buffer, static_cast<int>(one.count), one.type, match.source, match.tag, one.comm, &one.real);
    real_type_free.get()(&one.type);
    return;
  }
}

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

int query(void* /*state*/, MPI_Status* status) {
  set_empty(status, false);
  return MPI_SUCCESS;
}
int forget(void* /*state*/) { return MPI_SUCCESS; }
int cancel(void* /*state*/, int /*complete*/) { return MPI_SUCCESS; }

int start_placeholder(MPI_Request* request) { return real_grequest_start.get()(query, forget, cancel, nullptr, request); }

} // namespace

void begin_coupling(int world_size, bool multithreaded) {
  if (!process.settings.coupled || is_coupled) return;
  if (multithreaded) {
    tell_first("several threads may call MPI", "outcomes are those of this machine (--coupled is for one thread)");
    return;
  }
  if (const int here = local_ranks(); here > 0 && here < world_size) {
    tell_first("the ranks are on several nodes", "outcomes are those of these machines (--coupled is for one node)");
    return;
  }
  wildcards_posted.store(true, std::memory_order_relaxed); // all statuses are of interest
  wtime_at_start = fixed_clock != nullptr ? 0 : real_wtime.get()();
  process.header->coupled = 1;
  is_coupled = true;
}

void give_up_unrecorded() {
  if (current != nullptr && !current->recording) give_up("recording has stopped, and nothing answers the program any more");
}

void end_coupling() {
  while (sent.size > 0) make_progress();
  is_coupled = false;
}

Decided await_answer(Call& call, int source, int tag) {
  stream::Answer& at = call.thread().ring.header()->answer;
  tell_predictor(at);
  positions.size = 0;
  Decided out{false, source, tag, 0, 0, nullptr, stream::kTogether, 0, 0};
  for (bool more = true; more;) {
    await_piece(at);
    ++answered;
    out.found = at.found != 0;
    out.time_s = at.time_s;
    out.together = at.together;
    out.quiet_s = at.quiet_s;
    out.poll_s = at.poll_s;
    if (at.source >= 0) {
      out.source = at.source;
      out.tag = at.tag;
    }
    for (std::uint32_t i = 0; i < at.match_count; ++i) {
      if (at.matches[i].handle != 0) {
        post_decided(at.matches[i]);
      } else {
        out.source = at.matches[i].source;
        out.tag = at.matches[i].tag;
      }
    }
    for (std::uint32_t i = 0; i < at.done_count; ++i) {
      if (std::uint32_t* const place = positions.add()) *place = at.words[i];
    }
    more = at.more != 0;
    at.taken.store(answered, std::memory_order_release);
  }
  out.count = static_cast<std::uint32_t>(positions.size);
  out.at = positions.values;
  return out;
}

void QuietPolls::go_on(const Decided& decided) {
  const auto ticks = [](double seconds) { return static_cast<std::uint64_t>(seconds * 1e9 * process.ticks_per_ns); };
  const std::uint64_t now = clock_ticks();
  if (now >= until_) count_ = 0;
  until_ = now + ticks(decided.quiet_s);
  poll_ticks_ = ticks(decided.poll_s);
}

std::uint64_t look_once() {
  const std::uint64_t before = clock_ticks();
  look();
  if (fixed_clock != nullptr) *fixed_clock += static_cast<std::uint64_t>(process.settings.poll_ns * kFixedTicksPerNs);
  const std::uint64_t took = clock_ticks() - before;
  return took > 0 ? took : 1;
}

int send_copy(const void* buffer, std::int64_t count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  MPI_Request request;
  if (destination == MPI_PROC_NULL || count == 0) {
    const int code = real_isend.get()(buffer, static_cast<int>(count), type, destination, tag, comm, &request);
    return code == MPI_SUCCESS ? real_wait.get()(&request, MPI_STATUS_IGNORE) : code;
  }
  int size = 0;
  const int sized = real_pack_size.get()(static_cast<int>(count), type, comm, &size);
  if (sized != MPI_SUCCESS) return sized;
  void* copy = std::malloc(static_cast<std::size_t>(size > 0 ? size : 1));
  Sent* const one = copy == nullptr ? nullptr : sent.add();
  if (one == nullptr) give_up("there is no memory for what the program sends");
  int position = 0;
  int code = real_pack.get()(buffer, static_cast<int>(count), type, copy, size, &position, comm);
  if (code == MPI_SUCCESS) code = real_isend.get()(copy, position, type_packed(), destination, tag, comm, &request);
  if (code != MPI_SUCCESS) {
    --sent.size;
    std::free(copy);
    return code;
  }
  *one = {request, copy};
  sweep_sent();
  return MPI_SUCCESS;
}

int start_apart(const Decided& decided, const LeftData& data, int (*start)(void* state, const void* data, MPI_Request* request),
                void* state) {
  MPI_Request request;
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

int finished_request(MPI_Request* request) {
  const int code = start_placeholder(request);
  return code == MPI_SUCCESS ? real_grequest_complete.get()(*request) : code;
}

bool is_deferred(int source, int tag, MPI_Comm comm) {
  if (source == MPI_PROC_NULL) return false;
  if (source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG) return true;
  for (std::size_t i = 0; i < deferred.size; ++i) {
    if (!deferred.values[i].decided && !deferred.values[i].cancelled && deferred.values[i].comm == comm) return true;
  }
  return false;
}

int defer_receive(void* buffer, std::int64_t count, MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  Deferred* const one = deferred.add();
  if (one == nullptr) give_up("there is no memory for what the program receives");
  MPI_Datatype own;
  int code = real_type_dup.get()(type, &own);
  if (code == MPI_SUCCESS) code = start_placeholder(request);
  if (code != MPI_SUCCESS) {
    --deferred.size;
    return code;
  }
  *one = {*request, buffer, count, own, comm, MPI_Request{}, false, false};
  return MPI_SUCCESS;
}

int receive_now(void* buffer, std::int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return real_recv.get()(buffer, static_cast<int>(count), type, source, tag, comm, status);
}

bool cancel_deferred(MPI_Request request) {
  const std::size_t at = find_deferred(request);
  if (at == deferred.size) return false;
  deferred.values[at].cancelled = true;
  real_type_free.get()(&deferred.values[at].type);
  return true;
}

int complete(MPI_Request* request, MPI_Status* status) {
  const std::size_t at = find_deferred(*request);
  if (at == deferred.size) return real_wait.get()(request, status);
  Deferred one = deferred.values[at];
  if (one.cancelled && status != MPI_STATUS_IGNORE) set_empty(status, true);
  if (!one.decided && !one.cancelled) give_up("a receive is complete whose message is not known"); // the stream is corrupt
  const int code = one.cancelled ? MPI_SUCCESS : real_wait.get()(&one.real, status);
  deferred.remove(at);
  real_grequest_complete.get()(*request);
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

double virtual_wtime(double time_s) { return wtime_at_start + time_s; }

} // namespace farcast::interpose
