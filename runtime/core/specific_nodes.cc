// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/specific_nodes.h"

#include "runtime/core/runtime.h"
#include "runtime/core/task_data.h"
#include "runtime/data/conversion.h"
#include "runtime/data/handle.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"

namespace tasklens::runtime {
namespace {

bool Excludes(unsigned mode) { return mode & (STARPU_W | STARPU_REDUX); }

// The node with the value, the worker's own first. A value that is only written is put where no
// transfer follows.
unsigned LocalOrMain(const starpu_task& task, unsigned buffer, unsigned local) {
  Handle* const handle = BufferHandle(task, buffer);
  if (local == STARPU_MAIN_RAM) return local;
  if (!(BufferMode(task, buffer) & STARPU_R)) {
    const bool goes_to_main = handle->written_through & (uint32_t{1} << STARPU_MAIN_RAM);
    return goes_to_main ? STARPU_MAIN_RAM : local;
  }
  if (Runtime::Instance()->residency().IsOn(handle, local)) return local;
  return handle->initialized && !handle->away ? STARPU_MAIN_RAM : local;
}

std::string FaultOfNode(Runtime& runtime, const starpu_task& task, unsigned buffer) {
  const int node = STARPU_CODELET_GET_NODE(task.cl, buffer);
  const std::string place = "its codelet puts buffer " + std::to_string(buffer) +
                            " on memory node " + std::to_string(node);
  if (node < STARPU_SPECIFIC_NODE_NONE)
    return place + ", which is no STARPU_SPECIFIC_NODE_ constant";
  if (node >= static_cast<int>(starpu_memory_nodes_get_count()))
    return place + ", which does not exist";
  if (node > 0 && runtime.disks().At(static_cast<unsigned>(node)) && HasWork(task))
    return place + ", a disk, where no function can use it";
  for (unsigned other = 0; other < buffer; ++other) {
    if (BufferHandle(task, other) != BufferHandle(task, buffer) ||
        STARPU_CODELET_GET_NODE(task.cl, other) == node)
      continue;
    if (Excludes(BufferMode(task, other)) || Excludes(BufferMode(task, buffer)))
      return "its buffers " + std::to_string(other) + " and " + std::to_string(buffer) +
             " are the same data on two memory nodes, and it writes them";
  }
  return "";
}

// The node of a buffer of a task that no worker runs.
int NodeWithoutWorker(const starpu_task& task, unsigned buffer) {
  const int node = STARPU_CODELET_GET_NODE(task.cl, buffer);
  if (node == STARPU_SPECIFIC_NODE_LOCAL || node == STARPU_SPECIFIC_NODE_FAST) return kNoNode;
  return SpecificNode(task, buffer, STARPU_MAIN_RAM);
}

void Put(Runtime& runtime, Handle* handle, unsigned mode, unsigned node) {
  Residency& residency = runtime.residency();
  const Use use{handle, (mode & STARPU_R) && handle->initialized, (mode & STARPU_W) != 0};
  if (runtime.disks().At(node)) {
    if (handle->initialized) residency.MoveTo(handle, node, use.writes);
    return;
  }
  Arrivals arrivals;
  residency.PinOn(node, {&use, 1}, arrivals);
  runtime.WaitFor(arrivals);
  if (use.reads) {
    MakeLayoutOn(ThisThread().worker, handle, node);
  } else {
    WillWriteOwnLayout(handle, node);
  }
  if (use.writes) {
    handle->initialized = true;
    if (handle->written_through) residency.WriteThrough(handle, node);
  }
  residency.UnpinOn(node, handle);
}

}  // namespace

std::string FaultOfNodes(Runtime& runtime, const starpu_task& task) {
  const unsigned count = BufferCount(task);
  if (count > STARPU_NMAXBUFS && !task.cl->dyn_nodes)
    return "the memory nodes of more than STARPU_NMAXBUFS buffers need dyn_nodes";
  for (unsigned i = 0; i < count; ++i)
    if (std::string fault = FaultOfNode(runtime, task, i); !fault.empty()) return fault;
  return "";
}

int SpecificNode(const starpu_task& task, unsigned buffer, unsigned local) {
  const int node = STARPU_CODELET_GET_NODE(task.cl, buffer);
  switch (node) {
    case STARPU_SPECIFIC_NODE_LOCAL:
    case STARPU_SPECIFIC_NODE_FAST: return static_cast<int>(local);
    case STARPU_SPECIFIC_NODE_CPU:
    case STARPU_SPECIFIC_NODE_SLOW: return STARPU_MAIN_RAM;
    // (Not every kernel can read the memory of a similar device.)
    case STARPU_SPECIFIC_NODE_LOCAL_OR_CPU:
    case STARPU_SPECIFIC_NODE_LOCAL_OR_SIMILAR_OR_CPU:
      return static_cast<int>(LocalOrMain(task, buffer, local));
    case STARPU_SPECIFIC_NODE_NONE: return kNoNode;
    default: return node;
  }
}

void ChooseNodes(Job* job, unsigned local) {
  const starpu_task& task = *job->task;
  job->placement = new Placement;
  SmallVector<int, STARPU_NMAXBUFS>& nodes = job->placement->nodes;
  // Another thread may move data meanwhile, but the same data twice must be in one place.
  const auto same = [&task](unsigned one, unsigned other) {
    return BufferHandle(task, one) == BufferHandle(task, other) &&
           STARPU_CODELET_GET_NODE(task.cl, one) == STARPU_CODELET_GET_NODE(task.cl, other);
  };
  for (unsigned i = 0; i < BufferCount(task); ++i) {
    unsigned first = 0;
    while (first < i && !same(first, i)) ++first;
    nodes.push_back(first < i ? nodes[first] : SpecificNode(task, i, local));
  }
}

void RemovePlacement(Job* job) {
  delete job->placement;
  job->placement = nullptr;
}

void PutData(Runtime& runtime, const starpu_task& task) {
  const auto each = [&task](auto&& function) {
    for (unsigned i = 0; i < BufferCount(task); ++i) {
      const unsigned mode = BufferMode(task, i);
      const int node = NodeWithoutWorker(task, i);
      if (node == kNoNode || mode & (STARPU_SCRATCH | STARPU_REDUX)) continue;
      function(BufferHandle(task, i), mode, static_cast<unsigned>(node));
    }
  };
  // Lets the transfers begin together.
  each([&](Handle* handle, unsigned mode, unsigned node) {
    if (mode & STARPU_R && !runtime.disks().At(node))
      runtime.residency().Prefetch(handle, node, CopyReason::kFetch, Residency::Claim::If::kFree);
  });
  each([&](Handle* handle, unsigned mode, unsigned node) { Put(runtime, handle, mode, node); });
}

}  // namespace tasklens::runtime
