#include "tap.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <system_error>
#include <unistd.h>

namespace farcast::bottle {

namespace {

constexpr char kDevice[] = "eth0";

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

void enter(const std::string& name) {
  const std::string path = "/var/run/netns/" + name;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path);
  const int entered = ::setns(descriptor, CLONE_NEWNET);
  const int error = errno;
  ::close(descriptor);
  errno = error;
  if (entered != 0) fail("entering " + path);
}

} // namespace

Tap::Tap(const std::string& name_of_namespace) {
  enter(name_of_namespace);
  descriptor_ = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (descriptor_ < 0) fail("/dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  static_assert(sizeof kDevice <= IFNAMSIZ);
  std::memcpy(request.ifr_name, kDevice, sizeof kDevice);
  int header = static_cast<int>(kOffloadHeader);
  int send_buffer = 1 << 30; // we never want a write to wait
  // Whole TCP segments of up to 64 KB instead of packets: a user-space switch could not read as
  // many of those.
  const bool made = ::ioctl(descriptor_, TUNSETIFF, &request) == 0 && ::ioctl(descriptor_, TUNSETVNETHDRSZ, &header) == 0 &&
                    ::ioctl(descriptor_, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6) == 0 &&
                    ::ioctl(descriptor_, TUNSETSNDBUF, &send_buffer) == 0;
  if (made) return;
  const int error = errno;
  ::close(descriptor_);
  errno = error;
  fail("the TAP device of " + name_of_namespace);
}

Tap::~Tap() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Tap::read(Frame& frame) const {
  const ssize_t length = ::read(descriptor_, frame.data(), Frame::capacity());
  frame.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return length > 0;
}

bool Tap::write(const Frame& frame) const {
  return ::write(descriptor_, frame.data(), frame.size()) == static_cast<ssize_t>(frame.size());
}

bool Tap::write(const Piece& piece) const {
  const auto part = [](const std::uint8_t* from, std::size_t bytes) { return iovec{const_cast<std::uint8_t*>(from), bytes}; };
  const std::array parts = {part(piece.headers.data(), piece.header_bytes), part(piece.payload.data(), piece.payload.size())};
  return ::writev(descriptor_, parts.data(), static_cast<int>(parts.size())) ==
         static_cast<ssize_t>(piece.header_bytes + piece.payload.size());
}

} // namespace farcast::bottle
