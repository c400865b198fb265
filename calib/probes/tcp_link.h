// What the kernel knows of the TCP connection that carries a rank's messages: its round-trip time
// without any process in it.
#ifndef FARCAST_CALIB_PROBES_TCP_LINK_H
#define FARCAST_CALIB_PROBES_TCP_LINK_H

#include <stdint.h>

enum { TCP_LINK_MOST = 256 };
struct tcp_snapshot {
  int descriptor[TCP_LINK_MOST];
  uint64_t acknowledged[TCP_LINK_MOST]; // bytes
  int count;
};
struct tcp_link {
  double least_rtt_s; // 0: unknown
  int payload;        // bytes of a full packet
  int path_mtu;
};

// The TCP sockets of this process.
void tcp_take_snapshot(struct tcp_snapshot* snapshot);
// Returns: the socket that carried most since `before`, and at least `least_bytes`; -1 when there
// is none.
int tcp_busiest_since(const struct tcp_snapshot* before, uint64_t least_bytes);
// Returns: whether the kernel tells.
int tcp_read_link(int descriptor, struct tcp_link* link);

// Round trips without any process in them, as many as one likes: of bytes on connections that are
// made beside that one and that nobody reads. The kernel that gets one acknowledges it at once
// (tcp(7): quickack, for a connection's first packets), and the sender's kernel tells when it had
// it ready and when the acknowledgement came (SO_TIMESTAMPING; Linux 3.17).

// A socket that takes connections at the own address of that one. Returns: its descriptor, or -1;
// its port.
int tcp_listen_beside(int descriptor, uint16_t* port);
// Ends the connections that have been made to it.
void tcp_end_made(int listening);
// Where that connection goes to, but to this port; each of them waits at most a second.
// Returns: how many round trips were seen; fewer than `most`: none could be made, or a kernel does
// not tell.
int tcp_round_trips(int descriptor, uint16_t port, double* seconds, int most);

#endif
