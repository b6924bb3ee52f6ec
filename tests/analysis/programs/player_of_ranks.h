// SPDX-License-Identifier: Apache-2.0
// Plays an MPI program on a machine of its own, as player.h plays one with GPUs: each rank is a
// process that records, through the real recorder and on the clock of that machine, what a runtime
// on that rank would record. So the traces are the same on any machine at any load.
//
// `PROGRAM faulty` has the fault that the program is named after, `PROGRAM clean` does the same
// work without. The line of the fault is marked with the word that the test looks for.
//
// Each rank has one worker, which runs its tasks in the order of the calls of Task(), each as soon
// as all is there that it waits for.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <source_location>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/recorder/recorder.h"

namespace tasklens::played {

struct RankTask {
  uint32_t rank = 0;
  int length_us = 1000;
  std::vector<size_t> after = {};  // numbers of earlier tasks, on any rank
  // Of its result, which is sent to the ranks of tasks after it:
  uint64_t bytes = 1 << 20;
  int64_t tag = -1;  // -1: its own
  int travel_us = 50;
  int unsent_us = 5;  // from its end until it is sent
};

// What the clock of the played machine says on this thread.
inline thread_local uint64_t now_ns = 0;

class RankPlayer {
 public:
  RankPlayer(int argc, char** argv, uint32_t ranks = 2)
      : faulty_(argc == 2 && std::strcmp(argv[1], "faulty") == 0), ranks_(ranks) {
    if (argc == 2) return;
    std::fprintf(stderr, "%s faulty|clean\n", argv[0]);
    std::exit(2);
  }

  bool faulty() const { return faulty_; }

  // Its number.
  size_t Task(RankTask task, std::source_location site = std::source_location::current()) {
    Rank& rank = ranks_[task.rank];
    Played played{task, ++rank.jobs, 0, 0, 0};
    for (const size_t before : task.after)
      played.ready_ns = std::max(played.ready_ns, Arrival(before, task.rank));
    played.start_ns = std::max(played.ready_ns, rank.free_ns);
    played.end_ns = rank.free_ns = played.start_ns + Ns(task.length_us);
    const uint64_t job = played.job;
    rank.program.push_back({0, [job, site] {
                              Record<EventKind::kTaskSubmit>(job, job, -1, -1, 0, 0u);
                              Record<EventKind::kTaskSite>(job, site.line(), site.file_name(),
                                                           site.function_name());
                              Record<EventKind::kTaskName>(job, "work");
                              Record<EventKind::kTaskModel>(job, "work_model");
                            }});
    for (const size_t before : task.after) {
      const uint64_t held_up_by =
          tasks_[before].task.rank == task.rank ? tasks_[before].job : Receive(before, task.rank);
      rank.program.push_back(
          {0, [=] { Record<EventKind::kTaskDep>(held_up_by, job, 0u, "task"); }});
    }
    rank.program.push_back({played.ready_ns, [job] { Record<EventKind::kTaskReady>(job, 0); }});
    rank.worker.push_back({played.start_ns, [job] {
                             Record<EventKind::kTaskPop>(job, 0);
                             Record<EventKind::kTaskStart>(job, 0u, 0u, 0u);
                           }});
    rank.worker.push_back({played.end_ns, [job] {
                             Record<EventKind::kTaskEnd>(job, 0u, uint64_t{0}, uint64_t{0}, "");
                             Record<EventKind::kTaskDone>(job);
                           }});
    tasks_.push_back(std::move(played));
    return tasks_.size() - 1;
  }

  // Data that a rank knows by a tag.
  void Data(uint32_t rank, uint64_t handle, int64_t tag) {
    ranks_[rank].program.push_back({0, [=] {
                                      Record<EventKind::kDataNew>(handle, uint64_t{64}, int64_t{-1},
                                                                  0, uint64_t{0}, "");
                                      Record<EventKind::kDataMpiTag>(handle, tag);
                                    }});
  }

  // Records everything, each rank in a process of its own, and returns the exit status.
  int Run() {
    int status = 0;
    for (uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      const pid_t child = fork();
      if (child == 0) std::_Exit(RecordRank(rank));
      int of_child = 0;
      if (waitpid(child, &of_child, 0) != child || of_child != 0) status = 1;
    }
    return status;
  }

 private:
  struct Step {
    uint64_t time_ns;
    std::function<void()> record;
  };
  struct Rank {
    uint64_t jobs = 0, free_ns = 0;
    std::vector<Step> program, worker;  // of each of its threads
  };
  struct Played {
    RankTask task;
    uint64_t job, ready_ns, start_ns, end_ns;
  };

  static uint64_t Ns(int us) { return static_cast<uint64_t>(us) * 1000; }
  uint64_t SentNs(size_t task) const {
    return tasks_[task].end_ns + Ns(tasks_[task].task.unsent_us);
  }
  // When the result of a task is there for those of `rank`.
  uint64_t Arrival(size_t task, uint32_t rank) const {
    const Played& before = tasks_[task];
    return before.task.rank == rank ? before.end_ns : SentNs(task) + Ns(before.task.travel_us);
  }

  // The acquisition of `rank` that the result of a task is received for; it is sent there once.
  uint64_t Receive(size_t task, uint32_t rank) {
    const auto known = received_.find({task, rank});
    if (known != received_.end()) return known->second;
    const Played& sent = tasks_[task];
    Rank& from = ranks_[sent.task.rank];
    const uint64_t job = ++ranks_[rank].jobs, sender_job = ++from.jobs, of_task = sent.job;
    const int64_t tag = sent.task.tag >= 0 ? sent.task.tag : static_cast<int64_t>(1000 + task);
    const auto source = static_cast<int32_t>(sent.task.rank), target = static_cast<int32_t>(rank);
    const uint64_t bytes = sent.task.bytes;
    from.program.push_back({0, [=] {
                              Acquire(sender_job);
                              Record<EventKind::kTaskDep>(of_task, sender_job, 0u, "task");
                            }});
    from.program.push_back(
        {SentNs(task),
         [=] { Record<EventKind::kMpiSend>(target, tag, bytes, 0u, sender_job, uint64_t{0}, 0); }});
    ranks_[rank].program.push_back({0, [=] { Acquire(job); }});
    ranks_[rank].program.push_back(
        {Arrival(task, rank),
         [=] { Record<EventKind::kMpiReceived>(source, tag, job, uint64_t{0}); }});
    return received_[{task, rank}] = job;
  }

  static void Acquire(uint64_t job) {
    Record<EventKind::kTaskSubmit>(job, job, -1, -1, 0, static_cast<uint32_t>(kTaskDataAcquire));
  }

  static void Play(std::vector<Step>& steps) {
    constexpr uint64_t kBegin = 1'000'000'000;
    std::stable_sort(steps.begin(), steps.end(),
                     [](const Step& a, const Step& b) { return a.time_ns < b.time_ns; });
    for (const Step& step : steps) {
      now_ns = kBegin + step.time_ns;
      step.record();
    }
  }

  int RecordRank(uint32_t number) {
    Rank& rank = ranks_[number];
    const auto ranks = static_cast<uint32_t>(ranks_.size());
    RecorderOptions options = RecorderOptionsFromEnvironment(static_cast<int>(number));
    options.clock_ns = [] { return now_ns; };
    if (const Status status = Recorder::Start(options); !status.ok()) {
      std::fprintf(stderr, "%s\n", status.message().c_str());
      return 1;
    }
    rank.program.insert(rank.program.begin(),
                        {0, [=] {
                           Record<EventKind::kProgramInfo>("scheduler", "lws");
                           Record<EventKind::kMpiStart>(number, ranks);
                           Record<EventKind::kMpiBarrier>(number, ranks, uint64_t{42}, uint64_t{0});
                           Record<EventKind::kMemoryNodeNew>(0u, "NUMA 0");
                         }});
    rank.worker.insert(rank.worker.begin(), {0, [] {
                                               Record<EventKind::kWorkerNew>(
                                                   0u, static_cast<uint32_t>(WorkerArch::kCpu), 0,
                                                   0u, -1, 1u, "CPU0");
                                               Record<EventKind::kWorkerReady>(0u);
                                             }});
    Play(rank.program);
    std::thread([&rank] { Play(rank.worker); }).join();
    Recorder::Stop();
    return 0;
  }

  const bool faulty_;
  std::vector<Rank> ranks_;
  std::vector<Played> tasks_;
  std::map<std::pair<size_t, uint32_t>, uint64_t> received_;
};

}  // namespace tasklens::played
