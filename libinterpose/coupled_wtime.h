// MPI_Wtime in coupled mode: by the rank's own clock, or else by an answer of the predictor.
#pragma once

#include "libinterpose/coupled_calls.h"

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

} // namespace farcast::interpose
