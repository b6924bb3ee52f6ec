// SPDX-License-Identifier: Apache-2.0
// Perfmodels beside tasks.rec, in GNU recutils' form: what starpu_perfmodel_recdump and
// starpu_tasks_rec_complete write.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/places.h"
#include "server/perfmodels/machine.h"

namespace tasklens {

// Records of the machine, and of each footprint: of all models of the host, or of those that the
// tasks of `tasks_rec` name, where it is not nullptr. Models that cannot be read are counted.
std::string PerfmodelRecords(const PerfmodelPlaces& places, const Machine& machine,
                             const std::string* tasks_rec, size_t& unreadable);

// `tasks_rec` with a line EstimatedTime, in microseconds for each worker, at the end of the records
// with a Model; "inf" where the model does not know. Models that are not there are gathered in
// `missing`; their records stay as they are.
std::string CompletedTasks(const PerfmodelPlaces& places, const Machine& machine,
                           std::string_view tasks_rec, std::vector<std::string>& missing);

}  // namespace tasklens
