#include "predictor/convert/goal_writer.h"

#include "predictor/trace/function_info.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace farcast::convert {

using collective::StepKind;
using trace::Operation;
using trace::OperationKind;

int GoalWriter::tag_of(const Operation& operation, int tag) {
  const trace::Communicator* communicator = operation.communicator.get();
  return shared_.tags.user(communicator, communicator != nullptr && shared_.communicators.world(*communicator), tag);
}

GoalWriter::Vertex GoalWriter::add(const std::string& what, const std::vector<Vertex>& after) {
  const Vertex made = ++made_;
  fmt::format_to(std::back_inserter(out_), "l{}: {}\n", made, what);
  Vertex last = 0;
  for (const Vertex one : after) {
    if (one == 0 || one == last) continue;
    fmt::format_to(std::back_inserter(out_), "l{} requires l{}\n", made, one);
    last = one;
  }
  ++shared_.actions;
  return made;
}

GoalWriter::Vertex GoalWriter::calc(double nanoseconds, const std::vector<Vertex>& after) {
  return add(fmt::format("calc {:.0f}", nanoseconds), after);
}

GoalWriter::Vertex GoalWriter::send(int peer, double bytes, int tag, const std::vector<Vertex>& after) {
  return add(fmt::format("send {:.0f}b to {} tag {}", std::max(1.0, whole(bytes)), peer, tag), after);
}

GoalWriter::Vertex GoalWriter::receive(int peer, double bytes, int tag, const std::vector<Vertex>& after) {
  return add(fmt::format("recv {:.0f}b from {} tag {}", std::max(1.0, whole(bytes)), peer, tag), after);
}

// Something has begun that the rank does not wait for yet.
void GoalWriter::issue(std::uint32_t request, Vertex vertex) {
  if (issued_ > after_) fmt::format_to(std::back_inserter(out_), "l{} irequires l{}\n", vertex, issued_);
  issued_ = vertex;
  requests_[request].push_back(vertex);
}

// Computation so far, in whole nanoseconds; the rest stays for the next time.
void GoalWriter::compute() {
  const double nanoseconds = std::floor(pending_ns_ + 0.5);
  if (nanoseconds < 1) return;
  pending_ns_ -= nanoseconds;
  after_ = calc(nanoseconds, {after_});
}

void GoalWriter::write(const Operation& operation) {
  if (finished_) return;
  const bool file = trace::is_file_access(operation);
  const bool quiet = file || operation.kind == OperationKind::local || operation.kind == OperationKind::poll;
  if (!started_) {
    if (quiet) return; // before MPI_Init
    started_ = true;
    if (operation.kind == OperationKind::init) return;
  }
  pending_ns_ += whole(operation.compute.value() * operation.alone_share) * 1e9;
  if (quiet) {
    pending_ns_ += whole(operation.measured.value()) * 1e9;
    const std::vector<trace::FunctionInfo>& functions = trace::function_infos();
    if (file || (operation.function < functions.size() && functions[operation.function].unmodelled))
      lose(function_name(operation) + " is a calculation of its measured time");
  }
  if (quiet) return;
  compute();
  switch (operation.kind) {
  case OperationKind::finalize:
    finished_ = true;
    break;
  case OperationKind::wait:
    wait(operation.requests);
    break;
  case OperationKind::probe:
    if (operation.peer != trace::kProcNull) lose(function_name(operation) + " is left out");
    break;
  case OperationKind::transfer:
    lose(function_name(operation) + " is left out: it is one-sided");
    break;
  case OperationKind::collective:
  case OperationKind::icollective:
    collective(operation);
    break;
  case OperationKind::forget:
    break;
  default:
    message(operation);
    break;
  }
}

void GoalWriter::end() {
  compute();
  if (!finished_) lose("the recording ends without MPI_Finalize");
  if (made_ == 0) calc(0, {}); // a rank without vertices is no schedule
}

void GoalWriter::message(const Operation& operation) {
  const bool sends = (operation.kind == OperationKind::send || operation.kind == OperationKind::isend ||
                      operation.kind == OperationKind::send_receive) &&
                     operation.peer >= 0;
  const bool both = operation.kind == OperationKind::send_receive;
  const bool receives = operation.kind == OperationKind::receive || operation.kind == OperationKind::ireceive || both;
  const int source = both ? operation.receive_peer : operation.peer;
  if (receives && source < trace::kProcNull) lose(function_name(operation) + " whose sender was never seen is left out");
  if (operation.mode == trace::SendMode::synchronous && sends) lose(function_name(operation) + " is a standard send");
  const bool beside = operation.kind == OperationKind::isend || operation.kind == OperationKind::ireceive;
  if (beside && plan_.cancelled.contains(operation.request))
    return lose(function_name(operation) + " that was cancelled is left out");
  std::vector<Vertex> begun;
  if (receives && source >= 0) {
    const double bytes = both ? operation.reply_bytes : operation.bytes;
    begun.push_back(receive(source, bytes, tag_of(operation, both ? operation.receive_tag : operation.tag), {after_}));
  }
  if (sends) begun.push_back(send(operation.peer, operation.bytes, tag_of(operation, operation.tag), {after_}));
  if (begun.empty()) return;
  if (beside) return issue(operation.request, begun.front());
  after_ = begun.size() == 1 ? begun.front() : calc(0, begun);
}

void GoalWriter::wait(const std::vector<std::uint32_t>& requests) {
  std::vector<Vertex> done{after_};
  for (const std::uint32_t id : requests) {
    const auto found = requests_.find(id);
    if (found == requests_.end()) continue;
    done.insert(done.end(), found->second.begin(), found->second.end());
    requests_.erase(found);
  }
  if (done.size() > 1) after_ = calc(0, done);
}

void GoalWriter::collective(const Operation& operation) {
  if (operation.communicator == nullptr || operation.collective == nullptr) return;
  if (operation.collective->works && operation.measured.value() > 0)
    lose(function_name(operation) + " is an agreement: what its ranks work in it is left out");
  const Vertex last = messages_of(operation, after_);
  if (operation.kind == OperationKind::collective)
    after_ = last;
  else if (last != after_)
    requests_[operation.request].push_back(last);
}

// The messages of a collective behind `after`. Returns: what they end with.
GoalWriter::Vertex GoalWriter::messages_of(const Operation& operation, Vertex after) {
  const trace::Communicator& communicator = *operation.communicator;
  const int size = static_cast<int>(communicator.members.size());
  const int rank = rank_in(communicator.members, rank_);
  if (rank < 0) return after;
  const int tag = TagNumbers::collective(shared_.communicators.number(communicator), calls_[communicator.id]++);
  collective::Schedule steps;
  const collective::Context context{.selection = &shared_.options.selection,
                                    .nonblocking = operation.kind == OperationKind::icollective};
  collective::build(*operation.collective, rank, size, static_cast<int>(communicator.remote.size()), context, steps);
  std::vector<Vertex> open;
  const auto join = [&](std::size_t spared) {
    if (open.size() <= spared) return;
    std::vector<Vertex> done{after};
    done.insert(done.end(), open.begin(), open.end() - static_cast<std::ptrdiff_t>(spared));
    open.erase(open.begin(), open.end() - static_cast<std::ptrdiff_t>(spared));
    after = calc(0, done);
  };
  for (const collective::Step& step : steps) {
    const int peer = peer_in(communicator, step.peer);
    switch (step.kind) {
    case StepKind::send:
      after = send(peer, step.bytes, tag, {after});
      break;
    case StepKind::receive:
      after = receive(peer, step.bytes, tag, {after});
      break;
    case StepKind::isend:
      open.push_back(send(peer, step.bytes, tag, {after}));
      break;
    case StepKind::ireceive:
      open.push_back(receive(peer, step.bytes, tag, {after}));
      break;
    case StepKind::wait_all:
      join(0);
      break;
    case StepKind::wait_earlier:
      join(1);
      break;
    case StepKind::wait_second:
      if (open.size() > 1) {
        after = calc(0, {after, open[open.size() - 2]});
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
  join(0);
  return after;
}

} // namespace farcast::convert
