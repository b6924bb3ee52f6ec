// SPDX-License-Identifier: Apache-2.0
// heteroprio: tasks wait in buckets, by their priority; each kind of worker has its own order of
// buckets (see include/schedulers/starpu_heteroprio.h). Without settings by the program, the order
// is that of priorities, the highest first.
#include "runtime/sched/heteroprio.h"

#include <schedulers/starpu_heteroprio.h>
#include <starpu.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <vector>

#include "runtime/jobs/codelet.h"
#include "runtime/jobs/job_queue.h"
#include "runtime/sched/heteroprio_locality.h"
#include "runtime/sched/policy.h"
#include "runtime/support/environment.h"
#include "runtime/support/message.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

class HeteroprioPolicy : public Heteroprio {
 public:
  explicit HeteroprioPolicy(Host& host) : host_(host), locality_(host) {}

  // The program sets the orders of buckets in its configuration callback.
  void Begin(unsigned context) override {
    host_.Configure(context);
    const MutexLock guard(lock_);
    for (const std::vector<unsigned>& order : orders_)
      for (size_t rank = 0; rank < order.size(); ++rank) {
        if (order[rank] != kNoBucket) continue;
        Fatal(
            "heteroprio: no bucket was given for %s priority %zu of %zu; see "
            "starpu_heteroprio_set_mapping()",
            NameOf(static_cast<starpu_worker_archtype>(&order - orders_.data())), rank,
            order.size());
      }
  }

  void AddWorkers(std::span<const int> workers) override {
    const MutexLock guard(lock_);
    for (const int worker : workers) workers_[KindOf(worker)].push_back(worker);
    TakeFromForgottenBuckets();
  }
  void RemoveWorkers(std::span<const int> workers) override {
    const MutexLock guard(lock_);
    for (const int worker : workers) std::erase(workers_[KindOf(worker)], worker);
    TakeFromForgottenBuckets();
  }

  int Push(Job* job, int from) override {
    const Locality::Needs needs =
        uses_locality_ ? locality_.NeedsOf(*job->task) : Locality::Needs{};
    MutexLock guard(lock_);
    if (!HasOrders() || !PutIntoBucket(job, needs, from)) by_priority_.Push(job);
    size_.store(size_.load(std::memory_order_relaxed) + 1);
    // Workers that are awake may be of a kind that does not search this bucket.
    return HasUnlikeWorkers() ? kAllWorkers : kAnyWorker;
  }

  Job* Pop(int worker) override {
    if (size_.load() == 0) return nullptr;
    MutexLock guard(lock_);
    Job* job = nullptr;
    if (uses_locality_) {
      job = PopByLocality(worker);
    } else {
      for (const unsigned bucket : OrderOf(KindOf(worker)))
        if ((job = PopFrom(bucket, 0, worker))) break;
    }
    if (!job)
      job = by_priority_.Pop([&](Job* candidate) { return host_.CanRun(worker, candidate); });
    if (job) size_.store(size_.load(std::memory_order_relaxed) - 1);
    return job;
  }

  size_t Size() const override { return size_.load(); }
  bool KeepsFor(int worker) const override {
    if (size_.load() == 0) return false;
    MutexLock guard(lock_);
    const auto& like = workers_[KindOf(worker)];
    return HasUnlikeWorkers() && std::none_of(like.begin(), like.end(), [&](int other) {
             return other != worker && host_.worker(other).enabled;
           });
  }

  bool uses_locality() const override { return uses_locality_; }
  void UseLocality(bool uses) override {
    MutexLock guard(lock_);
    if (size_.load() > 0)
      Fatal("starpu_heteroprio_set_use_locality(): there are tasks already; call it before");
    uses_locality_ = uses;
  }
  void Print(FILE* stream) override {
    MutexLock guard(lock_);
    const std::vector<unsigned> groups = Groups();
    fprintf(stream, "heteroprio: %zu groups\n", groups.size());
    for (const unsigned group : groups) {
      fprintf(stream, "group %u:", group);
      int first = -1;
      for (const auto& of_kind : workers_) {
        for (const int worker : of_kind) {
          if (NodeOf(worker) != group) continue;
          if (first < 0) first = worker;
          fprintf(stream, " worker %d (%s)", worker, host_.worker(worker).name);
        }
      }
      fputc('\n', stream);
      if (first < 0) continue;
      const std::vector<unsigned>& order = OrderOf(KindOf(first));
      int number = 0;
      for (const Locality::Look& look :
           locality_.OrderOfLooks(KindOf(first), group, order.size(), groups))
        fprintf(stream, "\t%d: priority %zu (bucket %u) of group %u\n", ++number, look.rank,
                order[look.rank], look.group);
    }
  }

  void SetPriorities(starpu_worker_archtype kind, unsigned count) override {
    MutexLock guard(lock_);
    orders_[kind].assign(count, kNoBucket);
    looks_ = {};
  }
  bool SetBucket(starpu_worker_archtype kind, unsigned rank, unsigned bucket) override {
    MutexLock guard(lock_);
    if (rank >= orders_[kind].size()) return false;
    orders_[kind][rank] = bucket;
    return true;
  }
  void SetFaster(starpu_worker_archtype kind, unsigned bucket) override {
    MutexLock guard(lock_);
    buckets_[bucket].faster = kind;
  }
  void SetSlowFactor(starpu_worker_archtype kind, unsigned bucket, float factor) override {
    MutexLock guard(lock_);
    buckets_[bucket].slow_factors[kind] = factor;
  }

 private:
  static constexpr unsigned kNoBucket = ~0u;

  struct Bucket {
    std::array<FifoQueue, STARPU_MAXNODES> of_group;  // without locality only the first is used
    size_t size = 0;
    int faster = -1;  // a kind of worker; -1: not set
    float slow_factors[STARPU_NARCH] = {};
  };

  bool HasOrders() const REQUIRES(lock_) {
    return std::any_of(orders_.begin(), orders_.end(),
                       [](const auto& order) { return !order.empty(); });
  }
  bool HasUnlikeWorkers() const {
    return std::count_if(workers_.begin(), workers_.end(),
                         [](const auto& workers) { return !workers.empty(); }) > 1;
  }
  // A kind without an order of its own has that of the first kind with one.
  const std::vector<unsigned>& OrderOf(size_t kind) const REQUIRES(lock_) {
    for (size_t other = 0; orders_[kind].empty() && other < orders_.size(); ++other)
      if (!orders_[other].empty()) return orders_[other];
    return orders_[kind];
  }
  bool LooksInto(size_t kind, unsigned bucket) const REQUIRES(lock_) {
    const std::vector<unsigned>& order = OrderOf(kind);
    return std::find(order.begin(), order.end(), bucket) != order.end();
  }
  bool HasWorkerFor(size_t kind, Job* job) const {
    return std::any_of(workers_[kind].begin(), workers_[kind].end(),
                       [&](int worker) { return host_.CanRun(worker, job); });
  }
  // True for a context without workers, as workers may still be added.
  bool IsLookedFor(unsigned bucket, Job* job) const REQUIRES(lock_) {
    bool has_workers = false;
    for (size_t kind = 0; kind < workers_.size(); ++kind) {
      if (LooksInto(kind, bucket) && HasWorkerFor(kind, job)) return true;
      has_workers |= !workers_[kind].empty();
    }
    return !has_workers;
  }
  // Moves jobs that none of the current workers would find to the queue by priority.
  void TakeFromForgottenBuckets() REQUIRES(lock_) {
    looks_ = {};
    for (unsigned number = 0; number < STARPU_HETEROPRIO_MAX_PRIO; ++number) {
      Bucket& bucket = buckets_[number];
      // Called under the lock, too.
      const auto is_forgotten = [&](Job* job)
                                    NO_THREAD_SAFETY_ANALYSIS { return !IsLookedFor(number, job); };
      for (FifoQueue& jobs : bucket.of_group)
        while (Job* const job = jobs.Pop(is_forgotten)) {
          --bucket.size;
          locality_.Forget(job);
          by_priority_.Push(job);
        }
    }
  }

  // Returns false if no worker would find the job in its bucket, so it would never run.
  bool PutIntoBucket(Job* job, const Locality::Needs& needs, int from) REQUIRES(lock_) {
    const int wanted = job->task->priority;
    if (wanted >= 0 && wanted < STARPU_HETEROPRIO_MAX_PRIO &&
        IsLookedFor(static_cast<unsigned>(wanted), job)) {
      Bucket& bucket = buckets_[wanted];
      const unsigned group =
          uses_locality_ ? ChooseGroup(static_cast<unsigned>(wanted), job, needs, from) : 0;
      bucket.of_group[group].Push(job);
      ++bucket.size;
      return true;
    }
    if (!complained_) {
      Warn(
          "heteroprio: no worker looks into bucket %d (the priority of task '%s'); it and its like "
          "are taken last",
          wanted, NameOf(*job->task));
    }
    complained_ = true;
    return false;
  }

  // A slower worker leaves the jobs to faster workers that can run them, if only few jobs are left.
  Job* PopFrom(unsigned number, unsigned group, int worker) REQUIRES(lock_) {
    Bucket& bucket = buckets_[number];
    const size_t kind = KindOf(worker), faster = static_cast<size_t>(bucket.faster);
    const bool has_faster = bucket.faster >= 0 && faster != kind && LooksInto(faster, number);
    const bool leaves =
        has_faster && static_cast<float>(bucket.size) <
                          bucket.slow_factors[kind] * static_cast<float>(workers_[faster].size());
    Job* const job = bucket.of_group[group].Pop([&](Job* candidate) {
      return !(leaves && HasWorkerFor(faster, candidate)) && host_.CanRun(worker, candidate);
    });
    if (job) --bucket.size;
    return job;
  }

  // Returns the best group among those with workers that can take the job.
  unsigned ChooseGroup(unsigned bucket, Job* job, const Locality::Needs& needs, int from)
      REQUIRES(lock_) {
    std::vector<unsigned> groups;
    for (size_t kind = 0; kind < workers_.size(); ++kind) {
      if (!LooksInto(kind, bucket)) continue;
      for (const int worker : workers_[kind])
        if (host_.CanRun(worker, job) && !std::count(groups.begin(), groups.end(), NodeOf(worker)))
          groups.push_back(NodeOf(worker));
    }
    std::sort(groups.begin(), groups.end());
    if (groups.empty()) return 0;  // a context without workers
    return locality_.Choose(job, needs, groups, from >= 0 ? static_cast<int>(NodeOf(from)) : -1);
  }

  Job* PopByLocality(int worker) REQUIRES(lock_) {
    const std::vector<unsigned>& order = OrderOf(KindOf(worker));
    std::vector<Locality::Look>& looks = looks_[NodeOf(worker)];
    if (looks.empty())
      looks = locality_.OrderOfLooks(KindOf(worker), NodeOf(worker), order.size(), Groups());
    for (const Locality::Look& look : looks) {
      Job* const job = PopFrom(order[look.rank], look.group, worker);
      if (!job) continue;
      locality_.Taken(job, NodeOf(worker));
      return job;
    }
    return nullptr;
  }

  // Returns all groups, sorted.
  std::vector<unsigned> Groups() const REQUIRES(lock_) {
    std::vector<unsigned> groups;
    for (const auto& of_kind : workers_)
      for (const int worker : of_kind)
        if (!std::count(groups.begin(), groups.end(), NodeOf(worker)))
          groups.push_back(NodeOf(worker));
    // A bucket may still have tasks for workers that left.
    for (unsigned node = 0; node < STARPU_MAXNODES; ++node) {
      const bool has_some =
          std::any_of(std::begin(buckets_), std::end(buckets_),
                      [node](const Bucket& b) { return !b.of_group[node].empty(); });
      if (has_some && !std::count(groups.begin(), groups.end(), node)) groups.push_back(node);
    }
    std::sort(groups.begin(), groups.end());
    return groups;
  }

  starpu_worker_archtype KindOf(int worker) const { return host_.worker(worker).kind; }
  unsigned NodeOf(int worker) const { return host_.worker(worker).node; }

  Host& host_;
  mutable Mutex lock_;
  // Changed only before the first task.
  std::atomic<bool> uses_locality_ = EnvironmentNumber("STARPU_HETEROPRIO_USE_LA").value_or(0) > 0;
  Locality locality_;
  std::array<std::vector<Locality::Look>, STARPU_MAXNODES> looks_
      GUARDED_BY(lock_);  // by node; empty: not computed yet
  // The order of buckets, by kind of worker. All empty: by priority.
  std::array<std::vector<unsigned>, STARPU_NARCH> orders_ GUARDED_BY(lock_);
  std::array<std::vector<int>, STARPU_NARCH> workers_;
  Bucket buckets_[STARPU_HETEROPRIO_MAX_PRIO] GUARDED_BY(lock_);
  PriorityQueue by_priority_ GUARDED_BY(lock_);  // jobs in no bucket
  std::atomic<size_t> size_{0};
  bool complained_ = false;
};

}  // namespace

const PolicySpec kHeteroprioPolicy = {
    "heteroprio",
    "buckets of tasks, looked at in an order of the program's own for each kind of worker",
    MakePolicy<HeteroprioPolicy>};

}  // namespace tasklens::runtime
