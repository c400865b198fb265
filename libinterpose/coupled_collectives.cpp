#include "libinterpose/coupled_collectives.h"

#include "libinterpose/counted_calls.h"
#include "libinterpose/coupled.h"
#include "libinterpose/coupled_neighbours.h"
#include "libinterpose/real.h"

#include <cstdlib>

namespace farcast::interpose {

namespace {

constinit Real<int (*)(MPI_Datatype, MPI_Aint*, MPI_Aint*)> real_extent{"PMPI_Type_get_extent"};
constinit Real<int (*)(MPI_Datatype, MPI_Aint*, MPI_Aint*)> real_true_extent{"PMPI_Type_get_true_extent"};
constinit Real<int (*)(MPI_Datatype, int*)> real_type_size{"PMPI_Type_size"};
constinit Real<int (*)(int, MPI_Request*, MPI_Status*)> real_waitall{"PMPI_Waitall"};
constinit Real<int (*)(MPI_Comm, int, void*, int*)> real_get_attr{"PMPI_Comm_get_attr"};

MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  return real_extent.get()(type, &low, &extent) == MPI_SUCCESS ? extent : 0;
}

int copy(const void* from, std::int64_t from_count, MPI_Datatype from_type, void* to, std::int64_t to_count,
         MPI_Datatype to_type) {
  MPI_Request both[2];
  if (const int code = irecv_counted(to, to_count, to_type, 0, own_tag(), comm_self(), &both[0]); code != MPI_SUCCESS)
    return code;
  if (const int code = isend_counted(from, from_count, from_type, 0, own_tag(), comm_self(), &both[1]); code != MPI_SUCCESS)
    return code;
  return real_waitall.get()(2, both, MPI_STATUSES_IGNORE);
}

// Memory for so many elements. `at`: where a call is to be told that they begin. Returns: what is
// to be freed.
char* room_for(std::int64_t count, MPI_Datatype type, char** at) {
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  if (real_true_extent.get()(type, &low, &extent) != MPI_SUCCESS) extent = 0;
  const std::int64_t between = count > 1 ? (count - 1) * extent_of(type) : 0;
  auto* const memory = static_cast<char*>(std::malloc(static_cast<std::size_t>(extent + between > 0 ? extent + between : 1)));
  if (memory == nullptr) give_up("there is no memory for what the program receives");
  *at = memory - low;
  return memory;
}

// Nobody waits for what is empty, on the virtual cluster as here: who receives it may come first.
bool is_empty(std::int64_t count, MPI_Datatype type) {
  int size = 0;
  return count == 0 || (real_type_size.get()(type, &size) == MPI_SUCCESS && size == 0);
}

} // namespace

// Large, but not where programs and libraries that count from either end come to. (Receives of any
// tag are never posted as such: coupled.h.)
int own_tag() {
  static constinit int tag = 0;
  if (tag != 0) return tag;
  void* most = nullptr;
  int found = 0;
  tag = 32767; // the least that the standard allows as the largest
  if (real_get_attr.get()(comm_world(), MPI_TAG_UB, &most, &found) == MPI_SUCCESS && found != 0) tag = *static_cast<int*>(most);
  tag -= tag / 7;
  return tag;
}

std::int64_t Apart::count_of(const Part& part, int member) const {
  if (part.counts == nullptr) return part.count;
  return wide_counts ? static_cast<std::int64_t>(static_cast<const MPI_Count*>(part.counts)[member])
                     : static_cast<const int*>(part.counts)[member];
}

char* Apart::block_of(const Part& part, int member) const {
  auto* const buffer = static_cast<char*>(const_cast<void*>(part.buffer));
  if (part.repeated) return buffer;
  const MPI_Aint unit = part.types != nullptr ? 1 : extent_of(part.type);
  if (part.counts == nullptr) return buffer + member * part.count * unit;
  const MPI_Aint offset =
      wide_offsets ? static_cast<const MPI_Aint*>(part.offsets)[member] : static_cast<const int*>(part.offsets)[member];
  return buffer + offset * unit;
}

int Apart::send_some(const void* buffer, std::int64_t count, MPI_Datatype type, int to, int on_tag) const {
  return is_empty(count, type) ? MPI_SUCCESS : send_copy(buffer, count, type, to, on_tag, comm);
}

int Apart::receive_some(void* buffer, std::int64_t count, MPI_Datatype type, int from, int on_tag) const {
  return is_empty(count, type) ? MPI_SUCCESS : receive_now(buffer, count, type, from, on_tag, comm, MPI_STATUS_IGNORE);
}

int Apart::send(const Part& part, int member, int to, int on_tag) const {
  return send_some(block_of(part, member), count_of(part, member), type_of(part, member), to, on_tag);
}

int Apart::receive(const Part& part, int member, int from, int on_tag) const {
  return receive_some(block_of(part, member), count_of(part, member), type_of(part, member), from, on_tag);
}

bool Apart::is_left_early() const {
  if (!is_played(comm)) return false;
  if (between_groups) return true;
  if (kind == Kind::meet) return false;
  if (kind == Kind::join) return is_empty(in.count, in.type); // MPICH exchanges empty messages, and waits for them
  return kind != Kind::exchange || in.counts != nullptr || is_empty(in.count, in.type);
}

bool Apart::takes() const {
  if (!takes_part() || kind == Kind::meet) return false;
  if (kind == Kind::gather || kind == Kind::reduce) return is_root();
  return kind != Kind::scatter || !is_root() || !(between_groups || is_in_place(in.buffer));
}

bool Apart::gives_out() const {
  if (!takes_part() || kind == Kind::meet || kind == Kind::bcast) return false;
  if (kind == Kind::scatter) return is_root();
  if (between_groups && is_root()) return false; // of a gather or a reduction
  return !is_in_place(out.buffer);
}

// The same to each member from `begin` on, from one copy. `self`: the caller is one of them.
int Apart::give_same(const void* buffer, std::int64_t count, MPI_Datatype type, int begin, bool self) const {
  const bool nobody = begin >= size || (size == 1 && !self && !between_groups);
  if (nobody || is_empty(count, type)) return MPI_SUCCESS;
  SentCopy copy(buffer, count, type, comm);
  int code = copy.code();
  for (int member = begin; member < size && code == MPI_SUCCESS; ++member) {
    if (self || !is_self(member)) code = copy.send(member, tag, comm);
  }
  return code;
}

// To, or from, each of those that the root exchanges with, the root itself left out.
int Apart::give_all() {
  if (kind == Kind::bcast) return give_same(in.buffer, in.count, in.type, 0, false);
  int code = MPI_SUCCESS;
  for (int member = 0; member < size && code == MPI_SUCCESS; ++member) {
    if (!is_self(member)) code = send(out, member, member, tag);
  }
  return code;
}

int Apart::take_all() {
  int code = MPI_SUCCESS;
  for (int member = 0; member < size && code == MPI_SUCCESS; ++member) {
    if (!is_self(member)) code = receive(in, member, member, tag);
  }
  return code;
}

// What the root has of its own.
int Apart::keep_own() {
  if (between_groups || is_in_place(out.buffer) || is_in_place(in.buffer)) return MPI_SUCCESS;
  if (kind == Kind::gather) return copy(out.buffer, out.count, out.type, block_of(in, rank), count_of(in, rank), in.type);
  return copy(block_of(out, rank), count_of(out, rank), out.type, const_cast<void*>(in.buffer), in.count, in.type);
}

int Apart::give_parts() {
  Part part = is_in_place(out.buffer) ? in : out; // what is taken comes later
  if (is_in_place(out.buffer) && out.repeated)
    part = {block_of(in, rank), count_of(in, rank), in.type, nullptr, nullptr, nullptr, true};
  if (kind == Kind::exchange && part.repeated) return give_same(part.buffer, part.count, part.type, 0, true);
  int code = MPI_SUCCESS;
  if (kind == Kind::exchange) {
    for (int member = 0; member < size && code == MPI_SUCCESS; ++member) code = send(part, member, member, tag);
    return code;
  }
  Neighbours peers;
  code = peers.find(comm, rank);
  for (int i = 0; i < static_cast<int>(peers.to.size) && code == MPI_SUCCESS; ++i)
    code = send(part, i, peers.to.values[i], tag - (peers.cartesian ? (i + 1) % 2 : 0));
  peers.free();
  return code;
}

int Apart::take_parts() {
  int code = MPI_SUCCESS;
  if (kind == Kind::exchange) {
    for (int member = 0; member < size && code == MPI_SUCCESS; ++member) code = receive(in, member, member, tag);
    return code;
  }
  Neighbours peers;
  code = peers.find(comm, rank);
  for (int i = 0; i < static_cast<int>(peers.from.size) && code == MPI_SUCCESS; ++i) {
    if (peers.from.values[i] != MPI_PROC_NULL) code = receive(in, i, peers.from.values[i], tag - (peers.cartesian ? i % 2 : 0));
  }
  peers.free();
  return code;
}

const void* Apart::own_input() const { return is_in_place(out.buffer) ? in.buffer : out.buffer; }

// The library says what is wrong with an operator before it sends anything.
int Apart::try_combine() const {
  if (!combines() || !takes_part()) return MPI_SUCCESS;
  char none = 0;
  return reduce_local_counted(&none, &none, 0, kind == Kind::reduce && is_root() ? in.type : out.type, op);
}

int Apart::contribute() {
  if (contributed) return refused;
  contributed = true;
  refused = try_combine();
  if (refused != MPI_SUCCESS) return refused;
  int code = MPI_SUCCESS;
  switch (kind) {
  case Kind::bcast:
    return takes_part() && is_root() ? give_all() : MPI_SUCCESS;
  case Kind::scatter:
    if (!takes_part() || !is_root()) return MPI_SUCCESS;
    code = keep_own();
    return code == MPI_SUCCESS ? give_all() : code;
  case Kind::gather:
    if (takes_part() && is_root()) return keep_own();
    [[fallthrough]];
  case Kind::reduce:
    return takes_part() && !is_root() ? send_some(out.buffer, out.count, out.type, root, tag) : MPI_SUCCESS;
  case Kind::scan:
  case Kind::exscan:
    return give_same(own_input(), out.count, out.type, rank + 1, false);
  case Kind::exchange:
  case Kind::neighbours:
    return give_parts();
  case Kind::join:
    return give_same(own_input(), out.count, out.type, 0, true);
  case Kind::meet:
    break;
  }
  return code;
}

int Apart::combine(int end) {
  if (end == 0 || is_empty(in.count, in.type)) return MPI_SUCCESS;
  void* const result = const_cast<void*>(in.buffer);
  char* given = nullptr;
  char* const given_memory = room_for(in.count, in.type, &given);
  char* own = nullptr;
  char* const own_memory = room_for(in.count, in.type, &own);
  int code = MPI_SUCCESS;
  if (!between_groups) code = copy(own_input(), in.count, in.type, own, in.count, in.type); // the result may be where it is
  for (int member = end - 1; member >= 0 && code == MPI_SUCCESS; --member) {
    const bool last = member == end - 1;
    char* const into = last ? static_cast<char*>(result) : given;
    if (is_self(member)) {
      if (last) code = copy(own, in.count, in.type, result, in.count, in.type);
    } else {
      code = receive_some(into, in.count, in.type, member, tag);
    }
    if (!last && code == MPI_SUCCESS) code = reduce_local_counted(is_self(member) ? own : given, result, in.count, in.type, op);
  }
  std::free(given_memory);
  std::free(own_memory);
  return code;
}

int Apart::finish() {
  board.starts_apart(rank, size);
  if (const int code = contribute(); code != MPI_SUCCESS || !takes_part()) return code;
  switch (kind) {
  case Kind::bcast:
    return is_root() ? MPI_SUCCESS : receive(in, 0, root, tag);
  case Kind::scatter:
    return is_root() ? MPI_SUCCESS : receive_some(const_cast<void*>(in.buffer), in.count, in.type, root, tag);
  case Kind::gather:
    return is_root() ? take_all() : MPI_SUCCESS;
  case Kind::reduce:
    return is_root() ? combine(size) : MPI_SUCCESS;
  case Kind::scan:
    return combine(rank + 1);
  case Kind::exscan:
    return combine(rank);
  case Kind::exchange:
  case Kind::neighbours:
    return take_parts();
  case Kind::join:
    return combine(size);
  case Kind::meet:
    break;
  }
  return MPI_SUCCESS;
}

} // namespace farcast::interpose
