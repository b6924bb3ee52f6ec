// SPDX-License-Identifier: Apache-2.0
// List scheduling, step by step.
#include "tests/analysis/simulated_run.h"

#include <algorithm>
#include <limits>

namespace tasklens::testing {
namespace {

constexpr int64_t kLater = std::numeric_limits<int64_t>::max();

class Simulation {
 public:
  Simulation(const std::vector<SimTask>& tasks, const SimMachine& machine)
      : tasks_(tasks), machine_(machine), states_(tasks.size()) {}

  TestTrace Run() {
    AddWorkers();
    size_t left = tasks_.size();
    for (int64_t now_ns = 0; left > 0;) {
      Submit(now_ns);
      left -= Assign(now_ns);
      now_ns = Next(now_ns);
      if (now_ns == kLater) break;  // a task that nothing can run
    }
    Record();
    return trace_;
  }

 private:
  struct State {
    int64_t submit_ns = kLater, ready_ns = kLater, pop_ns = kLater, start_ns = 0, end_ns = kLater;
    uint32_t worker = 0;
  };

  void AddWorkers() {
    trace_.Event(0, EventKind::kProgramInfo, {"scheduler", machine_.scheduler});
    trace_.MemoryNode("NUMA 0");
    if (machine_.fetch_ns > 0) trace_.MemoryNode("NUMA 1");
    for (uint32_t w = 0; w < machine_.cpus + machine_.gpus; ++w) {
      const bool gpu = IsGpu(w);
      const std::string name =
          gpu ? "CUDA" + std::to_string(w - machine_.cpus) : "CPU" + std::to_string(w);
      if (gpu) trace_.MemoryNode(name);
      trace_.Event(
          0, EventKind::kWorkerNew,
          {w, gpu ? WorkerArch::kCuda : WorkerArch::kCpu, w, gpu ? w - machine_.cpus + 1 : 0,
           machine_.processors > 0 ? w % machine_.processors : w, 1, name},
          1000 + w);
      trace_.Event(0, EventKind::kWorkerReady, {w}, 1000 + w);
      trace_.State(0, StateKind::kScheduling, w);
    }
    free_ns_.resize(machine_.cpus + machine_.gpus, 0);
  }

  bool IsGpu(uint32_t worker) const { return worker >= machine_.cpus; }

  // Dates the submissions and the readiness of all tasks of which these can be known by now.
  void Submit(int64_t) {
    for (; next_submit_ < tasks_.size(); ++next_submit_) {
      int64_t submit_ns =
          next_submit_ == 0 ? 0 : states_[next_submit_ - 1].submit_ns + machine_.submit_ns;
      if (tasks_[next_submit_].barrier) {
        for (size_t i = 0; i < next_submit_; ++i) {
          if (states_[i].end_ns == kLater) return;
          submit_ns = std::max(submit_ns, states_[i].end_ns);
        }
        const int64_t from_ns = states_[next_submit_ - 1].submit_ns + 1;
        trace_.Event(from_ns, EventKind::kStateSet, {StateKind::kWaitingAllTasks});
        trace_.Event(submit_ns, EventKind::kStateSet, {StateKind::kSubmittingTask});
      }
      if (machine_.limit > 0 && next_submit_ >= machine_.limit) {
        // The least time at which enough have ended; until it is known, nothing is submitted.
        std::vector<int64_t> ends_ns;
        for (size_t i = 0; i < next_submit_; ++i) ends_ns.push_back(states_[i].end_ns);
        const auto nth = ends_ns.begin() + static_cast<ptrdiff_t>(next_submit_ - machine_.limit);
        std::nth_element(ends_ns.begin(), nth, ends_ns.end());
        if (*nth == kLater) return;
        if (*nth > submit_ns) {
          const int64_t from_ns = states_[next_submit_ - 1].submit_ns + 1;
          submit_ns = *nth;
          trace_.Event(from_ns, EventKind::kStateSet, {StateKind::kThrottling});
          trace_.Event(submit_ns, EventKind::kStateSet, {StateKind::kSubmittingTask});
        }
      }
      states_[next_submit_].submit_ns = submit_ns;
    }
  }

  int64_t ReadyOf(size_t task) const {
    int64_t ready_ns = states_[task].submit_ns;
    for (const size_t before : tasks_[task].after)
      ready_ns = std::max(ready_ns, states_[before].end_ns);
    return ready_ns;
  }

  size_t Assign(int64_t now_ns) {
    size_t assigned = 0;
    for (uint32_t worker = 0; worker < free_ns_.size(); ++worker) {
      if (free_ns_[worker] > now_ns) continue;
      if (!IsGpu(worker) && worker >= machine_.cpus - machine_.unused) continue;
      size_t best = tasks_.size();
      for (size_t task = 0; task < tasks_.size(); ++task) {
        if (states_[task].pop_ns != kLater) continue;
        if (!(IsGpu(worker) ? tasks_[task].gpu : tasks_[task].cpu)) continue;
        const int64_t ready_ns = ReadyOf(task);
        if (ready_ns == kLater || ready_ns + machine_.keep_ns > now_ns) continue;
        if (best == tasks_.size() || Before(task, best)) best = task;
      }
      if (best == tasks_.size()) continue;
      Start(best, worker, now_ns);
      ++assigned;
    }
    return assigned;
  }

  bool Before(size_t a, size_t b) const {
    if (machine_.by_priority && tasks_[a].priority != tasks_[b].priority)
      return (tasks_[a].priority > tasks_[b].priority) != machine_.lowest_first;
    return std::pair(ReadyOf(a), a) < std::pair(ReadyOf(b), b);
  }

  void Start(size_t task, uint32_t worker, int64_t now_ns) {
    State& state = states_[task];
    state.worker = worker;
    state.ready_ns = ReadyOf(task);
    state.pop_ns = now_ns;
    state.start_ns = now_ns + machine_.overhead_ns + machine_.fetch_ns;
    const double times = IsGpu(worker)                 ? machine_.gpu_times
                         : worker + 1 == machine_.cpus ? machine_.slow_times
                                                       : 1;
    state.end_ns =
        state.start_ns + static_cast<int64_t>(times * static_cast<double>(tasks_[task].length_ns));
    free_ns_[worker] = state.end_ns + tasks_[task].callback_ns;
  }

  // The next moment at which something can change.
  int64_t Next(int64_t now_ns) const {
    int64_t next_ns = kLater;
    const auto consider = [&](int64_t time_ns) {
      if (time_ns > now_ns) next_ns = std::min(next_ns, time_ns);
    };
    for (const int64_t free_ns : free_ns_) consider(free_ns);
    for (size_t task = 0; task < tasks_.size(); ++task) {
      if (states_[task].pop_ns != kLater) continue;
      const int64_t ready_ns = ReadyOf(task);
      if (ready_ns != kLater) consider(ready_ns + machine_.keep_ns);
    }
    return next_ns;
  }

  void Record() {
    for (size_t task = 0; task < tasks_.size(); ++task) {
      const SimTask& t = tasks_[task];
      const State& state = states_[task];
      const uint64_t job = task + 1;
      if (state.pop_ns == kLater) continue;
      for (const size_t before : t.after) trace_.Dep(before + 1, job);
      trace_.Task(t.name, state.start_ns, state.end_ns,
                  {.job = job,
                   .worker = state.worker,
                   .submit_ns = state.submit_ns,
                   .file = "program.c",
                   .line = t.line,
                   .function = "main",
                   .model = t.model,
                   .priority = t.priority});
      trace_.State(state.end_ns, StateKind::kScheduling, state.worker);
      if (t.callback_ns > 0) {
        const uint64_t thread = 1000 + state.worker;
        trace_.Event(state.end_ns, EventKind::kStatePush, {StateKind::kCallback}, thread);
        trace_.Event(state.end_ns + t.callback_ns, EventKind::kStatePop, {}, thread);
      }
      trace_.Event(state.ready_ns, EventKind::kTaskReady, {job, t.priority});
      trace_.Event(state.pop_ns, EventKind::kTaskPop, {job, t.priority});
      if (t.handle != 0)
        trace_.Event(state.start_ns, EventKind::kTaskAccess,
                     {job, t.handle, uint64_t{8}, uint32_t{kAccessRead | kAccessWrite}});
      for (const auto& [handle, mode] : t.uses)
        trace_.Event(state.start_ns, EventKind::kTaskAccess, {job, handle, uint64_t{8}, mode});
      if (t.estimate > 0)
        trace_.Event(state.ready_ns, EventKind::kTaskEstimate,
                     {job, static_cast<int>(state.worker),
                      t.estimate * static_cast<double>(t.length_ns), 0.0});
    }
    // After all ends of tasks, so that at equal times these states replace what an end left.
    for (const State& state : states_) {
      if (state.pop_ns == kLater) continue;
      if (machine_.fetch_ns > 0)
        trace_.State(state.pop_ns, StateKind::kFetchingInput, state.worker);
      trace_.State(state.pop_ns + machine_.fetch_ns, StateKind::kOverhead, state.worker);
    }
  }

  const std::vector<SimTask>& tasks_;
  const SimMachine& machine_;
  std::vector<State> states_;
  std::vector<int64_t> free_ns_;
  size_t next_submit_ = 0;
  TestTrace trace_;
};

}  // namespace

TestTrace Simulate(const std::vector<SimTask>& tasks, const SimMachine& machine) {
  return Simulation(tasks, machine).Run();
}

}  // namespace tasklens::testing
