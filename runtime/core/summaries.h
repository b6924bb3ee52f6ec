// SPDX-License-Identifier: Apache-2.0
// Prints the statistics of a run, in the form that StarPU's handbook shows.
#pragma once

namespace tasklens::runtime {

class Runtime;

// Each prints only if its environment variable asks for it (STARPU_WORKER_STATS, STARPU_BUS_STATS,
// STARPU_MEMORY_STATS). Workers and buses go to the file that STARPU_WORKER_STATS_FILE or
// STARPU_BUS_STATS_FILE names, else to standard error, as memory does.
void PrintWorkers(Runtime& runtime);
void PrintBuses(Runtime& runtime);
void PrintMemory(Runtime& runtime);
bool WantsWorkers();
bool WantsBuses();

// Prints the statistics that the environment asks for at the end of a run. REQUIRES: all tasks have
// ended, the workers still exist.
void PrintSummaries(Runtime& runtime);

}  // namespace tasklens::runtime
