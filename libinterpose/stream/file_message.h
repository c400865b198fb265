// One message of protocol.h with the descriptor of a file beside it: how a rank hands over its stream, and gets the node's gate.
//
// For both sides of the socket: no allocation, no exception, no lock; neither function waits for the other side's answer.
#pragma once

#include "libinterpose/stream/protocol.h"
#include "libinterpose/stream/record.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

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

// Takes the next message if there is one. Returns: file: `head` is a header of ours, of whatever kind and version, and `file` a
// descriptor for the caller to close; else `file` is as it was.
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
  const cmsghdr* attached = got == sizeof(head) ? CMSG_FIRSTHDR(&message) : nullptr;
  if (attached == nullptr || attached->cmsg_type != SCM_RIGHTS || head.magic != kMagic) return Received::something_else;
  std::memcpy(&file, CMSG_DATA(attached), sizeof(int));
  return Received::file;
}

} // namespace farcast::stream
