// SPDX-License-Identifier: Apache-2.0
// heteroprio: tasks in buckets, by their priority; each kind of worker has its own order of buckets
// (see include/schedulers/starpu_heteroprio.h). A program that says nothing gets the buckets in
// the order of priorities, the highest first.
#include <schedulers/starpu_heteroprio.h>
#include <starpu.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "runtime/core/message.h"
#include "runtime/core/runtime.h"
#include "runtime/sched/job_queue.h"
#include "runtime/sched/policy.h"

namespace tasklens::runtime {
namespace {

class HeteroprioPolicy : public Policy {
 public:
  // The order of buckets comes from the program, in the callback of its configuration.
  void Begin(unsigned context) override {
    if (const auto callback = Runtime::Instance()->policy_context(context)->callback) {
      callback(context);
    }
    const std::lock_guard guard(lock_);
    for (size_t rank = 0; rank < order_.size(); ++rank) {
      if (order_[rank] != kNoBucket) continue;
      Fatal(
          "heteroprio: no bucket was given for CPU priority %zu of %zu; see "
          "starpu_heteroprio_set_mapping()",
          rank, order_.size());
    }
  }

  int Push(Job* job, int /*from*/) override {
    std::lock_guard guard(lock_);
    if (order_.empty()) {
      by_priority_.Push(job);
    } else {
      buckets_[BucketOf(job)].Push(job);
    }
    size_.store(size_.load(std::memory_order_relaxed) + 1);
    return kAnyWorker;
  }

  Job* Pop(int worker) override {
    if (size_.load() == 0) return nullptr;
    std::lock_guard guard(lock_);
    const auto accepts = [worker](Job* candidate) { return CanRun(worker, candidate); };
    Job* job = by_priority_.Pop(accepts);
    for (size_t rank = 0; !job && rank < order_.size(); ++rank) {
      job = buckets_[order_[rank]].Pop(accepts);
    }
    if (job) size_.store(size_.load(std::memory_order_relaxed) - 1);
    return job;
  }

  size_t Size() const override { return size_.load(); }

  void SetPriorities(unsigned count) {
    std::lock_guard guard(lock_);
    order_.assign(count, kNoBucket);
  }
  // False when there is no such priority.
  bool SetBucket(unsigned rank, unsigned bucket) {
    std::lock_guard guard(lock_);
    if (rank >= order_.size()) return false;
    order_[rank] = bucket;
    return true;
  }

 private:
  static constexpr unsigned kNoBucket = ~0u;

  // A task in a bucket that no CPU looks at would never run.
  size_t BucketOf(const Job* job) {
    const int wanted = job->task->priority;
    if (wanted >= 0 &&
        std::find(order_.begin(), order_.end(), static_cast<unsigned>(wanted)) != order_.end()) {
      return static_cast<size_t>(wanted);
    }
    if (!complained_) {
      Warn(
          "heteroprio: no worker looks into bucket %d (the priority of task '%s'); it and its like "
          "are taken last",
          wanted, starpu_task_get_name(job->task));
    }
    complained_ = true;
    return order_.back();
  }

  Mutex lock_;
  std::vector<unsigned> order_;  // buckets as CPUs look at them; empty: by priority
  FifoQueue buckets_[STARPU_HETEROPRIO_MAX_PRIO];
  PriorityQueue by_priority_;
  std::atomic<size_t> size_{0};
  bool complained_ = false;
};

HeteroprioPolicy& PolicyOf(unsigned context, const char* function) {
  auto* policy = dynamic_cast<HeteroprioPolicy*>(Runtime::Get(function).policy(context));
  if (!policy) Fatal("%s(): context %u's scheduling policy is not heteroprio", function, context);
  return *policy;
}

void CheckArguments(const char* function, starpu_heteroprio_types arch, unsigned bucket) {
  if (static_cast<unsigned>(arch) >= STARPU_NB_TYPES) {
    Fatal("%s(): there is no kind of worker %d", function, static_cast<int>(arch));
  }
  if (bucket >= STARPU_HETEROPRIO_MAX_PRIO) {
    Fatal("%s(): bucket %u is not below %d", function, bucket, STARPU_HETEROPRIO_MAX_PRIO);
  }
}

}  // namespace

extern const PolicySpec kHeteroprioPolicy;
const PolicySpec kHeteroprioPolicy = {
    "heteroprio",
    "buckets of tasks, looked at in an order of the program's own for each kind of worker",
    [](int) -> std::unique_ptr<Policy> { return std::make_unique<HeteroprioPolicy>(); },
};

}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_heteroprio_set_nb_prios(unsigned context, starpu_heteroprio_types arch,
                                    unsigned count) {
  HeteroprioPolicy& policy = PolicyOf(context, "starpu_heteroprio_set_nb_prios");
  if (count > STARPU_HETEROPRIO_MAX_PRIO) {
    Fatal("starpu_heteroprio_set_nb_prios(): %u are more than %d", count,
          STARPU_HETEROPRIO_MAX_PRIO);
  }
  CheckArguments("starpu_heteroprio_set_nb_prios", arch, 0);
  if (arch == STARPU_CPU_IDX) policy.SetPriorities(count);
}

void starpu_heteroprio_set_mapping(unsigned context, starpu_heteroprio_types arch, unsigned rank,
                                   unsigned bucket) {
  HeteroprioPolicy& policy = PolicyOf(context, "starpu_heteroprio_set_mapping");
  CheckArguments("starpu_heteroprio_set_mapping", arch, bucket);
  if (arch == STARPU_CPU_IDX && !policy.SetBucket(rank, bucket)) {
    Fatal(
        "starpu_heteroprio_set_mapping(): CPUs have no priority %u; call "
        "starpu_heteroprio_set_nb_prios() first",
        rank);
  }
}

// With workers of one kind, nobody is slower than another.
void starpu_heteroprio_set_faster_arch(unsigned context, starpu_heteroprio_types arch,
                                       unsigned bucket) {
  (void)PolicyOf(context, "starpu_heteroprio_set_faster_arch");
  CheckArguments("starpu_heteroprio_set_faster_arch", arch, bucket);
}
void starpu_heteroprio_set_arch_slow_factor(unsigned context, starpu_heteroprio_types arch,
                                            unsigned bucket, float factor) {
  (void)PolicyOf(context, "starpu_heteroprio_set_arch_slow_factor");
  CheckArguments("starpu_heteroprio_set_arch_slow_factor", arch, bucket);
  if (!(factor > 0)) Fatal("starpu_heteroprio_set_arch_slow_factor(): %g is not above 0", factor);
}

}  // extern "C"
