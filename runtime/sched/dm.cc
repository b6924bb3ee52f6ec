// SPDX-License-Identifier: Apache-2.0
// dm and its variants: each task goes to the worker on which the performance models expect it to
// end first, and stays there.
//
//   dm          considers only the lengths of tasks
//   dmda        adds data transfers and energy: alpha * end + beta * transfer + gamma * energy
//   dmdap       dmda, and each worker runs its tasks by priority
//   dmdar       dmda, and each worker first runs tasks whose data are all in its memory
//   dmdas       dmdap and dmdar together
//   dmdasd      dmdas, and only tasks of at least the same priority count as work before a task
//   pheft       dmda, and a parallel task goes to a combined worker if it ends sooner there
//
// On machines with devices, the data that a task reads are prefetched to its worker's memory as
// soon as the task is assigned (unless STARPU_PREFETCH=0). The transfer delays the task only if it
// takes longer than the tasks before it.
//
// The estimates for all compared workers are recorded. A task without an estimate on some workers
// goes to the one of these with the fewest tasks.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "runtime/jobs/job_queue.h"
#include "runtime/sched/candidates.h"
#include "runtime/sched/policy.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

struct Flavour {
  bool weighs = true;        // transfers and energy count
  bool by_priority = false;  // each worker runs its tasks by priority
  bool ready_first = false;  // each worker first runs tasks whose data are present
  bool only_before = false;  // tasks of lower priority do not delay a task
  bool has_teams = false;    // combined workers are compared with single ones
};

class ModelPolicy : public Policy {
 public:
  ModelPolicy(Host& host, int workers, Flavour flavour)
      : host_(host), flavour_(flavour), queues_(static_cast<size_t>(workers)) {}

  void Begin(unsigned context) override {
    context_ = context;
    ReadCostWeights(host_.weights());
    prefetches_ = WantsPrefetch();
  }

  int Push(Job* job, int /*from*/) override {
    Candidates candidates;
    FindCandidates(host_, job, context_, flavour_.weighs, candidates);
    RecordEstimates(job->id.load(std::memory_order_relaxed), candidates);
    const int worker = Place(*job, candidates);
    // SendData() may wait for a disk: call it without the lock.
    if (prefetches_) host_.SendData(*job->task, host_.worker(worker).node);
    Queue& queue = queues_[static_cast<size_t>(worker)];
    MutexLock guard(lock_);
    flavour_.by_priority ? queue.by_priority.Push(job) : queue.in_turn.Push(job);
    queue.size.fetch_add(1);
    size_.fetch_add(1);
    return worker;
  }

  uint16_t ChooseTeam(Job* job) override {
    if (!flavour_.has_teams || !job->task->cl->model) return job->parallel;
    return BestTeam(job);
  }

  Job* Pop(int worker) override {
    Queue& queue = queues_[static_cast<size_t>(worker)];
    if (queue.size.load() == 0 && !queue.is_running.load(std::memory_order_relaxed)) return nullptr;
    MutexLock guard(lock_);
    queue.is_running = false;
    queue.running_until_us = 0;
    const auto can_run = [&](Job* job) {
      return !job->restricted || host_.MayRun(worker, *job, job->implementation);
    };
    Job* job = nullptr;
    if (flavour_.ready_first) {
      const unsigned node = host_.worker(worker).node;
      job = queue.Pop([&](Job* one) { return can_run(one) && host_.HasItsData(*one->task, node); });
    }
    if (!job) job = queue.Pop(can_run);
    if (!job) return nullptr;
    const double length_us = QueuedLengthUs(*job->task);
    queue.waiting_us[job->task->priority] -= length_us;
    queue.size.fetch_sub(1);
    queue.is_running = true;
    queue.running_until_us = host_.NowUs() + length_us;
    size_.fetch_sub(1);
    return job;
  }

  size_t Size() const override { return size_.load(); }
  size_t SizeFor(int worker) const override {
    return queues_[static_cast<size_t>(worker)].size.load();
  }
  bool KeepsFor(int worker) const override { return SizeFor(worker) > 0; }

 private:
  struct Queue {
    FifoQueue in_turn;
    PriorityQueue by_priority;
    std::atomic<size_t> size{0};
    std::atomic<bool> is_running{false};
    double running_until_us = 0;
    double team_until_us = 0;  // end of a combined worker's task, which runs before waiting ones
    // Length of waiting jobs by priority, including jobs that are about to be pushed.
    std::map<int, double, std::greater<>> waiting_us;

    template <class Accepts>
    Job* Pop(Accepts&& accepts) {
      Job* job = by_priority.Pop(accepts);
      return job ? job : in_turn.Pop(accepts);
    }
    // Returns when a task would start after the waiting tasks of at least that priority.
    double StartUs(double now_us, int least_priority = std::numeric_limits<int>::min()) const {
      double start_us = std::max({now_us, running_until_us, team_until_us});
      for (const auto& [priority, length_us] : waiting_us)
        if (priority >= least_priority) start_us += length_us;
      return start_us;
    }
    double TeamStartUs(double now_us) const {
      return std::max({now_us, running_until_us, team_until_us});
    }
    size_t Tasks() const { return size.load() + (is_running.load() ? 1 : 0); }
  };

  // Returns the worker for a job, and adds the job to that worker's waiting time.
  int Place(Job& job, const Candidates& candidates) {
    MutexLock guard(lock_);
    const Candidate chosen = candidates.empty() ? Candidate{0} : Choose(job, candidates);
    Queue& queue = queues_[static_cast<size_t>(chosen.worker)];
    const double now_us = host_.NowUs();
    job.implementation = chosen.implementation;
    job.task->predicted = chosen.IsKnown() ? chosen.length_us : NAN;
    job.task->predicted_start = queue.StartUs(now_us);
    // The rest of the transfer overlaps with the tasks before.
    job.task->predicted_transfer =
        std::max(0.0, now_us + chosen.transfer_us - job.task->predicted_start);
    queue.waiting_us[job.task->priority] += QueuedLengthUs(*job.task);
    return chosen.worker;
  }

  // Returns the index plus 1 of a combined worker, or 0 if the task is expected to end sooner on a
  // single worker. A combined worker without an estimate is chosen, so that it gets measured.
  uint16_t BestTeam(Job* job) {
    Candidates candidates;
    FindCandidates(host_, job, context_, flavour_.weighs, candidates);
    MutexLock guard(lock_);
    const double now_us = host_.NowUs();
    double soonest_us = std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : candidates) {
      if (std::isnan(candidate.length_us)) return 0;
      soonest_us =
          std::min(soonest_us, queues_[static_cast<size_t>(candidate.worker)].StartUs(now_us) +
                                   candidate.length_us);
    }
    size_t best = 0;  // index of a combined worker, plus 1
    for (size_t i = 0; i < host_.combined().size(); ++i) {
      const std::vector<int>& members = host_.combined()[i];
      if (static_cast<int>(members.size()) > job->task->cl->max_parallelism) continue;
      const double length_us = host_.TeamLengthUs(*job, members);
      double start_us = now_us;
      for (const int member : members)
        start_us = std::max(start_us, queues_[static_cast<size_t>(member)].TeamStartUs(now_us));
      const bool is_unknown = std::isnan(length_us);
      if (!is_unknown && start_us + length_us >= soonest_us) continue;
      best = i + 1;
      soonest_us = is_unknown ? start_us : start_us + length_us;
      if (is_unknown) break;
    }
    if (best > 0)
      for (const int member : host_.combined()[best - 1])
        queues_[static_cast<size_t>(member)].team_until_us = soonest_us;
    return static_cast<uint16_t>(best);
  }

  // REQUIRES: the lock.
  const Candidate& Choose(const Job& job, const Candidates& candidates) {
    bool all_known = true;
    for (const Candidate& candidate : candidates) all_known &= candidate.IsKnown();
    return all_known ? First(job, candidates) : Idlest(candidates);
  }

  const Candidate& Idlest(const Candidates& candidates) {
    const Candidate* best = nullptr;
    for (const Candidate& candidate : candidates) {
      if (candidate.IsKnown()) continue;
      if (!best || TasksOf(candidate) < TasksOf(*best)) best = &candidate;
    }
    return *best;
  }

  const Candidate& First(const Job& job, const Candidates& candidates) {
    const CostWeights& weights = host_.weights();
    const double now_us = host_.NowUs();
    const int least = flavour_.only_before ? job.task->priority : std::numeric_limits<int>::min();
    double latest_us = 0;  // when all workers are idle again
    for (const Queue& queue : queues_) latest_us = std::max(latest_us, queue.StartUs(now_us));
    const Candidate* best = nullptr;
    double least_cost = 0;
    for (const Candidate& candidate : candidates) {
      const double start_us = queues_[static_cast<size_t>(candidate.worker)].StartUs(now_us, least);
      const double cost = CostOf(candidate, weights, flavour_.weighs, start_us, now_us, latest_us);
      if (best && cost >= least_cost) continue;
      best = &candidate;
      least_cost = cost;
    }
    return *best;
  }

  size_t TasksOf(const Candidate& candidate) const {
    return queues_[static_cast<size_t>(candidate.worker)].Tasks();
  }

  Host& host_;
  const Flavour flavour_;
  Mutex lock_;  // guards the queues, except for their atomics
  std::vector<Queue> queues_;
  std::atomic<size_t> size_{0};
  unsigned context_ = 0;
  bool prefetches_ = true;
};

template <Flavour kFlavour>
std::unique_ptr<Policy> Make(Host& host, int workers) {
  return std::make_unique<ModelPolicy>(host, workers, kFlavour);
}

}  // namespace

const PolicySpec kDmPolicy = {"dm", "to the worker that is expected to end a task first",
                              Make<Flavour{.weighs = false}>};
const PolicySpec kDmdaPolicy = {"dmda", "dm, minding transfers and energy", Make<Flavour{}>};
const PolicySpec kDmdapPolicy = {"dmdap", "dmda, by priority", Make<Flavour{.by_priority = true}>};
const PolicySpec kDmdarPolicy = {"dmdar", "dmda, tasks with their data in memory first",
                                 Make<Flavour{.ready_first = true}>};
const PolicySpec kDmdasPolicy = {"dmdas", "dmda, by priority, tasks with their data first",
                                 Make<Flavour{.by_priority = true, .ready_first = true}>};
const PolicySpec kDmdasdPolicy = {
    "dmdasd", "dmdas, tasks of lower priority do not count",
    Make<Flavour{.by_priority = true, .ready_first = true, .only_before = true}>};
const PolicySpec kPheftPolicy = {"pheft", "dmda, parallel tasks on as many workers as is best",
                                 Make<Flavour{.has_teams = true}>};

}  // namespace tasklens::runtime
