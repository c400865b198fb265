// What the generated wrappers of messages that leave or are started do in coupled mode, persistent
// ones too (coupled_calls.h).
#pragma once

#include "libinterpose/counted_calls.h"
#include "libinterpose/coupled_calls.h"

namespace farcast::interpose {

// A synchronous send is over when its receive has been posted on the virtual cluster: programs order
// by it what no message carries. So does any other while much is under way: a rank that only sends
// would be ahead of its receivers by all that memory holds.
template <class Plain>
int coupled_send(const Entry& entry, Plain plain, bool synchronous, const void* buffer, std::int64_t count, MPI_Datatype type,
                 int destination, int tag, MPI_Comm comm) {
  Call call;
  if (!entry.begin(call)) return plain();
  call.message(count, type, destination, tag, comm);
  const bool asks_now = synchronous || owes_much();
  if (asks_now)
    call.announce(1);
  else
    call.publish();
  const int code = send_copy(buffer, count, type, destination, tag, comm);
  if (asks_now) await_answer(call);
  return ended(call, code);
}

// A call that gives the program a request, or starts one: `describe(call)` says of what, `make()`
// makes it. `plain` is made where nobody answers.
template <class Plain, class Describe, class Make>
int coupled_start_of(const Entry& entry, Plain plain, MPI_Request* request, Describe describe, Make make) {
  Call call;
  if (!entry.begin(call)) return plain();
  describe(call);
  call.publish();
  const int code = make();
  if (code == MPI_SUCCESS) call.started(request);
  return ended(call, code);
}

template <class Plain>
int coupled_isend(const Entry& entry, Plain plain, bool synchronous, const void* buffer, std::int64_t count, MPI_Datatype type,
                  int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  return coupled_start_of(
      entry, plain, request, [&](Call& call) { call.message(count, type, destination, tag, comm); },
      [&] {
        int code = send_copy(buffer, count, type, destination, tag, comm);
        if (code == MPI_SUCCESS) code = finished_request(request);
        if (code == MPI_SUCCESS && !synchronous) note_determined(*request, comm);
        return code;
      });
}

template <class Plain>
int coupled_irecv(const Entry& entry, Plain plain, void* buffer, std::int64_t count, MPI_Datatype type, int source, int tag,
                  MPI_Comm comm, MPI_Request* request) {
  bool later = false;
  return coupled_start_of(
      entry, plain, request,
      [&](Call& call) {
        later = is_deferred(source, tag, comm);
        call.receive(count, type, source, tag, comm);
        if (later) call.slot().flags |= stream::kFlagDeferred;
      },
      [&] {
        if (later) return defer_receive({buffer, count, type, source, tag, comm}, request);
        const int code = plain();
        if (code == MPI_SUCCESS) note_determined(*request, comm);
        return code;
      });
}

struct Half { // of a Sendrecv
  void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  int peer;
  int tag;
};

template <class Plain>
int coupled_sendrecv(const Entry& entry, Plain plain, const Half& out, const Half& in, MPI_Comm comm, MPI_Status* status) {
  Call call;
  if (!entry.begin(call)) return plain();
  call.message(out.count, out.type, out.peer, out.tag, comm);
  call.receive_half(in.count, in.type, in.peer, in.tag);
  const bool ahead = is_determined(in.peer, in.tag, comm);
  if (ahead)
    announce_ahead(call);
  else
    call.announce(1);
  const int code = send_copy(out.buffer, out.count, out.type, out.peer, out.tag, comm);
  int source = in.peer, tag = in.tag;
  if (!ahead) {
    const Decided decided = await_answer(call, source, tag);
    source = decided.source;
    tag = decided.tag;
  }
  if (code != MPI_SUCCESS) return ended(call, code);
  StatusSlot kept(status);
  return end_received(call, kept, receive_now(in.buffer, in.count, in.type, source, tag, comm, kept.get(), ahead));
}

template <class Plain>
int coupled_isendrecv(const Entry& entry, Plain plain, const Half& out, const Half& in, MPI_Comm comm, MPI_Request* request) {
  bool later = false;
  return coupled_start_of(
      entry, plain, request,
      [&](Call& call) {
        later = is_deferred(in.peer, in.tag, comm);
        call.message(out.count, out.type, out.peer, out.tag, comm);
        call.receive_half(in.count, in.type, in.peer, in.tag);
        if (later) call.slot().flags |= stream::kFlagDeferred;
      },
      [&] {
        if (const int code = send_copy(out.buffer, out.count, out.type, out.peer, out.tag, comm); code != MPI_SUCCESS)
          return code;
        return later ? defer_receive({in.buffer, in.count, in.type, in.peer, in.tag, comm}, request)
                     : irecv_counted(in.buffer, in.count, in.type, in.peer, in.tag, comm, request);
      });
}

template <class Plain>
int coupled_send_init(const Entry& entry, Plain plain, const void* buffer, std::int64_t count, MPI_Datatype type, int destination,
                      int tag, MPI_Comm comm, MPI_Request* request) {
  return coupled_start_of(
      entry, plain, request, [&](Call& call) { call.message(count, type, destination, tag, comm); },
      [&] {
        return make_persistent_send({const_cast<void*>(buffer), count, type, destination, tag, comm}, request);
      });
}

template <class Plain>
int coupled_recv_init(const Entry& entry, Plain plain, void* buffer, std::int64_t count, MPI_Datatype type, int source, int tag,
                      MPI_Comm comm, MPI_Request* request) {
  return coupled_start_of(
      entry, plain, request, [&](Call& call) { call.receive(count, type, source, tag, comm); },
      [&] {
        return make_persistent_receive({buffer, count, type, source, tag, comm}, request);
      });
}

template <class Plain> int coupled_start(const Entry& entry, Plain plain, MPI_Request* request) {
  if (alone) return start_persistent(request);
  return coupled_start_of(
      entry, plain, request, [&](Call& call) { call.request(request); }, [&] { return start_persistent(request); });
}

inline int start_all(int count, MPI_Request* requests) {
  int code = MPI_SUCCESS;
  for (int i = 0; i < count && code == MPI_SUCCESS; ++i) code = start_persistent(&requests[i]);
  return code;
}

template <class Plain> int coupled_startall(const Entry& entry, Plain plain, int count, MPI_Request* requests) {
  Call call;
  if (!entry.begin(call)) return alone ? start_all(count, requests) : plain();
  const std::uint64_t asked = request_set_key(count, requests);
  call.requests(count, requests);
  call.publish();
  const int code = start_all(count, requests);
  if (code == MPI_SUCCESS && request_set_key(count, requests) != asked) call.restarted(count, requests);
  return ended(call, code);
}

template <class Plain> int coupled_request_free(const Entry& entry, Plain plain, MPI_Request* request) {
  if (request != nullptr) forget_determined(*request);
  const auto made = [&] {
    forget_deferred(*request);
    forget_persistent(*request);
    forget_started(*request);
    return plain();
  };
  Call call;
  if (!entry.begin(call)) return alone ? made() : plain();
  call.request(request);
  call.publish();
  return ended(call, made());
}

template <class Plain> int coupled_cancel(const Entry& entry, Plain plain, MPI_Request* request) {
  Call call;
  const auto made = of_requests(plain, 1, request);
  if (!entry.begin(call)) return made();
  call.request(request);
  Call::wants_statuses();
  call.announce(1);
  const Decided decided = await_answer(call);
  if (decided.alone) return ended(call, made());
  return ended(call, decided.found && !cancel_deferred(*request) ? plain() : MPI_SUCCESS);
}

} // namespace farcast::interpose
