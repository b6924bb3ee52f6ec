// SPDX-License-Identifier: Apache-2.0
// What tasks take, by their performance models: a model knows a task by the size of its data, or
// by what functions of the program make of them.
#pragma once

#include <starpu.h>

#include "runtime/perfmodel/models.h"

namespace tasklens::runtime {

// A task of the model took so long there. Nothing happens where the model is a function.
void FeedModel(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
               unsigned implementation, double measured);

// What the task is expected to take there: microseconds or joules; NaN where the model does not
// know, and 0 without a model. `worker`: for models that differ from worker to worker.
double ExpectedCost(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
                    unsigned implementation, int worker = 0);

// For AnswerFor(), which says later what ExpectedCost() would then. Where the question is not
// `is_measured` there is nothing to learn: ask ExpectedCost() at once.
ModelQuestion QuestionFor(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
                          unsigned implementation);

}  // namespace tasklens::runtime
