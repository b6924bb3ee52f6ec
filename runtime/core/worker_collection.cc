// SPDX-License-Identifier: Apache-2.0
// The functions of starpu_worker_list and starpu_worker_tree.
//
// A policy iterates over a context's workers without a lock, while workers are added and removed.
// Hence: fields are read and written atomically; get_next() returns the worker that has_next()
// found; and an iteration visits each worker once that is present throughout.
#include "runtime/core/worker_collection.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "runtime/core/runtime.h"

namespace tasklens::runtime {
namespace {

template <class T>
T Load(const T& field) {
  return std::atomic_ref<T>(const_cast<T&>(field)).load(std::memory_order_acquire);
}
template <class T>
void Store(T& field, T value) {
  std::atomic_ref<T>(field).store(value, std::memory_order_release);
}

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
  Store(workers->present[worker], char{1});
  Store(workers->workerids[workers->nworkers], worker);
  Store(workers->nworkers, workers->nworkers + 1);
  return worker;
}
// Keeps the workers sorted by processing unit, so that neighbours in the machine are neighbours in
// the list.
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
  std::vector<int> ids(workers->workerids, workers->workerids + workers->nworkers);
  std::stable_sort(ids.begin(), ids.end(), [&](int a, int b) { return unit_of(a) < unit_of(b); });
  for (size_t i = 0; i < ids.size(); ++i) Store(workers->workerids[i], ids[i]);
  return worker;
}
int Remove(starpu_worker_collection* workers, int worker) {
  if (worker < 0 || worker >= STARPU_NMAXWORKERS || !workers->present[worker]) return -1;
  Store(workers->present[worker], char{0});
  const unsigned count = workers->nworkers;
  const int* const ids = workers->workerids;
  const auto at = static_cast<unsigned>(std::find(ids, ids + count, worker) - ids);
  for (unsigned i = at; i + 1 < count; ++i) Store(workers->workerids[i], ids[i + 1]);
  Store(workers->nworkers, count - 1);
  return worker;
}
void Begin(starpu_worker_collection*, starpu_sched_ctx_iterator* it) { *it = {}; }
void BeginForTask(starpu_worker_collection*, starpu_sched_ctx_iterator* it, starpu_task*) {
  *it = {};
}
// `value` points to the `visited` flag of the next worker, once has_next() has found it.
unsigned HasNext(starpu_worker_collection* workers, starpu_sched_ctx_iterator* it) {
  if (it->value) return 1;
  const unsigned count = Load(workers->nworkers);
  for (unsigned looked = 0; looked < count; ++looked, ++it->cursor) {
    // Wrap around: when a worker is removed the later ones move up, so some may have been skipped.
    if (static_cast<unsigned>(it->cursor) >= count) it->cursor = 0;
    const int worker = Load(workers->workerids[it->cursor]);
    if (it->visited[worker]) continue;
    it->value = &it->visited[worker];
    return 1;
  }
  return 0;
}
int Next(starpu_worker_collection* workers, starpu_sched_ctx_iterator* it) {
  if (!HasNext(workers, it)) return -1;
  char* const visited = static_cast<char*>(it->value);
  *visited = 1;
  it->value = nullptr;
  ++it->cursor;
  return static_cast<int>(visited - it->visited);
}

// The two kinds differ in the place that a new worker gets.
constexpr starpu_worker_collection Collection(starpu_worker_collection_type type,
                                              int (*add)(starpu_worker_collection* workers,
                                                         int id)) {
  return {
      .type = type,
      .has_next = HasNext,
      .get_next = Next,
      .add = add,
      .remove = Remove,
      .init = Init,
      .deinit = Deinit,
      .init_iterator = Begin,
      .init_iterator_for_parallel_tasks = BeginForTask,
  };
}

}  // namespace

WorkerCollection::WorkerCollection() : collection_(starpu_worker_list) { Init(&collection_); }
WorkerCollection::~WorkerCollection() { Deinit(&collection_); }
std::vector<int> WorkerCollection::ids() const {
  std::vector<int> ids(Load(collection_.nworkers));
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = Load(collection_.workerids[i]);
  return ids;
}
unsigned WorkerCollection::size() const { return Load(collection_.nworkers); }
bool WorkerCollection::Has(int worker) const {
  return worker >= 0 && worker < STARPU_NMAXWORKERS && Load(collection_.present[worker]);
}

}  // namespace tasklens::runtime

constinit starpu_worker_collection starpu_worker_list =
    tasklens::runtime::Collection(STARPU_WORKER_LIST, tasklens::runtime::Add);
constinit starpu_worker_collection starpu_worker_tree =
    tasklens::runtime::Collection(STARPU_WORKER_TREE, tasklens::runtime::AddInTree);

namespace tasklens::runtime {

void WorkerCollection::Become(starpu_worker_collection_type type) {
  const std::vector<int> members = ids();
  collection_.deinit(&collection_);
  collection_ = type == STARPU_WORKER_TREE ? starpu_worker_tree : starpu_worker_list;
  collection_.init(&collection_);
  for (const int worker : members) Add(worker);
}

}  // namespace tasklens::runtime
