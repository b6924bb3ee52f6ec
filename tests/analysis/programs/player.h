// SPDX-License-Identifier: Apache-2.0
// Plays a machine that our runtime does not have: GPUs with memory of their own, and a scheduler
// with performance models. What a runtime on such a machine would record is recorded through the
// real recorder, on the clock of that machine: each step takes exactly as long as it says, so that
// the trace is the same on any machine at any load.
//
// `PROGRAM faulty` has the fault that the program is named after, `PROGRAM clean` does the same
// work without. The line of the fault is marked with the word that the test looks for.
//
// Threads: Submit() from one, then Run(), which plays each worker on a thread of its own, one task
// at a time: that of the worker whose clock is behind all others. What tasks do (Copy(),
// MemoryOperation()) belongs to these.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>
#include <source_location>
#include <string>
#include <thread>
#include <vector>

#include "runtime/recorder/recorder.h"

namespace tasklens::played {

struct Task {
  const char* name = "work";
  const char* model = "work_model";  // its performance model; "": none
  int length_us = 4000;
  int expected_us = 0;  // what the model foretells; 0: nothing
  // What the worker (from 0) has to do for its input, between taking the task and starting it.
  std::function<void(uint32_t worker)> prepare = nullptr;
};

// What the clock of the played machine says on this thread.
inline thread_local uint64_t now_ns = 1'000'000'000;

class Player {
 public:
  // `workers` GPUs; GPU w has memory node w + 1. Ends the program where it cannot be recorded.
  Player(int argc, char** argv, const char* scheduler, uint32_t workers)
      : faulty_(argc == 2 && std::strcmp(argv[1], "faulty") == 0), workers_(workers) {
    RecorderOptions options = RecorderOptionsFromEnvironment(-1);
    options.clock_ns = [] { return now_ns; };
    const Status status = Recorder::Start(options);
    if (argc != 2 || !status.ok()) {
      std::fprintf(stderr, "%s faulty|clean: %s\n", argv[0], status.message().c_str());
      std::exit(2);
    }
    Record<EventKind::kProgramInfo>("scheduler", scheduler);
    Record<EventKind::kMemoryNodeNew>(0u, "NUMA 0");
    for (uint32_t w = 0; w < workers_; ++w)
      Record<EventKind::kMemoryNodeNew>(Node(w), std::string_view("CUDA " + std::to_string(w)));
  }

  bool faulty() const { return faulty_; }
  static uint32_t Node(uint32_t worker) { return worker + 1; }

  void Submit(Task task, std::source_location site = std::source_location::current()) {
    tasks_.push_back(std::move(task));
    const Task& t = tasks_.back();
    const uint64_t job = tasks_.size();
    Record<EventKind::kTaskCount>();
    Record<EventKind::kTaskSubmit>(job, job, -1, -1, 0, 0u);
    Record<EventKind::kTaskSite>(job, site.line(), site.file_name(), site.function_name());
    Record<EventKind::kTaskName>(job, t.name);
    if (t.model[0] != '\0') Record<EventKind::kTaskModel>(job, t.model);
  }

  // Runs all tasks in order, each on the worker that is free first, and ends the trace.
  int Run() {
    for (uint64_t job = 1; job <= tasks_.size(); ++job) Record<EventKind::kTaskReady>(job, 0);
    worker_ns_.assign(workers_, now_ns);
    std::vector<std::thread> threads;
    for (uint32_t w = 0; w < workers_; ++w) threads.emplace_back([this, w] { Work(w); });
    for (std::thread& thread : threads) thread.join();
    now_ns = end_ns_;
    Recorder::Stop();
    return 0;
  }

  // Copies a task's input from main memory to the worker's. Starting the copy keeps the calling
  // thread busy for `start_us`; until `copy_us` after that it goes on by itself.
  void Copy(uint32_t worker, int start_us, int copy_us) {
    const uint64_t copy = next_copy_++, bytes = uint64_t{1} << 20;
    const auto reason = static_cast<uint32_t>(CopyReason::kFetch);
    Record<EventKind::kCopyStart>(0u, Node(worker), bytes, copy, reason, uint64_t{0x1000});
    Record<EventKind::kCopySubmitStart>(0u, Node(worker));
    Pass(start_us);
    Record<EventKind::kCopySubmitEnd>(0u, Node(worker));
    Pass(copy_us);
    Record<EventKind::kCopyEnd>(0u, Node(worker), bytes, copy, reason);
  }

  // What the memory node of a worker does to make room for a task's data.
  void MemoryOperation(uint32_t worker, MemoryOp op, int us) {
    const uint64_t handle = 0x1000, bytes = uint64_t{1} << 20;
    Record<EventKind::kMemoryOpStart>(Node(worker), static_cast<uint32_t>(op), bytes, handle, 0u);
    Pass(us);
    Record<EventKind::kMemoryOpEnd>(Node(worker), static_cast<uint32_t>(op), uint64_t{1}, handle);
  }

 private:
  static void Pass(int us) { now_ns += static_cast<uint64_t>(us) * 1000; }
  static void Enter(StateKind state) { Record<EventKind::kStateSet>(static_cast<uint32_t>(state)); }

  // Returns when it is the worker's turn, and nobody else's until its clock goes on.
  void AwaitTurn(std::unique_lock<std::mutex>& guard, uint32_t w) {
    turn_.wait(guard, [&] {
      const auto first = std::min_element(worker_ns_.begin(), worker_ns_.end());
      return static_cast<uint32_t>(first - worker_ns_.begin()) == w;
    });
  }
  void EndTurn(uint32_t w, uint64_t clock_ns) {
    worker_ns_[w] = clock_ns;
    turn_.notify_all();
  }

  void Work(uint32_t w) {
    std::unique_lock guard(lock_);
    AwaitTurn(guard, w);
    const std::string name = "CUDA" + std::to_string(w);
    Record<EventKind::kWorkerNew>(w, static_cast<uint32_t>(WorkerArch::kCuda), static_cast<int>(w),
                                  Node(w), -1, 1u, std::string_view(name));
    Record<EventKind::kWorkerReady>(w);
    Enter(StateKind::kScheduling);
    while (next_job_ < tasks_.size()) {
      const uint64_t job = ++next_job_;
      Play(tasks_[job - 1], job, w);
      EndTurn(w, now_ns);
      AwaitTurn(guard, w);
    }
    Record<EventKind::kWorkerStop>();
    Record<EventKind::kWorkerGone>();
    end_ns_ = std::max(end_ns_, now_ns);
    EndTurn(w, std::numeric_limits<uint64_t>::max());
  }

  void Play(const Task& task, uint64_t job, uint32_t w) {
    Record<EventKind::kTaskPop>(job, 0);
    if (task.expected_us > 0)
      Record<EventKind::kTaskEstimate>(job, static_cast<int>(w), task.expected_us * 1e3, 0.0);
    if (task.prepare) {
      Enter(StateKind::kFetchingInput);
      task.prepare(w);
    }
    Enter(StateKind::kOverhead);
    Record<EventKind::kTaskStart>(job, w, Node(w), 0u);
    Pass(task.length_us);
    Record<EventKind::kTaskEnd>(job, w, uint64_t{0}, uint64_t{0}, "cuda0_impl0 (Comb1)");
    Record<EventKind::kTaskDone>(job);
    Enter(StateKind::kScheduling);
  }

  const bool faulty_;
  const uint32_t workers_;
  std::vector<Task> tasks_;
  std::mutex lock_;  // of the worker whose turn it is
  std::condition_variable turn_;
  std::vector<uint64_t> worker_ns_;  // their clocks; the greatest number: it has ended
  uint64_t end_ns_ = 0, next_job_ = 0, next_copy_ = 1;
};

}  // namespace tasklens::played
