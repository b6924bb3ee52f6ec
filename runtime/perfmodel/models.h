// SPDX-License-Identifier: Apache-2.0
// The program's performance models: their files are read when a model is first asked or fed, and
// written at the end of the run. What counts and what is trusted is said in perfmodel/history.h.
// Models are fed and asked by numbers; data/task_costs.h makes these of tasks.
//
// Threads: any; one lock for all models. Models are the program's own objects, and live until the
// last task that uses them has ended: what they measured belongs to the runtime, by their symbol.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "perfmodel/history.h"

namespace tasklens::runtime {

struct ModelKnowledge;

// A run begins. `calibrate`: what the user asks of it, as STARPU_CALIBRATE (0: models measure only
// what they do not know; 1: all; 2: all, and forget what earlier runs measured).
void BeginModels(int calibrate);
// It may change during the run; 0 between runs.
int Calibration();
void SetCalibration(int calibrate);
// At the end of a run: writes the models that were fed, and forgets what all of them measured.
void SaveModels();

// The functions that the program gave for an architecture, or nullptr.
starpu_perfmodel_per_arch_size_base SizeBaseOf(const starpu_perfmodel* model,
                                               const starpu_perfmodel_arch& arch,
                                               unsigned implementation);
starpu_perfmodel_per_arch_cost_function CostFunctionOf(starpu_perfmodel* model,
                                                       const starpu_perfmodel_arch& arch,
                                                       unsigned implementation);

// The architecture of `cores` CPU cores, or of a device; it lasts.
starpu_perfmodel_arch* CpuArch(int cores);
// That of a CPU worker, which is CpuArch(1) unless STARPU_PERF_MODEL_HOMOGENEOUS_CPU is 0: then
// each has models of its own. `number`: among the CPU workers.
starpu_perfmodel_arch* CpuWorkerArch(int number);
// (All devices are alike where STARPU_PERF_MODEL_HOMOGENEOUS_CUDA is set.)
starpu_perfmodel_arch* CudaArch(int device);

// Whether it learns from measures: else it is functions of the program.
bool IsMeasured(const starpu_perfmodel& model);
// Whether tasks of the model are to be measured: the user asks for it, or the model was asked for
// what it does not know. False for models that are functions of the program.
bool WantsMeasures(const starpu_perfmodel& model);
// A task of the model took so long there. `parameters`: those of a multiple regression.
// REQUIRES: IsMeasured().
void Feed(starpu_perfmodel* model, const starpu_perfmodel_arch& arch, unsigned implementation,
          const Measure& measure, const std::vector<double>& parameters);

// What a model that measures must know of a task to say what it takes.
struct ModelQuestion {
  bool is_measured = false;  // else the model is not one that answers it
  uint32_t footprint = 0;
  uint64_t size_bytes = 0;
};
// What the model expects: microseconds or joules. NaN: it does not know, and wants measures of its
// tasks from now on.
double Ask(starpu_perfmodel* model, const ModelQuestion& question,
           const starpu_perfmodel_arch& arch, unsigned implementation);
// The same of a multiple regression, for the values of its parameters.
double AskMultiple(starpu_perfmodel* model, const std::vector<double>& parameters,
                   const starpu_perfmodel_arch& arch, unsigned implementation);

// What answers later, also when the program has freed the model, with what it has learnt by then.
// REQUIRES: is_measured, of this model.
std::shared_ptr<ModelKnowledge> KnowledgeFor(starpu_perfmodel* model);
double AnswerFor(ModelKnowledge& knowledge, const ModelQuestion& question,
                 const starpu_perfmodel_arch& arch, unsigned implementation);

}  // namespace tasklens::runtime
