// SPDX-License-Identifier: Apache-2.0
// Accessors for codelets and tasks: where and how they run. They only read codelets, so these may
// be shared between threads.
#pragma once

#include <starpu.h>

#include <cstdint>

namespace tasklens::runtime {

// The CPU implementation `index`, or nullptr; the old field cpu_func counts as the first.
inline starpu_cpu_func_t CpuFunction(const starpu_codelet& codelet, unsigned index) {
  if (codelet.cpu_funcs[index]) return codelet.cpu_funcs[index];
  if (index == 0 && codelet.cpu_func != STARPU_MULTIPLE_CPU_IMPLEMENTATIONS)
    return codelet.cpu_func;
  return nullptr;
}
// The same for any kind of worker.
inline starpu_cpu_func_t FunctionFor(starpu_worker_archtype kind, const starpu_codelet& codelet,
                                     unsigned index) {
  if (kind == STARPU_CPU_WORKER) return CpuFunction(codelet, index);
  if (kind != STARPU_CUDA_WORKER) return nullptr;
  if (codelet.cuda_funcs[index]) return codelet.cuda_funcs[index];
  if (index == 0 && codelet.cuda_func != STARPU_MULTIPLE_CUDA_IMPLEMENTATIONS)
    return codelet.cuda_func;
  return nullptr;
}

// The bit of a kind of workers in `where`.
constexpr uint32_t WhereBit(starpu_worker_archtype kind) {
  return kind == STARPU_CUDA_WORKER ? STARPU_CUDA : STARPU_CPU;
}

// Where the task may run, as STARPU_CPU and similar bits; its own field takes precedence over the
// codelet's. STARPU_NOWHERE if it has nothing to run.
inline uint32_t WhereOf(const starpu_task& task) {
  if (!task.cl) return STARPU_NOWHERE;
  if (task.where != -1) return static_cast<uint32_t>(task.where);
  const starpu_codelet& codelet = *task.cl;
  if (codelet.where) return codelet.where;
  uint64_t where = 0;
  if (CpuFunction(codelet, 0)) where |= STARPU_CPU;
  if (codelet.cuda_funcs[0] || codelet.cuda_func) where |= STARPU_CUDA;
  if (codelet.opencl_funcs[0] || codelet.opencl_func) where |= STARPU_OPENCL;
  return static_cast<uint32_t>(where);
}
// Whether the task has a function to run somewhere.
inline bool HasWork(const starpu_task& task) {
  return task.cl && !(WhereOf(task) & STARPU_NOWHERE);
}

inline unsigned BufferCount(const starpu_task& task) {
  if (!task.cl) return 0;
  const int count =
      task.cl->nbuffers == STARPU_VARIABLE_NBUFFERS ? task.nbuffers : task.cl->nbuffers;
  return static_cast<unsigned>(count);
}
inline starpu_data_handle_t BufferHandle(const starpu_task& task, unsigned i) {
  return task.dyn_handles ? task.dyn_handles[i] : task.handles[i];
}
inline unsigned BufferMode(const starpu_task& task, unsigned i) {
  if (task.dyn_modes) return task.dyn_modes[i];
  if (task.cl->nbuffers == STARPU_VARIABLE_NBUFFERS) return task.modes[i];
  return task.cl->dyn_modes ? task.cl->dyn_modes[i] : task.cl->modes[i];
}
// The name in traces: the task's, else the codelet's, else the model's, else "unknown" (or
// "empty" for a task without codelet).
const char* NameOf(const starpu_task& task);
// The performance model's symbol, else the codelet's name, else nullptr.
const char* ModelOf(const starpu_task& task);

// The name of a kind of worker for messages ("CPU"), and in environment variables ("NCPU").
const char* NameOf(starpu_worker_archtype kind);
const char* EnvironmentNameOf(starpu_worker_archtype kind);

}  // namespace tasklens::runtime
