// The function table as data: what a record's function number means. Built from mpi_functions.txt.
#pragma once

#include <cstddef>

namespace farcast::interpose {

struct FunctionEntry {
  const char* name; // "MPI_Send", "MPI_Send_c"
  const char* kind; // class of the table: "send", "coll", "local" ...
};

struct FunctionTable {
  const FunctionEntry* entries; // [number]
  std::size_t size;
};

FunctionTable function_table();

} // namespace farcast::interpose
