// SPDX-License-Identifier: Apache-2.0
// The functions of starpu_worker_list and starpu_worker_tree.
#include "runtime/core/worker_collection.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <vector>

#include "runtime/core/runtime.h"

namespace tasklens::runtime {
namespace {

void Init(starpu_worker_collection* workers) {
  workers->workerids = static_cast<int*>(malloc(STARPU_NMAXWORKERS * sizeof(int)));
  workers->collection_private = nullptr;
  workers->nworkers = 0;
  std::fill_n(workers->present, STARPU_NMAXWORKERS, 0);
}
void Deinit(starpu_worker_collection* workers) {
  free(workers->workerids);
  workers->workerids = nullptr;
  workers->nworkers = 0;
}
int Add(starpu_worker_collection* workers, int worker) {
  if (worker < 0 || worker >= STARPU_NMAXWORKERS || workers->present[worker]) return -1;
  workers->present[worker] = 1;
  workers->workerids[workers->nworkers++] = worker;
  return worker;
}
// Neighbours in the machine are neighbours here.
int AddInTree(starpu_worker_collection* workers, int worker) {
  if (Add(workers, worker) < 0) return -1;
  Runtime& runtime = Runtime::Get("starpu_worker_tree.add");
  const auto unit_of = [&runtime](int id) {
    const Worker* known = runtime.worker(id);
    hwloc_topology_t topology = runtime.topology().hwloc();
    const hwloc_obj_t unit =
        known && known->os_cpu >= 0 && topology
            ? hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(known->os_cpu))
            : nullptr;
    return unit ? unit->logical_index : UINT_MAX;
  };
  std::stable_sort(workers->workerids, workers->workerids + workers->nworkers,
                   [&](int a, int b) { return unit_of(a) < unit_of(b); });
  return worker;
}
int Remove(starpu_worker_collection* workers, int worker) {
  if (worker < 0 || worker >= STARPU_NMAXWORKERS || !workers->present[worker]) return -1;
  workers->present[worker] = 0;
  int* const end = workers->workerids + workers->nworkers;
  std::copy(std::find(workers->workerids, end, worker) + 1, end,
            std::find(workers->workerids, end, worker));
  --workers->nworkers;
  return worker;
}
void Begin(starpu_worker_collection*, starpu_sched_ctx_iterator* it) { *it = {}; }
void BeginForTask(starpu_worker_collection*, starpu_sched_ctx_iterator* it, starpu_task*) {
  *it = {};
}
unsigned HasNext(starpu_worker_collection* workers, starpu_sched_ctx_iterator* it) {
  return static_cast<unsigned>(it->cursor) < workers->nworkers;
}
int Next(starpu_worker_collection* workers, starpu_sched_ctx_iterator* it) {
  return HasNext(workers, it) ? workers->workerids[it->cursor++] : -1;
}

}  // namespace

WorkerCollection::WorkerCollection() : collection_(starpu_worker_list) { Init(&collection_); }
WorkerCollection::~WorkerCollection() { Deinit(&collection_); }

}  // namespace tasklens::runtime

starpu_worker_collection starpu_worker_list = {
    .type = STARPU_WORKER_LIST,
    .has_next = tasklens::runtime::HasNext,
    .get_next = tasklens::runtime::Next,
    .add = tasklens::runtime::Add,
    .remove = tasklens::runtime::Remove,
    .init = tasklens::runtime::Init,
    .deinit = tasklens::runtime::Deinit,
    .init_iterator = tasklens::runtime::Begin,
    .init_iterator_for_parallel_tasks = tasklens::runtime::BeginForTask,
};

starpu_worker_collection starpu_worker_tree = {
    .type = STARPU_WORKER_TREE,
    .has_next = tasklens::runtime::HasNext,
    .get_next = tasklens::runtime::Next,
    .add = tasklens::runtime::AddInTree,
    .remove = tasklens::runtime::Remove,
    .init = tasklens::runtime::Init,
    .deinit = tasklens::runtime::Deinit,
    .init_iterator = tasklens::runtime::Begin,
    .init_iterator_for_parallel_tasks = tasklens::runtime::BeginForTask,
};

namespace tasklens::runtime {

void WorkerCollection::Become(starpu_worker_collection_type type) {
  const std::vector<int> members(ids().begin(), ids().end());
  collection_.deinit(&collection_);
  collection_ = type == STARPU_WORKER_TREE ? starpu_worker_tree : starpu_worker_list;
  collection_.init(&collection_);
  for (const int worker : members) Add(worker);
}

}  // namespace tasklens::runtime
