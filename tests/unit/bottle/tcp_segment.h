// Segments of TCP over IPv4 as a kernel leaves them to a network card.
#pragma once

#include "scripts/bottle/switch/frame.h"

#include <cstdint>
#include <cstring>
#include <memory>

namespace farcast::bottle {

inline constexpr std::size_t kIp = kOffloadHeader + kEthernetHeader, kTcp = kIp + 20, kPayload = kTcp + 32; // with time stamps
inline constexpr std::uint32_t kSequence = 0xFFFFF000U; // wraps within the segment
inline constexpr std::uint16_t kIdentification = 0xFFFE;
inline constexpr std::uint8_t kPush = 0x08, kFin = 0x01, kAck = 0x10;

inline void put(std::uint8_t* at, std::uint32_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) at[i] = static_cast<std::uint8_t>(value >> 8 * (bytes - 1 - i));
}
inline std::uint32_t get(const std::uint8_t* at, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8U | at[i];
  return value;
}
inline void put_own(std::uint8_t* at, std::uint16_t value) { std::memcpy(at, &value, sizeof value); }

inline std::uint32_t folded(std::uint32_t sum) {
  while (sum >> 16U != 0) sum = (sum & 0xffffU) + (sum >> 16U);
  return sum;
}
inline std::uint32_t sum_of(const std::uint8_t* from, std::size_t bytes) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < bytes; at += 2) sum += get(from + at, 2);
  return folded(sum);
}
// RFC 9293 3.1: addresses, protocol and length of what follows the IP header.
inline std::uint32_t pseudo_header(const std::uint8_t* ip, std::size_t bytes) {
  return folded(sum_of(ip + 12, 8) + 6 + static_cast<std::uint32_t>(bytes));
}

// A segment of TCP as a kernel leaves it to a card: packets of `segment` bytes, the sum of the
// pseudo header in the sum's place.
inline std::unique_ptr<Frame> segment_of(std::size_t payload, std::uint16_t segment) {
  auto frame = std::make_unique<Frame>();
  frame->resize(kPayload + payload);
  std::uint8_t* at = frame->data();
  std::memset(at, 0, kPayload);
  at[0] = 1; // VIRTIO_NET_HDR_F_NEEDS_CSUM
  at[1] = 1; // VIRTIO_NET_HDR_GSO_TCPV4
  put_own(at + 2, kPayload - kOffloadHeader);
  put_own(at + 4, segment);
  put_own(at + 6, kTcp - kOffloadHeader);
  put_own(at + 8, 16);
  put(at + kIp - 2, 0x0800, 2);
  at[kIp] = 0x45;
  put(at + kIp + 2, static_cast<std::uint32_t>(20 + 32 + payload), 2);
  put(at + kIp + 4, kIdentification, 2);
  at[kIp + 9] = 6;
  put(at + kIp + 12, 0x0A4D0001, 4);
  put(at + kIp + 16, 0x0A4D0002, 4);
  put(at + kTcp + 4, kSequence, 4);
  at[kTcp + 12] = 8 << 4U;
  at[kTcp + 13] = kAck | kPush | kFin;
  put(at + kTcp + 16, pseudo_header(at + kIp, 32 + payload), 2);
  for (std::size_t i = 0; i < payload; ++i) at[kPayload + i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  return frame;
}

} // namespace farcast::bottle
