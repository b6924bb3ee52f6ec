// SPDX-License-Identifier: Apache-2.0
// Preloaded, it is a library such as OpenBLAS: it makes a thread before main(), which takes
// signals.
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static void* wait_for_ever(void* nothing) {
  for (;;) pause();
  return nothing;
}

__attribute__((constructor)) static void make_a_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, &wait_for_ever, NULL) == 0) pthread_setname_np(thread, "early");
}
