// SPDX-License-Identifier: Apache-2.0
// Each worker does one thing after the other, at random.
#include "tests/testing/random_executions.h"

#include <algorithm>
#include <string>
#include <vector>

namespace tasklens::testing {
namespace {

using Random = std::mt19937;
size_t Below(Random& random, size_t end) { return random() % end; }

// One rank or run: what its workers do, one thing after the other.
class RandomRank {
 public:
  RandomRank(Random& random, RandomExecutions& made, uint32_t rank) : random_(random), made_(made) {
    made.trace.Rank(rank);
    free_.resize(1 + Below(random, 3));
    for (size_t worker = 0; worker < free_.size(); ++worker)
      made.trace.Worker("CPU" + std::to_string(worker));
    made.trace.MemoryNode("RAM");
  }

  void Fill(size_t steps) {
    for (size_t i = 0; i < steps; ++i) Step();
    while (!paused_.empty()) GoOn(paused_.size() - 1, false);
    const int64_t end_ns = *std::max_element(free_.begin(), free_.end()) + 3000;
    made_.trace.Event(end_ns, EventKind::kMessage, {"end"});
  }

 private:
  struct Job {
    uint64_t number;
    int64_t since_ns;
    uint32_t worker;  // the one that was in it until then
    bool has_length;  // what it did of it last
  };

  uint32_t AnyWorker() { return static_cast<uint32_t>(Below(random_, free_.size())); }
  // Whole microseconds, so that every dialect has room for them; often none.
  int64_t Length() { return Below(random_, 3) == 0 ? 0 : 1000 * int64_t(1 + Below(random_, 9)); }

  // Before the task goes on or is executed again, often none on the same worker: only there it is
  // told from a task on two workers, and only where time passes it has an order.
  int64_t Gap(const Job& job, uint32_t worker) {
    return worker == job.worker && job.has_length && Below(random_, 2) == 0 ? 0 : 1000;
  }

  // From when the worker is free, after `at_ns`, with or without something else in between.
  int64_t Begin(uint32_t worker, int64_t at_ns) {
    int64_t& free_ns = free_[worker];
    if (Below(random_, 3) > 0) {
      made_.trace.State(free_ns, Below(random_, 2) == 0 ? StateKind::kIdle : StateKind::kOverhead,
                        worker);
      free_ns += 1000;
    }
    return free_ns = std::max(free_ns, at_ns);
  }
  int64_t Piece(uint64_t job, uint32_t worker, int64_t start_ns, bool goes_on) {
    const int64_t end_ns = start_ns + Length();
    const uint64_t thread = 1000 + worker;
    made_.trace.Event(start_ns, goes_on ? EventKind::kTaskResume : EventKind::kTaskStart,
                      {job, worker, 0, ContextOf(job)}, thread);
    EndPiece(job, worker, start_ns, end_ns);
    return end_ns;
  }

  void EndPiece(uint64_t job, uint32_t worker, int64_t start_ns, int64_t end_ns) {
    made_.trace.Event(end_ns, EventKind::kTaskEnd, {job, worker, 0, 0, "cpu"}, 1000 + worker);
    made_.trace.State(end_ns, StateKind::kOverhead, worker);
    free_[worker] = end_ns;
    ++made_.pieces;
    made_.ran_ns += end_ns - start_ns;
    if (ContextOf(job) != 0) made_.in_contexts_ns += end_ns - start_ns;
  }
  static uint32_t ContextOf(uint64_t job) { return job % 3; }

  void Step() {
    const uint32_t worker = AnyWorker();
    switch (Below(random_, 6)) {
      case 0:
        if (!paused_.empty()) return GoOn(Below(random_, paused_.size()), true);
        break;
      case 1:
        if (!done_.empty()) {
          Job& job = done_[Below(random_, done_.size())];
          const int64_t start_ns = Begin(worker, job.since_ns + Gap(job, worker));
          job.since_ns = Piece(job.number, worker, start_ns, false);
          job.worker = worker;
          job.has_length = job.since_ns > start_ns;
          ++made_.executions;
          return;
        }
        break;
      case 2:
        if (free_.size() > 1) return Parallel(worker);
        break;
      default: break;
    }
    const uint64_t job = NewJob();
    const int64_t start_ns = Begin(worker, 0);
    const int64_t end_ns = Piece(job, worker, start_ns, false);
    ++made_.executions;
    if (Below(random_, 3) == 0)
      paused_.push_back({job, end_ns, worker, end_ns > start_ns});
    else
      done_.push_back({job, end_ns, worker, end_ns > start_ns});
  }

  void GoOn(size_t index, bool may_pause) {
    const Job job = paused_[index];
    paused_.erase(paused_.begin() + static_cast<std::ptrdiff_t>(index));
    const uint32_t worker = AnyWorker();
    const int64_t start_ns = Begin(worker, job.since_ns + Gap(job, worker));
    const int64_t end_ns = Piece(job.number, worker, start_ns, true);
    if (may_pause && Below(random_, 3) == 0)
      paused_.push_back({job.number, end_ns, worker, end_ns > start_ns});
  }

  // On two workers, the second of which begins before the first has ended.
  void Parallel(uint32_t first) {
    const uint64_t job = NewJob();
    const auto second = static_cast<uint32_t>((first + 1) % free_.size());
    const int64_t start_ns = Begin(first, Begin(second, free_[first]));
    for (const uint32_t worker : {first, second}) {
      const uint64_t thread = 1000 + worker;
      const int64_t end_ns = start_ns + 5000 + 1000 * worker;
      made_.trace.Event(start_ns, EventKind::kTaskStart, {job, worker, 0, ContextOf(job)}, thread);
      EndPiece(job, worker, start_ns, end_ns);
      ++made_.executions;
    }
  }

  uint64_t NewJob() {
    ++made_.tasks;
    made_.trace.Event(0, EventKind::kTaskName,
                      {next_job_, "kernel" + std::to_string(Below(random_, 3))});
    return next_job_++;
  }

  Random& random_;
  RandomExecutions& made_;
  std::vector<int64_t> free_;  // when each worker is
  std::vector<Job> paused_, done_;
  uint64_t next_job_ = 1;
};

}  // namespace

RandomExecutions MakeRandomExecutions(Random& random, uint32_t ranks, bool are_runs) {
  RandomExecutions made;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    // Of a run of MPI some ranks may have left no trace.
    const uint32_t number = are_runs ? rank : ranks == 3 ? 2 * rank + 1 : rank;
    RandomRank of_rank(random, made, number);
    constexpr uint64_t kRun = 7;
    if (!are_runs && ranks > 1)
      made.trace.Event(0, EventKind::kMpiBarrier, {number, 2 * ranks, kRun, uint64_t{0}});
    of_rank.Fill(4 + Below(random, 30));
  }
  return made;
}

}  // namespace tasklens::testing
