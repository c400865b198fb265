// Preloaded into ranks, whatever they are: from when to when a rank was between MPI_Init and
// MPI_Finalize, and its CPU time.
//
// Each rank appends one line to the file that BOTTLE_SPAN names: begin and end in ns of the
// machine's monotonic clock, which all hosts of a bottle share, then the CPU time of its main
// thread and of the whole process between them, how long its main thread stood ready for a core
// that another had, and for how long a hypervisor had the machine's cores, together, in s. Without BOTTLE_SPAN, or where a
// process never calls MPI_Finalize, nothing is written. Fortran's names are ours as well: Open MPI's call PMPI_Init themselves.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,readability-identifier-naming): RTLD_NEXT, RUSAGE_THREAD
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct instant {
  long long ns;
  double thread_s, process_s, ready_s, stolen_s;
};

static struct instant begin;

static double cpu_s(int of_whom) {
  struct rusage usage;
  if (getrusage(of_whom, &usage) != 0) return 0;
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// The number in that field of the file's first line, counted from 0; 0 where there is none.
static double field_of(const char* path, int which) {
  FILE* file = fopen(path, "re");
  if (file == NULL) return 0;
  char line[256] = "";
  if (fgets(line, sizeof line, file) == NULL) line[0] = 0;
  fclose(file);
  const char* field = line;
  for (; which > 0 && field != NULL; --which) field = strpbrk(field + strspn(field, " "), " ");
  return field == NULL ? 0 : (double)strtoull(field, NULL, 10);
}

// How long the kernel has let this thread wait for a core; 0 where it does not say.
static double ready_s(void) { return 1e-9 * field_of("/proc/thread-self/schedstat", 1); } // behind its CPU time

// How long a hypervisor has had the machine's cores, in whole ticks of the kernel's; 0 where it does not say.
static double stolen_s(void) { return field_of("/proc/stat", 8) / (double)sysconf(_SC_CLK_TCK); }

static struct instant now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (struct instant){1000000000LL * time.tv_sec + time.tv_nsec, cpu_s(RUSAGE_THREAD), cpu_s(RUSAGE_SELF), ready_s(),
                          stolen_s()};
}

static void write_line(void) {
  const char* path = getenv("BOTTLE_SPAN");
  if (path == NULL || begin.ns == 0) return;
  const struct instant end = now();
  char line[160];
  const int length =
      snprintf(line, sizeof line, "%lld %lld %.6f %.6f %.6f %.2f\n", begin.ns, end.ns, end.thread_s - begin.thread_s,
               end.process_s - begin.process_s, end.ready_s - begin.ready_s, end.stolen_s - begin.stolen_s);
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  if (write(file, line, (size_t)length) != length) perror("bottle span");
  close(file);
}

// dlsym's void* as a function: POSIX wants it so.
#define NEXT(type, name) (*(type*)(void*)&(void*){dlsym(RTLD_NEXT, name)})

typedef int (*init_function)(int*, char***);
typedef int (*init_thread_function)(int*, char***, int, int*);
typedef int (*finalize_function)(void);
typedef void (*fortran_function)(int*);
typedef void (*fortran_thread_function)(int*, int*, int*);

int MPI_Init(int* argc, char*** argv) {
  const int code = NEXT(init_function, "MPI_Init")(argc, argv);
  begin = now();
  return code;
}

int MPI_Init_thread(int* argc, char*** argv, int wanted, int* given) {
  const int code = NEXT(init_thread_function, "MPI_Init_thread")(argc, argv, wanted, given);
  begin = now();
  return code;
}

int MPI_Finalize(void) {
  write_line();
  return NEXT(finalize_function, "MPI_Finalize")();
}

#define FORTRAN(name)                                                                                                            \
  void name##_(int* code) {                                                                                                      \
    NEXT(fortran_function, #name "_")(code);                                                                                     \
    begin = now();                                                                                                               \
  }
FORTRAN(mpi_init)
FORTRAN(mpi_init_f08)

#define FORTRAN_THREAD(name)                                                                                                     \
  void name##_(int* wanted, int* given, int* code) {                                                                             \
    NEXT(fortran_thread_function, #name "_")(wanted, given, code);                                                               \
    begin = now();                                                                                                               \
  }
FORTRAN_THREAD(mpi_init_thread)
FORTRAN_THREAD(mpi_init_thread_f08)

#define FORTRAN_FINALIZE(name)                                                                                                   \
  void name##_(int* code) {                                                                                                      \
    write_line();                                                                                                                \
    NEXT(fortran_function, #name "_")(code);                                                                                     \
  }
FORTRAN_FINALIZE(mpi_finalize)
FORTRAN_FINALIZE(mpi_finalize_f08)
