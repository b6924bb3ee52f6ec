// SPDX-License-Identifier: Apache-2.0
/* Tasks that fail some times before they succeed, with the runtime's way to try again and with the
 * program's own; each is done once it has succeeded, and not before, for whoever reads its data. */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 200, MANY = STARPU_NMAXBUFS + 3 };

static int attempts[TASKS], wrong, successes;

static void function(void* buffers[], void* arg) {
  int number, fails;
  starpu_codelet_unpack_args(arg, &number, &fails);
  const int* from = (int*)STARPU_VARIABLE_GET_PTR(buffers[0]);
  int* to = (int*)STARPU_VARIABLE_GET_PTR(buffers[1]);
  if (__atomic_fetch_add(&attempts[number], 1, __ATOMIC_RELAXED) < fails) {
    *to = -1;
    starpu_task_ft_failed(starpu_task_get_current());
  } else {
    *to = *from + 1;
  }
}
static struct starpu_codelet few = {
    .cpu_funcs = {function}, .nbuffers = 2, .modes = {STARPU_R, STARPU_W}, .name = "few"};
static struct starpu_codelet many = {
    .cpu_funcs = {function}, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = "many"};

static void check(void* arg) {
  struct starpu_task *task = arg, *tried = starpu_task_get_current();
  if (!tried->failed) {
    __atomic_fetch_add(&successes, 1, __ATOMIC_RELAXED);
    starpu_task_ft_success(task);
  } else if (starpu_task_submit_nodeps(starpu_task_ft_create_retry(task, tried, check))) {
    abort();
  }
}
static void ended(void* arg) {
  const int number = (int)(intptr_t)arg;
  if (!attempts[number]) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

int main(void) {
  if (starpu_init(NULL)) return 77;
  int values[MANY] = {0}, expected[MANY] = {0}, own = 0, tries = 0, made = 0;
  starpu_data_handle_t handles[MANY];
  for (int i = 0; i < MANY; ++i)
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&values[i], sizeof(int));
  srand(7);
  for (int k = 0; k < TASKS; ++k) {
    const int fails = rand() % 5, from = rand() % 4, to = 4 + rand() % (MANY - 4), mine = k % 2;
    const int back = rand() % 3 == 0;
    struct starpu_data_descr data[MANY] = {{handles[back ? to : from], STARPU_R},
                                           {handles[back ? from : to], STARPU_W}};
    int count = 2;
    for (int i = 0; k % 5 == 0 && i < MANY; ++i)
      if (i != from && i != to) data[count++] = (struct starpu_data_descr){handles[i], STARPU_R};
    if (starpu_task_insert(k % 5 == 0 ? &many : &few, STARPU_DATA_MODE_ARRAY, data, count,
                           STARPU_VALUE, &k, sizeof k, STARPU_VALUE, &fails, sizeof fails,
                           STARPU_PROLOGUE_CALLBACK, starpu_task_ft_prologue,
                           STARPU_PROLOGUE_CALLBACK_ARG_NFREE, mine ? check : NULL,
                           STARPU_CALLBACK_WITH_ARG_NFREE, ended, (void*)(intptr_t)k, 0))
      return 1;
    expected[back ? from : to] = expected[back ? to : from] + 1;
    own += mine;
    tries += fails + 1;
  }
  starpu_task_wait_for_all();
  for (int i = 0; i < MANY; ++i) {
    starpu_data_unregister(handles[i]);
    wrong += values[i] != expected[i];
  }
  for (int k = 0; k < TASKS; ++k) made += attempts[k];
  starpu_shutdown();
  printf("wrong: %d, tries: %d, successes of my own: %d\n", wrong, made - tries, successes - own);
  return wrong != 0;
}
