#include "piece.h"

#include <algorithm>
#include <cstring>

namespace farcast::bottle {

namespace {

constexpr std::size_t kIp = kOffloadHeader + kEthernetHeader; // where its header begins
// struct virtio_net_hdr, whose header is C alone.
struct Offload {
  std::uint8_t flags;
  std::uint8_t kind;
  std::uint16_t headers;
  std::uint16_t segment; // payload of a packet
  std::uint16_t sum_start;
  std::uint16_t sum_offset;
};
static_assert(sizeof(Offload) == kOffloadHeader);
constexpr std::uint8_t kNeedsSum = 1, kTcpOverIp4 = 1, kMarksCongestion = 0x80;

constexpr std::uint8_t kFin = 0x01, kPush = 0x08, kReduced = 0x80;

std::uint16_t network_word(const std::uint8_t* at) { return static_cast<std::uint16_t>(at[0] << 8U | at[1]); }
std::uint32_t network_long(const std::uint8_t* at) { return std::uint32_t{network_word(at)} << 16U | network_word(at + 2); }
void put_network_word(std::uint8_t* at, std::size_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 8U);
  at[1] = static_cast<std::uint8_t>(value);
}
void put_network_long(std::uint8_t* at, std::uint32_t value) {
  put_network_word(at, value >> 16U);
  put_network_word(at + 2, value & 0xffffU);
}

std::uint16_t folded(std::uint32_t sum) {
  while (sum >> 16U != 0) sum = (sum & 0xffffU) + (sum >> 16U);
  return static_cast<std::uint16_t>(sum);
}

struct Headers {
  std::size_t ip = 0, tcp = 0; // bytes of each
  [[nodiscard]] std::size_t tcp_at() const { return kIp + ip; }
  [[nodiscard]] std::size_t payload_at() const { return kIp + ip + tcp; }
};

Offload offload_of(const std::uint8_t* frame) {
  Offload out;
  std::memcpy(&out, frame, sizeof out); // in the machine's own byte order
  return out;
}

// Returns: 0 bytes of TCP where the frame is too short for what its headers say.
Headers headers_of(const Frame& frame) {
  Headers out;
  if (frame.size() < kIp + 20 + 20) return out;
  out.ip = std::size_t{frame.data()[kIp] & 0x0fU} * 4;
  if (out.ip < 20 || frame.size() < out.tcp_at() + 20) return out;
  out.tcp = std::size_t{frame.data()[out.tcp_at() + 12]} / 16 * 4;
  if (out.tcp < 20 || frame.size() < out.payload_at()) out.tcp = 0;
  return out;
}

void put_ip_header(std::uint8_t* ip, const Headers& headers, std::size_t payload, std::size_t packets_before) {
  put_network_word(ip + 2, headers.ip + headers.tcp + payload);
  put_network_word(ip + 4, network_word(ip + 4) + packets_before); // identification
  put_network_word(ip + 10, 0);
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < headers.ip; at += 2) sum += network_word(ip + at);
  put_network_word(ip + 10, ~folded(sum) & 0xffffU);
}

// What stands in the checksum's place is the sum of the pseudo header (the rest is left to a card),
// which has the length.
void put_tcp_header(std::uint8_t* tcp, const Headers& headers, std::size_t old_payload, std::size_t from, std::size_t to) {
  put_network_long(tcp + 4, network_long(tcp + 4) + static_cast<std::uint32_t>(from));
  if (to < old_payload) tcp[13] = static_cast<std::uint8_t>(tcp[13] & ~(kFin | kPush));
  if (from > 0) tcp[13] = static_cast<std::uint8_t>(tcp[13] & ~kReduced);
  const std::uint32_t old_length = static_cast<std::uint32_t>(headers.tcp + old_payload) & 0xffffU;
  const auto length = static_cast<std::uint32_t>(headers.tcp + to - from);
  put_network_word(tcp + 16, folded(network_word(tcp + 16) + (~old_length & 0xffffU) + length));
}

} // namespace

std::size_t packets_of(const Frame& frame) {
  const Offload offload = offload_of(frame.data());
  const bool tcp = (offload.kind & ~kMarksCongestion) == kTcpOverIp4;
  const Headers headers = headers_of(frame);
  if (!tcp || offload.segment == 0 || headers.tcp == 0 || (offload.flags & kNeedsSum) == 0) return 1;
  const std::size_t payload = frame.size() - headers.payload_at();
  return std::max<std::size_t>(1, (payload + offload.segment - 1) / offload.segment);
}

Piece piece_of(const Frame& frame, std::size_t first, std::size_t last) {
  Offload offload = offload_of(frame.data());
  const Headers headers = headers_of(frame);
  const std::size_t all = frame.size() - headers.payload_at();
  const std::size_t from = first * offload.segment, to = std::min(last * offload.segment, all);
  Piece out;
  out.header_bytes = headers.payload_at();
  out.payload = {frame.data() + headers.payload_at() + from, to - from};
  std::copy_n(frame.data(), out.header_bytes, out.headers.begin());
  put_ip_header(out.headers.data() + kIp, headers, to - from, first);
  put_tcp_header(out.headers.data() + headers.tcp_at(), headers, all, from, to);
  if (last - first == 1) {
    offload.kind = 0;
    offload.segment = 0;
  }
  std::memcpy(out.headers.data(), &offload, sizeof offload);
  return out;
}

} // namespace farcast::bottle
