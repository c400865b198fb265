// Decoder: files. An access is its bytes, asked for by this rank alone: of collective ones neither
// the agreement nor the exchange between ranks is modelled, only what each rank moves (coupled runs
// have the agreement, for nobody may wait in the library for who has not come). A read counts what
// it asks for, also beyond a file's end.
#include "predictor/trace/decoder.h"

#include <utility>

namespace farcast::trace {

void Decoder::storage(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  const std::uint64_t file = call.slot.handle; // a request's where there is one
  if (info.kind == FunctionClass::io_end) {
    if (const auto known = objects_.find(file); known != objects_.end() && known->second.split != 0) {
      operation.kind = OperationKind::wait;
      operation.requests = {std::exchange(known->second.split, 0)};
    }
    push(thread, std::move(operation));
    return;
  }
  operation.kind = OperationKind::storage;
  const auto bytes = static_cast<double>(call.slot.bytes);
  operation.bytes = info.reads ? -1 : bytes;
  operation.reply_bytes = info.reads ? bytes : -1;
  const bool begins = info.kind == FunctionClass::io_begin;
  if (begins || info.kind == FunctionClass::io_request) {
    operation.kind = OperationKind::istorage;
    operation.request = requests_.new_id();
  }
  if (begins) {
    if (const auto known = objects_.find(file); known != objects_.end()) known->second.split = operation.request;
  } else if (operation.kind == OperationKind::istorage) {
    auto request = std::make_unique<Request>();
    request->add_id(operation.request);
    request->active = true;
    if (coupled_ && info.name.find("_all") != std::string::npos) agree_later(thread, call, operation, *request);
    requests_.add(file, std::move(request));
  }
  push(thread, std::move(operation));
}

// A non-blocking access by all is complete once all have begun it.
void Decoder::agree_later(Thread& thread, const RecordedCall& call, Operation& access, Request& request) {
  const auto known = objects_.find(call.handles.empty() ? 0 : call.handles.front());
  const KnownComm* const comm = known == objects_.end() ? nullptr : comms_.find(known->second.comm);
  if (comm == nullptr) return;
  Operation all = access;
  all.kind = OperationKind::icollective;
  all.bytes = all.reply_bytes = 0;
  all.communicator = comm->shared;
  all.collective = of_few_bytes(CollectiveKind::synchronize);
  all.request = requests_.new_id();
  request.add_id(all.request);
  push(thread, std::move(all));
  continue_call(access);
}

} // namespace farcast::trace
