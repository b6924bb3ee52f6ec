// SPDX-License-Identifier: Apache-2.0
// starpu_combined_worker_*, starpu_parallel_task_*: several workers that run one task together.
#include <starpu.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "runtime/core/program_policy.h"
#include "runtime/core/runtime.h"
#include "runtime/core/team.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/job.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_sched_find_all_worker_combinations(void) { Runtime::Get(__func__).CombineAll(); }

unsigned starpu_combined_worker_get_count(void) {
  return static_cast<unsigned>(Runtime::Get(__func__).combined().size());
}
unsigned starpu_worker_is_combined_worker(int id) {
  Runtime& runtime = Runtime::Get(__func__);
  return runtime.CombinedWorker(id) != nullptr;
}
int starpu_combined_worker_get_description(int id, int* size, int** ids) {
  Runtime& runtime = Runtime::Get(__func__);
  const std::vector<int>* members = runtime.CombinedWorker(id);
  if (!members) return -EINVAL;
  if (size) *size = static_cast<int>(members->size());
  if (ids) *ids = const_cast<int*>(members->data());
  return 0;
}
int starpu_combined_worker_assign_workerid(int count, int ids[]) {
  Runtime& runtime = Runtime::Get(__func__);
  std::vector<int> members(ids, ids + std::max(0, count));
  std::ranges::sort(members);
  const bool are_workers =
      std::ranges::all_of(members, [&](int id) { return runtime.worker(id) != nullptr; });
  if (members.empty() || !are_workers || std::ranges::adjacent_find(members) != members.end()) {
    Warn(
        "starpu_combined_worker_assign_workerid(): its %d numbers are not those of so many "
        "workers",
        count);
    return -EINVAL;
  }
  return runtime.Combine(std::move(members));
}
int starpu_combined_worker_can_execute_task(unsigned worker, starpu_task* task,
                                            unsigned implementation) {
  Runtime& runtime = Runtime::Get(__func__);
  const std::vector<int>* members = runtime.CombinedWorker(static_cast<int>(worker));
  if (!members) return starpu_worker_can_execute_task(worker, task, implementation);
  if (!task->cl || task->cl->type == STARPU_SEQ ||
      static_cast<size_t>(task->cl->max_parallelism) < members->size()) {
    return 0;
  }
  return starpu_worker_can_execute_task(static_cast<unsigned>(members->front()), task,
                                        implementation);
}
int starpu_combined_worker_get_id(void) {
  const Team* team = ThisThread().team;
  return team && team->combined_id() >= 0 ? team->combined_id() : starpu_worker_get_id();
}
int starpu_combined_worker_get_size(void) {
  const Team* team = ThisThread().team;
  return team ? team->size() : 1;
}
void starpu_parallel_task_barrier_init_n(starpu_task* task, int size) {
  Job* job = ExistingJob(task);
  if (!job || size < 1 || job->together)
    Fatal("starpu_parallel_task_barrier_init_n(): task '%s' is not one that a policy is to push",
          NameOf(*task));
  Runtime& runtime = *Runtime::Instance();
  if (runtime.simulation())
    Fatal(
        "starpu_parallel_task_barrier_init_n(): on a simulated machine task '%s' is one of one "
        "worker",
        NameOf(*task));
  Team::Gather(job, size, -1);
  if (ProgramPolicy* policy = runtime.program_policy(job->context)) policy->WillPop(size);
}
void starpu_parallel_task_barrier_init(starpu_task* task, int worker) {
  const auto* members = Runtime::Get(__func__).CombinedWorker(worker);
  starpu_parallel_task_barrier_init_n(task, members ? static_cast<int>(members->size()) : 1);
}
int starpu_combined_worker_get_rank(void) {
  const ThreadState& thread = ThisThread();
  return thread.team ? thread.team_rank : 0;
}

}  // extern "C"
