// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/task_costs.h"

#include <cmath>
#include <cstdlib>

#include "runtime/data/footprint.h"
#include "runtime/data/handle.h"
#include "runtime/jobs/codelet.h"

namespace tasklens::runtime {
namespace {

// The model's functions read the task's interfaces as codelets do. Before a worker has set them,
// use those of the home nodes.
void ProvideInterfaces(starpu_task& task) {
  const unsigned count = BufferCount(task);
  if (task.dyn_handles && !task.dyn_interfaces)
    task.dyn_interfaces = static_cast<void**>(calloc(count ? count : 1, sizeof(void*)));
  void** const interfaces = task.dyn_interfaces ? task.dyn_interfaces : task.interfaces;
  for (unsigned i = 0; i < count; ++i)
    if (!interfaces[i]) interfaces[i] = BufferHandle(task, i)->interface;
}

// Returns the size of the task for a regression.
uint64_t SizeOf(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
                unsigned implementation) {
  if (const auto size_base = SizeBaseOf(model, *arch, implementation))
    return size_base(task, arch, implementation);
  if (model->size_base) return model->size_base(task, implementation);
  uint64_t size_bytes = 0;
  for (unsigned i = 0; i < BufferCount(*task); ++i)
    if (!(BufferMode(*task, i) & STARPU_NOFOOTPRINT))
      size_bytes += BufferHandle(*task, i)->size_bytes;
  return size_bytes;
}

// Returns the parameters of a multiple regression.
std::vector<double> ParametersOf(const starpu_perfmodel& model, starpu_task* task) {
  if (model.type != STARPU_MULTIPLE_REGRESSION_BASED || !model.parameters) return {};
  std::vector<double> parameters(model.nparameters);
  model.parameters(task, parameters.data());
  return parameters;
}

}  // namespace

void FeedModel(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
               unsigned implementation, double measured) {
  if (!IsMeasured(*model)) return;
  Measure measure;
  measure.footprint = FootprintOfTask(model, task, arch, implementation);
  measure.size_bytes = SizeOf(model, task, arch, implementation);
  measure.flops = task->flops;
  measure.duration = measured;
  Feed(model, *arch, implementation, measure, ParametersOf(*model, task));
}

ModelQuestion QuestionFor(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
                          unsigned implementation) {
  ModelQuestion question;
  question.footprint = FootprintOfTask(model, task, arch, implementation);
  if (!model || !IsMeasured(*model) || model->type == STARPU_MULTIPLE_REGRESSION_BASED)
    return question;
  ProvideInterfaces(*task);
  question.is_measured = true;
  question.size_bytes = SizeOf(model, task, arch, implementation);
  return question;
}

double ExpectedCost(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
                    unsigned implementation, int worker) {
  if (!model) return 0;
  ProvideInterfaces(*task);
  switch (model->type) {
    case STARPU_COMMON:
      return model->cost_function ? model->cost_function(task, implementation) : NAN;
    case STARPU_PER_ARCH: {
      if (model->arch_cost_function) return model->arch_cost_function(task, arch, implementation);
      const auto cost = CostFunctionOf(model, *arch, implementation);
      return cost ? cost(task, arch, implementation) : NAN;
    }
    case STARPU_PER_WORKER:
      return model->worker_cost_function
                 ? model->worker_cost_function(task, static_cast<unsigned>(worker), implementation)
                 : NAN;
    default: break;
  }
  if (!IsMeasured(*model)) return NAN;
  if (model->type == STARPU_MULTIPLE_REGRESSION_BASED)
    return AskMultiple(model, ParametersOf(*model, task), *arch, implementation);
  return Ask(model, QuestionFor(model, task, arch, implementation), *arch, implementation);
}

}  // namespace tasklens::runtime
