// MPI calls before main: from constructors of the program and, as EARLY_LIBRARY, of a library that
// it is linked with. With EARLY_INIT the library's constructor initialises MPI. Built by plain
// mpicxx: Open MPI's C++ bindings have constructors that call MPI too.
#include <cstdio>
#include <mpi.h>

#ifdef EARLY_LIBRARY
extern "C" int early_flag = -1;
namespace {
__attribute__((constructor)) void call_early() {
#ifdef EARLY_INIT
  MPI_Init(nullptr, nullptr);
#endif
  MPI_Initialized(&early_flag);
}
} // namespace
#else
extern "C" int early_flag;
namespace {
struct Early {
  int version = 0;
  int initialized = -1;
  Early() {
    int minor = 0;
    MPI_Get_version(&version, &minor);
    MPI_Initialized(&initialized);
  }
};
Early early;
} // namespace

int main(int argc, char** argv) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int sum = 0;
  for (int i = 0; i < 10; ++i) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d %d %d: sum %d of %d\n", early.version, early.initialized, early_flag, sum, size);
  MPI_Finalize();
  return 3;
}
#endif
