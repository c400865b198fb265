// Face exchanges of a periodic cube of processes: all six neighbours at once. With two ranks the
// two in x are the other rank and the four in y and z are the rank itself; with four or eight some
// are the same rank. `size`: edge of a face, of size * size doubles. Right: every face is that of
// its sender, its direction and its step.
#include "program.h"
#include <array>
#include <vector>

namespace {

struct Face {
  int neighbour = 0;
  std::vector<double> out, in;
};

double content(int rank, int direction, long step, long i) {
  return rank * 6 + direction + 0.25 * static_cast<double>(step % 4) + static_cast<double>(i % 7) * 100;
}

std::array<Face, 6> faces_of(MPI_Comm cube, std::size_t points) {
  std::array<Face, 6> faces;
  for (int dimension = 0; dimension < 3; ++dimension)
    MPI_Cart_shift(cube, dimension, 1, &faces[2 * dimension].neighbour, &faces[2 * dimension + 1].neighbour);
  for (Face& face : faces) {
    face.out.resize(points);
    face.in.resize(points);
  }
  return faces;
}

} // namespace

int main(int argc, char** argv) {
  program p = start(&argc, &argv, "cube", 57, 60, 400, 16384);
  int extent[3] = {0, 0, 0}, periodic[3] = {1, 1, 1}, rank = 0;
  MPI_Dims_create(p.ranks, 3, extent);
  MPI_Comm cube;
  MPI_Cart_create(MPI_COMM_WORLD, 3, extent, periodic, 0, &cube);
  MPI_Comm_rank(cube, &rank);
  const long points = p.size * p.size;
  auto faces = faces_of(cube, static_cast<std::size_t>(points));
  int right = 1;
  double checksum = 0;
  for (long step = 0; step < p.steps; ++step) {
    compute(&p, 1);
    for (int d = 0; d < 6; ++d)
      for (long i = 0; i < points; ++i) faces[d].out[i] = content(rank, d, step, i);
    std::array<MPI_Request, 12> requests;
    // What a neighbour sends towards me goes its other way: direction d ^ 1.
    for (int d = 0; d < 6; ++d)
      MPI_Irecv(faces[d].in.data(), static_cast<int>(points), MPI_DOUBLE, faces[d].neighbour, d ^ 1, cube, &requests[d]);
    for (int d = 0; d < 6; ++d)
      MPI_Isend(faces[d].out.data(), static_cast<int>(points), MPI_DOUBLE, faces[d].neighbour, d, cube, &requests[6 + d]);
    MPI_Waitall(12, requests.data(), MPI_STATUSES_IGNORE);
    for (int d = 0; d < 6; ++d)
      for (long i = 0; i < points; ++i) right = right && faces[d].in[i] == content(faces[d].neighbour, d ^ 1, step, i);
    checksum += faces[5].in[points - 1];
  }
  MPI_Comm_free(&cube);
  return finish(&p, right, checksum);
}
