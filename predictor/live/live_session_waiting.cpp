// LiveSession: the ranks that wait for the report.
#include "predictor/live/live_session.h"
#include "predictor/live/report_delivery.h"

#include <algorithm>
#include <sys/socket.h>

namespace farcast::live {

using stream::MessageHeader;
using stream::MessageKind;

void LiveSession::keep_alive() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_heartbeat_ < std::chrono::seconds(stream::kHeartbeatSeconds)) return;
  last_heartbeat_ = now;
  tell_waiting(MessageKind::alive, {});
}

void LiveSession::say(std::string_view line) { tell_waiting(MessageKind::text, line); }

// A rank that has gone, or does not read, misses it.
void LiveSession::tell_waiting(MessageKind kind, std::string_view body) {
  const MessageHeader head{stream::kMagic, stream::kVersion, kind, 0};
  std::string message(reinterpret_cast<const char*>(&head), sizeof(head));
  message += body;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& client : clients_) {
    if (client->waits && client->socket >= 0)
      static_cast<void>(send(client->socket, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  }
}

void LiveSession::tell_ranks(std::string_view text) {
  const MessageHeader head{stream::kMagic, stream::kVersion, MessageKind::text, ++texts_};
  std::string message(reinterpret_cast<const char*>(&head), sizeof(head));
  message += text.substr(0, stream::kMaxMessageBytes - sizeof(head));
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& client : clients_) {
    if (client->covered && client->socket >= 0 && !client->mute)
      static_cast<void>(send(client->socket, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  }
}

bool LiveSession::deliver(std::string_view report) {
  return deliver_report(take_waiting([](const Client& client) { return client.prints; }), report);
}

void LiveSession::dismiss() {
  deliver_report(take_waiting([](const Client&) { return true; }), {});
}

template <class Which> std::vector<int> LiveSession::take_waiting(Which which) {
  std::vector<int> sockets;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& client : clients_) {
    if (!client->waits || !which(*client)) continue;
    if (client->socket >= 0) sockets.push_back(client->socket);
    client->waits = false;
  }
  return sockets;
}

} // namespace farcast::live
