/* Calls that their members leave together, and are no data: rank 0 is in each of them while rank 1 waits for whatever comes from
 * rank 2, which pauses first. Each hangs where rank 0 is left to wait in the library, for the predictor waits for it then. Prints
 * what rank 1 had from rank 2, and 1 where what was made is right. Three ranks. */
#include "came_first.h"

/* Of windows: who writes there is another rank, of which the compiler does not know. (MPICH 4.0 writes 4 bytes behind a base that
 * is no multiple of 8.) */
static _Alignas(64) volatile int memory;

static int group(int* got) {
  const int both[2] = {0, 1};
  MPI_Group all, two;
  MPI_Comm made;
  int right = 1;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 2, both, &two);
  *got = came_first();
  for (int round = 0; round < 2 && rank < 2; ++round) { /* the second one is another communicator of the same group */
    MPI_Comm_create_group(MPI_COMM_WORLD, two, round, &made);
    right = right && size_of(made) == 2;
    MPI_Barrier(made);
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&two);
  MPI_Group_free(&all);
  return right;
}

static int window(int* got) {
  MPI_Win win;
  memory = -1;
  *got = came_first();
  if (rank == 2) return 1;
  MPI_Win_create((void*)&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, pair, &win);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  const int right = memory == 1 - rank;
  MPI_Win_free(&win);
  return right;
}

static int fence(int* got) {
  MPI_Win win = MPI_WIN_NULL;
  memory = -1;
  if (rank < 2) {
    MPI_Win_create((void*)&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, pair, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
  }
  *got = came_first();
  if (rank < 2) MPI_Win_fence(0, win);
  const int right = rank == 2 || memory == 1 - rank;
  came_first();
  if (rank < 2) MPI_Win_free(&win);
  return right;
}

static int file(int* got) {
  MPI_File opened;
  *got = came_first();
  if (rank < 2) MPI_File_open(pair, "shared", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &opened);
  came_first();
  if (rank < 2) MPI_File_set_size(opened, 16);
  came_first();
  int read = -1;
  if (rank < 2) MPI_File_write_at_all(opened, rank * (int)sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  if (rank < 2) MPI_File_read_at_all(opened, rank * (int)sizeof rank, &read, 1, MPI_INT, MPI_STATUS_IGNORE);
  came_first();
  const int next = rank + 5, offset = rank * (int)sizeof rank;
  int later = -1;
  if (rank < 2) {
    MPI_File_write_at_all_begin(opened, offset, &next, 1, MPI_INT);
    MPI_File_write_at_all_end(opened, &next, MPI_STATUS_IGNORE);
  }
  came_first();
  if (rank < 2) {
    MPI_Request request;
    MPI_File_iread_at_all(opened, offset, &later, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  came_first();
  if (rank < 2) MPI_File_close(&opened);
  return rank == 2 || (read == rank && later == next);
}

static int disconnect(int* got) {
  MPI_Comm made = MPI_COMM_NULL;
  if (rank < 2) MPI_Comm_dup(pair, &made);
  *got = came_first();
  if (rank < 2) MPI_Comm_disconnect(&made);
  return rank == 2 || made == MPI_COMM_NULL;
}

static int intercomm(int* got) {
  MPI_Comm made = MPI_COMM_NULL, merged = MPI_COMM_NULL;
  *got = came_first();
  MPI_Intercomm_create(pair, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &made);
  int others = 0;
  MPI_Comm_remote_size(made, &others);
  came_first();
  MPI_Intercomm_merge(made, rank == 2, &merged);
  const int right = others == (rank < 2 ? 1 : 2) && size_of(merged) == 3;
  MPI_Comm_free(&merged);
  MPI_Comm_free(&made);
  return right;
}

/* Who accesses waits in MPI_Win_start or _complete, who is accessed in MPI_Win_wait. */
static int epochs(int* got) {
  MPI_Win win = MPI_WIN_NULL;
  MPI_Group both = MPI_GROUP_NULL, other = MPI_GROUP_NULL;
  const int theirs = 1 - rank, value = 10 + rank;
  memory = -1;
  if (rank < 2) {
    MPI_Comm_group(pair, &both);
    MPI_Group_incl(both, 1, &theirs, &other);
    MPI_Win_create((void*)&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, pair, &win);
  }
  for (int target = 1; target >= 0; --target) {
    *got = came_first();
    if (rank == target) {
      MPI_Win_post(other, 0, win);
      MPI_Win_wait(win);
    } else if (rank < 2) {
      MPI_Win_start(other, 0, win);
      MPI_Put(&value, 1, MPI_INT, theirs, 0, 1, MPI_INT, win);
      MPI_Win_complete(win);
    }
  }
  const int right = rank == 2 || memory == 10 + theirs;
  if (rank < 2) {
    MPI_Win_free(&win);
    MPI_Group_free(&other);
    MPI_Group_free(&both);
  }
  return right;
}

/* Rank 1 keeps the lock that rank 0 asks for: of one target, of all by either, of rank 0's own. Rank 0 reads what rank 1 has
 * written last, and has had the lock before rank 1 takes it again: who of two gets it first is the MPI library's affair. */
static int locks(int* got) {
  MPI_Win win = MPI_WIN_NULL;
  int right = 1;
  memory = -1;
  if (rank < 2) MPI_Win_create((void*)&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, pair, &win);
  for (int how = 0; how < 4; ++how) {
    const int target = how == 3 ? 0 : 1, value = 20 + how;
    int read = -1;
    if (rank == 1) {
      if (how == 1) MPI_Win_lock_all(0, win);
      if (how != 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
      MPI_Send(NULL, 0, MPI_BYTE, 0, 9, pair);
    }
    if (rank == 0) {
      MPI_Recv(NULL, 0, MPI_BYTE, 1, 9, pair, MPI_STATUS_IGNORE);
      if (how == 2) MPI_Win_lock_all(0, win);
      if (how != 2) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
      MPI_Get(&read, 1, MPI_INT, target, 0, 1, MPI_INT, win);
      if (how == 2) MPI_Win_unlock_all(win);
      if (how != 2) MPI_Win_unlock(target, win);
      right = right && read == value;
    }
    *got = came_first();
    if (rank == 1) {
      MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
      if (how == 1) MPI_Win_unlock_all(win);
      if (how != 1) MPI_Win_unlock(target, win);
    }
    if (rank < 2) MPI_Barrier(pair);
  }
  if (rank < 2) MPI_Win_free(&win);
  return right;
}

static int query(void* state, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return *(int*)state == 1 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int nothing(void* state) {
  (void)state;
  return MPI_SUCCESS;
}

static int cancelled(void* state, int complete) {
  (void)complete;
  return nothing(state);
}

/* One that is not complete before the program says so. */
static int generalized(int* got) {
  MPI_Request request;
  int state = 1, early = 0, late = 0;
  MPI_Grequest_start(query, nothing, cancelled, &state, &request);
  MPI_Test(&request, &early, MPI_STATUS_IGNORE);
  *got = came_first();
  MPI_Grequest_complete(request);
  MPI_Test(&request, &late, MPI_STATUS_IGNORE);
  return !early && late && request == MPI_REQUEST_NULL;
}

/* What a synchronous send waits for has been done before its receive, also what no message tells. */
static int sent_synchronously(int started, int* got) {
  int unit = 0, right = 1;
  MPI_Aint bytes = 0;
  volatile int* done = NULL;
  MPI_Win win;
  if (rank == 2) return (*got = came_first(), 1);
  MPI_Win_allocate_shared(rank == 1 ? sizeof *done : 0, sizeof *done, MPI_INFO_NULL, pair, (void*)&done, &win);
  MPI_Win_shared_query(win, 1, &bytes, &unit, (void*)&done);
  if (rank == 1) *done = 0;
  MPI_Barrier(pair);
  *got = came_first();
  if (rank == 1) {
    *done = 1;
    MPI_Recv((void*)&memory, 1, MPI_INT, 0, 0, pair, MPI_STATUS_IGNORE);
  } else {
    MPI_Request request;
    if (!started) MPI_Ssend(&rank, 1, MPI_INT, 1, 0, pair);
    if (started) MPI_Issend(&rank, 1, MPI_INT, 1, 0, pair, &request);
    if (started) MPI_Wait(&request, MPI_STATUS_IGNORE);
    right = *done;
  }
  MPI_Win_free(&win);
  return right;
}

static int synchronous(int* got) { return sent_synchronously(0, got); }
static int issend(int* got) { return sent_synchronously(1, got); }

int main(int argc, char** argv) {
  static const struct Case all[] = {{"group", group},
                                    {"window", window},
                                    {"fence", fence},
                                    {"file", file},
                                    {"disconnect", disconnect},
                                    {"intercomm", intercomm},
                                    {"epochs", epochs},
                                    {"locks", locks},
                                    {"generalized", generalized},
                                    {"synchronous", synchronous},
                                    {"issend", issend}};
  return play_all(argc, argv, all, sizeof all / sizeof *all);
}
