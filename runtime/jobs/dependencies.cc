// SPDX-License-Identifier: Apache-2.0
#include "runtime/jobs/dependencies.h"

#include <algorithm>

namespace tasklens::runtime {
namespace {

bool Add(const JobRef& predecessor, uintptr_t successor, std::atomic<int32_t>& conditions) {
  if (predecessor.HasEnded()) return false;
  Job* job = predecessor.job;
  MutexLock guard(job->lock);
  if (predecessor.HasEnded()) return false;
  conditions.fetch_add(1, std::memory_order_relaxed);
  job->successors.push_back(successor);
  return true;
}

uint64_t LastingKey(Job* job) {
  static std::atomic<uint64_t> next_key{1};
  MutexLock guard(job->lock);
  if (!job->lasting_key) job->lasting_key = next_key.fetch_add(1, std::memory_order_relaxed);
  if (!job->lasting) job->lasting = new LastingDependencies;
  return job->lasting_key;
}

}  // namespace

bool AddDependency(const JobRef& predecessor, Job* successor) {
  return Add(predecessor, reinterpret_cast<uintptr_t>(successor), successor->pending);
}

bool AddEndDependency(const JobRef& predecessor, Job* successor) {
  return Add(predecessor, reinterpret_cast<uintptr_t>(successor) | 1, successor->end_pending);
}

bool AddLastingDependency(Job* predecessor, Job* successor) {
  const uint64_t key = LastingKey(predecessor);
  const LastingSuccessor entry{successor, LastingKey(successor)};
  const auto same = [&](const LastingSuccessor& other) { return other.key == entry.key; };
  {
    MutexLock guard(predecessor->lock);
    // Declared before.
    const auto& known = predecessor->lasting->successors;
    if (std::any_of(known.begin(), known.end(), same)) return !predecessor->done;
  }
  {
    // Before the successor is registered with the predecessor, which may end at once and then looks
    // for this edge.
    MutexLock guard(successor->lock);
    successor->lasting->edges.push_back({key, 0});
  }
  {
    MutexLock guard(predecessor->lock);
    auto& successors = predecessor->lasting->successors;
    if (successors.size() == successors.capacity())
      std::erase_if(successors, [](const LastingSuccessor& each) { return each.IsGone(); });
    successors.push_back(entry);
    if (!predecessor->done) return true;
  }
  // The predecessor has ended: do not wait for it this time.
  MutexLock guard(successor->lock);
  for (auto& edge : successor->lasting->edges) {
    if (edge.predecessor_key == key) ++edge.ends;
  }
  return false;
}

void WaitForLasting(Job* job) {
  MutexLock guard(job->lock);
  if (job->lasting->TakeAll()) return;
  job->lasting->waiting = true;
  job->pending.fetch_add(1, std::memory_order_relaxed);
}

bool MeetLasting(const LastingSuccessor& successor, uint64_t key) {
  Job* job = successor.job;
  MutexLock guard(job->lock);
  if (successor.IsGone()) return false;
  for (auto& edge : job->lasting->edges) {
    if (edge.predecessor_key == key) ++edge.ends;
  }
  if (!job->lasting->waiting || !job->lasting->TakeAll()) return false;
  job->lasting->waiting = false;
  return true;
}

}  // namespace tasklens::runtime
