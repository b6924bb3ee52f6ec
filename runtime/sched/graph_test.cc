// SPDX-License-Identifier: Apache-2.0
// graph_test: one queue, tasks with the longest chain of dependent tasks first. Until the program
// first waits, or calls starpu_do_schedule(), no task is released, so that the graph is known;
// afterwards tasks are released as soon as they are ready.
#include <atomic>
#include <map>
#include <unordered_map>
#include <vector>

#include "runtime/jobs/job_queue.h"
#include "runtime/sched/policy.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

// Length of the longest chain of jobs that depend on a job, by the job's id.
using Depths = std::unordered_map<uint64_t, uint32_t>;

std::vector<Job*> SuccessorsOf(Job* job) {
  std::vector<Job*> successors;
  MutexLock guard(job->lock);
  for (const uintptr_t entry : job->successors) {
    successors.push_back(reinterpret_cast<Job*>(entry & ~uintptr_t{1}));
  }
  return successors;
}

// Adds the depths of `root` and of all jobs that depend on it. None of them can run meanwhile,
// because the policy holds `root`.
void FindDepths(Job* root, Depths& depths) {
  struct Visit {
    Job* job;
    std::vector<Job*> successors;
    size_t next = 0;
    uint32_t depth = 0;
  };
  if (depths.count(root->id.load(std::memory_order_relaxed))) return;
  std::vector<Visit> stack;
  stack.push_back({root, SuccessorsOf(root)});
  while (!stack.empty()) {
    Visit& visit = stack.back();
    if (visit.next < visit.successors.size()) {
      Job* successor = visit.successors[visit.next];
      const auto known = depths.find(successor->id.load(std::memory_order_relaxed));
      if (known == depths.end()) {
        stack.push_back({successor, SuccessorsOf(successor)});
        continue;
      }
      visit.depth = std::max(visit.depth, known->second + 1);
      ++visit.next;
      continue;
    }
    depths[visit.job->id.load(std::memory_order_relaxed)] = visit.depth;
    stack.pop_back();
  }
}

class GraphPolicy : public Policy {
 public:
  explicit GraphPolicy(Host& host) : host_(host) {}

  int Push(Job* job, int /*from*/) override {
    MutexLock guard(lock_);
    if (!graph_known_) {
      held_back_.push_back(job);
    } else {
      Enqueue(job);
    }
    return kAnyWorker;
  }

  Job* Pop(int worker) override {
    if (size_.load() == 0) return nullptr;
    MutexLock guard(lock_);
    for (auto& [depth, jobs] : by_depth_) {
      Job* job = jobs.Pop([&](Job* candidate) { return host_.CanRun(worker, candidate); });
      if (!job) continue;
      if (jobs.empty()) by_depth_.erase(depth);
      size_.store(size_.load(std::memory_order_relaxed) - 1);
      return job;
    }
    return nullptr;
  }

  size_t Size() const override { return size_.load(); }

  bool DoSchedule() override {
    MutexLock guard(lock_);
    graph_known_ = true;
    const bool any = !held_back_.empty();
    for (Job* job : held_back_) FindDepths(job, depths_);
    for (Job* job : held_back_) Enqueue(job);
    held_back_.clear();
    return any;
  }

 private:
  void Enqueue(Job* job) REQUIRES(lock_) {
    // A job submitted later has no depth yet: no job is known to depend on it.
    uint32_t depth = 0;
    if (const auto known = depths_.find(job->id.load(std::memory_order_relaxed));
        known != depths_.end()) {
      depth = known->second;
      depths_.erase(known);
    }
    by_depth_[depth].Push(job);
    size_.store(size_.load(std::memory_order_relaxed) + 1);
  }

  const Host& host_;
  Mutex lock_;
  bool graph_known_ GUARDED_BY(lock_) = false;
  std::vector<Job*> held_back_ GUARDED_BY(lock_);
  Depths depths_ GUARDED_BY(lock_);
  std::map<uint32_t, FifoQueue, std::greater<>> by_depth_ GUARDED_BY(lock_);
  std::atomic<size_t> size_{0};
};

}  // namespace

const PolicySpec kGraphTestPolicy = {
    "graph_test", "one queue, the longest chain behind a task first; starts when the program waits",
    MakePolicy<GraphPolicy>};

}  // namespace tasklens::runtime
