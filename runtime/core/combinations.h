// SPDX-License-Identifier: Apache-2.0
// Which CPU workers to combine, for parallel tasks.
#pragma once

#include <vector>

namespace tasklens::runtime {

class Runtime;

// Groups of STARPU_MIN_WORKERSIZE (2) to STARPU_MAX_WORKERSIZE (all) CPU workers each, by number.
// Those within each part of the machine that has several of its parts' workers; where there are
// more such parts than STARPU_SYNTHESIZE_ARITY_COMBINED_WORKER (2), those of as many halves
// (thirds,
// ...) of them, too, and so on. Of workers that are not bound each is a part of its own.
// With `single`: only the first two, three, ... of all.
// Empty where there is one CPU worker.
std::vector<std::vector<int>> FindCombinations(const Runtime& runtime, bool single);

}  // namespace tasklens::runtime
