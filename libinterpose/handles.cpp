#include "libinterpose/handles.h"

#include "libinterpose/real.h"
#include "libinterpose/sessions.h"
#include "libinterpose/slots.h"
#include "libinterpose/spin_guard.h"

#include <sys/mman.h>

namespace farcast::interpose {

std::atomic<std::uint32_t> type_epoch{1};
std::atomic<std::uint32_t> comm_epoch{1};

namespace {

Real<int (*)(MPI_Datatype, MPI_Count*)> type_size_x{"PMPI_Type_size_x"};
Real<int (*)(MPI_Comm, int*)> comm_rank{"PMPI_Comm_rank"};
Real<int (*)(MPI_Comm, int*)> comm_size{"PMPI_Comm_size"};
Real<int (*)(MPI_Comm, int*)> comm_remote_size{"PMPI_Comm_remote_size"};
Real<int (*)(MPI_Comm, int*)> comm_test_inter{"PMPI_Comm_test_inter"};
Real<int (*)(MPI_Comm, MPI_Group*)> comm_group{"PMPI_Comm_group"};
Real<int (*)(MPI_Comm, MPI_Group*)> comm_remote_group{"PMPI_Comm_remote_group"};
Real<int (*)(MPI_Group, int, const int*, MPI_Group, int*)> group_translate{"PMPI_Group_translate_ranks"};
Real<int (*)(MPI_Group*)> group_free{"PMPI_Group_free"};
Real<int (*)(MPI_Group, int*)> group_size{"PMPI_Group_size"};
Real<int (*)(MPI_Comm, int*)> topo_test{"PMPI_Topo_test"};
Real<int (*)(MPI_Comm, int*)> cartdim_get{"PMPI_Cartdim_get"};
Real<int (*)(MPI_Comm, int, int, int*, int*)> cart_shift{"PMPI_Cart_shift"};
Real<int (*)(MPI_Comm, int, int*)> graph_neighbors_count{"PMPI_Graph_neighbors_count"};
Real<int (*)(MPI_Comm, int, int, int*)> graph_neighbors{"PMPI_Graph_neighbors"};
Real<int (*)(MPI_Comm, int*, int*, int*)> dist_count{"PMPI_Dist_graph_neighbors_count"};
Real<int (*)(MPI_Comm, int, int*, int*, int, int*, int*)> dist_neighbors{"PMPI_Dist_graph_neighbors"};
Real<int (*)(MPI_Op, int*)> op_commutative{"PMPI_Op_commutative"};
Real<int (*)(MPI_Win, MPI_Group*)> win_group{"PMPI_Win_get_group"};

// Ranks of windows and communicators that were asked for.
struct KnownRank {
  std::uint64_t key;
  std::uint32_t epoch;
  int rank;
  int in_world;
  [[nodiscard]] bool is(std::uint64_t of, int asked, std::uint32_t now) const {
    return key == of && rank == asked && epoch == now;
  }
};
constexpr std::uint32_t kKnownRanks = 256;
constinit KnownRank known_ranks[kKnownRanks]{};
constinit std::atomic<std::uint32_t> window_epoch{1};

// The process-wide table behind the caches: open addressing, a spin lock, only on slow paths. It
// grows when half of it has keys; those of communicators that are gone stay until then, for they
// hold the probe chains together.
struct TableEntry {
  std::uint64_t key;
  CommInfo info;
  bool used;
};
constexpr std::uint32_t kFirstTableSize = 1024; // a power of two, as all later sizes
TableEntry first_table[kFirstTableSize];
TableEntry* table = first_table;
std::uint32_t table_size = kFirstTableSize;
std::uint32_t table_keys = 0;
std::atomic_flag table_lock = ATOMIC_FLAG_INIT;
std::uint32_t next_id = stream::kCommSelf + 1;

// Returns: the entry of `key`, or the free place for it; null when the table is full.
TableEntry* find(std::uint64_t key) {
  std::uint32_t at = slot_of(key, table_size);
  TableEntry* free_place = nullptr;
  for (std::uint32_t probes = 0; probes < table_size; ++probes, at = (at + 1) % table_size) {
    TableEntry& entry = table[at];
    if (entry.used && entry.key == key) return &entry;
    if (!entry.used) {
      if (free_place == nullptr) free_place = &entry;
      if (entry.key == 0) return free_place; // never used: the chain ends here
    }
  }
  return free_place;
}

void* map(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Without memory for more the table goes on filling up; a full one knows no further communicators.
void make_room() {
  if (table_keys * 2 < table_size) return;
  std::uint32_t live = 0;
  for (std::uint32_t i = 0; i < table_size; ++i) live += table[i].used ? 1 : 0;
  TableEntry* old = table;
  const std::uint32_t old_size = table_size;
  const std::uint32_t size = live * 4 < table_size ? table_size : table_size * 2;
  auto* larger = static_cast<TableEntry*>(map(size * sizeof(TableEntry)));
  if (larger == nullptr) return;
  table = larger;
  table_size = size;
  table_keys = live;
  for (std::uint32_t i = 0; i < old_size; ++i) {
    if (old[i].used) *find(old[i].key) = old[i];
  }
  if (old != first_table) munmap(old, old_size * sizeof(TableEntry));
}

// Puts what is known of `key` at the place that find() gave for it.
void note(TableEntry& place, std::uint64_t key, const CommInfo& info) {
  if (place.key == 0) ++table_keys;
  place = {key, info, true};
}

// Scratch memory for rank lists: a few on the host's stack, which may be a thread's small one, more
// mapped; none from its heap.
struct Ranks {
  explicit Ranks(int n) : bytes(static_cast<std::size_t>(n > 0 ? n : 1) * sizeof(int)) {
    data = bytes <= sizeof(few) ? few : static_cast<int*>(map(bytes));
  }
  ~Ranks() {
    if (data != nullptr && data != few) munmap(data, bytes);
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  std::size_t bytes;
  int* data;
  int few[128];
};

// Returns: whether some of them are not of MPI_COMM_WORLD.
bool write_group(Thread& thread, stream::SlotKind kind, std::uint32_t id, MPI_Group group, int size) {
  Ranks own(size);
  Ranks in_world(size);
  MPI_Group world_group;
  if (own.data == nullptr || in_world.data == nullptr || comm_group.get()(comm_world(), &world_group) != MPI_SUCCESS) return true;
  bool foreign = false;
  for (int i = 0; i < size; ++i) own.data[i] = i;
  if (group_translate.get()(group, size, own.data, world_group, in_world.data) == MPI_SUCCESS) {
    for (int i = 0; i < size; ++i) {
      foreign = foreign || in_world.data[i] < 0;
      in_world.data[i] = in_world.data[i] < 0 ? stream::kNoPeer : in_world.data[i];
    }
    write_ranges(thread, kind, id, in_world.data, size);
  }
  group_free.get()(&world_group);
  return foreign;
}

void write_neighbors(Thread& thread, MPI_Comm comm, const CommInfo& info) {
  int in = 0;
  int out = 0;
  neighbor_counts(comm, in, out);
  if (in == 0 && out == 0) return;
  Ranks sources(in);
  Ranks destinations(out);
  if (sources.data == nullptr || destinations.data == nullptr) return;
  int kind = MPI_UNDEFINED;
  topo_test.get()(comm, &kind);
  if (kind == MPI_CART) {
    for (int d = 0; d < in / 2; ++d) {
      cart_shift.get()(comm, d, 1, &sources.data[2 * d], &sources.data[2 * d + 1]);
      destinations.data[2 * d] = sources.data[2 * d];
      destinations.data[2 * d + 1] = sources.data[2 * d + 1];
    }
  } else if (kind == MPI_GRAPH) {
    graph_neighbors.get()(comm, info.rank, in, sources.data);
    for (int i = 0; i < in; ++i) destinations.data[i] = sources.data[i];
  } else {
    Ranks weights_in(in);
    Ranks weights_out(out);
    if (weights_in.data == nullptr || weights_out.data == nullptr) return;
    dist_neighbors.get()(comm, in, sources.data, weights_in.data, out, destinations.data, weights_out.data);
  }
  for (int i = 0; i < in; ++i) sources.data[i] = peer_code(sources.data[i]);
  for (int i = 0; i < out; ++i) destinations.data[i] = peer_code(destinations.data[i]);
  write_ranks(thread, stream::SlotKind::sources, info.id, sources.data, in);
  write_ranks(thread, stream::SlotKind::destinations, info.id, destinations.data, out);
}

// Tells the reader who is in a communicator: once, when it first appears. Returns: whether it has
// members that are not of MPI_COMM_WORLD.
bool describe(Thread& thread, MPI_Comm comm, const CommInfo& info) {
  MPI_Group group;
  bool foreign = false;
  if (comm_group.get()(comm, &group) == MPI_SUCCESS) {
    foreign = write_group(thread, stream::SlotKind::members, info.id, group, info.size);
    group_free.get()(&group);
  }
  if (info.remote_size > 0) {
    if (comm_remote_group.get()(comm, &group) == MPI_SUCCESS) {
      foreign = write_group(thread, stream::SlotKind::remote_members, info.id, group, info.remote_size) || foreign;
      group_free.get()(&group);
    }
    return foreign; // an inter-communicator has no topology
  }
  int kind = MPI_UNDEFINED;
  if (topo_test.get()(comm, &kind) == MPI_SUCCESS && kind != MPI_UNDEFINED) write_neighbors(thread, comm, info);
  return foreign;
}

} // namespace

void write_named_group(Thread& thread, MPI_Group group) {
  // A window over a session's communicator names a group of that session.
  if (!world_is_open() || has_session_communicators()) return;
  int size = 0;
  if (group_size.get()(group, &size) == MPI_SUCCESS) write_group(thread, stream::SlotKind::group, 0, group, size);
}

std::uint64_t type_size_slow(TypeCacheEntry& entry, MPI_Datatype type, std::uint64_t key) {
  if (key == constants.datatype_null) return 0;
  MPI_Count size = 0;
  const std::uint32_t epoch = type_epoch.load(std::memory_order_relaxed);
  if (type_size_x.get()(type, &size) != MPI_SUCCESS || size < 0) size = 0;
  entry = {key, static_cast<std::uint64_t>(size), epoch};
  return entry.size;
}

CommInfo comm_info_slow(Thread& thread, CommCacheEntry& entry, MPI_Comm comm, std::uint64_t key) {
  if (key == constants.comm_null) return {stream::kNoComm, 0, 0, 0, false};
  const std::uint32_t epoch = comm_epoch.load(std::memory_order_relaxed);
  CommInfo info{};
  bool fresh = false;
  {
    const SpinGuard guard(table_lock);
    make_room();
    TableEntry* place = find(key);
    if (place == nullptr) return {stream::kNoComm, 0, 0, 0, false};
    if (!place->used && !world_is_open()) // nothing may be asked about MPI_COMM_WORLD
      return {has_session_communicators() ? stream::kSessionComm : stream::kNoComm, 0, 0, 0, false};
    if (!place->used) {
      fresh = true;
      int inter = 0;
      comm_rank.get()(comm, &info.rank);
      comm_size.get()(comm, &info.size);
      comm_test_inter.get()(comm, &inter);
      if (inter != 0) comm_remote_size.get()(comm, &info.remote_size);
      if (key == constants.comm_world)
        info.id = stream::kCommWorld;
      else if (key == constants.comm_self)
        info.id = stream::kCommSelf;
      else
        info.id = next_id++;
      note(*place, key, info);
    }
    info = place->info;
  }
  if (fresh && describe(thread, comm, info)) {
    info.foreign = true;
    const SpinGuard guard(table_lock);
    if (TableEntry* place = find(key); place != nullptr && place->used) place->info.foreign = true;
  }
  entry = {key, info, epoch};
  return info;
}

void forget_types() { type_epoch.fetch_add(1, std::memory_order_relaxed); }

void adopt_session_comm(MPI_Comm comm) {
  const std::uint64_t key = key_of(comm);
  if (key == constants.comm_null) return;
  note_session_communicator();
  const SpinGuard guard(table_lock);
  make_room();
  if (TableEntry* place = find(key)) note(*place, key, {stream::kSessionComm, 0, 0, 0, false});
}

void adopt_copy(Thread& thread, MPI_Comm parent, MPI_Comm copy) {
  const std::uint64_t key = key_of(copy);
  CommInfo info = comm_info(thread, parent);
  if (info.id == stream::kSessionComm) return adopt_session_comm(copy);
  if (key == constants.comm_null || info.id == stream::kNoComm) return;
  {
    const SpinGuard guard(table_lock);
    make_room();
    TableEntry* const place = find(key);
    if (place == nullptr) return;
    info.id = next_id++;
    note(*place, key, info);
    comm_epoch.fetch_add(1, std::memory_order_relaxed);
  }
  describe(thread, parent, info);
}

void forget_comm(MPI_Comm comm) {
  const SpinGuard guard(table_lock);
  TableEntry* place = find(key_of(comm));
  if (place != nullptr && place->used) place->used = false; // the key stays: it holds the probe chain together
  comm_epoch.fetch_add(1, std::memory_order_relaxed);
}

void neighbor_counts(MPI_Comm comm, int& in, int& out) {
  int kind = MPI_UNDEFINED;
  in = out = 0;
  if (topo_test.get()(comm, &kind) != MPI_SUCCESS) return;
  if (kind == MPI_CART) {
    int dimensions = 0;
    cartdim_get.get()(comm, &dimensions);
    in = out = 2 * dimensions;
  } else if (kind == MPI_GRAPH) {
    int rank = 0;
    comm_rank.get()(comm, &rank);
    graph_neighbors_count.get()(comm, rank, &in);
    out = in;
  } else if (kind == MPI_DIST_GRAPH) {
    int weighted = 0;
    dist_count.get()(comm, &in, &out, &weighted);
  }
}

namespace {

// Returns: the rank in MPI_COMM_WORLD of a rank of the group that `get` gives of the handle; negative
// where it has none. What the program does wrong is told by the call that it made, not by one of these.
template <class Get> int known_world_rank(std::uint64_t key, std::uint32_t epoch, int rank, Get get) {
  KnownRank& known = known_ranks[slot_of(key + static_cast<std::uint64_t>(rank), kKnownRanks)];
  if (known.is(key, rank, epoch)) return known.in_world;
  MPI_Group group;
  MPI_Group world;
  if (rank < 0 || !world_is_open() || has_session_communicators() || !get(&group)) return -1;
  int size = 0;
  int in_world = -1;
  if (comm_group.get()(comm_world(), &world) == MPI_SUCCESS) {
    const bool is_there = group_size.get()(group, &size) == MPI_SUCCESS && rank < size;
    if (is_there && group_translate.get()(group, 1, &rank, world, &in_world) != MPI_SUCCESS) in_world = -1;
    group_free.get()(&world);
  }
  group_free.get()(&group);
  known = {key, epoch, rank, in_world};
  return in_world;
}

} // namespace

int world_rank_in_window(MPI_Win win, int rank) {
  const std::uint64_t key = key_of(win);
  return known_world_rank(key, window_epoch.load(std::memory_order_relaxed), rank, [&](MPI_Group* group) {
    return key != constants.win_null && win_group.get()(win, group) == MPI_SUCCESS;
  });
}

int world_rank_in_comm(Thread& thread, MPI_Comm comm, int rank) {
  const std::uint64_t key = key_of(comm);
  if (key == constants.comm_world) return rank;
  const std::uint32_t epoch = ~comm_epoch.load(std::memory_order_relaxed); // no window's
  return known_world_rank(key, epoch, rank, [&](MPI_Group* group) {
    const CommInfo info = comm_info(thread, comm);
    if (info.id == stream::kNoComm || info.id == stream::kSessionComm) return false;
    return (info.remote_size > 0 ? comm_remote_group : comm_group).get()(comm, group) == MPI_SUCCESS;
  });
}

void forget_windows() { window_epoch.fetch_add(1, std::memory_order_relaxed); }

bool is_commutative(MPI_Op op) {
  if (key_of(op) == constants.op_null) return true;
  int commutative = 1;
  return op_commutative.get()(op, &commutative) != MPI_SUCCESS || commutative != 0;
}

} // namespace farcast::interpose
