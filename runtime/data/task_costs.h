// SPDX-License-Identifier: Apache-2.0
// Costs of tasks, as performance models expect them. A model knows a task by the size of its data,
// or by the result of a size function of the program.
#pragma once

#include <starpu.h>

#include "runtime/perfmodel/models.h"

namespace tasklens::runtime {

// Tells `model` that `task` took `measured`. Does nothing for models that are functions.
void FeedModel(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
               unsigned implementation, double measured);

// Returns the expected cost of the task on `arch`: microseconds or joules; NaN if the model has no
// estimate, 0 without a model. `worker`: for models that differ from worker to worker.
double ExpectedCost(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
                    unsigned implementation, int worker = 0);

// Builds a question that AnswerFor() answers later as ExpectedCost() would then. If the question is
// not `is_measured`, AnswerFor() cannot answer: call ExpectedCost() at once.
ModelQuestion QuestionFor(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
                          unsigned implementation);

}  // namespace tasklens::runtime
