#include "libinterpose/coupled.h"

#include "libinterpose/channel.h"
#include "libinterpose/counted_calls.h"
#include "libinterpose/coupled_waits.h"
#include "libinterpose/grown_list.h"
#include "libinterpose/isolation.h"
#include "libinterpose/real.h"
#include "libinterpose/wrapper_support.h"

#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace farcast::interpose {

constinit bool is_coupled = false;
constinit bool alone = false;
constinit std::atomic<double> told_behind{0};

namespace {

constexpr std::uint32_t kLooksBeforeNap = 16; // of a rank that waits for a message really
constexpr long kLookNs = 10'000'000;          // between two looks whether another rank has said why the job ends
constexpr int kLooksForSaid = 300;

constinit Real<int (*)(MPI_Comm, MPI_Comm*)> real_comm_dup{"PMPI_Comm_dup"};
constinit Real<int (*)(MPI_Comm*)> real_comm_free{"PMPI_Comm_free"};
constinit Real<int (*)(MPI_Request, int*, MPI_Status*)> real_get_status{"PMPI_Request_get_status"};
constinit Real<int (*)(MPI_Request*)> real_cancel{"PMPI_Cancel"};
constinit Real<int (*)(MPI_Request*, int*, MPI_Status*)> real_test{"PMPI_Test"};
constinit Real<int (*)(MPI_Request*, MPI_Status*)> real_wait{"PMPI_Wait"};
constinit Real<int (*)(MPI_Comm, int)> real_abort{"PMPI_Abort"};
constinit Real<double (*)()> real_wtime{"PMPI_Wtime"};

constinit List<std::uint32_t> positions{};
constinit std::uint32_t answered = 0; // pieces of answers that were read
constinit double wtime_at_start = 0;
constinit double wtime_at_answer = 0; // at the last one
constinit bool is_away = false;       // the call that was answered last is to say when it has returned
constinit double alone_from_s = 0;    // virtual time less the machine's, since the rank is alone
constinit bool leaves = false;        // it has entered MPI_Finalize, behind which nothing hangs on an answer

void pause_for(long ns) {
  const timespec time{0, ns};
  nanosleep(&time, nullptr);
}

} // namespace

// The rank that says why is the first to come here: others that end the job meanwhile would take
// its words away. One may just be saying that it goes on without.
void give_up(const char* why) {
  for (int look = 0; look < kLooksForSaid; ++look) {
    if (board.first_to_say(true)) {
      print_texts(open_socket()); // who waits where
      tell(why, "the program ends (--coupled)");
      await_said();
      board.end_saying(true);
      break;
    }
    if (!board.is_being_said()) break;
    pause_for(kLookNs);
  }
  real_abort.get()(comm_world(), 1);
  _exit(1);
}

void give_up_threads() { give_up("several threads of a rank call MPI, and --one-thread says that one does"); }

namespace {

// A receive of which nobody sends the message: looking whether it is complete drives the library's
// progress. (MPI_Iprobe does not in MPICH 4.0: windows of another rank would wait for this one.)
struct Watch {
  MPI_Comm comm; // has nobody else in it, and no other message
  MPI_Request request;
  bool set;
};
constinit Watch watch{};

void begin_watch() {
  if (real_comm_dup.get()(comm_self(), &watch.comm) != MPI_SUCCESS) return;
  watch.set = irecv_counted(nullptr, 0, type_packed(), 0, 0, watch.comm, &watch.request) == MPI_SUCCESS;
}

void end_watch() {
  if (!watch.set) return;
  watch.set = false;
  MPI_Status status;
  real_cancel.get()(&watch.request);
  real_wait.get()(&watch.request, &status);
  real_comm_free.get()(&watch.comm);
}

// One look of the library at what has come.
void look() {
  if (!watch.set) return;
  const PollsOn here;
  int flag = 0;
  MPI_Status status;
  real_get_status.get()(watch.request, &flag, &status);
}

// Returns: messages of its own have not left.
bool make_progress() {
  look();
  if (any_sent()) sweep_sent();
  return any_sent();
}

// Something has been published that the predictor may be waiting for.
void tell_predictor(stream::Answer& at) {
  at.asked.fetch_add(1, std::memory_order_seq_cst);
  if (at.awaited.load(std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, &at.asked, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

// From now on the outcomes are this machine's; what was deferred is posted in its order.
void go_alone(const char* why, const stream::Answer& at) {
  if (process.settings.ends_on_fault && !leaves) give_up(why);
  if (any_started() && !leaves)
    give_up("nobody answers any more, and the program has begun collectives that some ranks may have left");
  if (board.first_to_say(false)) {
    tell(why, "the program goes on with the outcomes and the time of this machine");
    board.end_saying(false);
  }
  alone = true;
  yield_when_idle(false);
  quiet.end();
  process.header->coupled = 0;
  alone_from_s = own_clock.told(at.time_s) + wtime_at_start - wtime_at_answer;
  is_coupled = any_deferred() || any_persistent(); // else nothing is to be done by hand
  post_undecided();
}

// Looks after the predictor now and then. Returns: it is gone, and the rank alone from now on.
bool goes_alone(const stream::Answer& at) {
  if (!is_time_to_look()) return false;
  const int socket = open_socket();
  print_texts(socket);
  if (socket >= 0 && !is_gone(socket)) return false;
  go_alone("the predictor is gone", at);
  return true;
}

// Waits until `come(given)`. Returns: false where nobody answers any more.
template <class Come> bool await(stream::Answer& at, Turn& turn, Naps naps, Come come) {
  for (;;) {
    const std::uint32_t pokes = board.pokes();
    const std::uint32_t given = at.given.load(std::memory_order_acquire);
    if (come(given)) return true;
    const std::uint32_t over = at.over.load(std::memory_order_acquire);
    if (over != 0 && come(at.given.load(std::memory_order_acquire))) return true; // the last answer came before
    switch (over) {
    case 0:
      break;
    case stream::kAlone:
      go_alone("not all ranks of the job run under farcast", at);
      return false;
    case stream::kEnds:
      give_up("nothing has gone on for as long as --patience says");
    default:
      give_up(
          "all ranks wait for one another on the virtual cluster: this is a deadlock of the program, or nothing is predicted");
    }
    if (!naps.none() || any_sent() || board.is_accessed()) make_progress();
    turn.give_back();
    naps.nap(pokes, at.given, given);
    if (goes_alone(at)) return false;
  }
}

// Waits for the next piece of an answer. Returns: false where none will come.
bool await_piece(stream::Answer& at, Turn& turn) {
  return await(at, turn, Naps(), [](std::uint32_t given) { return given != answered; });
}

} // namespace

void begin_coupling(int rank, int world_size, bool multithreaded) {
  if (!process.settings.coupled || is_coupled) return;
  if (!takes_part() || (multithreaded && !process.settings.one_thread)) {
    tell_first("several threads may call MPI", "outcomes are those of this machine (--coupled --one-thread: only one does)");
    return;
  }
  if (const int here = local_ranks(); here > 0 && here < world_size) {
    tell_first("the ranks are on several nodes", "outcomes are those of these machines (--coupled is for one node)");
    return;
  }
  wildcards_posted.store(true, std::memory_order_relaxed); // all statuses are of interest
  wtime_at_answer = real_wtime.get()();
  wtime_at_start = fixed_clock != nullptr ? 0 : wtime_at_answer;
  board.begin_rank(static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(world_size));
  Naps::share_cores(world_size);
  begin_watch();
  owed_progress = [] { return any_sent() && make_progress(); };
  process.header->coupled = 1;
  current->tells = true;
  is_coupled = true;
}

void announce_ahead(Call& call) {
  board.end_access();
  call.slot().flags |= stream::kFlagAhead;
  call.announce(1);
  give_up_unrecorded();
  stream::Answer& at = call.thread().ring.header()->answer;
  tell_predictor(at);
  goes_alone(at); // a program whose waits are short is not told of it otherwise
}

int complete_ahead(MPI_Request* request, MPI_Status* status) {
  forget_determined(*request);
  if (alone) return real_wait.get()(request, status);
  int code = MPI_SUCCESS;
  std::uint32_t looks = 0;
  const auto come = [&](std::uint32_t /*given*/) {
    const PollsOn here;
    for (int flag = 0;;) {
      code = real_test.get()(request, &flag, status);
      if (code != MPI_SUCCESS || flag != 0) return true;
      if (++looks % kLooksBeforeNap == 0) break;
      sched_yield();
    }
    if ((looks & (looks - 1)) == 0) board.poke(false);
    return false;
  };
  Turn turn;
  return await(current->ring.header()->answer, turn, Naps(true), come) ? code : real_wait.get()(request, status);
}

void wake_receiver(int destination, MPI_Comm comm) {
  if (destination >= 0) board.wake(world_rank_in_comm(*current, comm, destination));
}

int accessed_by(MPI_Win win, int rank) { return rank == MPI_PROC_NULL ? Board::kNone : world_rank_in_window(win, rank); }

void give_up_unrecorded() {
  if (!alone && current != nullptr && !current->recording)
    give_up("recording has stopped, and nothing answers the program any more");
}

void end_coupling(const Decided* finalized) {
  std::atomic<std::uint32_t> never{0};
  Turn turn;
  for (Naps naps; any_sent();) {
    const std::uint32_t pokes = board.pokes();
    if (!make_progress()) break;
    turn.give_back();
    naps.nap(pokes, never, 0);
  }
  end_watch();
  free_left();
  is_coupled = false;
  if (finalized == nullptr || finalized->alone) return;
  alone = true;
  alone_from_s = virtual_wtime(own_clock.told(finalized->time_s)) - machine_wtime();
  told_behind.store(-alone_from_s, std::memory_order_relaxed);
}

namespace {

// Waits for all pieces of an answer. Returns: false where none will come.
bool read_answer(stream::Answer& at, Decided& out, Apart* apart) {
  Turn turn; // of all of them: the predictor waits for each to be taken
  for (bool more = true; more;) {
    if (!await_piece(at, turn)) return false;
    ++answered;
    out.found = at.found != 0;
    out.time_s = at.time_s;
    out.together = at.together;
    out.quiet_s = at.quiet_s;
    out.poll_s = at.poll_s;
    out.pace = at.pace;
    out.least_poll_s = at.least_poll_s;
    out.grows = at.grows != 0;
    out.messages = at.messages != 0;
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
    if (apart != nullptr && at.together == stream::kApart && at.found == 0) apart->contribute();
    out.alone = at.outside != 0;
    is_away = at.away != 0;
    more = at.more != 0;
    at.taken.store(answered, std::memory_order_release);
  }
  return true;
}

} // namespace

Decided await_answer(Call& call, int source, int tag, Apart* apart) {
  give_up_unrecorded(); // what could not be announced is not answered
  stream::Answer& at = call.thread().ring.header()->answer;
  board.end_access();
  quiet.asks();
  tell_predictor(at);
  positions.size = 0;
  Decided out{false, source, tag, 0, 0, nullptr, stream::kTogether, 0, 0, 0, -1, false, false};
  if (!read_answer(at, out, apart)) {
    out.alone = true;
    return out;
  }
  wtime_at_answer = real_wtime.get()();
  told_behind.store(wtime_at_answer - virtual_wtime(own_clock.told(out.time_s)), std::memory_order_relaxed);
  quiet.is_answered();
  if (out.alone) let_in(call);
  out.count = static_cast<std::uint32_t>(positions.size);
  out.at = positions.values;
  return out;
}

void come_back() {
  if (!is_away) return;
  is_away = false;
  stream::Answer& at = current->ring.header()->answer;
  at.back.store(answered, std::memory_order_release);
  tell_predictor(at);
}

Decided await_last_answer(Call& call) {
  leaves = true;
  if (call.thread().recording) return await_answer(call);
  Decided none{};
  none.alone = true;
  return none;
}

bool is_played(MPI_Comm comm) {
  const CommInfo info = comm_info(*current, comm);
  return info.id != stream::kNoComm && info.id != stream::kSessionComm && !info.foreign;
}

void take_look() {
  current->yielded_ticks = 0;
  look();
  if (fixed_clock != nullptr) *fixed_clock += static_cast<std::uint64_t>(process.settings.poll_ns * kFixedTicksPerNs);
}

std::uint64_t look_once() {
  const std::uint64_t before = clock_ticks();
  take_look();
  const std::uint64_t took = clock_ticks() - before;
  return took > current->yielded_ticks ? took - current->yielded_ticks : 1;
}

double machine_wtime() { return real_wtime.get()(); }

double virtual_wtime(double time_s) { return wtime_at_start + time_s; }

double wtime_alone() { return machine_wtime() + alone_from_s; }

void meet_alone() {
  if (board.any_apart()) give_up("the predictor is gone while a collective is under way that some ranks have left");
}

} // namespace farcast::interpose
