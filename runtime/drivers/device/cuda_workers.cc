// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/device/cuda_workers.h"

#include <algorithm>
#include <numeric>

#include "runtime/support/environment.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

// Share of the memory that is free at the start; the program's own kernels and libraries need the
// rest.
constexpr double kShareOfFree = 0.9;

}  // namespace

CudaWorkers CudaWorkers::Wanted(const starpu_conf& conf, int devices, int available,
                                const Accelerators* accelerators, bool simulated) {
  if (devices > available && available > 0)
    Warn(simulated ? "%d CUDA devices are more than the %d that STARPU_NSIM_CUDA simulates"
                   : "%d CUDA devices are more than the %d that there are",
         devices, available);
  if (available == 0 || devices == 0) {
    if (devices > 0 && simulated)
      Warn("%d CUDA devices were asked for: STARPU_NSIM_CUDA simulates none", devices);
    return {};
  }
  std::vector<unsigned> order(static_cast<size_t>(available));
  std::iota(order.begin(), order.end(), 0u);
  const bool conf_wins = conf.precedence_over_environment_variables;
  const auto listed =
      EnvironmentList("STARPU_WORKERS_CUDAID", static_cast<unsigned>(available) - 1);
  if (listed && !(conf_wins && conf.use_explicit_workers_cuda_gpuid)) {
    order = *listed;
  } else if (conf.use_explicit_workers_cuda_gpuid) {
    order.assign(conf.workers_cuda_gpuid, conf.workers_cuda_gpuid + available);
  }
  std::vector<int> chosen;
  for (const unsigned device : order) {
    if (devices >= 0 && static_cast<int>(chosen.size()) == devices) break;
    if (device >= static_cast<unsigned>(available)) {
      Warn("STARPU_WORKERS_CUDAID names device %u: there are %d", device, available);
    } else if (accelerators && !accelerators->is_usable(static_cast<int>(device))) {
      continue;
    } else if (std::find(chosen.begin(), chosen.end(), static_cast<int>(device)) == chosen.end()) {
      chosen.push_back(static_cast<int>(device));
    }
  }
  const int streams = simulated ? 1 : EnvironmentNumber("STARPU_NWORKER_PER_CUDA", 1).value_or(1);
  CudaWorkers workers;
  for (const int device : chosen)
    workers.devices.insert(workers.devices.end(), static_cast<size_t>(streams), device);
  if (workers.devices.size() > STARPU_NMAXWORKERS) {
    Warn("%zu CUDA workers are more than the %d that fit: using %d", workers.devices.size(),
         STARPU_NMAXWORKERS, STARPU_NMAXWORKERS);
    workers.devices.resize(STARPU_NMAXWORKERS);
  }
  return workers;
}

unsigned AddDeviceMemory(Accelerators& accelerators, Devices& devices, int device) {
  const DeviceMemoryOps ops = {
      .allocate =
          [&accelerators, device](size_t bytes) {
            return accelerators.Allocate(device, std::max<size_t>(bytes, 1));
          },
      .release = [&accelerators, device](void* memory,
                                         size_t) { accelerators.Release(device, memory); },
  };
  const auto free_bytes =
      static_cast<size_t>(kShareOfFree * static_cast<double>(accelerators.FreeBytes(device)));
  const size_t limit = LimitFromEnvironment(device).value_or(free_bytes);
  return devices.Add(STARPU_CUDA_RAM, device, ops,
                     std::max<size_t>(1, std::min(limit, free_bytes)));
}

}  // namespace tasklens::runtime
