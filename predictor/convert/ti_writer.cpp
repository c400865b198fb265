#include "predictor/convert/ti_writer.h"

#include "predictor/collective/schedule.h"
#include "predictor/trace/function_info.h"
#include "predictor/trace/ti_actions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace farcast::convert {

using collective::StepKind;
using trace::CollectiveKind;
using trace::Operation;
using trace::OperationKind;
using trace::SendMode;

namespace {

constexpr double kDetachedBelow = 65536;  // SimGrid's default: below it a sender never waits, whatever the mode
constexpr double kProbeAndReceive = 1e-5; // seconds between a probe and its receive that one action may stand for
constexpr std::uint32_t kTagsPerComm = 0xffff;

double whole(double value) { return std::isfinite(value) && value > 0 ? value : 0; }

bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::reduce || kind == CollectiveKind::allreduce || kind == CollectiveKind::reduce_scatter ||
         kind == CollectiveKind::reduce_scatter_block || kind == CollectiveKind::scan || kind == CollectiveKind::exscan;
}

bool in_simgrid(CollectiveKind kind) { return kind <= CollectiveKind::alltoallv && kind != CollectiveKind::reduce_scatter_block; }

std::string_view action_of(CollectiveKind kind) {
  const auto* const found = std::find_if(
      std::begin(trace::ti_actions::kActions), std::end(trace::ti_actions::kActions),
      [kind](const trace::TiAction& action) { return action.verb == trace::TiVerb::collective && action.kind == kind; });
  return found->name;
}

const char* action_of(SendMode mode, double bytes) {
  if (mode == SendMode::synchronous) return "ssend";
  if (bytes < kDetachedBelow) return "send";
  return mode == SendMode::buffered ? "bsend" : mode == SendMode::ready ? "rsend" : "send";
}

} // namespace

template <class... Args> void TiWriter::line(std::string& out, const char* format, const Args&... args) {
  fmt::format_to(std::back_inserter(out), "{} ", rank_);
  fmt::vformat_to(std::back_inserter(out), format, fmt::make_format_args(args...));
  out += '\n';
  ++shared_.actions;
}

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
  const double bytes = whole(operation.bytes);
  if (operation.reply_bytes < 0)
    line(out, "put#{} {} {:.0f}", operation.request, operation.peer, bytes);
  else if (bytes == 0 && operation.reply_bytes > 0)
    line(out, "get#{} {} {:.0f}", operation.request, operation.peer, operation.reply_bytes);
  else
    line(out, "transfer#{} {} {:.0f} {:.0f}", operation.request, operation.peer, bytes, operation.reply_bytes);
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

// Returns: "@3", and defines the communicator when it is this rank's first time.
std::string TiWriter::name_of(const Operation& operation, std::string& out) {
  const trace::Communicator& communicator = *operation.communicator;
  const bool beside = operation.kind == OperationKind::icollective;
  if (beside ? shared_.communicators.world(communicator) : shared_.communicators.everyone(communicator)) return {};
  const std::uint32_t number = shared_.communicators.number(communicator);
  if (defined_.insert(number).second) {
    if (communicator.remote.empty())
      line(out, "comm@{} {}", number, ranges(communicator.members));
    else
      line(out, "intercomm@{} {} to {}", number, ranges(communicator.members), ranges(communicator.remote));
  }
  return fmt::format("@{}", number);
}

void TiWriter::collective(const Operation& operation, std::string& out) {
  if (operation.communicator == nullptr || operation.collective == nullptr) return;
  flush(out);
  trace::Collective c = *operation.collective;
  const trace::Communicator& communicator = *operation.communicator;
  const bool agrees = c.kind == CollectiveKind::synchronize;
  if (c.works && !shared_.options.plain) // each member's, also one that worked for no time at all
    return line(out, "synchronize{} {:.9g}", name_of(operation, out), operation.measured.value());
  if (c.works && operation.measured.value() > 0)
    lose(function_name(operation) + " is an agreement: what its ranks work in it is left out");
  if (agrees) c.kind = CollectiveKind::allreduce; // of the same few bytes
  if (c.kind == CollectiveKind::construct && c.send_bytes > 0 && !shared_.options.plain) {
    collective_of(CollectiveKind::allgather, operation, out);
    c.send_bytes = c.receive_bytes = 0;
  }
  const bool beside = operation.kind == OperationKind::icollective;
  const bool ordered = reduces(c.kind) && !c.commutative && !agrees;
  // Without data the libraries send nothing in these; SimGrid's Open MPI selector dies of them.
  const bool one_size = c.kind == CollectiveKind::bcast || (reduces(c.kind) && c.kind != CollectiveKind::reduce_scatter);
  if (one_size && !beside && !(c.send_bytes > 0) && !(c.receive_bytes > 0)) return;
  if (c.kind == CollectiveKind::alltoall && !(c.send_bytes > 0) && c.receive_bytes > 0)
    lose(function_name(operation) + " with MPI_IN_PLACE has two buffers");
  const bool plain = !beside && in_simgrid(c.kind) && shared_.communicators.everyone(communicator);
  if (shared_.options.plain && !plain) return expand(operation, out);
  if (ordered && shared_.options.plain) lose(function_name(operation) + " has a commutative operator");
  const bool inter = !communicator.remote.empty();
  const std::string modifiers = name_of(operation, out);
  std::string action = beside ? "i" : "";
  action += action_of(c.kind);
  if (ordered && !shared_.options.plain) action += "_ordered";
  action += modifiers;
  if (beside) {
    action += fmt::format("#{}", operation.request);
    numbered_.insert(operation.request);
  }
  line(out, "{}{}", action, ti_arguments(c, inter ? communicator.remote.size() : communicator.members.size(), inter));
}

// A blocking call of another kind on the same communicator, with the same bytes.
void TiWriter::collective_of(CollectiveKind kind, const Operation& operation, std::string& out) {
  Operation other = operation;
  auto described = std::make_shared<trace::Collective>(*operation.collective);
  described->kind = kind;
  other.collective = std::move(described);
  other.kind = OperationKind::collective;
  collective(other, out);
}

// The messages of a blocking collective.
void TiWriter::expand(const Operation& operation, std::string& out) {
  const trace::Communicator& communicator = *operation.communicator;
  const int size = static_cast<int>(communicator.members.size());
  const int rank = rank_in(communicator.members, rank_);
  if (rank < 0) return;
  const int tag = TagNumbers::collective(shared_.communicators.number(communicator), calls_[communicator.id]++ & kTagsPerComm);
  collective::Schedule steps;
  const collective::Context context{.selection = &shared_.options.selection};
  collective::build(*operation.collective, rank, size, static_cast<int>(communicator.remote.size()), context, steps);
  std::vector<RequestBook::Key> open;
  const auto finish = [&](std::size_t spared) {
    const std::size_t last = open.size() - std::min(spared, open.size());
    for (std::size_t i = 0; i < last; ++i) line(out, "wait {} {} {}", open[i].source, open[i].destination, open[i].tag);
    open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(last));
  };
  for (const collective::Step& step : steps) {
    const int peer = step.peer < 0       ? -1
                     : step.peer >= size ? communicator.remote[static_cast<std::size_t>(step.peer - size)]
                                         : communicator.members[static_cast<std::size_t>(step.peer)];
    switch (step.kind) {
    case StepKind::send:
      line(out, "send {} {} {:.0f}", peer, tag, whole(step.bytes));
      break;
    case StepKind::receive:
      line(out, "recv {} {} {:.0f}", peer, tag, whole(step.bytes));
      break;
    case StepKind::isend:
      if (step.bytes < kDetachedBelow) { // as in post()
        line(out, "send {} {} {:.0f}", peer, tag, whole(step.bytes));
        break;
      }
      line(out, "isend {} {} {:.0f}", peer, tag, whole(step.bytes));
      open.push_back({rank_, peer, tag});
      break;
    case StepKind::ireceive:
      line(out, "irecv {} {} {:.0f}", peer, tag, whole(step.bytes));
      open.push_back({peer, rank_, tag});
      break;
    case StepKind::wait_all:
      finish(0);
      break;
    case StepKind::wait_earlier:
      finish(1);
      break;
    case StepKind::wait_second:
      if (open.size() > 1) {
        const RequestBook::Key& second = open[open.size() - 2];
        line(out, "wait {} {} {}", second.source, second.destination, second.tag);
        open.erase(open.end() - 2);
      }
      break;
    case StepKind::reduce:
    case StepKind::copy: // take no time
    case StepKind::rest:
    case StepKind::work:
      break;
    }
  }
  finish(0);
}

} // namespace farcast::convert
