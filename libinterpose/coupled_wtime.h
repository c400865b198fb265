// MPI_Wtime in coupled mode: by the rank's own clock, or else by an answer of the predictor. And what
// other clocks ask for (clocks.cpp).
#pragma once

#include "libinterpose/coupled_calls.h"

#define FARCAST_FOR_CLOCKS extern "C" __attribute__((visibility("default")))
// Puts into `seconds` what MPI_Wtime tells a caller there. Returns: false: it is not to be asked now,
// and `seconds` is how far virtual time was behind the machine's when it was asked last, or at
// MPI_Finalize.
FARCAST_FOR_CLOCKS bool farcast_look(void* return_address, void* frame, double* seconds);
FARCAST_FOR_CLOCKS double farcast_machine_wtime();
FARCAST_FOR_CLOCKS bool farcast_is_virtual(); // there is a virtual time, or was until MPI_Finalize
FARCAST_FOR_CLOCKS double farcast_behind();   // `seconds` of who is not to ask

namespace farcast::interpose {

template <class Plain> double coupled_wtime(const Entry& entry, Plain plain) {
  if (process.settings.real_wtime || !takes_part()) return plain();
  Call call;
  if (!alone && own_clock.is_known(*current)) {
    if (!call.begin_row(entry.function, entry.name, entry.return_address, entry.frame, RowKey{})) {
      give_up_unrecorded();
      return plain();
    }
    if (!call.in_row()) call.publish();
    const std::uint64_t entered = call.entered();
    const double seen = virtual_wtime(own_clock.look(entered));
    call.end_row(MPI_SUCCESS, nullptr);
    own_clock.left(entered, call.thread());
    return seen;
  }
  if (!entry.begin_asked(call)) return alone ? wtime_alone() : plain();
  call.announce(1);
  const Decided decided = await_answer(call);
  if (decided.alone) {
    call.end(MPI_SUCCESS);
    return wtime_alone();
  }
  quiet.go_on(decided);
  const double now = virtual_wtime(own_clock.told(decided.time_s));
  call.end_asked_poll(MPI_SUCCESS, false, 0, 1);
  own_clock.begin(decided, call.thread());
  return now;
}

// Of farcast_look(); `wtime` is MPI_Wtime. Other threads are not to ask, nor is anybody behind
// MPI_Finalize: MPICH ends the program then. In callbacks of MPI time stands still.
template <class Wtime> bool look_at_wtime(double* seconds, Wtime wtime) {
  const bool asks = (coupled() || alone) && !process.finalized && takes_part() && !process.settings.real_wtime;
  if (asks && current->frame != nullptr) {
    *seconds = alone ? wtime_alone() : virtual_wtime(own_clock.told(0));
  } else if (asks) {
    *seconds = wtime();
    told_behind.store(machine_wtime() - *seconds, std::memory_order_relaxed);
  } else {
    *seconds = told_behind.load(std::memory_order_relaxed);
  }
  return asks;
}

} // namespace farcast::interpose
