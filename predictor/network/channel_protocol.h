// Open MPI's point-to-point protocol on ordered channels: which fragments a message is made of, and
// what each of them sets off.
//
// In: messages and what the two processes do. Out: fragments for network/channel_network.h, and
// what is complete. For a message of b bytes (facts: Open MPI 4.1.4, pml/ob1 over btl/tcp; sizes
// are those of its headers, seen in its writev calls):
//   1. b <= eager_limit: one fragment `eager`; the sender has finished when it is posted.
//   2. else the sender posts a request to send (rts); the receiver, once it has matched it, answers
//      with `cts` (ob1's PUT
//   header);
//      the sender answers that with all the data in one fragment and `fin` behind it; the receiver
//      has finished when it sees `fin`. (btl/tcp offers put and needs no registration, so ob1 takes
//      its RDMA path; pipelined fragments are for strided data.)
//   3. The sender of 2 has finished when the last of its data is in the socket's buffer: `data` is
//      split in two there.
//   4. Both directions of a pair are one connection: cts and fin queue behind bulk data of their
//      own direction.
//   5. The connection of a pair of processes on different hosts is made when the first of them has
//      something for the other (btl_tcp_endpoint.c): the kernels' handshake (syn, syn_ack), then
//      the two processes tell each other who they are (hello, welcome). What either of them sends
//      meanwhile waits until its end is open; with mpi_preconnect_mpi all are, from the start.
// In-call progress: a process sees rts, cts, fin, and that its data has left, only while it is
// inside a call that waits.
#pragma once

#include "predictor/platform/platform.h"

#include <algorithm>
#include <cstdint>

namespace farcast::network {

enum class FragmentKind : std::uint8_t {
  eager, // a whole message
  rts,
  cts,
  data, // what the receiver needs not look at: it sees `fin`
  fin,
  transfer, // one-sided: nobody has to look at it
  syn,      // of kernels
  syn_ack,
  hello, // who connects
  welcome,
};

inline constexpr double kHelloBytes = 24; // a process's name, and 16 bytes that tell Open MPI from others

// What is written to the connection for a fragment with `payload` bytes of the message.
inline double fragment_bytes(const platform::Transport& transport, FragmentKind kind, double payload) {
  switch (kind) {
  case FragmentKind::eager:
    return transport.eager_header + payload;
  case FragmentKind::rts:
    return transport.rts_bytes;
  case FragmentKind::cts:
    return transport.cts_bytes;
  case FragmentKind::fin:
    return transport.fin_bytes;
  case FragmentKind::data:
  case FragmentKind::transfer:
    return transport.data_header + payload;
  case FragmentKind::syn:
  case FragmentKind::syn_ack:
    return 0;
  case FragmentKind::hello:
  case FragmentKind::welcome:
    return kHelloBytes;
  }
  return payload;
}

// Returns: what a call or a control message costs whatever its size; zero for an empty list.
// (overhead_at() of size 0 is 0.)
inline double least_overhead_s(const platform::Overhead& overhead) {
  return overhead.empty() ? 0.0 : std::max(0.0, overhead.front().base_s);
}

// Returns: what each byte of a call with so many costs.
inline double overhead_per_byte_s(const platform::Overhead& overhead, double bytes) {
  if (overhead.empty() || !(bytes > 0)) return 0;
  return std::max(0.0, (platform::overhead_at(overhead, bytes).value() - platform::overhead_at(overhead, bytes / 2).value()) /
                           (bytes / 2));
}

// Returns: whether the fragment may overtake others of its channel. RDMA networks carry control
// messages beside bulk data.
inline bool may_pass(const platform::Transport& transport, FragmentKind kind) {
  if (transport.kind != platform::TransportKind::rdma) return false;
  return kind == FragmentKind::cts || kind == FragmentKind::rts || kind == FragmentKind::transfer;
}

} // namespace farcast::network
