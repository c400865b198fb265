// What the generated wrappers do in coupled mode, one function per class of calls (mpi_functions.txt).
//
// `plain` makes the call as it stands: for calls that are not the program's own. `real`, where a
// class has it, makes it with the source, tag and status that it is given.
#pragma once

#include "libinterpose/coupled.h"
#include "libinterpose/coupled_waits.h"
#include "libinterpose/wrapper_support.h"

namespace farcast::interpose {

struct Entry { // of a wrapper
  std::uint16_t function;
  const char* name;
  void* return_address;
  void* frame;
  // Of a call after which polls may find something.
  bool begin(Call& call) const {
    if (takes_part()) quiet.end();
    return begin_asked(call);
  }
  // Of one that changes nothing by itself.
  bool begin_asked(Call& call) const {
    if (alone) return false;
    if (call.begin(function, name, return_address, frame)) return asks(call);
    give_up_unrecorded();
    return false;
  }
};

inline int ended(Call& call, int code) {
  come_back();
  call.end(code);
  return code;
}

// The call as it stands, of which nobody knows what it waits for.
template <class Plain> int made_alone(Call& call, Plain plain) {
  Turn turn;
  turn.give_back();
  return ended(call, plain());
}

// What came of the real calls behind a poll.
struct Taken {
  int code;
  bool found;
  std::uint16_t outcome;
};

// Of no request: it finds that at once, whenever it is made, and what is quiet goes on being so.
template <class Plain, class Describe, class Take>
int coupled_idle_poll(const Entry& entry, Plain plain, Describe describe, Take take) {
  Call call;
  if (!entry.begin_asked(call)) return plain();
  describe(call);
  call.publish();
  take_look();
  Decided nothing{};
  nothing.found = true;
  const Taken taken = take(call, nothing);
  call.end_poll(taken.code, true, taken.outcome);
  quiet.paid();
  return taken.code;
}

// A poll: `describe(call)` says what it asks for, `take(call, decided)` gives the program what came
// of it and returns Taken. One that cannot find anything yet is only counted, as polls that find
// nothing are without coupling.
template <class Plain, class Describe, class Take>
int coupled_poll(const Entry& entry, Plain plain, const PolledFor& what, Describe describe, Take take, int source = MPI_PROC_NULL,
                 int tag = 0) {
  if (alone) return plain();
  const std::uint64_t began = clock_ticks(), last_exit = current == nullptr ? 0 : current->last_exit;
  if (takes_part() && quiet.holds(what, began)) {
    Call call;
    if (!call.begin_poll(entry.function, entry.name, entry.return_address, entry.frame, what.key, what.peer, what.tag)) {
      give_up_unrecorded();
      return plain();
    }
    if (!call.folding()) {
      describe(call);
      call.publish();
    }
    const std::uint64_t entered = call.entered();
    Thread& thread = call.thread();
    if (call.folding()) quiet.leave_out(thread, entered - began - (thread.last_exit - last_exit)); // but for what holds() has
    const std::uint64_t compute = entered - thread.last_exit;
    take_look();
    const Taken taken = take(call, Decided{});
    const std::uint64_t lost = call.end_poll(taken.code, false, 0);
    const std::uint64_t in = thread.last_exit - entered - lost;
    quiet.polled(compute, in, lost);
    own_clock.left_poll(compute, entered, in, thread);
    if (call.folding()) quiet.leave_out(thread, clock_ticks() - thread.last_exit);
    return taken.code;
  }
  Call call;
  if (!entry.begin_asked(call)) return plain();
  describe(call);
  const std::uint64_t cost = look_once();
  call.announce(cost);
  const Decided decided = await_answer(call, source, tag);
  if (decided.alone) return ended(call, plain());
  const Taken taken = take(call, decided);
  come_back();
  if (decided.found)
    quiet.end();
  else
    quiet.begin(what, decided, cost);
  call.end_asked_poll(taken.code, taken.found, taken.outcome, cost);
  own_clock.begin(decided, call.thread());
  return taken.code;
}

inline int end_received(Call& call, StatusSlot& kept, int code) {
  come_back();
  const bool came = code == MPI_SUCCESS || is_truncation(code);
  if (came) call.status(*kept.get());
  call.end(came ? MPI_SUCCESS : code);
  return code;
}

template <class Plain>
int coupled_recv(const Entry& entry, Plain plain, void* buffer, std::int64_t count, MPI_Datatype type, int source, int tag,
                 MPI_Comm comm, MPI_Status* status) {
  Call call;
  if (!entry.begin(call)) return plain();
  call.receive(count, type, source, tag, comm);
  if (is_determined(source, tag, comm)) {
    announce_ahead(call);
    StatusSlot kept(status);
    return end_received(call, kept, receive_now(buffer, count, type, source, tag, comm, kept.get(), true));
  }
  call.announce(1);
  const Decided decided = await_answer(call, source, tag);
  if (decided.alone) return made_alone(call, plain);
  StatusSlot kept(status);
  return end_received(call, kept, receive_now(buffer, count, type, decided.source, decided.tag, comm, kept.get()));
}

template <class Plain, class Real>
int coupled_probe(const Entry& entry, Plain plain, Real real, int source, int tag, MPI_Comm comm, MPI_Status* status,
                  const void* message) {
  Call call;
  if (!entry.begin(call)) return plain();
  call.communicator(comm);
  call.slot().peer = peer_code(source);
  call.slot().tag = tag_code(tag);
  call.announce(1);
  const Decided decided = await_answer(call, source, tag);
  if (decided.alone) return made_alone(call, plain);
  StatusSlot kept(status);
  const int code = real(decided.source, decided.tag, kept.get());
  if (code == MPI_SUCCESS) call.status(*kept.get());
  if (code == MPI_SUCCESS && message != nullptr) call.matched(key_of(*static_cast<const MPI_Message*>(message)));
  return ended(call, code);
}

template <class Plain, class Real>
int coupled_iprobe(const Entry& entry, Plain plain, Real real, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status,
                   const void* message) {
  const PolledFor what{entry.function, key_of(comm), peer_code(source), tag_code(tag)};
  const auto describe = [&](Call& call) {
    call.communicator(comm);
    call.slot().peer = what.peer;
    call.slot().tag = what.tag;
  };
  const auto take = [&](Call& call, const Decided& decided) {
    int code = MPI_SUCCESS;
    *flag = 0;
    StatusSlot kept(status);
    for (RealWait wait; decided.found && *flag == 0 && code == MPI_SUCCESS;) {
      code = real(decided.source, decided.tag, kept.get());
      if (*flag == 0) wait.look_again();
    }
    const bool found = code == MPI_SUCCESS && *flag != 0;
    if (found) call.status(*kept.get());
    if (found && message != nullptr) call.matched(key_of(*static_cast<const MPI_Message*>(message)));
    return Taken{code, found, 1};
  };
  return coupled_poll(entry, plain, what, describe, take, source, tag);
}

// Waitany and Waitsome.
template <class Plain, class Describe, class Take>
int coupled_wait_for(const Entry& entry, Plain plain, Describe describe, Take take) {
  Call call;
  if (!entry.begin(call)) return plain();
  describe(call);
  call.announce(1);
  const Decided decided = await_answer(call);
  if (decided.alone) return made_alone(call, plain);
  const Taken taken = take(call, decided);
  come_back();
  call.end_asked_poll(taken.code, taken.found, taken.outcome, 0);
  return taken.code;
}

inline PolledFor requests_polled(std::uint16_t function, int count, const MPI_Request* requests) {
  return {function, request_set_key(count, requests), count, 0};
}
inline PolledFor request_polled(std::uint16_t function, MPI_Request request) {
  return {function, Call::request_key(request), stream::kNoPeer, 0};
}

// The call on requests of which some may have placeholders, as it stands: handles that are freed may
// be those of others next.
template <class Plain> auto of_requests(Plain plain, int count, MPI_Request* requests) {
  return [=] {
    for (int i = 0; requests != nullptr && i < count; ++i) forget_determined(requests[i]);
    const RealRequests real(count, requests);
    return plain();
  };
}

inline bool all_null(int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    if (key_of(requests[i]) != constants.request_null) return false;
  }
  return true;
}

using Completes = int (*)(MPI_Request*, MPI_Status*);

// Announces a wait, and awaits its answer unless it goes ahead of virtual time. Returns: what
// completes its requests.
inline Completes announce_wait(Call& call, int count, const MPI_Request* requests) {
  if (are_determined(count, requests)) {
    announce_ahead(call);
    return complete_ahead;
  }
  call.announce(1);
  await_answer(call); // alone: they are waited for really
  return complete;
}

template <class Plain> int coupled_wait(const Entry& entry, Plain plain, MPI_Request* request, MPI_Status* status) {
  Call call;
  if (!entry.begin(call)) return of_requests(plain, 1, request)();
  call.request(request);
  const Completes completes = announce_wait(call, 1, request);
  StatusSlot kept(status);
  return end_received(call, kept, completes(request, kept.get()));
}

// Returns: the error of one of them; each has its own in its status, where there are statuses.
inline int complete_all(int count, MPI_Request* requests, MPI_Status* statuses, Completes completes = complete) {
  int worst = MPI_SUCCESS;
  Turn turn; // of all of them
  if (count > 1) turn.give_back();
  for (int i = 0; i < count; ++i) {
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
    const int code = completes(&requests[i], status);
    if (code == MPI_SUCCESS) continue;
    worst = statuses == MPI_STATUSES_IGNORE ? code : MPI_ERR_IN_STATUS;
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
  }
  return worst;
}

template <class Plain>
int coupled_waitall(const Entry& entry, Plain plain, int count, MPI_Request* requests, MPI_Status* statuses) {
  Call call;
  if (!entry.begin(call)) return of_requests(plain, count, requests)();
  call.requests(count, requests);
  const Completes completes = announce_wait(call, count, requests);
  StatusArray kept(statuses, count);
  const int code = complete_all(count, requests, kept.get(), completes);
  if (code == MPI_SUCCESS && kept.readable()) call.statuses(kept.get(), count, nullptr);
  return ended(call, code);
}

// Waitany and Testany: what is there is taken; where nothing is active the library says so itself.
template <class Plain>
Taken take_any(Call& call, Plain plain, const Decided& decided, MPI_Request* requests, int* index, MPI_Status* status) {
  StatusSlot kept(status);
  *index = decided.count > 0 ? static_cast<int>(decided.at[0]) : MPI_UNDEFINED;
  int code = MPI_SUCCESS;
  if (decided.count > 0)
    code = complete(&requests[*index], kept.get());
  else if (decided.found)
    code = plain();
  const bool taken = code == MPI_SUCCESS && decided.count > 0;
  const std::uint16_t outcome = taken ? index_outcome(call, code, index) : stream::kOutcomeUndefined;
  if (taken) call.status(*kept.get());
  return {code, decided.found, outcome};
}

template <class Plain>
int coupled_any(const Entry& entry, Plain plain, bool polls, int count, MPI_Request* requests, int* index, int* flag,
                MPI_Status* status) {
  const auto made = of_requests(plain, count, requests);
  const auto describe = [&](Call& call) { call.requests(count, requests); };
  const auto take = [&](Call& call, const Decided& decided) {
    if (flag != nullptr) *flag = decided.found ? 1 : 0;
    return take_any(call, made, decided, requests, index, status);
  };
  if (polls && all_null(count, requests)) return coupled_idle_poll(entry, made, describe, take);
  if (polls) return coupled_poll(entry, made, requests_polled(entry.function, count, requests), describe, take);
  return coupled_wait_for(entry, made, describe, take);
}

template <class Plain>
Taken take_some(Call& call, Plain plain, const Decided& decided, int count, MPI_Request* requests, int* taken, int* indices,
                MPI_Status* statuses) {
  StatusArray kept(statuses, count);
  int code = MPI_SUCCESS;
  *taken = static_cast<int>(decided.count);
  for (std::uint32_t i = 0; i < decided.count; ++i) {
    indices[i] = static_cast<int>(decided.at[i]);
    MPI_Status* const status = kept.get() == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &kept.get()[i];
    if (const int one = complete(&requests[indices[i]], status); one != MPI_SUCCESS) code = one;
  }
  if (decided.count == 0 && decided.found) code = plain(); // none is active
  some_outcome(call, code, taken, indices, kept);
  return {code, decided.count > 0, 1};
}

template <class Plain>
int coupled_some(const Entry& entry, Plain plain, bool polls, int count, MPI_Request* requests, int* taken, int* indices,
                 MPI_Status* statuses) {
  const auto made = of_requests(plain, count, requests);
  const auto describe = [&](Call& call) { call.requests(count, requests); };
  const auto take = [&](Call& call, const Decided& decided) {
    return take_some(call, made, decided, count, requests, taken, indices, statuses);
  };
  if (polls && all_null(count, requests)) return coupled_idle_poll(entry, made, describe, take);
  if (polls) return coupled_poll(entry, made, requests_polled(entry.function, count, requests), describe, take);
  return coupled_wait_for(entry, made, describe, take);
}

template <class Plain> int coupled_test(const Entry& entry, Plain plain, MPI_Request* request, int* flag, MPI_Status* status) {
  const auto take = [&](Call& call, const Decided& decided) {
    StatusSlot kept(status);
    *flag = decided.found ? 1 : 0;
    const int code = decided.found ? complete(request, kept.get()) : MPI_SUCCESS;
    const bool found = code == MPI_SUCCESS && decided.found;
    if (found) call.status(*kept.get());
    return Taken{code, found, 1};
  };
  const auto made = of_requests(plain, 1, request);
  const auto describe = [&](Call& call) { call.request(request); };
  if (all_null(1, request)) return coupled_idle_poll(entry, made, describe, take);
  return coupled_poll(entry, made, request_polled(entry.function, *request), describe, take);
}

template <class Plain>
int coupled_get_status(const Entry& entry, Plain plain, MPI_Request request, int* flag, MPI_Status* status) {
  const auto take = [&](Call& /*call*/, const Decided& decided) {
    StatusSlot kept(status);
    *flag = decided.found ? 1 : 0;
    return Taken{decided.found ? complete_status(request, kept.get()) : MPI_SUCCESS, decided.found, 1};
  };
  if (alone) return get_status_alone(request, flag, status);
  return coupled_poll(
      entry, plain, request_polled(entry.function, request), [&](Call& call) { call.request(&request); }, take);
}

template <class Plain>
int coupled_testall(const Entry& entry, Plain plain, int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  const auto take = [&](Call& call, const Decided& decided) {
    StatusArray kept(statuses, count);
    *flag = decided.found ? 1 : 0;
    const int code = decided.found ? complete_all(count, requests, kept.get()) : MPI_SUCCESS;
    if (code == MPI_SUCCESS && decided.found && kept.readable()) call.statuses(kept.get(), count, nullptr);
    return Taken{code, decided.found, 1};
  };
  const auto made = of_requests(plain, count, requests);
  const auto describe = [&](Call& call) { call.requests(count, requests); };
  if (all_null(count, requests)) return coupled_idle_poll(entry, made, describe, take);
  return coupled_poll(entry, made, requests_polled(entry.function, count, requests), describe, take);
}

} // namespace farcast::interpose
