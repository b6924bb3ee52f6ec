// SPDX-License-Identifier: Apache-2.0
// Performance models in the form of GNU recutils, beside tasks.rec: the output of
// starpu_perfmodel_recdump and starpu_tasks_rec_complete.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/places.h"
#include "server/perfmodels/machine.h"

namespace tasklens {

// Returns records of the machine and of each footprint, for all models of the host or, if
// `tasks_rec` is not nullptr, for the models that its tasks name. `unreadable` counts the models
// that cannot be read.
std::string PerfmodelRecords(const PerfmodelPlaces& places, const Machine& machine,
                             const std::string* tasks_rec, size_t& unreadable);

// Returns `tasks_rec` with a line EstimatedTime at the end of each record with a Model: the
// estimate in microseconds for each worker, "inf" if the model has none. Records whose model does
// not exist stay unchanged, and the model is added to `missing`.
std::string CompletedTasks(const PerfmodelPlaces& places, const Machine& machine,
                           std::string_view tasks_rec, std::vector<std::string>& missing);

}  // namespace tasklens
