/* Calls that nobody models, in which rank 0 waits for rank 1, which first waits for whatever comes from rank 2: it comes only
 * when virtual time goes on without rank 0. Prints what rank 1 had from rank 2, and 1 where what was made is right. Three ranks.
 */
#include "came_first.h"

/* Between two ranks of what nobody knows the members: a probe says when there is nothing. */
static int exchange(MPI_Comm made) {
  int got = -1, flag = 1, nothing = 1, cancelled = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&got, 1, MPI_INT, 0, 5, made, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  if (!cancelled) return 0;
  if (rank == 0) {
    MPI_Irecv(&got, 1, MPI_INT, 0, 3, made, &request);
    MPI_Send(&rank, 1, MPI_INT, 0, 4, made);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return got == 1;
  }
  MPI_Iprobe(0, 5, made, &flag, MPI_STATUS_IGNORE); /* nobody sends that */
  nothing = !flag;
  while (!flag) MPI_Iprobe(0, 4, made, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(&got, 1, MPI_INT, 0, 4, made, MPI_STATUS_IGNORE);
  MPI_Isend(&rank, 1, MPI_INT, 0, 3, made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return nothing && got == 0;
}

#ifdef OPEN_MPI
/* A server and its client. (Debian 12's MPICH opens no ports.) */
static int accepted(int* got) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm made;
  int right = 1;
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &made);
  }
  if (rank == 1) MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  *got = came_first();
  if (rank == 1) MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &made);
  if (rank < 2) {
    right = exchange(made);
    MPI_Comm_disconnect(&made);
  }
  if (rank == 0) MPI_Close_port(port);
  return right;
}
#endif

#if MPI_VERSION >= 4
/* Groups of a session's kind, in which nobody is known by a rank of MPI_COMM_WORLD. */
static int grouped(int* got) {
  const int first = 0, second = 1;
  MPI_Group all, one, other;
  MPI_Comm made;
  int right = 1;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &first, &one);
  MPI_Group_incl(all, 1, &second, &other);
  if (rank == 0) MPI_Intercomm_create_from_groups(one, 0, other, 0, "pair", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
  *got = came_first();
  if (rank == 1) MPI_Intercomm_create_from_groups(other, 0, one, 0, "pair", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
  if (rank < 2) {
    right = exchange(made);
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&one);
  MPI_Group_free(&other);
  MPI_Group_free(&all);
  return right;
}
#endif

static const struct Case all[] = {
#ifdef OPEN_MPI
    {"accepted", accepted},
#endif
#if MPI_VERSION >= 4
    {"grouped", grouped},
#endif
};

int main(int argc, char** argv) { return play_all(argc, argv, all, sizeof all / sizeof *all); }
