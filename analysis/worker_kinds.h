// SPDX-License-Identifier: Apache-2.0
// Groups workers into kinds that take equally long for a task, as far as a trace says.
//
// CPUs and GPUs are different kinds. Two GPUs are if the performance models of the run distinguish
// them: their tasks then have "cuda0_impl0" on one and "cuda1_impl0" on the other (with
// STARPU_PERF_MODEL_HOMOGENEOUS_CUDA both have "cuda0"). Formats without these names have one kind
// for each arch.
//
// Pure; any thread.
#pragma once

#include <algorithm>
#include <compare>
#include <functional>
#include <string>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

struct WorkerKind {
  WorkerArch arch = WorkerArch::kUnknown;
  int32_t device = -1;  // -1: all devices of the arch are alike
  auto operator<=>(const WorkerKind&) const = default;
};

std::string WorkerKindName(const WorkerKind& kind);  // "CPU", "CUDA 1"

// By row of `workers`. An unused worker belongs to the kind of the other workers of its arch and
// rank; if they have several kinds, it has its own.
std::vector<WorkerKind> WorkerKinds(const TraceModel& model);

// Whether all values are equal, such as the kinds of all workers.
template <class Values>
bool AreAlike(const Values& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

}  // namespace tasklens
