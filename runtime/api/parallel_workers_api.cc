// SPDX-License-Identifier: Apache-2.0
// starpu_parallel_worker_*, starpu_cluster_*: groups of CPU workers by the machine's topology.
#include <starpu.h>

#include <memory>
#include <utility>

#include "runtime/core/parallel_workers.h"
#include "runtime/core/runtime.h"
#include "runtime/support/arguments.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

struct starpu_parallel_worker_config {
  std::unique_ptr<ParallelWorkers> groups;
};

namespace {

starpu_parallel_worker_config* Init(hwloc_obj_type_t level, va_list args) {
  auto groups = ParallelWorkers::Create(Runtime::Get("starpu_parallel_worker_init"), level, args);
  return groups ? new starpu_parallel_worker_config{std::move(groups)} : nullptr;
}

}  // namespace

extern "C" {

starpu_parallel_worker_config* starpu_parallel_worker_init(hwloc_obj_type_t level, ...) {
  RETURN_WITH_ARGS_AFTER(level, Init(level, args));
}
int starpu_parallel_worker_shutdown(starpu_parallel_worker_config* config) {
  if (!config) return -1;
  delete config;
  return 0;
}
int starpu_parallel_worker_print(starpu_parallel_worker_config* config) {
  if (!config) return -1;
  config->groups->Print(Runtime::Get(__func__));
  return 0;
}
void starpu_parallel_worker_openmp_prologue(void* argument) { GiveOpenMpItsThreads(argument); }

struct starpu_cluster_machine* starpu_cluster_machine(hwloc_obj_type_t level, ...) {
  RETURN_WITH_ARGS_AFTER(level,
                         reinterpret_cast<struct starpu_cluster_machine*>(Init(level, args)));
}
int starpu_uncluster_machine(struct starpu_cluster_machine* machine) {
  return starpu_parallel_worker_shutdown(reinterpret_cast<starpu_parallel_worker_config*>(machine));
}
int starpu_cluster_print(struct starpu_cluster_machine* machine) {
  return starpu_parallel_worker_print(reinterpret_cast<starpu_parallel_worker_config*>(machine));
}

}  // extern "C"
