#include "predictor/sim/files.h"

#include "predictor/sim/sane.h"

namespace farcast::sim {

void Files::access(std::uint32_t index) {
  const Strand& strand = scheduler_[index];
  const trace::Operation& operation = strand.operation;
  const platform::HostId host = setting_.host_of(strand.rank);
  const bool reads = operation.reply_bytes >= 0;
  if (!setting_.platform.storage_of(host) && !flows_.has_formula(reads)) {
    as_measured_ = true;
    scheduler_.advance(index, sane(operation.measured.value()), CoreState::computing);
    return;
  }
  const std::uint32_t request = requests_.take(Request::Kind::storage);
  requests_[request].ready = scheduler_.now();
  const double bytes = sane(reads ? operation.reply_bytes : operation.bytes);
  flows_.access(request, host, reads, bytes);
  if (operation.kind == trace::OperationKind::istorage) return requests_.name(strand.rank, operation.request, request);
  requests_.wait_for(index, request);
  scheduler_.set_core(strand, CoreState::idle); // the kernel's wait, not the library's polling
}

} // namespace farcast::sim
