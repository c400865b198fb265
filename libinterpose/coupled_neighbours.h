// Whom a neighbourhood collective exchanges with, as the topology of its communicator says.
//
// Source: the MPI standard 4.0, section 8.6: the order of neighbours; a Cartesian dimension has the
// lower one first.
#pragma once

#include "libinterpose/grown_list.h"
#include "libinterpose/library.h"

namespace farcast::interpose {

struct Neighbours {
  List<int> to;   // ranks in the communicator, or MPI_PROC_NULL
  List<int> from; // the same
  bool cartesian; // what leaves for the lower one comes from the upper one there
  // Returns: an MPI error code.
  int find(MPI_Comm comm, int rank);
  void free();
};

} // namespace farcast::interpose
