// SPDX-License-Identifier: Apache-2.0
// Chooses the workers of a scheduling context that asks for a minimum and maximum number of them.
#pragma once

#include <starpu.h>

#include <vector>

namespace tasklens::runtime {

class Runtime;

struct Interval {
  int least, most;
};

// Chooses at most `most` workers of each kind that serve no context yet. If these are fewer than
// `least`, also takes workers that other contexts can spare; `shares`: the other contexts keep
// these as well.
std::vector<int> ChooseWorkers(Runtime& runtime, Interval cpus, Interval gpus, bool shares);

}  // namespace tasklens::runtime
