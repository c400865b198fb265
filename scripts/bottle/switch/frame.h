// An Ethernet frame as a TAP device hands it over: a virtio header that says how the kernel left it
// uncut, then the frame.
#pragma once

#include "link.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace farcast::bottle {

inline constexpr std::size_t kOffloadHeader = 10;  // struct virtio_net_hdr of <linux/virtio_net.h>
inline constexpr std::size_t kEthernetHeader = 14; // destination, source, type
inline constexpr std::size_t kLargestFrame = 65536 + 512;
inline constexpr std::uint8_t kMacPrefix = 0x02;     // hosts have the address 02:00:00:00:HH:LL, HH LL = index + 1
inline constexpr double kWireOverhead = 24;          // preamble 8, checksum 4, gap 12
inline constexpr double kSmallestOnWire = 60;        // shorter frames are padded
inline constexpr double kLargestPacketOnWire = 1538; // 1500 + header + overhead

class Frame {
public:
  [[nodiscard]] std::uint8_t* data() { return bytes_.data(); }
  [[nodiscard]] const std::uint8_t* data() const { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  void resize(std::size_t size) { size_ = size; }
  [[nodiscard]] static constexpr std::size_t capacity() { return kLargestFrame; }
  [[nodiscard]] bool whole() const { return size_ >= kOffloadHeader + kEthernetHeader; }

  // Requires: whole().
  [[nodiscard]] bool to_many() const { return (bytes_[kOffloadHeader] & 1U) != 0; }
  // Returns: the host that it is addressed to; nothing when the address is none of ours. Requires:
  // whole().
  [[nodiscard]] std::optional<std::size_t> destination() const {
    const std::uint8_t* address = bytes_.data() + kOffloadHeader;
    if (address[0] != kMacPrefix || address[1] != 0 || address[2] != 0 || address[3] != 0) return std::nullopt;
    const std::size_t number = static_cast<std::size_t>(address[4]) << 8U | address[5];
    if (number == 0) return std::nullopt;
    return number - 1;
  }
  // Returns: what the packets from that one on take of a wire, with headers of their own. Requires:
  // whole().
  [[nodiscard]] double wire_bytes_from(std::size_t packet) const {
    const std::uint16_t headers = headers_of_packet();
    const double payload = static_cast<double>(size_ - kOffloadHeader) - headers - static_cast<double>(packet) * segment();
    return payload > 0 ? payload + std::ceil(payload / segment()) * (headers + kWireOverhead) : 0.0;
  }
  // Returns: what it takes of a wire, each packet that it would be cut into with headers of its
  // own. Requires: whole().
  [[nodiscard]] WireSize wire_size() const {
    const double length = static_cast<double>(size_ - kOffloadHeader);
    if (bytes_[1] == 0 || segment() == 0) {
      const double wire = (length < kSmallestOnWire ? kSmallestOnWire : length) + kWireOverhead;
      return WireSize{wire, wire};
    }
    const std::uint16_t headers = headers_of_packet();
    const auto payload = static_cast<std::size_t>(length) > headers ? static_cast<std::size_t>(length) - headers : 1;
    const double packets = static_cast<double>((payload + segment() - 1) / segment());
    const double wire = length + (packets - 1) * headers + packets * kWireOverhead;
    return WireSize{wire, wire < kLargestPacketOnWire ? wire : kLargestPacketOnWire};
  }

private:
  static constexpr std::uint16_t kHeadersOfTcp = 66;                 // Ethernet 14, IP 20, TCP 20, time stamps 12
  [[nodiscard]] std::uint16_t segment() const { return word_at(4); } // payload of a packet; 0: it is one
  [[nodiscard]] std::uint16_t headers_of_packet() const { return word_at(2) != 0 ? word_at(2) : kHeadersOfTcp; }
  [[nodiscard]] std::uint16_t word_at(std::size_t offset) const {
    std::uint16_t value = 0;
    std::memcpy(&value, bytes_.data() + offset, sizeof value); // in the machine's own byte order
    return value;
  }

  std::size_t size_ = 0;
  std::array<std::uint8_t, kLargestFrame> bytes_;
};

} // namespace farcast::bottle
