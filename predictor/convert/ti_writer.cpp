#include "predictor/convert/ti_writer.h"

#include "predictor/trace/function_info.h"
#include "predictor/trace/ti_actions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace farcast::convert {

using trace::Operation;
using trace::OperationKind;
using trace::SendMode;

namespace {

constexpr double kProbeAndReceive = 1e-5; // seconds between a probe and its receive that one action may stand for

const char* action_of(SendMode mode, double bytes) {
  if (mode == SendMode::synchronous) return "ssend";
  if (bytes < kDetachedBelow) return "send";
  return mode == SendMode::buffered ? "bsend" : mode == SendMode::ready ? "rsend" : "send";
}

} // namespace

int TiWriter::tag_of(const Operation& operation, int tag) {
  const trace::Communicator* communicator = operation.communicator.get();
  return shared_.tags.user(communicator, communicator != nullptr && shared_.communicators.world(*communicator), tag);
}

// Computation and sleep that have come together, in whole flops and nanoseconds; the rest stays.
void TiWriter::flush(std::string& out) {
  if (const double flops = std::floor(compute_flops_ + 0.5); flops >= 1) {
    line(out, "compute {:.0f}", flops);
    compute_flops_ -= flops;
  }
  if (const double nanoseconds = std::floor(sleep_s_ * 1e9 + 0.5); nanoseconds >= 1) {
    line(out, "sleep {:.9f}", nanoseconds * 1e-9);
    sleep_s_ -= nanoseconds * 1e-9;
  }
}

// A probe whose receive follows at once is that receive, of unknown size: probe_ stays if `next` is it.
void TiWriter::flush_probe(const Operation* next, std::string& out) {
  if (!probe_) return;
  const bool receives = next != nullptr && (next->kind == OperationKind::receive || next->kind == OperationKind::ireceive) &&
                        next->peer == probe_->peer && next->tag == probe_->tag && next->communicator == probe_->communicator;
  if (receives && compute_flops_ / shared_.options.flops_per_second + sleep_s_ <= kProbeAndReceive) return;
  if (shared_.options.plain)
    lose(function_name(*probe_) + " is left out: its receive does not follow at once");
  else
    line(out, "probe {} {}", probe_->peer, tag_of(*probe_, probe_->tag));
  probe_.reset();
}

void TiWriter::local(const Operation& operation) {
  if (!started_) return; // before MPI_Init
  sleep_s_ += whole(operation.measured.value());
  const std::vector<trace::FunctionInfo>& functions = trace::function_infos();
  if (trace::is_file_access(operation) || (operation.function < functions.size() && functions[operation.function].unmodelled))
    lose(function_name(operation) + " is a sleep of its measured time");
}

void TiWriter::write(const Operation& operation, std::string& out) {
  if (finished_) return;
  const bool quiet =
      trace::is_file_access(operation) || operation.kind == OperationKind::local || operation.kind == OperationKind::poll;
  if (!started_ && !quiet) {
    started_ = true;
    fmt::format_to(std::back_inserter(out), "# {}; computation is flops at {:g} per second\n", shared_.options.origin,
                   shared_.options.flops_per_second);
    line(out, "init");
    if (operation.kind == OperationKind::init) return;
  }
  if (started_) compute_flops_ += whole(operation.compute.value() * operation.alone_share) * shared_.options.flops_per_second;
  if (quiet) return local(operation);
  flush_probe(&operation, out);
  switch (operation.kind) {
  case OperationKind::finalize:
    flush(out);
    line(out, "finalize");
    finished_ = true;
    break;
  case OperationKind::send:
  case OperationKind::receive:
    message(operation, out);
    break;
  case OperationKind::isend:
  case OperationKind::ireceive:
    post(operation, operation.kind == OperationKind::isend, out);
    break;
  case OperationKind::send_receive:
    exchange(operation, out);
    break;
  case OperationKind::probe:
    if (operation.peer == trace::kProcNull) break;
    flush(out);
    if (operation.peer >= 0) probe_ = operation;
    break;
  case OperationKind::wait:
    wait(operation, out);
    break;
  case OperationKind::transfer:
    transfer(operation, out);
    break;
  case OperationKind::collective:
  case OperationKind::icollective:
    collective(operation, out);
    break;
  default: // forget: cancelled receives were never posted, freed requests complete alone
    break;
  }
}

void TiWriter::end(std::string& out) {
  if (finished_) return;
  if (!started_) line(out, "init");
  flush_probe(nullptr, out);
  flush(out);
  line(out, "finalize");
  lose("the recording ends without MPI_Finalize");
  finished_ = true;
}

// A blocking send or receive.
void TiWriter::message(const Operation& operation, std::string& out) {
  if (operation.peer == trace::kProcNull) return;
  if (operation.peer < 0) return lose(function_name(operation) + " whose sender was never seen is left out");
  flush(out);
  const int tag = tag_of(operation, operation.tag);
  if (operation.kind == OperationKind::receive) {
    if (probe_)
      line(out, "recv {} {} -1", operation.peer, tag);
    else
      line(out, "recv {} {} {:.0f}", operation.peer, tag, whole(operation.bytes));
    probe_.reset();
    return;
  }
  const char* action = action_of(operation.mode, operation.bytes);
  if (shared_.options.plain && std::string_view(action) != "send") {
    lose(function_name(operation) + " is a standard send");
    action = "send";
  }
  line(out, "{} {} {} {:.0f}", action, operation.peer, tag, whole(operation.bytes));
}

// A non-blocking send or receive. SimGrid 3.32 dies now and then when it waits for an isend of few
// bytes, whose sender does not wait in its model: --plain has sends instead, which return as early.
void TiWriter::post(const Operation& operation, bool sends, std::string& out) {
  if (operation.peer == trace::kProcNull) return;
  if (operation.peer < 0) return lose(function_name(operation) + " whose sender was never seen is left out");
  if (plan_.cancelled.contains(operation.request)) return lose(function_name(operation) + " that was cancelled is left out");
  flush(out);
  const int tag = tag_of(operation, operation.tag);
  const bool numbered = !shared_.options.plain && plan_.numbered.contains(operation.request);
  std::string action = sends ? fmt::format("i{}", action_of(operation.mode, operation.bytes)) : "irecv";
  if (sends && shared_.options.plain && action != "isend") {
    lose(function_name(operation) + " is a standard send");
    action = "isend";
  }
  if (sends && shared_.options.plain && operation.bytes < kDetachedBelow)
    return line(out, "send {} {} {:.0f}", operation.peer, tag, whole(operation.bytes)); // see above
  if (numbered) {
    action += fmt::format("#{}", operation.request);
    numbered_.insert(operation.request);
  } else {
    book_.start(operation.request, {sends ? rank_ : operation.peer, sends ? operation.peer : rank_, tag});
  }
  if (probe_ && !sends)
    line(out, "{} {} {} -1", action, operation.peer, tag);
  else
    line(out, "{} {} {} {:.0f}", action, operation.peer, tag, whole(operation.bytes));
  probe_.reset();
}

// SimGrid's sendRecv has no tags; with tags it is its three parts.
void TiWriter::exchange(const Operation& operation, std::string& out) {
  const bool sends = operation.peer >= 0;
  const bool receives = operation.receive_peer >= 0;
  if (operation.receive_peer < trace::kProcNull) lose(function_name(operation) + " whose sender was never seen only sends");
  if (!sends && !receives) return;
  flush(out);
  const int tag = tag_of(operation, operation.tag);
  const int receive_tag = tag_of(operation, operation.receive_tag);
  const double received = whole(operation.reply_bytes);
  if (sends && receives && tag == 0 && receive_tag == 0) {
    line(out, "sendRecv {:.0f} {} {:.0f} {} 6 6", whole(operation.bytes), operation.peer, received, operation.receive_peer);
    return;
  }
  if (receives) line(out, "irecv {} {} {:.0f}", operation.receive_peer, receive_tag, received);
  if (sends) line(out, "send {} {} {:.0f}", operation.peer, tag, whole(operation.bytes));
  if (receives) line(out, "wait {} {} {}", operation.receive_peer, rank_, receive_tag);
}

void TiWriter::transfer(const Operation& operation, std::string& out) {
  if (operation.peer < 0) return;
  flush(out);
  if (operation.lock != trace::Lock::none) return lock(operation, out);
  const double bytes = whole(operation.bytes);
  if (operation.reply_bytes < 0)
    line(out, "put#{} {} {:.0f}", operation.request, operation.peer, bytes);
  else if (bytes == 0 && operation.reply_bytes > 0)
    line(out, "get#{} {} {:.0f}", operation.request, operation.peer, operation.reply_bytes);
  else
    line(out, "transfer#{} {} {:.0f} {:.0f}", operation.request, operation.peer, bytes, operation.reply_bytes);
  numbered_.insert(operation.request);
}

void TiWriter::lock(const Operation& operation, std::string& out) {
  const std::string_view kind = trace::kTiLocks[static_cast<std::size_t>(operation.lock)];
  const int window = tag_of(operation, operation.tag);
  if (operation.reply_bytes < 0) return line(out, "unlock {} {} {}", operation.peer, window, kind);
  line(out, "lock#{} {} {} {}", operation.request, operation.peer, window, kind);
  numbered_.insert(operation.request);
}

void TiWriter::wait(const Operation& operation, std::string& out) {
  std::vector<std::uint32_t> ids;
  for (const std::uint32_t id : operation.requests) {
    if (book_.find(id) != nullptr || numbered_.contains(id)) ids.push_back(id);
  }
  if (ids.empty()) return;
  flush(out);
  if (operation.polled) { // a test that succeeds costs a poll, and waits for what really happened
    if (const RequestBook::Key* key = book_.find(ids.front()))
      line(out, "test {} {} {}", key->source, key->destination, key->tag);
    else
      line(out, "test#{}", ids.front());
  }
  if (ids.size() > 1 && ids.size() == book_.live() + numbered_.size()) {
    line(out, "waitall {}", ids.size());
    for (const std::uint32_t id : ids) book_.finish(id);
    numbered_.clear();
    return;
  }
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t id : ids) {
    const RequestBook::Key* key = book_.find(id);
    if (key == nullptr) {
      numbers.push_back(id);
      numbered_.erase(id);
      continue;
    }
    if (!book_.oldest(id))
      lose(function_name(operation) + " completes an older request with the same source, destination and tag");
    line(out, "wait {} {} {}", key->source, key->destination, key->tag);
    book_.finish(id);
  }
  if (!numbers.empty()) line(out, "wait#{}", fmt::join(numbers, ","));
}

} // namespace farcast::convert
