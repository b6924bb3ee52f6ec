// SPDX-License-Identifier: Apache-2.0
// The texts about a whole run that StarPU's handbook shows.
#pragma once

namespace tasklens::runtime {

class Runtime;

// Each prints where its variable of the environment says so (STARPU_WORKER_STATS, STARPU_BUS_STATS,
// STARPU_MEMORY_STATS), to the file that another names, or to standard error.
void PrintWorkers(Runtime& runtime);
void PrintBuses(Runtime& runtime);
void PrintMemory(Runtime& runtime);
bool WantsWorkers();
bool WantsBuses();

// What the environment asks for at the end of a run: all tasks have ended, the workers are there.
void PrintSummaries(Runtime& runtime);

}  // namespace tasklens::runtime
