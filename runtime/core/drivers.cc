// SPDX-License-Identifier: Apache-2.0
// The table of drivers.
#include "runtime/core/cpu_driver.h"
#include "runtime/core/device_worker.h"
#include "runtime/core/driver.h"
#include "runtime/core/runtime.h"
#include "runtime/core/sim_driver.h"

namespace tasklens::runtime {
namespace {

struct Row {
  bool (*is_for)(Runtime& runtime, const Worker& worker);
  std::unique_ptr<Driver> (*make)(Runtime& runtime, Worker& worker);
};

// The first row that matches the worker is used.
constexpr Row kDrivers[] = {
    {[](Runtime& runtime, const Worker&) { return runtime.simulation() != nullptr; },
     [](Runtime& runtime, Worker& worker) -> std::unique_ptr<Driver> {
       return std::make_unique<SimDriver>(runtime, worker);
     }},
    {[](Runtime&, const Worker& worker) { return worker.kind == STARPU_CPU_WORKER; },
     [](Runtime& runtime, Worker& worker) -> std::unique_ptr<Driver> {
       return std::make_unique<CpuDriver>(runtime, worker);
     }},
    {[](Runtime&, const Worker& worker) { return worker.kind == STARPU_CUDA_WORKER; },
     [](Runtime& runtime, Worker& worker) -> std::unique_ptr<Driver> {
       return std::make_unique<DeviceWorker>(runtime, worker);
     }},
};

}  // namespace

std::unique_ptr<Driver> MakeDriver(Runtime& runtime, Worker& worker) {
  for (const Row& row : kDrivers) {
    if (row.is_for(runtime, worker)) return row.make(runtime, worker);
  }
  return nullptr;
}

}  // namespace tasklens::runtime
