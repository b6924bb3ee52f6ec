// SPDX-License-Identifier: Apache-2.0
// The public functions on energy (starpu_energy_*).
#include <starpu.h>

#include <cerrno>

#include "runtime/core/runtime.h"
#include "runtime/data/task_costs.h"
#include "runtime/feedback/energy_meter.h"
#include "runtime/perfmodel/models.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

int starpu_energy_start(int, starpu_worker_archtype kind) {
  EnergyMeter& meter = Runtime::Get(__func__).energy_meter();
  if (kind == STARPU_CPU_WORKER) return meter.Start();
  Warn("starpu_energy_start(): only the energy of CPUs is measured");
  return -ENOSYS;
}

int starpu_energy_stop(starpu_perfmodel* model, starpu_task* task, unsigned implementation,
                       unsigned tasks, int, starpu_worker_archtype kind) {
  EnergyMeter& meter = Runtime::Get(__func__).energy_meter();
  if (kind != STARPU_CPU_WORKER || tasks == 0) return -EINVAL;
  double joules = 0;
  if (const int error = meter.Stop(joules)) return error;
  // Feed the mean once per task, so that the model counts all tasks.
  for (unsigned i = 0; i < tasks; ++i)
    FeedModel(model, task, CpuArch(1), implementation, joules / tasks);
  return 0;
}

void starpu_energy_use(float joules) {
  Runtime::Get(__func__).energy_meter().Account(static_cast<double>(joules));
}
double starpu_energy_used(void) {
  Runtime& runtime = Runtime::Get(__func__);
  const double idle_w = static_cast<double>(starpu_getenv_float_default("STARPU_IDLE_POWER", 0));
  const double idle_s = static_cast<double>(NowNs() - runtime.begin_ns) * 1e-9;
  return runtime.energy_meter().accounted_j() + idle_w * idle_s;
}

}  // extern "C"
