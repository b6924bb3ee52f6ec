// SPDX-License-Identifier: Apache-2.0
// mct and heft: push a task to the child below which it is expected to end first, by performance
// models; a task without a known length goes to the child with the fewest waiting tasks. If that
// child refuses the task, mct refuses it, too; heft keeps it and later ones by priority. Of the
// tasks that it keeps, heft looks at the next few of one priority, and pushes first the one that
// gains most from its best place: for which the expected ends below the best and the worst child
// are furthest apart.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <optional>

#include "runtime/api/components/component.h"
#include "runtime/core/runtime.h"
#include "runtime/core/task_data.h"
#include "runtime/jobs/job_queue.h"
#include "runtime/sched/candidates.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

struct Chooser {
  bool has_own_weights = false;
  CostWeights own = {};
  const CostWeights& weights() const {
    return has_own_weights ? own : Runtime::Instance()->settings.dmda_weights;
  }
};

struct Heft {
  Chooser chooser;
  Mutex lock;
  PriorityQueue waiting GUARDED_BY(lock);
  std::atomic<size_t> count{0};
  size_t size() const { return count; }
};

Chooser ChooserFor(const starpu_sched_component_mct_data* params) {
  Chooser chooser;
  if (!params) return chooser;
  chooser.has_own_weights = true;
  chooser.own.alpha = params->alpha;
  chooser.own.beta = params->beta;
  chooser.own.gamma = params->_gamma;
  chooser.own.idle_power = params->idle_power;
  return chooser;
}

struct Choice {
  Component* child = nullptr;
  Candidate candidate{0};
  double start_us = 0;
  double now_us = 0;
};

Choice Choose(const Chooser& chooser, const Component& component, const Candidates& candidates) {
  Choice best;
  best.now_us = starpu_timing_now();
  double least = 0, latest_us = best.now_us;
  for (unsigned i = 0; i < component.nchildren; ++i)
    latest_us = std::max(latest_us, component.children[i]->estimated_end(component.children[i]));
  const bool all_known = std::all_of(candidates.begin(), candidates.end(),
                                     [](const Candidate& one) { return one.IsKnown(); });
  for (const Candidate& candidate : candidates) {
    Component* const child = ChildAbove(component, candidate.worker);
    if (!child || (!all_known && candidate.IsKnown())) continue;
    const double start_us = child->estimated_end(child);
    const double cost = all_known ? CostOf(candidate, chooser.weights(), /*weighs=*/true, start_us,
                                           best.now_us, latest_us)
                                  : child->estimated_load(child);
    if (best.child && cost >= least) continue;
    least = cost;
    best.child = child;
    best.candidate = candidate;
    best.start_us = start_us;
  }
  return best;
}

// The candidates for a task and the choice among them, before it is pushed.
struct Prospect {
  Candidates candidates;
  Choice choice;
};

// The candidate of a combined worker; nullopt if it cannot run the task.
std::optional<Candidate> FindCombinedCandidate(Job* job, int worker) {
  const auto id = static_cast<unsigned>(worker);
  std::optional<Candidate> best;
  for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
    if (!starpu_combined_worker_can_execute_task(id, job->task, i)) continue;
    const double length_us = starpu_worker_expected_length(job->task, id, i);
    if (best && !(length_us < best->length_us)) continue;
    best =
        Candidate{.worker = worker, .is_combined = true, .implementation = static_cast<uint8_t>(i)};
    best->length_us = length_us;
    if (std::isnan(length_us)) break;
  }
  if (best) best->transfer_us = TransferUs(*job->task, STARPU_MAIN_RAM);
  return best;
}

void Look(const Chooser& chooser, Component* component, Job* job, Prospect& prospect) {
  FindCandidates(Runtime::Instance()->host(), job, component->tree->sched_ctx_id,
                 /*with_energy=*/true, prospect.candidates);
  if (job->task->cl->type != STARPU_SEQ) {
    ForEachWorker(&component->workers_in_ctx, [&](int worker) {
      if (!Runtime::Instance()->CombinedWorker(worker)) return;
      if (const auto combined = FindCombinedCandidate(job, worker))
        prospect.candidates.push_back(*combined);
    });
  }
  prospect.choice = Choose(chooser, *component, prospect.candidates);
}

// The gain from running a task at its best place: the difference between the latest and the soonest
// expected end. 0 for a task that must be measured first.
double BenefitUs(const Component& component, const Prospect& prospect) {
  double soonest_us = INFINITY, latest_us = -INFINITY;
  for (const Candidate& candidate : prospect.candidates) {
    Component* const child = ChildAbove(component, candidate.worker);
    if (!child) continue;
    if (!candidate.IsKnown()) return 0;
    const double end_us = child->estimated_end(child) + candidate.transfer_us + candidate.length_us;
    soonest_us = std::min(soonest_us, end_us);
    latest_us = std::max(latest_us, end_us);
  }
  return latest_us > soonest_us ? latest_us - soonest_us : 0;
}

// Returns 0, or 1 if no worker below can run the task or the best child refuses it.
int PushToBest(Component* component, starpu_task* task, const Prospect& prospect) {
  const Choice& choice = prospect.choice;
  if (!choice.child) return 1;
  task->predicted = choice.candidate.IsKnown() ? choice.candidate.length_us : NAN;
  task->predicted_start = choice.start_us;
  // The rest of the transfer overlaps with the tasks before.
  task->predicted_transfer =
      std::max(0.0, choice.now_us + choice.candidate.transfer_us - choice.start_us);
  starpu_sched_task_break(task);
  const unsigned node = NodeOf(choice.candidate.worker);
  if (starpu_get_prefetch_flag()) SendData(*task, node, CopyReason::kTaskPrefetch);
  const uint64_t id = ExistingJob(task)->id.load(std::memory_order_relaxed);
  if (starpu_sched_component_push_task(component, choice.child, task) != 0) return 1;
  RecordEstimates(id, prospect.candidates);
  return 0;
}

int PushMct(Component* component, starpu_task* task) {
  Prospect prospect;
  Look(DataOf<Chooser>(component), component, ExistingJob(task), prospect);
  return PushToBest(component, task, prospect);
}

// The number of tasks that heft compares before it pushes one.
constexpr size_t kWindow = 5;

// Takes the next tasks of the highest priority; returns how many.
size_t TakeWindow(Heft& heft, std::array<Job*, kWindow>& jobs) {
  MutexLock guard(heft.lock);
  const int priority = heft.waiting.HighestPriority();
  size_t count = 0;
  while (count < kWindow && heft.waiting.HighestPriority() == priority) {
    Job* const job = heft.waiting.Pop([](Job*) { return true; });
    if (!job) break;
    jobs[count++] = job;
  }
  heft.count -= count;
  return count;
}

void PutBack(Heft& heft, Job* job) REQUIRES(heft.lock) {
  heft.waiting.PushFront(job);
  ++heft.count;
}

// Pushes one of the next tasks: the one with the largest benefit that its child accepts. Returns
// whether there was one.
bool ProgressOne(Component* component) {
  Heft& heft = DataOf<Heft>(component);
  std::array<Job*, kWindow> jobs;
  const size_t count = TakeWindow(heft, jobs);
  std::array<Prospect, kWindow> prospects;
  std::array<double, kWindow> benefits_us;
  std::array<size_t, kWindow> order;
  for (size_t i = 0; i < count; ++i) {
    Look(heft.chooser, component, jobs[i], prospects[i]);
    benefits_us[i] = count > 1 ? BenefitUs(*component, prospects[i]) : 0;
    order[i] = i;
  }
  std::stable_sort(order.begin(), order.begin() + count,
                   [&](size_t a, size_t b) { return benefits_us[a] > benefits_us[b]; });
  size_t pushed = count;
  for (size_t i = 0; i < count && pushed == count; ++i)
    if (PushToBest(component, jobs[order[i]]->task, prospects[order[i]]) == 0) pushed = order[i];
  MutexLock guard(heft.lock);
  for (size_t i = count; i-- > 0;)
    if (i != pushed) PutBack(heft, jobs[i]);
  return pushed != count;
}

// Pushes tasks while possible; returns whether any was pushed.
bool Progress(Component* component) {
  bool any = false;
  while (ProgressOne(component)) any = true;
  return any;
}

int PushHeft(Component* component, starpu_task* task) {
  Heft& heft = DataOf<Heft>(component);
  {
    MutexLock guard(heft.lock);
    heft.waiting.Push(ExistingJob(task));
    ++heft.count;
    starpu_push_task_end(task);
  }
  Progress(component);
  return 0;
}

int CanPushHeft(Component* component, Component*) {
  const bool any = Progress(component);
  return starpu_sched_component_send_can_push_to_parents(component) || any;
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

starpu_sched_component* starpu_sched_component_mct_create(starpu_sched_tree* tree,
                                                          starpu_sched_component_mct_data* params) {
  return NewComponent(tree, "mct", new Chooser(ChooserFor(params)), PushMct);
}
IS_COMPONENT(mct, push_task, PushMct)

starpu_sched_component* starpu_sched_component_heft_create(
    starpu_sched_tree* tree, starpu_sched_component_mct_data* params) {
  starpu_sched_component* component =
      NewComponent(tree, "heft", new Heft{.chooser = ChooserFor(params)}, PushHeft);
  component->can_push = CanPushHeft;
  component->estimated_load = LoadOf<Heft>;
  return component;
}
IS_COMPONENT(heft, push_task, PushHeft)

}  // extern "C"
