/* SPDX-License-Identifier: Apache-2.0
 * One rank of many, alone: many_ranks [tiles]. All tasks of a Cholesky factorization of so many
 * tiles in each direction, which are shared out over the ranks in two dimensions; the kernels do
 * nothing. STARPU_MPI_FAKE_SIZE says how many ranks there are, STARPU_MPI_FAKE_RANK which of them
 * this is. Prints: ranks, tasks, those that ran here, processor time of the thread that submits in
 * ns a task, and MiB that tasks and data added to the largest size of the process. */
#define _GNU_SOURCE /* clock_gettime() */
#include <starpu_mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static atomic_long ran;

static void nothing(void* buffers[], void* arg) {
  (void)buffers;
  (void)arg;
  atomic_fetch_add(&ran, 1);
}

static struct starpu_codelet potrf = {
    .cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "potrf"};
static struct starpu_codelet trsm = {
    .cpu_funcs = {nothing}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}, .name = "trsm"};
static struct starpu_codelet syrk = {
    .cpu_funcs = {nothing}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}, .name = "syrk"};
static struct starpu_codelet gemm = {.cpu_funcs = {nothing},
                                     .nbuffers = 3,
                                     .modes = {STARPU_R, STARPU_R, STARPU_RW},
                                     .name = "gemm"};

static double own_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static long peak_kib(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

int main(int argc, char** argv) {
  const int tiles = argc > 1 ? atoi(argv[1]) : 182; /* a million tasks */
  if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL) != 0) return 77;
  const int ranks = starpu_mpi_world_size(), me = starpu_mpi_world_rank();
  int rows = 1;
  for (int i = 1; i * i <= ranks; i++)
    if (ranks % i == 0) rows = i;
  const int columns = ranks / rows;

  const long before_kib = peak_kib();
  starpu_data_handle_t* tile = calloc((size_t)tiles * (size_t)tiles, sizeof(*tile));
  double* value = calloc((size_t)tiles * (size_t)tiles, sizeof(*value));
  if (!tile || !value) return 1;
#define TILE(i, j) tile[(i)*tiles + (j)]
  for (int i = 0; i < tiles; i++) {
    for (int j = 0; j <= i; j++) {
      const int owner = i % rows * columns + j % columns;
      starpu_variable_data_register(&TILE(i, j), owner == me ? STARPU_MAIN_RAM : -1,
                                    owner == me ? (uintptr_t)&value[i * tiles + j] : 0,
                                    sizeof(*value));
      starpu_mpi_data_register(TILE(i, j), i * tiles + j, owner);
    }
  }

  long tasks = 0;
  const double before_ns = own_ns();
#define INSERT(...) \
  (tasks++, starpu_mpi_task_insert(MPI_COMM_WORLD, __VA_ARGS__, 0) ? exit(1) : (void)0)
  for (int k = 0; k < tiles; k++) {
    INSERT(&potrf, STARPU_RW, TILE(k, k));
    for (int i = k + 1; i < tiles; i++) INSERT(&trsm, STARPU_R, TILE(k, k), STARPU_RW, TILE(i, k));
    for (int i = k + 1; i < tiles; i++) {
      INSERT(&syrk, STARPU_R, TILE(i, k), STARPU_RW, TILE(i, i));
      for (int j = k + 1; j < i; j++)
        INSERT(&gemm, STARPU_R, TILE(i, k), STARPU_R, TILE(j, k), STARPU_RW, TILE(i, j));
    }
    for (int i = k; i < tiles; i++) starpu_mpi_cache_flush(MPI_COMM_WORLD, TILE(i, k));
  }
  const double submitted_ns = own_ns() - before_ns;
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  const long mib = (peak_kib() - before_kib) / 1024;
  for (int i = 0; i < tiles; i++)
    for (int j = 0; j <= i; j++) starpu_data_unregister(TILE(i, j));
  free(tile);
  free(value);
  printf("%d ranks, %ld tasks, %ld here, %.0f ns a task, %ld MiB\n", ranks, tasks, (long)ran,
         submitted_ns / (double)tasks, mib);
  starpu_mpi_shutdown();
  return 0;
}
