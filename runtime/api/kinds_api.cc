// SPDX-License-Identifier: Apache-2.0
// Public queries about kinds of workers and of memory.
#include <starpu.h>
#include <strings.h>

#include <algorithm>

#include "runtime/api/worker_of.h"
#include "runtime/core/runtime.h"
#include "runtime/jobs/codelet.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

// The kind of worker that belongs to each kind of memory.
constexpr struct {
  starpu_node_kind memory;
  starpu_worker_archtype worker;
} kKinds[] = {
    {STARPU_CPU_RAM, STARPU_CPU_WORKER},       {STARPU_CUDA_RAM, STARPU_CUDA_WORKER},
    {STARPU_OPENCL_RAM, STARPU_OPENCL_WORKER}, {STARPU_MAX_FPGA_RAM, STARPU_MAX_FPGA_WORKER},
    {STARPU_MPI_MS_RAM, STARPU_MPI_MS_WORKER}, {STARPU_TCPIP_MS_RAM, STARPU_TCPIP_MS_WORKER},
    {STARPU_HIP_RAM, STARPU_HIP_WORKER},
};

bool IsOfThisRuntime(starpu_worker_archtype type) {
  return type == STARPU_CPU_WORKER || type == STARPU_CUDA_WORKER;
}

}  // namespace

extern "C" {

int starpu_worker_get_devnum(int id) { return WorkerOf(id, __func__).device; }
int starpu_worker_get_subworkerid(int) { return 0; }
hwloc_obj_t starpu_worker_get_hwloc_obj(int id) {
  const Worker& worker = WorkerOf(id, __func__);
  if (worker.os_cpu < 0) return nullptr;
  return hwloc_get_pu_obj_by_os_index(Runtime::Instance()->topology().hwloc(),
                                      static_cast<unsigned>(worker.os_cpu));
}
int starpu_cpu_os_index(int cpu) {
  const std::vector<int>& units = Runtime::Get(__func__).topology().units();
  if (cpu < 0 || static_cast<size_t>(cpu) >= units.size())
    Fatal("starpu_cpu_os_index(): there is no processing unit %d", cpu);
  return units[static_cast<size_t>(cpu)];
}
unsigned starpu_worker_is_blocked_in_parallel(int id) {
  const Job* const job = WorkerOf(id, __func__).running.load();
  return job && job->together;
}
unsigned starpu_worker_is_slave_somewhere(int) { return 0; }
void starpu_worker_wait_for_initialisation(void) { starpu_wait_initialized(); }
void starpu_drivers_preinit(void) {}

unsigned starpu_worker_archtype_is_valid(starpu_worker_archtype type) {
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [type](const auto& kind) { return kind.worker == type; });
}
starpu_worker_archtype starpu_worker_get_type_from_string(const char* name) {
  for (const auto& kind : kKinds) {
    if (strcasecmp(name, starpu_worker_get_type_as_string(kind.worker)) == 0) return kind.worker;
  }
  return STARPU_UNKNOWN_WORKER;
}
starpu_worker_archtype starpu_arch_mask_to_worker_archtype(unsigned mask) {
  for (const auto& kind : kKinds) {
    if (IsOfThisRuntime(kind.worker) && mask == WhereBit(kind.worker)) return kind.worker;
  }
  return STARPU_UNKNOWN_WORKER;
}
unsigned starpu_worker_type_can_execute_task(starpu_worker_archtype type, const starpu_task* task) {
  return task->cl && IsOfThisRuntime(type) && (WhereOf(*task) & WhereBit(type)) != 0;
}
unsigned starpu_tcpip_ms_worker_get_count(void) { return 0; }
unsigned starpu_mpi_sc_worker_get_count(void) { return 0; }
int starpu_node_needs_offset(unsigned) { return 0; }

starpu_worker_archtype starpu_memory_node_get_worker_archtype(starpu_node_kind memory) {
  for (const auto& kind : kKinds) {
    if (kind.memory == memory) return kind.worker;
  }
  return STARPU_UNKNOWN_WORKER;
}
starpu_node_kind starpu_worker_get_memory_node_kind(starpu_worker_archtype type) {
  for (const auto& kind : kKinds) {
    if (kind.worker == type) return kind.memory;
  }
  return STARPU_UNUSED;
}
unsigned starpu_memory_nodes_get_count_by_kind(starpu_node_kind kind) {
  return starpu_memory_node_get_ids_by_type(kind, nullptr, 0);
}
unsigned starpu_memory_node_get_ids_by_type(starpu_node_kind kind, unsigned* ids, unsigned room) {
  unsigned count = 0;
  for (unsigned node = 0; node < starpu_memory_nodes_get_count(); ++node) {
    if (starpu_node_get_kind(node) != kind) continue;
    if (count < room) ids[count] = node;
    ++count;
  }
  return count;
}

int starpu_asynchronous_copy_disabled_for(starpu_node_kind) { return 0; }
int starpu_asynchronous_hip_copy_disabled(void) { return 0; }
int starpu_asynchronous_max_fpga_copy_disabled(void) { return 0; }
int starpu_asynchronous_tcpip_ms_copy_disabled(void) { return 0; }
int starpu_map_enabled(void) { return 0; }

}  // extern "C"
