// SPDX-License-Identifier: Apache-2.0
// The memory nodes of a task's data: that of its worker, unless the codelet names others
// (starpu_codelet::specific_nodes). Whoever fetches, prefetches or counts the data of a task for a
// worker asks here for their nodes.
#pragma once

#include <starpu.h>

#include <string>

#include "runtime/data/residency.h"
#include "runtime/jobs/job.h"
#include "runtime/support/small_vector.h"

namespace tasklens::runtime {

class Runtime;

// The node of data that stay where they are (STARPU_SPECIFIC_NODE_NONE): only their order counts.
inline constexpr int kNoNode = -1;

// Returns why the task's nodes are refused; empty: they are accepted. REQUIRES: the codelet has
// specific_nodes.
std::string FaultOfNodes(Runtime& runtime, const starpu_task& task);

// Returns the node of a buffer for a worker whose own node is `local`. For
// STARPU_SPECIFIC_NODE_LOCAL_OR_CPU this depends on where the value is at the moment.
int SpecificNode(const starpu_task& task, unsigned buffer, unsigned local);
inline int NodeFor(const starpu_task& task, unsigned buffer, unsigned local) {
  if (!task.cl->specific_nodes) [[likely]]
    return static_cast<int>(local);
  return SpecificNode(task, buffer, local);
}

// The nodes of a job that a worker runs.
struct Placement {
  SmallVector<int, STARPU_NMAXBUFS> nodes;  // by buffer
  SmallVector<PlacedUse, 4> pinned;         // the data on other nodes than the worker's
};
// ChooseNodes() makes the placement before the job's data are fetched, RemovePlacement() removes it
// when the job has run. REQUIRES: the codelet has specific_nodes.
void ChooseNodes(Job* job, unsigned local);
void RemovePlacement(Job* job);

// Puts the data of a task that no worker runs (STARPU_NOWHERE) on the nodes that its codelet names,
// and waits until they are there. Without a worker, STARPU_SPECIFIC_NODE_LOCAL names no node.
// REQUIRES: the task holds its data; the codelet has specific_nodes.
void PutData(Runtime& runtime, const starpu_task& task);

}  // namespace tasklens::runtime
