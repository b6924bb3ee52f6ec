// SPDX-License-Identifier: Apache-2.0
// Workers of one kind take equally long for a task: which ones these are, as far as a trace tells.
//
// CPUs and GPUs are unlike. Two GPUs are where the performance models of the run kept them apart:
// tasks then say "cuda0_impl0" on the one and "cuda1_impl0" on the other (with
// STARPU_PERF_MODEL_HOMOGENEOUS_CUDA both say "cuda0"). Formats that tell no architecture have one
// kind for each arch.
//
// Pure; any thread.
#pragma once

#include <compare>
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

// By row of `workers`. A worker that ran nothing is of the one kind that the others of its arch
// and rank have, or where they have several, of its own.
std::vector<WorkerKind> WorkerKinds(const TraceModel& model);

}  // namespace tasklens
