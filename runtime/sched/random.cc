// SPDX-License-Identifier: Apache-2.0
// random: a queue per worker, by priority. Each job goes to a worker chosen at random among those
// that can run it, and stays there. The speeds of workers are not considered.
#include "runtime/sched/random_numbers.h"
#include "runtime/sched/worker_queues.h"

namespace tasklens::runtime {
namespace {

class RandomPolicy : public Policy {
 public:
  RandomPolicy(Host& host, int workers) : host_(host), queues_(host, workers) {}

  void Begin(unsigned context) override { context_ = context; }
  int Push(Job* job, int /*from*/) override {
    const int target = Choose(job);
    queues_.Push(static_cast<size_t>(target), job);
    return target;
  }
  Job* Pop(int worker) override { return queues_.Pop(static_cast<size_t>(worker), worker); }
  size_t Size() const override { return queues_.Size(); }
  size_t SizeFor(int worker) const override { return queues_.Size(static_cast<size_t>(worker)); }
  bool KeepsFor(int worker) const override { return SizeFor(worker) > 0; }

 private:
  // Returns a random worker that can run the job. REQUIRES: there is one, as SubmitTask() checked.
  int Choose(Job* job) {
    const int count = static_cast<int>(queues_.count());
    const int first = static_cast<int>(random_.Below(static_cast<uint32_t>(count)));
    const WorkerSet members = host_.MembersOf(context_);
    for (const bool enabled : {true, false}) {
      for (int i = 0; i < count; ++i) {
        const int worker = (first + i) % count;
        if (!members.Has(worker) || host_.worker(worker).enabled != enabled) continue;
        if (host_.CanRun(worker, job)) return worker;
      }
    }
    return first;  // the codelet's can_execute() changed its answer, and may do so again
  }

  const Host& host_;
  WorkerQueues queues_;
  RandomNumbers random_;
  unsigned context_ = 0;
};

}  // namespace

const PolicySpec kRandomPolicy = {"random", "each task goes to a worker chosen at random",
                                  MakePolicy<RandomPolicy>};

}  // namespace tasklens::runtime
