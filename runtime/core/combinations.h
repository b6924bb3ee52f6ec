// SPDX-License-Identifier: Apache-2.0
// Suggests which CPU workers to combine for parallel tasks, from the machine's topology.
#pragma once

#include <vector>

namespace tasklens::runtime {

class Runtime;

// Returns groups of STARPU_MIN_WORKERSIZE (2) to STARPU_MAX_WORKERSIZE (all) CPU workers, by worker
// id, small groups first: the workers of each part of the machine that has several subparts with
// workers. Where there are more subparts than STARPU_SYNTHESIZE_ARITY_COMBINED_WORKER (2, call it
// n), these are also split into n groups, recursively. Each worker that is not bound counts as a
// part.
// With `single`: only the first two, the first three, ... of all CPU workers.
// Returns nothing if there is one CPU worker.
std::vector<std::vector<int>> FindCombinations(const Runtime& runtime, bool single);

}  // namespace tasklens::runtime
