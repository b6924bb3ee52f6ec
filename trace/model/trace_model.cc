// SPDX-License-Identifier: Apache-2.0
// Look-ups in a TraceModel.
#include "trace/model/trace_model.h"

#include <algorithm>
#include <tuple>

namespace tasklens {

uint32_t TraceModel::FindTask(uint32_t rank_index, uint64_t job) const {
  const auto key = [this](uint32_t row) {
    return std::make_tuple(tasks.rank_index[row], tasks.job[row]);
  };
  const auto wanted = std::make_tuple(rank_index, job);
  const auto it = std::lower_bound(tasks_by_job.begin(), tasks_by_job.end(), wanted,
                                   [&](uint32_t row, const auto& w) { return key(row) < w; });
  return it != tasks_by_job.end() && key(*it) == wanted ? *it : kNone;
}

}  // namespace tasklens
