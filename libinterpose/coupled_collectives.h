// Collectives of a coupled program that a member leaves before all have entered them: rooted ones
// and scans, those of neighbours, those between groups, and exchanges with empty parts.
//
// The library may let nobody go before all have come, however it plays them. So members exchange
// the data by messages of their own: who takes part sends copies of what it gives, which waits for
// nobody (contribute()), and then receives what it takes (finish()), from members that have
// entered. A member that waits for its answer contributes as soon as it is told that somebody goes
// ahead (Answer, segment.h).
// Source of what each call gives and takes: the MPI standard 4.0, section 6. Threads: the one that
// takes part in the coupling.
#pragma once

#include "libinterpose/library.h"

#include <cstdint>

namespace farcast::interpose {

// The tag of our own messages; some below it are, too (coupled_started.cpp).
int own_tag();

struct Apart {
  // exchange: all with all, of both groups; join: a reduction of what the other group gives; meet:
  // no data.
  enum class Kind : std::uint8_t { bcast, gather, scatter, reduce, scan, exscan, exchange, neighbours, join, meet };
  struct Part { // of the caller's memory
    const void* buffer;
    std::int64_t count; // where the block of each member is as large
    MPI_Datatype type;
    const void* counts; // [member] else; null: as large
    const void* offsets;
    const MPI_Datatype* types; // [member] in place of `type`; offsets are bytes then
    bool repeated;             // the one block goes to each member
  };

  // The call's own arguments. `wide`: its counts are MPI_Count, its offsets MPI_Aint; else both are
  // int, and offsets MPI_Aint all the same with `far`.
  void bind(Kind what, MPI_Comm on, int at, std::int64_t own_rank, std::int64_t members, bool inter, bool wide, bool far) {
    kind = what;
    comm = on;
    root = at;
    rank = static_cast<int>(own_rank);
    size = static_cast<int>(members);
    between_groups = inter;
    wide_counts = wide;
    wide_offsets = wide || far;
    contributed = false;
    refused = MPI_SUCCESS;
    tag = own_tag();
    out = in = Part{};
  }
  // Of one that is started: whether a member may complete it before all have entered it, in which
  // case all play it apart: each of them says the same.
  [[nodiscard]] bool is_left_early() const;
  // Returns: whether `in` says what comes for the caller; whether `out` says what it gives.
  [[nodiscard]] bool takes() const;
  [[nodiscard]] bool combines() const {
    return kind == Kind::reduce || kind == Kind::scan || kind == Kind::exscan || kind == Kind::join;
  }
  [[nodiscard]] bool gives_out() const;
  // Sends what the caller gives, once. Returns, as the next: an MPI error code.
  int contribute();
  int finish();

  Kind kind;
  MPI_Comm comm;
  int root; // 0 where there is none
  int rank;
  int size;            // of the remote group between groups
  bool between_groups; // the members that the root exchanges with are the remote group
  bool wide_counts;
  bool wide_offsets;
  bool contributed;
  int refused; // an MPI error code: the library does not combine such data so
  int tag;
  Part out; // gives; a broadcast only has `in`
  Part in;  // takes
  MPI_Op op;

  [[nodiscard]] std::int64_t count_of(const Part& part, int member) const;

private:
  [[nodiscard]] bool is_root() const { return between_groups ? root == MPI_ROOT : root == rank; }
  [[nodiscard]] bool takes_part() const { return root != MPI_PROC_NULL; }
  [[nodiscard]] bool is_self(int member) const { return !between_groups && member == rank; }
  [[nodiscard]] char* block_of(const Part& part, int member) const;
  [[nodiscard]] const void* own_input() const;
  [[nodiscard]] static MPI_Datatype type_of(const Part& part, int member) {
    return part.types != nullptr ? part.types[member] : part.type;
  }
  int send_some(const void* buffer, std::int64_t count, MPI_Datatype type, int to, int on_tag) const;
  int receive_some(void* buffer, std::int64_t count, MPI_Datatype type, int from, int on_tag) const;
  int send(const Part& part, int member, int to, int on_tag) const;
  int receive(const Part& part, int member, int from, int on_tag) const;
  int give_same(const void* buffer, std::int64_t count, MPI_Datatype type, int begin, bool self) const;
  int try_combine() const;
  int give_all();
  int keep_own();
  int take_all();
  // Of each block the one to, and from, its peer.
  int give_parts();
  int take_parts();
  // Puts what the members before `end` give, in their order, into the caller's memory.
  int combine(int end);
};

// Those that are started (coupled_started.cpp), on the communicator of that number. Return: an MPI
// error code.
int start_apart(const Apart& apart, std::uint32_t communicator, MPI_Request* request);
int make_apart(const Apart& apart, std::uint32_t communicator, MPI_Request* request); // a persistent one
bool any_started();                                                                   // or made
bool is_started(MPI_Request request);
bool is_started_on(MPI_Comm comm);
// The program frees an operator (as free_comm): one that is used later stays as long as that.
int free_op(MPI_Op* op, int (*real)(MPI_Op*));
int begin_again(MPI_Request request); // a persistent one
// It is complete in virtual time.
int complete_started(MPI_Request* request, MPI_Status* status);
int complete_started_status(MPI_Request request, MPI_Status* status); // and leaves it
void forget_started(MPI_Request request);

} // namespace farcast::interpose
