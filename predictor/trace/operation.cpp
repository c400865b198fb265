#include "predictor/trace/operation.h"

#include <algorithm>

namespace farcast::trace {

namespace {

template <class Values> bool same(const std::shared_ptr<const Values>& a, const std::shared_ptr<const Values>& b) {
  return a == b || (a && b && *a == *b);
}

bool same(const std::shared_ptr<const Collective>& x, const std::shared_ptr<const Collective>& y) {
  if (x == y || !x || !y) return x == y;
  const Collective& a = *x;
  const Collective& b = *y;
  return a.kind == b.kind && a.root == b.root && a.send_bytes == b.send_bytes && a.receive_bytes == b.receive_bytes &&
         a.commutative == b.commutative && a.element_bytes == b.element_bytes && same(a.send_counts, b.send_counts) &&
         same(a.receive_counts, b.receive_counts) && same(a.sources, b.sources) && same(a.destinations, b.destinations);
}

bool starts_request(OperationKind kind) {
  return kind == OperationKind::isend || kind == OperationKind::ireceive || kind == OperationKind::icollective ||
         kind == OperationKind::transfer || kind == OperationKind::istorage;
}

} // namespace

bool same_but_for_requests(const Operation& a, const Operation& b, std::uint32_t more) {
  return a.kind == b.kind && a.compute == b.compute && a.alone_share == b.alone_share && a.measured == b.measured &&
         a.times == b.times && a.region == b.region && a.site == b.site && a.function == b.function && a.mode == b.mode &&
         a.polled == b.polled && a.probes == b.probes && a.peer == b.peer && a.tag == b.tag && a.receive_peer == b.receive_peer &&
         a.receive_tag == b.receive_tag && a.bytes == b.bytes && a.reply_bytes == b.reply_bytes &&
         (!starts_request(a.kind) || a.request == b.request + more) && a.call_number == b.call_number &&
         a.communicator == b.communicator && same(a.collective, b.collective) &&
         std::equal(a.requests.begin(), a.requests.end(), b.requests.begin(), b.requests.end(),
                    [more](std::uint32_t x, std::uint32_t y) { return x == y + more; });
}

} // namespace farcast::trace
