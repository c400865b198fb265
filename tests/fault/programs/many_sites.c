/* Two hundred call sites: as SITES_LIBRARY the library that they lie in, otherwise the program that calls it. As COUNTER a
 * library that stands in front of dladdr and writes how often it was asked into the file COUNTER_FILE. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(COUNTER)
static int asked;
int dladdr(const void* address, Dl_info* info) {
  static int (*real)(const void*, Dl_info*);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "dladdr");
  ++asked;
  return real(address, info);
}
__attribute__((destructor)) static void write_count(void) {
  const char* name = getenv("COUNTER_FILE");
  FILE* file = name == NULL || asked == 0 ? NULL : fopen(name, "a");
  if (file == NULL) return;
  fprintf(file, "%d\n", asked);
  fclose(file);
}
#elif defined(SITES_LIBRARY)
#define CALL MPI_Comm_rank(MPI_COMM_WORLD, rank);
#define TEN CALL CALL CALL CALL CALL CALL CALL CALL CALL CALL
void call_from_many_sites(int* rank) { TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN }
#else
void call_from_many_sites(int* rank);
int main(int argc, char** argv) {
  int rank = -1;
  MPI_Init(&argc, &argv);
  call_from_many_sites(&rank);
  MPI_Finalize();
  printf("rank %d\n", rank);
  return 0;
}
#endif
