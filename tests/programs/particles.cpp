// Particles that leave: in each step an unknown number of them goes to both neighbours (MPI_Probe,
// then a receive of that size), and some go far, to one rank that changes (MPI_Iprobe for
// anybody's, with work between the looks). `size`: most particles of a message, of six doubles.
// Right: as many came as the senders' law says, and what they carry.
#include "program.h"
#include <vector>

namespace {

enum { numbers = 6, near_tag = 1, far_tag = 3 };

long leaving(const program& p, int from, long step, int way) {
  return static_cast<long>(share_of(from * 17L + way, step) * static_cast<double>(p.size));
}

std::vector<double> packed(const program& p, long step, int way) {
  return std::vector<double>(static_cast<std::size_t>(leaving(p, p.rank, step, way) * numbers), p.rank + 0.5);
}

// Receives what the status announces. Returns: whether it is what its sender sends.
bool receive(const program& p, const MPI_Status& status, long step, int way, double& sum) {
  int count = 0;
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  std::vector<double> in(static_cast<std::size_t>(count));
  MPI_Recv(in.data(), count, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  bool right = count == leaving(p, status.MPI_SOURCE, step, way) * numbers;
  for (const double number : in) right = right && number == status.MPI_SOURCE + 0.5;
  sum += count;
  return right;
}

} // namespace

int main(int argc, char** argv) {
  program p = start(&argc, &argv, "particles", 2000, 30, 300, 16384);
  const int neighbours[2] = {(p.rank + p.ranks - 1) % p.ranks, (p.rank + 1) % p.ranks};
  bool right = p.ranks > 1;
  double sum = 0;
  for (long step = 0; step < p.steps; ++step) {
    compute(&p, 0.6 + 0.4 * share_of(p.rank, step));
    std::vector<double> out[3];
    MPI_Request requests[3];
    for (int way = 0; way < 2; ++way) {
      out[way] = packed(p, step, way);
      MPI_Isend(out[way].data(), static_cast<int>(out[way].size()), MPI_DOUBLE, neighbours[way], near_tag + way, MPI_COMM_WORLD,
                &requests[way]);
    }
    MPI_Status status;
    for (int way = 0; way < 2; ++way) { // from the right come those that go left
      MPI_Probe(neighbours[1 - way], near_tag + way, MPI_COMM_WORLD, &status);
      right = receive(p, status, step, way, sum) && right;
    }
    out[2] = packed(p, step, 2);
    const int far = (p.rank + 1 + static_cast<int>(step) % (p.ranks - 1)) % p.ranks;
    MPI_Isend(out[2].data(), static_cast<int>(out[2].size()), MPI_DOUBLE, far, far_tag, MPI_COMM_WORLD, &requests[2]);
    for (int found = 0; found == 0;) {
      compute(&p, 0.1);
      MPI_Iprobe(MPI_ANY_SOURCE, far_tag, MPI_COMM_WORLD, &found, &status);
    }
    right = receive(p, status, step, 2, sum) && right;
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD); // so that nobody's next step is taken for this one's
  }
  return finish(&p, right, sum);
}
