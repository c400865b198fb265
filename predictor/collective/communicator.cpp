// Constructors of communicators: how libraries agree on the number of a new one.
#include "predictor/collective/selector.h"

namespace farcast::collective {

namespace {

constexpr int kAgreements = 3; // Open MPI 4.1 (ompi/communicator/comm_cid.c): the next number, whether it is free, all have it
constexpr double kNumberBytes = 4;   // each by a non-blocking allreduce
constexpr double kContextMask = 260; // MPICH 4.0 (mpir/src/mpi/comm/contextid.c): 64 words of free numbers and one more, once

} // namespace

std::string_view build_communicator(const Call& call, double gathered, Schedule& out) {
  if (call.at.size == 1) return "local";
  if (gathered > 0) choose(call.as(trace::CollectiveKind::allgather, gathered), out);
  const Selection* const selection = call.context != nullptr ? call.context->selection : nullptr;
  if (selection != nullptr && selection->library == Library::mpich) {
    choose(call.as(trace::CollectiveKind::allreduce, kContextMask), out);
    return "allreduce";
  }
  Context beside = call.context != nullptr ? *call.context : Context{};
  beside.nonblocking = true;
  Call agreement = call.as(trace::CollectiveKind::allreduce, kNumberBytes);
  agreement.context = &beside;
  for (int i = 0; i < kAgreements; ++i) choose(agreement, out);
  return "agreements";
}

} // namespace farcast::collective
