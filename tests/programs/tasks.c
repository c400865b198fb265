// Master and workers: rank 0 hands out tasks, to each worker the next one when its result is there,
// from whom it comes first. Tasks differ in length by up to a factor of three. `size`: numbers of a
// result; `steps`: tasks of each worker, in the mean. Right: the sum of all results is known.
#include "program.h"

enum { task_tag = 1, result_tag = 2, input = 512 };

static void work(struct program* p, double* result) {
  double task[input];
  for (;;) {
    MPI_Recv(task, input, MPI_DOUBLE, 0, task_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (task[0] < 0) return;
    compute(p, 0.5 + share_of((long)task[0], 7));
    for (long i = 0; i < p->size; ++i) result[i] = task[0] + task[input - 1];
    MPI_Send(result, (int)p->size, MPI_DOUBLE, 0, result_tag, MPI_COMM_WORLD);
  }
}

static void hand_out(int worker, long number) {
  double task[input];
  for (int i = 0; i < input; ++i) task[i] = (double)number;
  MPI_Send(task, input, MPI_DOUBLE, worker, task_tag, MPI_COMM_WORLD);
}

static double lead(const struct program* p, double* result, int* right) {
  const long tasks = p->steps * (p->ranks - 1);
  long next = 0, back = 0;
  double sum = 0;
  for (int worker = 1; worker < p->ranks; ++worker) hand_out(worker, next < tasks ? next++ : -1);
  for (; back < tasks; ++back) {
    MPI_Status status;
    MPI_Recv(result, (int)p->size, MPI_DOUBLE, MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &status);
    for (long i = 1; i < p->size; ++i) *right = *right && result[i] == result[0];
    sum += result[0];
    hand_out(status.MPI_SOURCE, next < tasks ? next++ : -1);
  }
  *right = *right && sum == (double)tasks * (double)(tasks - 1);
  return sum;
}

int main(int argc, char** argv) {
  struct program p = start(&argc, &argv, "tasks", 4000, 40, 900, 16384);
  double* result = (double*)allocate((size_t)p.size * sizeof(double));
  int right = p.ranks > 1;
  double sum = 0;
  if (p.rank == 0) {
    sum = lead(&p, result, &right);
  } else {
    work(&p, result);
  }
  free(result);
  return finish(&p, right, sum);
}
