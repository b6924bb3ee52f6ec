// SPDX-License-Identifier: Apache-2.0
// starpu_driver_*: workers run by threads of the program.
#include <starpu.h>

#include <cerrno>

#include "runtime/core/runtime.h"
#include "runtime/core/worker_loop.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

// Returns the worker that the program runs itself, or nullptr (with a warning).
Worker* WorkerOf(const starpu_driver* driver, const char* function) {
  Runtime& runtime = Runtime::Get(function);
  Worker* worker = driver->type == STARPU_CPU_WORKER
                       ? runtime.WorkerOf(driver->type, static_cast<int>(driver->id.cpu_id))
                       : nullptr;
  if (worker && worker->run_by_program) return worker;
  Warn("%s(): the driver is not one of not_launched_drivers of the starpu_conf", function);
  return nullptr;
}

// Calls a step of the worker's loop. Returns 0 or -EINVAL.
int Apply(const starpu_driver* driver, const char* function, void (WorkerLoop::*step)()) {
  Worker* worker = WorkerOf(driver, function);
  if (!worker) return -EINVAL;
  WorkerLoop loop(*Runtime::Instance(), *worker);
  (loop.*step)();
  return 0;
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

int starpu_driver_init(starpu_driver* driver) {
  return Apply(driver, __func__, &WorkerLoop::Begin);
}
int starpu_driver_run_once(starpu_driver* driver) {
  return Apply(driver, __func__, &WorkerLoop::RunOnce);
}
int starpu_driver_deinit(starpu_driver* driver) {
  return Apply(driver, __func__, &WorkerLoop::End);
}
int starpu_driver_run(starpu_driver* driver) {
  if (const int error = starpu_driver_init(driver)) return error;
  Apply(driver, __func__, &WorkerLoop::RunUntilStopped);
  return starpu_driver_deinit(driver);
}
void starpu_drivers_request_termination(void) { Runtime::Get(__func__).StopDrivers(); }

}  // extern "C"
