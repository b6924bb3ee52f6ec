// SPDX-License-Identifier: Apache-2.0
// Names of tasks and of kinds of workers.
#include "runtime/jobs/codelet.h"

namespace tasklens::runtime {

const char* NameOf(const starpu_task& task) {
  if (task.name) return task.name;
  if (!task.cl) return "empty";
  if (task.cl->name) return task.cl->name;
  if (task.cl->model && task.cl->model->symbol) return task.cl->model->symbol;
  return "unknown";
}

const char* ModelOf(const starpu_task& task) {
  if (!task.cl) return nullptr;
  if (task.cl->model && task.cl->model->symbol) return task.cl->model->symbol;
  return task.cl->name;
}

const char* NameOf(starpu_worker_archtype kind) {
  switch (kind) {
    case STARPU_CPU_WORKER: return "CPU";
    case STARPU_CUDA_WORKER: return "CUDA";
    case STARPU_OPENCL_WORKER: return "OpenCL";
    case STARPU_HIP_WORKER: return "HIP";
    case STARPU_MIC_WORKER: return "MIC";
    case STARPU_MPI_MS_WORKER: return "MPI_MS";
    case STARPU_TCPIP_MS_WORKER: return "TCPIP_MS";
    case STARPU_MAX_FPGA_WORKER: return "FPGA";
    case STARPU_ANY_WORKER: return "any";
    default: return "unknown";
  }
}

const char* EnvironmentNameOf(starpu_worker_archtype kind) {
  return kind == STARPU_CPU_WORKER ? "NCPU" : kind == STARPU_CUDA_WORKER ? "NCUDA" : "unknown";
}

}  // namespace tasklens::runtime
