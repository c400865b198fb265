// sessions PSET [world]: works on a communicator made from the session's process set PSET
// ("mpi://self", "mpi://world"); with `world` between MPI_Init and MPI_Finalize, where it works on
// MPI_COMM_WORLD too, with `open` in the same way, but the session ends behind MPI_Finalize; with
// `ask` it only asks the session for its process sets, and calls MPI_Init. Ends with exit code 4.
// What MPICH 4.0.2 itself cannot do is left out: progress where only mpi://self was opened, and
// MPI_Init after the last session has ended.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void check(int holds, const char* text) {
  if (holds) return;
  printf("failed: %s\n", text);
  fflush(stdout);
  _Exit(9);
}

static int progresses; // MPI_Init was called

static int work(MPI_Comm comm) {
  int rank = 0, size = 0, sum = 0, one = 1, got = -1, flag = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (size == 1 && !progresses) return sum;
  MPI_Comm twin, later;
  MPI_Request made, requests[2];
  MPI_Status statuses[2];
  check(MPI_Comm_dup(comm, &twin) == MPI_SUCCESS, "dup");
  check(MPI_Comm_idup(twin, &later, &made) == MPI_SUCCESS, "idup");
  MPI_Wait(&made, MPI_STATUS_IGNORE);
  MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 7, later, &requests[0]);
  MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 7, later, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  check(got == (rank + size - 1) % size, "message");
  do MPI_Iprobe(MPI_ANY_SOURCE, 8, twin, &flag, MPI_STATUS_IGNORE);
  while (flag);
  MPI_Win window;
  MPI_Group group;
  int cell = 0, type_bytes = 0;
  MPI_Win_create(&cell, sizeof(cell), sizeof(cell), MPI_INFO_NULL, twin, &window);
  MPI_Win_get_group(window, &group);
  MPI_Win_post(group, 0, window);
  MPI_Win_start(group, 0, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  MPI_Group_free(&group);
  MPI_Win_free(&window);
  MPI_Type_size(MPI_DOUBLE, &type_bytes);
  MPI_Comm_free(&later);
  MPI_Comm_free(&twin);
  return sum * 100 + type_bytes;
}

int main(int count, char** arguments) {
  const char* set = arguments[1];
  const int open = count > 2 && strcmp(arguments[2], "open") == 0;
  const int world = open || (count > 2 && strcmp(arguments[2], "world") == 0);
  const int ask = count > 2 && strcmp(arguments[2], "ask") == 0;
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  int sets = 0, rank = 0;
  if (world) MPI_Init(NULL, NULL);
  progresses = world;
  check(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS, "session");
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
  int result = sets;
  if (!ask) {
    check(MPI_Group_from_session_pset(session, set, &group) == MPI_SUCCESS, "group");
    check(MPI_Comm_create_from_group(group, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS, "communicator");
    MPI_Comm_rank(comm, &rank);
    result = work(comm);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
  }
  if (ask) MPI_Init(NULL, NULL);
  if (!open) check(MPI_Session_finalize(&session) == MPI_SUCCESS, "end of the session");
  progresses = 1;
  if (ask || world) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    result += work(MPI_COMM_WORLD);
    MPI_Finalize();
  }
  if (open) check(MPI_Session_finalize(&session) == MPI_SUCCESS, "end of the session");
  if (rank == 0) printf("result %d\n", result);
  return 4;
}
