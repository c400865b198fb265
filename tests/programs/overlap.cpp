// A stencil that computes its inside while its edges travel: receives and sends are posted, half of
// the work is done, one look at the requests (so that the library moves on), the other half, then
// the wait and the edges' own work. Two edges each way: rows of `size` doubles. Right: each rank's
// value, the mean of its neighbours', is what every rank computes for all of them.
#include "program.h"
#include <vector>

int main(int argc, char** argv) {
  program p = start(&argc, &argv, "overlap", 16000, 30, 100, 131072);
  const int left = (p.rank + p.ranks - 1) % p.ranks, right_one = (p.rank + 1) % p.ranks, count = static_cast<int>(p.size);
  std::vector<double> mine(static_cast<std::size_t>(p.size)), from_left(mine), from_right(mine);
  std::vector<double> all(static_cast<std::size_t>(p.ranks)), next(all);
  for (int r = 0; r < p.ranks; ++r) all[r] = r + 1;
  double value = p.rank + 1;
  int right = 1;
  for (long step = 0; step < p.steps; ++step) {
    for (double& number : mine) number = value;
    MPI_Request requests[4];
    MPI_Irecv(from_left.data(), count, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(from_right.data(), count, MPI_DOUBLE, right_one, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(mine.data(), count, MPI_DOUBLE, right_one, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(mine.data(), count, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
    compute(&p, 0.5);
    int done = 0;
    MPI_Testall(4, requests, &done, MPI_STATUSES_IGNORE);
    compute(&p, 0.5);
    if (!done) MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; ++i) right = right && from_left[i] == from_left[0] && from_right[i] == from_right[0];
    compute(&p, 0.1);
    value = 0.5 * value + 0.25 * (from_left[0] + from_right[0]);
    for (int r = 0; r < p.ranks; ++r) next[r] = 0.5 * all[r] + 0.25 * (all[(r + p.ranks - 1) % p.ranks] + all[(r + 1) % p.ranks]);
    all.swap(next);
    right = right && value == all[p.rank];
  }
  return finish(&p, right, value);
}
