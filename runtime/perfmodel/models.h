// SPDX-License-Identifier: Apache-2.0
// The program's performance models: their files are read when a model is first asked or fed, and
// written at the end of the run. What counts and what is trusted is said in perfmodel/history.h.
//
// Threads: any; one lock for all models. Models are the program's own objects, and live until the
// last task that uses them has ended: what they measured belongs to the runtime, by their symbol.
#pragma once

#include <starpu.h>

#include <memory>

namespace tasklens::runtime {

struct Job;
struct ModelKnowledge;

// The size that the program computes for an architecture, or nullptr.
starpu_perfmodel_per_arch_size_base SizeBaseOf(const starpu_perfmodel* model,
                                               const starpu_perfmodel_arch& arch,
                                               unsigned implementation);

// The architecture of `cores` CPU cores, or of a device; it lasts.
starpu_perfmodel_arch* CpuArch(int cores);
// That of a CPU worker, which is CpuArch(1) unless STARPU_PERF_MODEL_HOMOGENEOUS_CPU is 0: then
// each has models of its own. `number`: among the CPU workers.
starpu_perfmodel_arch* CpuWorkerArch(int number);
// (All devices are alike where STARPU_PERF_MODEL_HOMOGENEOUS_CUDA is set.)
starpu_perfmodel_arch* CudaArch(int device);

// Whether tasks of the model are to be measured: the user asks for it, or the model was asked for
// what it does not know. False for models that are functions of the program.
bool WantsMeasures(const starpu_perfmodel* model);
// A task of the model took so long there.
void FeedModel(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
               unsigned implementation, double measured);

// What the task is expected to take there: microseconds or joules; NaN where the model does not
// know, and 0 without a model. `worker`: for models that differ from worker to worker.
double ExpectedCost(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
                    unsigned implementation, int worker = 0);

// What a model that measures must know of a task to say later what it takes: the same as above, but
// for what it has learnt until then.
struct ModelQuestion {
  bool is_measured = false;  // else there is nothing to learn: ask ExpectedCost() at once
  uint32_t footprint = 0;
  uint64_t size_bytes = 0;
};
ModelQuestion QuestionFor(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
                          unsigned implementation);
// What answers it, also when the program has freed the model: what the model has learnt by then.
// REQUIRES: is_measured, of this model.
std::shared_ptr<ModelKnowledge> KnowledgeFor(starpu_perfmodel* model);
double AnswerFor(ModelKnowledge& knowledge, const ModelQuestion& question,
                 starpu_perfmodel_arch* arch, unsigned implementation);

// At the end of a run: writes the models that were fed, and forgets what all of them measured.
void SaveModels();

}  // namespace tasklens::runtime
