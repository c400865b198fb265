#include "tcp_link.h"

#include <dirent.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

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
