// The count arrays of v and w collectives: a slot list of bytes per peer for each side that is
// significant here. Part of recorder.h, which includes it.
#pragma once

#include "libinterpose/recorder.h"

namespace farcast::interpose {

template <class Count> void Call::counts(const CollectiveArguments& arguments, const CountArrays<Count>& arrays) {
  const bool inter = info_.remote_size > 0;
  int out = inter ? info_.remote_size : info_.size;
  int in = out;
  bool send = arrays.send_counts != nullptr && arguments.send_buffer != MPI_IN_PLACE;
  bool receive = arrays.receive_counts != nullptr;
  const bool at_root = inter ? arguments.root == MPI_ROOT : arguments.root == info_.rank;
  if (arguments.shape == Shape::gather) receive = receive && at_root;
  if (arguments.shape == Shape::scatter) send = send && at_root;
  if (arguments.shape == Shape::reduce_scatter && inter) in = info_.size;
  if (arguments.shape == Shape::neighbor) { // lengths as the topology says; the communicator was described at its first use
    in = slot_->peer >> 16;
    out = slot_->peer & 0xffff;
  }
  std::uint64_t sum = 0;
  if (send) {
    SlotList<std::uint64_t> list(*thread_, stream::SlotKind::send_counts);
    for (int i = 0; i < out; ++i) {
      const std::uint64_t bytes =
          size_of(arrays.send_counts[i], arrays.send_types != nullptr ? arrays.send_types[i] : arrays.send_type);
      sum += bytes;
      list.add(bytes);
    }
    slot_->bytes = sum;
  }
  sum = 0;
  if (receive) {
    SlotList<std::uint64_t> list(*thread_, stream::SlotKind::receive_counts);
    for (int i = 0; i < in; ++i) {
      const std::uint64_t bytes =
          size_of(arrays.receive_counts[i], arrays.receive_types != nullptr ? arrays.receive_types[i] : arrays.receive_type);
      sum += bytes;
      list.add(bytes);
    }
    slot_->result_bytes = sum;
    if (arrays.send_counts != nullptr && arguments.send_buffer == MPI_IN_PLACE)
      slot_->bytes = sum; // in place: what one receives, one sends
  }
}

} // namespace farcast::interpose
