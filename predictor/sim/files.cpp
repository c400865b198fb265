#include "predictor/sim/files.h"

#include "predictor/sim/sane.h"

namespace farcast::sim {

void Files::access(std::uint32_t index) {
  using Access = network::FlowNetwork::Access;
  const Strand& strand = scheduler_[index];
  const trace::Operation& operation = strand.operation;
  const platform::HostId host = setting_.host_of(strand.rank);
  if (!setting_.platform.storage_of(host)) {
    as_measured_ = true;
    scheduler_.advance(index, sane(operation.measured.value()), CoreState::computing);
    return;
  }
  const std::uint32_t request = requests_.take(Request::Kind::storage);
  requests_[request].ready = scheduler_.now();
  const bool reads = operation.reply_bytes >= 0;
  const double bytes = sane(reads ? operation.reply_bytes : operation.bytes);
  network_.start_access(host, reads ? Access::read : Access::write, bytes, request, scheduler_.now());
  if (operation.kind == trace::OperationKind::istorage) return requests_.name(strand.rank, operation.request, request);
  requests_.wait_for(index, request);
  scheduler_.set_core(strand, CoreState::idle); // the kernel's wait, not the library's polling
}

} // namespace farcast::sim
