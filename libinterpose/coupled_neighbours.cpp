#include "libinterpose/coupled_neighbours.h"

#include "libinterpose/coupled.h"
#include "libinterpose/real.h"

#include <cstdlib>

namespace farcast::interpose {

namespace {

constinit Real<int (*)(MPI_Comm, int*)> real_topo_test{"PMPI_Topo_test"};
constinit Real<int (*)(MPI_Comm, int*)> real_cartdim_get{"PMPI_Cartdim_get"};
constinit Real<int (*)(MPI_Comm, int, int, int*, int*)> real_cart_shift{"PMPI_Cart_shift"};
constinit Real<int (*)(MPI_Comm, int, int*)> real_graph_count{"PMPI_Graph_neighbors_count"};
constinit Real<int (*)(MPI_Comm, int, int, int*)> real_graph{"PMPI_Graph_neighbors"};
constinit Real<int (*)(MPI_Comm, int*, int*, int*)> real_dist_graph_count{"PMPI_Dist_graph_neighbors_count"};
constinit Real<int (*)(MPI_Comm, int, int*, int*, int, int*, int*)> real_dist_graph{"PMPI_Dist_graph_neighbors"};

// Returns: the list's values, of which there are so many now.
int* grow(List<int>& list, int count) {
  for (int i = 0; i <= count; ++i) { // one more: an empty list has a place, too
    if (list.add() == nullptr) give_up("there is no memory for a communicator's neighbours");
  }
  list.size = static_cast<std::size_t>(count);
  return list.values;
}

int find_cartesian(MPI_Comm comm, Neighbours& out) {
  int dims = 0;
  int code = real_cartdim_get.get()(comm, &dims);
  if (code != MPI_SUCCESS) return code;
  int* const from = grow(out.from, 2 * dims);
  int* const to = grow(out.to, 2 * dims);
  for (int i = 0; i < dims && code == MPI_SUCCESS; ++i) {
    code = real_cart_shift.get()(comm, i, 1, &from[2 * i], &from[2 * i + 1]);
    to[2 * i] = from[2 * i];
    to[2 * i + 1] = from[2 * i + 1];
  }
  return code;
}

int find_graph(MPI_Comm comm, int rank, Neighbours& out) {
  int count = 0;
  int code = real_graph_count.get()(comm, rank, &count);
  if (code != MPI_SUCCESS) return code;
  int* const from = grow(out.from, count);
  int* const to = grow(out.to, count);
  code = real_graph.get()(comm, rank, count, from);
  for (int i = 0; i < count; ++i) to[i] = from[i];
  return code;
}

int find_dist_graph(MPI_Comm comm, Neighbours& out) {
  int from_count = 0;
  int to_count = 0;
  int weighted = 0;
  int code = real_dist_graph_count.get()(comm, &from_count, &to_count, &weighted);
  if (code != MPI_SUCCESS) return code;
  int* const from = grow(out.from, from_count);
  int* const to = grow(out.to, to_count);
  List<int> from_weights{};
  List<int> to_weights{};
  code = real_dist_graph.get()(comm, from_count, from, grow(from_weights, from_count), to_count, to, grow(to_weights, to_count));
  std::free(from_weights.values);
  std::free(to_weights.values);
  return code;
}

} // namespace

int Neighbours::find(MPI_Comm comm, int rank) {
  *this = Neighbours{};
  int kind = 0;
  const int code = real_topo_test.get()(comm, &kind);
  cartesian = kind == MPI_CART;
  if (code != MPI_SUCCESS) return code;
  if (cartesian) return find_cartesian(comm, *this);
  return kind == MPI_GRAPH ? find_graph(comm, rank, *this) : find_dist_graph(comm, *this);
}

void Neighbours::free() {
  std::free(to.values);
  std::free(from.values);
}

} // namespace farcast::interpose
