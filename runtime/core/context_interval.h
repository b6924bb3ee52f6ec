// SPDX-License-Identifier: Apache-2.0
// The workers of a scheduling context that shall have as many as fit between two numbers.
#pragma once

#include <starpu.h>

#include <vector>

namespace tasklens::runtime {

class Runtime;

struct Interval {
  int least, most;
};

// At most `most` of each kind: those that serve no context yet; where these are fewer than `least`,
// also those that other contexts can spare. `shares`: the others keep them as well.
std::vector<int> ChooseWorkers(Runtime& runtime, Interval cpus, Interval gpus, bool shares);

}  // namespace tasklens::runtime
