#include "predictor/live/report_delivery.h"

#include "libinterpose/stream/protocol.h"
#include "libinterpose/stream/record.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <vector>

namespace farcast::live {

namespace {

using stream::MessageHeader;
using stream::MessageKind;

constexpr std::size_t kPiece = stream::kMaxMessageBytes - sizeof(MessageHeader);

class Reader {
public:
  explicit Reader(int socket) : socket_(socket) {}

  // Sends as much as fits. Returns: it has all, or will have no more.
  bool send_on(std::string_view report) {
    while (at_ < report.size()) {
      const std::string_view piece = report.substr(at_, kPiece);
      if (!send(MessageKind::text, piece)) return failed_;
      at_ += piece.size();
    }
    complete_ = send(MessageKind::done, {});
    return complete_ || failed_;
  }
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] std::size_t sent() const { return at_; }

private:
  bool send(MessageKind kind, std::string_view body) {
    MessageHeader head{stream::kMagic, stream::kVersion, kind, 0};
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): sendmsg only reads
    iovec parts[2] = {{&head, sizeof(head)}, {const_cast<char*>(body.data()), body.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = body.empty() ? 1 : 2;
    const bool sent = sendmsg(socket_, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
    failed_ = !sent && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
    return sent;
  }

  int socket_;
  std::size_t at_ = 0;
  bool complete_ = false;
  bool failed_ = false;
};

} // namespace

bool deliver_report(std::span<const int> sockets, std::string_view report) {
  using Clock = std::chrono::steady_clock;
  std::vector<Reader> readers(sockets.begin(), sockets.end());
  bool delivered = false;
  constexpr std::chrono::seconds kPatience{stream::kGiveUpSeconds};
  auto until = Clock::now() + kPatience;
  for (;;) {
    std::erase_if(readers, [&](Reader& reader) {
      const std::size_t before = reader.sent();
      const bool over = reader.send_on(report);
      if (reader.sent() > before) until = Clock::now() + kPatience; // somebody reads
      if (!over) return false;
      delivered = delivered || reader.complete();
      return true;
    });
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (readers.empty() || left <= 0) return delivered;
    std::vector<pollfd> room;
    room.reserve(readers.size());
    for (const Reader& reader : readers) room.push_back({reader.socket(), POLLOUT, 0});
    poll(room.data(), room.size(), static_cast<int>(left));
  }
}

} // namespace farcast::live
