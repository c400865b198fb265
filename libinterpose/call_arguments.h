// What wrappers hand to a recorded call: statuses that the user may not want and we do, and the
// arguments of collectives.
#pragma once

#include "libinterpose/handles.h"

#include <atomic>
#include <cstdint>

namespace farcast::interpose {

extern std::atomic<bool> wildcards_posted; // some receive was posted with MPI_ANY_SOURCE or MPI_ANY_TAG, or cancelled

// A place for the status that the user may not want and we do.
class StatusSlot {
public:
  explicit StatusSlot(MPI_Status* user) : used_(user == MPI_STATUS_IGNORE ? &own_ : user) {}
  [[nodiscard]] MPI_Status* get() { return used_; }

private:
  MPI_Status own_;
  MPI_Status* used_;
};

// Returns: this thread's room for `count` statuses, mapped when it is first needed;
// MPI_STATUSES_IGNORE when there is none.
MPI_Status* status_scratch(int count);

class StatusArray {
public:
  StatusArray(MPI_Status* user, int count) : used_(user) {
    if (user != MPI_STATUSES_IGNORE || !wildcards_posted.load(std::memory_order_relaxed)) return;
    used_ = count <= kInline ? own_ : status_scratch(count);
  }
  [[nodiscard]] MPI_Status* get() { return used_; }
  [[nodiscard]] bool readable() const { return used_ != MPI_STATUSES_IGNORE && wildcards_posted.load(std::memory_order_relaxed); }

private:
  static constexpr int kInline = 64; // on the host's stack, which may be a thread's small one
  MPI_Status* used_;
  MPI_Status own_[kInline];
};

// Which side of a collective's arguments is significant where.
enum class Shape : std::uint8_t { barrier, same, bcast, reduce, gather, scatter, exchange, reduce_scatter, neighbor };

struct CollectiveArguments {
  Shape shape = Shape::barrier;
  const void* send_buffer = nullptr;
  const void* receive_buffer = nullptr;
  std::int64_t count = 0; // count and type of both sides
  MPI_Datatype type{};
  bool has_type = false;
  std::int64_t send_count = 0;
  MPI_Datatype send_type{};
  std::int64_t receive_count = 0;
  MPI_Datatype receive_type{};
  int root = 0;
  MPI_Op op{};
  bool has_op = false;
};

// Count arrays of v and w collectives. Count is int or MPI_Count.
template <class Count> struct CountArrays {
  const Count* send_counts = nullptr;
  const Count* receive_counts = nullptr;
  const MPI_Datatype* send_types = nullptr; // w: one per peer
  const MPI_Datatype* receive_types = nullptr;
  MPI_Datatype send_type{};
  MPI_Datatype receive_type{};
};

} // namespace farcast::interpose
