// SPDX-License-Identifier: Apache-2.0
// Statistics of a run: starpu_display_stats() and related functions.
#include <starpu.h>

#include "runtime/core/runtime.h"
#include "runtime/core/summaries.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_profiling_worker_helper_display_summary(void) {
  if (WantsWorkers()) PrintWorkers(Runtime::Get(__func__));
}
void starpu_profiling_bus_helper_display_summary(void) {
  if (WantsBuses()) PrintBuses(Runtime::Get(__func__));
}
void starpu_display_stats(void) {
  starpu_profiling_bus_helper_display_summary();
  starpu_profiling_worker_helper_display_summary();
}
void starpu_data_display_memory_stats(void) { PrintMemory(Runtime::Get(__func__)); }

}  // extern "C"
