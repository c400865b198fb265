// One message of protocol.h with the descriptor of a file beside it: how a rank hands over its
// stream, and gets the node's gate.
//
// For both sides of the socket: no allocation, no exception, no lock; neither function waits for
// the other side's answer.
#pragma once

#include "libinterpose/stream/protocol.h"
#include "libinterpose/stream/record.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace farcast::stream {

// Sends `head`, and a copy of the descriptor `file` unless that is below 0. Returns: it was sent.
inline bool send_with_file(int socket, MessageHeader head, int file) {
  iovec part{&head, sizeof(head)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (file >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* attached = CMSG_FIRSTHDR(&message);
    attached->cmsg_level = SOL_SOCKET;
    attached->cmsg_type = SCM_RIGHTS;
    attached->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(attached), &file, sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) >= 0;
}

enum class Received { file, nothing_yet, something_else };

// Takes the next message if there is one. Returns: file: `head` is a header of ours, of whatever
// kind and version, and `file` a descriptor for the caller to close; else `file` is as it was, and
// no descriptor stays open.
inline Received receive_with_file(int socket, MessageHeader& head, int& file) {
  iovec part{&head, sizeof(head)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Received::nothing_yet;
  // The kernel has opened for us as many descriptors as there was room for, whatever the message
  // is: padding has room for another.
  int files[2] = {-1, -1};
  const cmsghdr* attached = got < 0 ? nullptr : CMSG_FIRSTHDR(&message);
  if (attached != nullptr && attached->cmsg_level == SOL_SOCKET && attached->cmsg_type == SCM_RIGHTS) {
    const std::size_t bytes = attached->cmsg_len - CMSG_LEN(0);
    std::memcpy(files, CMSG_DATA(attached), bytes < sizeof(files) ? bytes : sizeof(files));
  }
  if (got == sizeof(head) && head.magic == kMagic && files[0] >= 0 && files[1] < 0 && (message.msg_flags & MSG_CTRUNC) == 0) {
    file = files[0];
    return Received::file;
  }
  for (const int foreign : files) {
    if (foreign >= 0) close(foreign);
  }
  return Received::something_else;
}

} // namespace farcast::stream
