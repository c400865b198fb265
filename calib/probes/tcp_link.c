#include "tcp_link.h"

#include <time.h> // errqueue.h needs it

#include <dirent.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONGEST_MS = 1000, CONTROL_BYTES = 512 };

// Returns: whether the descriptor is a connected TCP socket whose figures reach as far as `needed`
// bytes of struct tcp_info.
static int read_info(int descriptor, struct tcp_info* info, size_t needed) {
  int protocol = 0;
  socklen_t length = sizeof protocol;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) != 0 || protocol != IPPROTO_TCP) return 0;
  memset(info, 0, sizeof *info);
  length = sizeof *info;
  return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, &length) == 0 && length >= needed;
}

void tcp_take_snapshot(struct tcp_snapshot* snapshot) {
  snapshot->count = 0;
  DIR* folder = opendir("/proc/self/fd");
  if (folder == NULL) return;
  for (struct dirent* entry = readdir(folder); entry != NULL && snapshot->count < TCP_LINK_MOST; entry = readdir(folder)) {
    const int descriptor = (int)strtol(entry->d_name, NULL, 10);
    struct tcp_info info;
    if (entry->d_name[0] == '.' || !read_info(descriptor, &info, offsetof(struct tcp_info, tcpi_bytes_received))) continue;
    snapshot->descriptor[snapshot->count] = descriptor;
    snapshot->acknowledged[snapshot->count++] = info.tcpi_bytes_acked;
  }
  closedir(folder);
}

int tcp_busiest_since(const struct tcp_snapshot* before, uint64_t least_bytes) {
  static struct tcp_snapshot now; // too large for a stack that others made
  tcp_take_snapshot(&now);
  uint64_t most = least_bytes;
  int busiest = -1;
  for (int i = 0; i < now.count; ++i) {
    uint64_t carried = now.acknowledged[i];
    for (int j = 0; j < before->count; ++j) {
      if (before->descriptor[j] == now.descriptor[i] && before->acknowledged[j] <= carried) carried -= before->acknowledged[j];
    }
    if (carried >= most) {
      most = carried;
      busiest = now.descriptor[i];
    }
  }
  return busiest;
}

int tcp_read_link(int descriptor, struct tcp_link* link) {
  struct tcp_info info;
  if (!read_info(descriptor, &info, offsetof(struct tcp_info, tcpi_min_rtt) + sizeof info.tcpi_min_rtt)) return 0;
  link->least_rtt_s = info.tcpi_min_rtt == UINT32_MAX ? 0 : info.tcpi_min_rtt * 1e-6;
  link->payload = (int)info.tcpi_snd_mss;
  link->path_mtu = (int)info.tcpi_pmtu;
  return 1;
}

// Returns: whether it is of a family that has ports.
static int set_port(struct sockaddr_storage* address, uint16_t port) {
  if (address->ss_family == AF_INET) {
    ((struct sockaddr_in*)address)->sin_port = htons(port);
    return 1;
  }
  if (address->ss_family == AF_INET6) {
    ((struct sockaddr_in6*)address)->sin6_port = htons(port);
    return 1;
  }
  return 0;
}

static uint16_t port_of(const struct sockaddr_storage* address) {
  return ntohs(address->ss_family == AF_INET ? ((const struct sockaddr_in*)address)->sin_port
                                             : ((const struct sockaddr_in6*)address)->sin6_port);
}

static int new_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

int tcp_listen_beside(int descriptor, uint16_t* port) {
  struct sockaddr_storage own;
  socklen_t length = sizeof own;
  if (getsockname(descriptor, (struct sockaddr*)&own, &length) != 0 || !set_port(&own, 0)) return -1;
  const int listening = new_socket(own.ss_family);
  if (listening < 0) return -1;
  if (bind(listening, (struct sockaddr*)&own, length) != 0 || listen(listening, SOMAXCONN) != 0 ||
      getsockname(listening, (struct sockaddr*)&own, &length) != 0) {
    close(listening);
    return -1;
  }
  *port = port_of(&own);
  return listening;
}

void tcp_end_made(int listening) {
  for (int made = accept(listening, NULL, NULL); made >= 0; made = accept(listening, NULL, NULL)) close(made);
}

// When the kernel had the last byte ready for its card, and when the acknowledgement of it came, by
// the kernel's clock; 0: not told.
struct times_of_byte {
  int64_t ready_ns;
  int64_t acknowledged_ns;
};

static void take_time(struct msghdr* told, struct times_of_byte* times) {
  int64_t time = 0;
  uint32_t of = UINT32_MAX;
  for (struct cmsghdr* part = CMSG_FIRSTHDR(told); part != NULL; part = CMSG_NXTHDR(told, part)) {
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPING) {
      struct scm_timestamping stamps;
      memcpy(&stamps, CMSG_DATA(part), sizeof stamps);
      time = stamps.ts[0].tv_sec * INT64_C(1000000000) + stamps.ts[0].tv_nsec;
    } else if (part->cmsg_level != SOL_SOCKET) { // IP_RECVERR or IPV6_RECVERR
      struct sock_extended_err event;
      memcpy(&event, CMSG_DATA(part), sizeof event);
      if (event.ee_origin == SO_EE_ORIGIN_TIMESTAMPING) of = event.ee_info;
    }
  }
  if (of == SCM_TSTAMP_SCHED) times->ready_ns = time;
  if (of == SCM_TSTAMP_ACK) times->acknowledged_ns = time;
}

// Returns: seconds until a byte is acknowledged; negative: it is not, or no kernel tells.
static double byte_round_trip(int descriptor) {
  struct times_of_byte times = {0, 0};
  if (send(descriptor, "", 1, MSG_NOSIGNAL) != 1) return -1;
  while (times.acknowledged_ns == 0) {
    char control[CONTROL_BYTES];
    struct pollfd until = {descriptor, 0, 0}; // what the kernel tells counts as an error
    if (poll(&until, 1, LONGEST_MS) != 1 || (until.revents & POLLHUP) != 0) return -1;
    struct msghdr told = {.msg_control = control, .msg_controllen = sizeof control};
    if (recvmsg(descriptor, &told, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return -1;
    take_time(&told, &times);
  }
  return times.ready_ns > 0 ? (double)(times.acknowledged_ns - times.ready_ns) * 1e-9 : -1;
}

// Returns: a connection whose bytes leave at once and whose times the kernel tells, or -1.
static int connect_beside(int descriptor, uint16_t port) {
  const struct linger at_once = {1, 0}; // nothing of it is left when it is closed
  const int without_delay = 1;
  const int events =
      SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_TX_ACK | SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_TSONLY;
  struct sockaddr_storage there;
  socklen_t length = sizeof there;
  if (getpeername(descriptor, (struct sockaddr*)&there, &length) != 0 || !set_port(&there, port)) return -1;
  const int made = new_socket(there.ss_family);
  if (made < 0) return -1;
  setsockopt(made, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &without_delay, sizeof without_delay);
  connect(made, (struct sockaddr*)&there, length); // comes later, which poll tells
  struct pollfd until = {made, POLLOUT, 0};
  if (poll(&until, 1, LONGEST_MS) == 1 && (until.revents & (POLLERR | POLLHUP)) == 0 &&
      setsockopt(made, SOL_SOCKET, SO_TIMESTAMPING, &events, sizeof events) == 0)
    return made;
  close(made);
  return -1;
}

int tcp_round_trips(int descriptor, uint16_t port, double* seconds, int most) {
  const int made = connect_beside(descriptor, port);
  if (made < 0) return 0;
  int count = 0;
  while (count < most && (seconds[count] = byte_round_trip(made)) > 0) ++count;
  close(made);
  return count;
}
