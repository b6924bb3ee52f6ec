// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/simulated_ranks.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tasklens::testing {
namespace {

class Simulation {
 public:
  Simulation(const std::vector<RankTask>& tasks, const RankMachine& machine)
      : tasks_(tasks),
        machine_(machine),
        ran_(tasks.size()),
        free_ns_(machine.ranks, std::vector<int64_t>(machine.workers)) {}

  TestTrace Run() {
    for (size_t count = 0; count < tasks_.size(); ++count) Start(Next());
    Record();
    return trace_;
  }

 private:
  struct Ran {
    bool done = false;
    uint32_t worker = 0;
    int64_t ready_ns = 0, start_ns = 0, end_ns = 0;
  };

  int64_t SentNs(size_t task) const { return ran_[task].end_ns + machine_.unsent_ns; }
  int64_t ReceivedNs(size_t task) const {
    return SentNs(task) + machine_.latency_ns + tasks_[task].late_ns +
           static_cast<int64_t>(machine_.ns_per_byte * static_cast<double>(tasks_[task].bytes));
  }

  uint32_t FreeWorker(uint32_t rank) const {
    const auto& free_ns = free_ns_[rank];
    return static_cast<uint32_t>(std::min_element(free_ns.begin(), free_ns.end()) -
                                 free_ns.begin());
  }

  // Of the tasks whose past is known, the one that starts next; nothing else can start before it.
  size_t Next() {
    size_t next = tasks_.size();
    int64_t next_ns = 0;
    for (size_t i = 0; i < tasks_.size(); ++i) {
      const RankTask& task = tasks_[i];
      const auto is_known = [this](size_t before) { return ran_[before].done; };
      if (ran_[i].done || !std::all_of(task.after.begin(), task.after.end(), is_known)) continue;
      ran_[i].ready_ns = 0;
      for (const size_t before : task.after)
        ran_[i].ready_ns =
            std::max(ran_[i].ready_ns,
                     tasks_[before].rank == task.rank ? ran_[before].end_ns : ReceivedNs(before));
      const int64_t start_ns =
          std::max(ran_[i].ready_ns, free_ns_[task.rank][FreeWorker(task.rank)]);
      const bool is_first = next == tasks_.size() || start_ns < next_ns ||
                            (start_ns == next_ns && task.priority > tasks_[next].priority);
      if (!is_first) continue;
      next = i;
      next_ns = start_ns;
    }
    ran_[next].start_ns = next_ns;
    return next;
  }

  void Start(size_t i) {
    Ran& ran = ran_[i];
    ran.worker = FreeWorker(tasks_[i].rank);
    ran.end_ns = ran.start_ns + tasks_[i].length_ns;
    ran.done = true;
    free_ns_[tasks_[i].rank][ran.worker] = ran.end_ns;
  }

  void Record() {
    for (uint32_t rank = 0; rank < machine_.ranks; ++rank) {
      trace_.Rank(rank).Event(0, EventKind::kMpiBarrier, {rank, machine_.ranks, 42, 0});
      for (uint32_t w = 0; w < machine_.workers; ++w) trace_.Worker("CPU" + std::to_string(w));
    }
    for (size_t i = 0; i < tasks_.size(); ++i) {
      const uint64_t job = i + 1;
      trace_.Rank(tasks_[i].rank)
          .Task("task", ran_[i].start_ns, ran_[i].end_ns,
                {.job = job,
                 .worker = ran_[i].worker,
                 .submit_ns = 0,
                 .file = "program.c",
                 .line = tasks_[i].line,
                 .priority = tasks_[i].priority})
          .Event(ran_[i].ready_ns, EventKind::kTaskReady, {job, 0});
      for (const size_t before : tasks_[i].after) {
        if (tasks_[before].rank == tasks_[i].rank)
          trace_.Dep(before + 1, job);
        else
          trace_.Rank(tasks_[i].rank).Dep(Message(before, tasks_[i].rank), job);
      }
    }
  }

  // The acquisition for which the result of a task is received on `rank`. It is sent there once.
  uint64_t Message(size_t task, uint32_t rank) {
    const auto [entry, is_new] = received_.try_emplace({task, rank}, next_acquisition_);
    if (!is_new) return entry->second;
    const uint64_t job = next_acquisition_++;
    const RankTask& sender = tasks_[task];
    const int64_t tag = sender.tag >= 0 ? sender.tag : static_cast<int64_t>(task);
    trace_.Rank(sender.rank)
        .Event(0, EventKind::kTaskSubmit, {job, job, 0, 0, 0, kTaskDataAcquire})
        .Dep(task + 1, job)
        .Event(SentNs(task), EventKind::kMpiSend, {rank, tag, sender.bytes, 0, job, 0, 0})
        .Rank(rank)
        .Event(0, EventKind::kTaskSubmit, {job, job, 0, 0, 0, kTaskDataAcquire})
        .Event(ReceivedNs(task), EventKind::kMpiReceived, {sender.rank, tag, job, 0});
    return job;
  }

  const std::vector<RankTask>& tasks_;
  const RankMachine& machine_;
  std::vector<Ran> ran_;
  std::vector<std::vector<int64_t>> free_ns_;  // by rank and worker
  std::map<std::pair<size_t, uint32_t>, uint64_t> received_;
  uint64_t next_acquisition_ = 1'000'000;
  TestTrace trace_;
};

// Pairs of a task on rank 0 and one on rank 1 that needs its result, with others beside them.
std::vector<RankTask> Pairs(Dice& dice, size_t pairs, int32_t priority) {
  std::vector<RankTask> tasks;
  for (size_t i = 0; i < 2 * pairs; ++i)
    tasks.push_back({.rank = 0, .line = 30, .length_ns = dice.Pick(900, 1100)});
  for (size_t i = 0; i < pairs; ++i) {
    tasks.push_back(
        {.rank = 0, .line = 10, .length_ns = dice.Pick(900, 1100), .priority = priority});
    const size_t producer = tasks.size() - 1;
    for (int k = 0; k < 3; ++k)
      tasks.push_back(
          {.rank = 1, .line = 20, .length_ns = dice.Pick(900, 1100), .after = {producer}});
  }
  return tasks;
}

// One task after the other, on rank 0 and 1 in turns, each with what is made of it on its rank.
std::vector<RankTask> Relay(Dice& dice, size_t length) {
  std::vector<RankTask> tasks;
  size_t last = 0;
  for (size_t i = 0; i < length; ++i) {
    const auto rank = static_cast<uint32_t>(i % 2);
    tasks.push_back({.rank = rank, .line = 10, .length_ns = dice.Pick(900, 1100)});
    if (i > 0) tasks.back().after = {last};
    last = tasks.size() - 1;
    tasks.push_back({.rank = rank, .line = 20, .length_ns = dice.Pick(900, 1100), .after = {last}});
  }
  return tasks;
}

}  // namespace

TestTrace SimulateRanks(const std::vector<RankTask>& tasks, const RankMachine& machine) {
  return Simulation(tasks, machine).Run();
}

TraceModel LateSender(Dice& dice) {
  RankMachine machine;
  const bool is_queued = dice.Pick(0, 1) == 1;
  if (dice.fault && !is_queued) machine.unsent_ns = dice.Pick(5000, 9000);
  const auto pairs = static_cast<size_t>(dice.Pick(20, 30));
  return SimulateRanks(Pairs(dice, pairs, dice.fault && is_queued ? -1 : 1), machine).Build();
}

TraceModel LateReceiver(Dice& dice) {
  std::vector<RankTask> tasks = Relay(dice, 120);
  if (dice.fault)
    for (size_t i = 0; i < tasks.size(); i += static_cast<size_t>(dice.Pick(1, 2)) * 2)
      tasks[i].late_ns = i % 5 < 3 ? dice.Pick(1000, 3000) : 0;
  return SimulateRanks(tasks, {}).Build();
}

TraceModel SmallMessages(Dice& dice) {
  std::vector<RankTask> tasks = Relay(dice, 240);
  RankMachine machine;
  machine.latency_ns = dice.Pick(400, 800);
  const bool is_large = !dice.fault && dice.Pick(0, 1) == 1;
  if (!dice.fault && !is_large) machine.latency_ns = 5;
  for (RankTask& task : tasks)
    task.bytes = static_cast<uint64_t>(is_large ? 1 << 20 : dice.Pick(4, 512));
  return SimulateRanks(tasks, machine).Build();
}

TraceModel DataBetweenRanks(Dice& dice) {
  std::vector<RankTask> tasks = Relay(dice, 120);
  RankMachine machine;
  machine.latency_ns = dice.Pick(400, 1500);
  if (dice.fault)
    for (RankTask& task : tasks) task.tag = 7;
  return SimulateRanks(tasks, machine).Build();
}

TraceModel MessageWait(Dice& dice) {
  RankMachine machine;
  machine.latency_ns = dice.fault ? dice.Pick(700, 2000) : dice.Pick(1, 50);
  return SimulateRanks(Relay(dice, 120), machine).Build();
}

TraceModel RankImbalance(Dice& dice) {
  RankMachine machine;
  machine.ranks = static_cast<uint32_t>(dice.Pick(2, 4));
  std::vector<RankTask> tasks;
  for (uint32_t rank = 0; rank < machine.ranks; ++rank)
    for (int i = 0; i < 60; ++i)
      tasks.push_back({.rank = rank, .line = 10, .length_ns = dice.Pick(900, 1100)});
  const auto busiest = static_cast<uint32_t>(dice.Pick(0, machine.ranks - 1));
  for (int i = 0; dice.fault && i < 60; ++i)
    tasks.push_back({.rank = busiest, .line = 20, .length_ns = dice.Pick(900, 1100)});
  return SimulateRanks(tasks, machine).Build();
}

TraceModel TagUsedTwice(Dice& dice) {
  RankMachine machine;
  TestTrace trace = SimulateRanks(Pairs(dice, 20, 1), machine);
  const auto tag = static_cast<uint64_t>(40);  // of the first message
  for (uint64_t handle = 1; handle <= 2; ++handle) {
    const auto at_ns = static_cast<int64_t>(handle) * 100;
    trace.Rank(0)
        .Event(at_ns, EventKind::kDataNew, {handle, 64, -1, 0, 0, "data"})
        .Event(at_ns + 1, EventKind::kDataMpiTag, {handle, tag + (dice.fault ? 0 : handle - 1)});
  }
  return trace.Build();
}

}  // namespace tasklens::testing
