// SPDX-License-Identifier: Apache-2.0
/* Two transactions of many epochs, some of which are cancelled, among tasks of none: what the tasks
 * leave behind is what the same program does in order. Argument: a seed. */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRANSACTIONS = 2, VALUES = 5, EPOCHS = 60 };

static int asked[TRANSACTIONS][EPOCHS], runs[TRANSACTIONS][EPOCHS], wrong, callbacks;

struct epoch {
  int transaction, number;
};
static struct epoch epochs[TRANSACTIONS][EPOCHS];

/* Whether it runs was written by the program before; it is asked once, and in order. */
static int start(void* buffer, void* arg) {
  const struct epoch* epoch = arg;
  if (buffer || asked[epoch->transaction][epoch->number]++) ++wrong;
  if (epoch->number && !asked[epoch->transaction][epoch->number - 1]) ++wrong;
  return runs[epoch->transaction][epoch->number];
}
static void change(void* buffers[], void* arg) {
  unsigned factor;
  starpu_codelet_unpack_args(arg, &factor);
  unsigned* value = (unsigned*)STARPU_VARIABLE_GET_PTR(buffers[0]);
  *value = *value * 31 + factor;
}
static void count(void* arg) {
  (void)arg;
  __atomic_fetch_add(&callbacks, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet fixed = {.cpu_funcs = {change}, .nbuffers = 1, .modes = {STARPU_RW}};
static struct starpu_codelet open = {.cpu_funcs = {change}, .nbuffers = STARPU_VARIABLE_NBUFFERS};

int main(int argc, char** argv) {
  srand(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
  if (starpu_init(NULL)) return 77;
  unsigned values[VALUES] = {0}, expected[VALUES] = {0};
  starpu_data_handle_t handles[VALUES];
  for (int i = 0; i < VALUES; ++i)
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&values[i],
                                  sizeof values[i]);
  struct starpu_transaction* transactions[TRANSACTIONS];
  int tasks = 0;
  for (int e = 0; e < EPOCHS; ++e) {
    for (int t = 0; t < TRANSACTIONS; ++t) {
      epochs[t][e] = (struct epoch){t, e};
      runs[t][e] = rand() % 2;
      if (e == 0)
        transactions[t] = starpu_transaction_open(start, &epochs[t][e]);
      else
        starpu_transaction_next_epoch(transactions[t], &epochs[t][e]);
    }
    for (int k = rand() % 12; k > 0; --k) {
      const int i = rand() % VALUES, t = rand() % (TRANSACTIONS + 1);
      const unsigned factor = (unsigned)rand();
      struct starpu_transaction* in = t < TRANSACTIONS ? transactions[t] : NULL;
      if (starpu_task_insert(rand() % 2 ? &fixed : &open, STARPU_RW, handles[i], STARPU_VALUE,
                             &factor, sizeof factor, STARPU_TRANSACTION, in, STARPU_CALLBACK, count,
                             0))
        return 1;
      ++tasks;
      if (!in || runs[t][e]) expected[i] = expected[i] * 31 + factor;
    }
  }
  for (int t = 0; t < TRANSACTIONS; ++t) starpu_transaction_close(transactions[t]);
  /* One that always runs, and is empty. */
  starpu_transaction_close(starpu_transaction_open(NULL, NULL));
  starpu_task_wait_for_all();
  for (int i = 0; i < VALUES; ++i) {
    starpu_data_unregister(handles[i]);
    wrong += values[i] != expected[i];
  }
  wrong += callbacks != tasks;
  starpu_shutdown();
  printf("wrong: %d\n", wrong);
  return wrong != 0;
}
