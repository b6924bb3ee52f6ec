// SPDX-License-Identifier: Apache-2.0
// The program's performance models. A model's file is read when the model is first used, and
// written at the end of the run. perfmodel/history.h explains which measurements count and which
// are trusted. The functions here work on numbers; data/task_costs.h computes these from tasks.
//
// Threads: any; one lock guards all models. Ownership: the program owns the models, which live
// until the last task that uses them has ended; the runtime owns the measurements, by symbol.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "perfmodel/history.h"

namespace tasklens::runtime {

struct ModelKnowledge;

// Called at the start of a run. `calibrate` is the value of STARPU_CALIBRATE: 0: measure only
// unknown sizes; 1: measure all; 2: measure all, and discard the measurements of earlier runs.
void BeginModels(int calibrate);
// Returns the current value, which may change during the run; 0 between runs.
int Calibration();
void SetCalibration(int calibrate);
// Called at the end of a run: writes the models with new measurements, and discards all
// measurements in memory.
void SaveModels();

// Return the functions that the program set for an architecture, or nullptr.
starpu_perfmodel_per_arch_size_base SizeBaseOf(const starpu_perfmodel* model,
                                               const starpu_perfmodel_arch& arch,
                                               unsigned implementation);
starpu_perfmodel_per_arch_cost_function CostFunctionOf(starpu_perfmodel* model,
                                                       const starpu_perfmodel_arch& arch,
                                                       unsigned implementation);

// Returns the architecture of `cores` CPU cores. It is never freed.
starpu_perfmodel_arch* CpuArch(int cores);
// Returns the architecture of a CPU worker: CpuArch(1), unless STARPU_PERF_MODEL_HOMOGENEOUS_CPU is
// 0, which gives each worker models of its own. `number`: among the CPU workers.
starpu_perfmodel_arch* CpuWorkerArch(int number);
// Returns the architecture of a CUDA device; the same for all if STARPU_PERF_MODEL_HOMOGENEOUS_CUDA
// is set.
starpu_perfmodel_arch* CudaArch(int device);

// Whether the model learns from measurements; if not, it consists of functions of the program.
bool IsMeasured(const starpu_perfmodel& model);
// Whether tasks of the model must be measured: the user asks for it, or the model was asked for a
// size that it does not know. False for models that are functions of the program.
bool WantsMeasures(const starpu_perfmodel& model);
// Adds a measurement of a task. `parameters`: for a multiple regression.
//  REQUIRES: IsMeasured().
void Feed(starpu_perfmodel* model, const starpu_perfmodel_arch& arch, unsigned implementation,
          const Measure& measure, const std::vector<double>& parameters);

// The properties of a task that a measured model needs to estimate it.
struct ModelQuestion {
  bool is_measured = false;  // false: the model cannot answer it
  uint32_t footprint = 0;
  uint64_t size_bytes = 0;
};
// Returns the estimate in microseconds or joules; NaN: unknown, and the model's tasks are measured
// from now on.
double Ask(starpu_perfmodel* model, const ModelQuestion& question,
           const starpu_perfmodel_arch& arch, unsigned implementation);
// The same for a multiple regression, with the values of its parameters.
double AskMultiple(starpu_perfmodel* model, const std::vector<double>& parameters,
                   const starpu_perfmodel_arch& arch, unsigned implementation);

// Returns the model's knowledge, for later use with AnswerFor(): it stays valid when the program
// has freed the model, and includes measurements made until then.
//  REQUIRES: is_measured, of this model.
std::shared_ptr<ModelKnowledge> KnowledgeFor(starpu_perfmodel* model);
double AnswerFor(ModelKnowledge& knowledge, const ModelQuestion& question,
                 const starpu_perfmodel_arch& arch, unsigned implementation);

}  // namespace tasklens::runtime
