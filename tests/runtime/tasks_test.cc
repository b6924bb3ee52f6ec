// SPDX-License-Identifier: Apache-2.0
// Tasks: what is accepted, in which order they run, what is called and freed.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/runtime/spin.h"
#include "tests/runtime/started.h"

namespace tasklens {
namespace {

// Numbers in the order in which they were noted, from any thread.
struct Log {
  std::mutex lock;
  std::vector<int> entries;
  void Note(int entry) {
    std::lock_guard guard(lock);
    entries.push_back(entry);
  }
};

struct Note {
  Log* log;
  int entry;
};
void NoteKernel(void**, void* argument) {
  const Note* note = static_cast<const Note*>(argument);
  note->log->Note(note->entry);
}
void NoteCallback(void* argument) { NoteKernel(nullptr, argument); }

starpu_codelet NoteCodelet() {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = NoteKernel;
  codelet.name = "note";
  return codelet;
}

starpu_task* MakeTask(starpu_codelet* codelet, void* argument) {
  starpu_task* task = starpu_task_create();
  task->cl = codelet;
  task->cl_arg = argument;
  return task;
}

// Runs ten tasks of priorities 0 to 9 on one worker, submitted while it is paused.
std::vector<int> OrderOfPriorities(const char* policy) {
  Started started(1, policy);
  starpu_codelet codelet = NoteCodelet();
  Log log;
  Note notes[10];
  starpu_pause();
  for (int i = 0; i < 10; ++i) {
    notes[i] = {&log, i};
    starpu_task* task = MakeTask(&codelet, &notes[i]);
    task->priority = i;
    EXPECT_EQ(0, starpu_task_submit(task));
  }
  starpu_resume();
  starpu_task_wait_for_all();
  return log.entries;
}

TEST(Policies, EagerIsFirstInFirstOut) {
  EXPECT_EQ((std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), OrderOfPriorities("eager"));
}
TEST(Policies, PrioHonoursPriorities) {
  EXPECT_EQ((std::vector<int>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}), OrderOfPriorities("prio"));
}
TEST(Policies, LwsHonoursPrioritiesOfAWorker) {
  EXPECT_EQ((std::vector<int>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}), OrderOfPriorities("lws"));
}

// Waits inside a task until as many tasks as there are workers are inside.
struct Meeting {
  std::atomic<int> present{0};
  int wanted;
};
void Meet(void**, void* argument) {
  Meeting* meeting = static_cast<Meeting*>(argument);
  ++meeting->present;
  while (meeting->present < meeting->wanted) std::this_thread::yield();
}
void SpawnMeeting(void**, void* argument) {
  static starpu_codelet meet = [] {
    starpu_codelet codelet = {};
    codelet.cpu_funcs[0] = Meet;
    return codelet;
  }();
  Meeting* meeting = static_cast<Meeting*>(argument);
  for (int i = 0; i < meeting->wanted; ++i) {
    EXPECT_EQ(0, starpu_task_submit(MakeTask(&meet, meeting)));
  }
}

TEST(Policies, WorkersWithoutTasksTakeThoseOfOthers) {
  for (const char* policy : {"lws", "eager", "prio"}) {
    Started started(3, policy);
    starpu_codelet codelet = {};
    codelet.cpu_funcs[0] = SpawnMeeting;
    Meeting meeting{{0}, 3};
    // All three lie in the queue of one worker and can only end when three workers are at them.
    EXPECT_EQ(0, starpu_task_submit(MakeTask(&codelet, &meeting)));
    starpu_task_wait_for_all();
    EXPECT_EQ(3, meeting.present) << policy;
  }
}

TEST(Tasks, RunInTheOrderThatDependenciesSay) {
  Started started(4);
  starpu_codelet codelet = NoteCodelet();
  Log log;
  constexpr int kTasks = 50;
  Note notes[kTasks];
  starpu_task* tasks[kTasks];
  for (int i = 0; i < kTasks; ++i) {
    notes[i] = {&log, i};
    tasks[i] = MakeTask(&codelet, &notes[i]);
    if (i > 0) starpu_task_declare_deps(tasks[i], 1, tasks[i - 1]);
  }
  for (int i = kTasks - 1; i >= 0; --i) ASSERT_EQ(0, starpu_task_submit(tasks[i]));
  starpu_task_wait_for_all();
  for (int i = 0; i < kTasks; ++i) EXPECT_EQ(i, log.entries[static_cast<size_t>(i)]);
}

TEST(Tasks, EndOnlyAfterTheirEndDependencies) {
  Started started(2);
  starpu_codelet codelet = NoteCodelet();
  Log log;
  Note notes[] = {{&log, 0}, {&log, 1}, {&log, 2}};
  starpu_task* first = MakeTask(&codelet, &notes[0]);
  starpu_task* second = MakeTask(&codelet, &notes[1]);
  starpu_task* after = MakeTask(&codelet, &notes[2]);
  starpu_task_end_dep_add(first, 1);
  starpu_task_declare_deps(after, 1, first);
  starpu_task_declare_end_deps(first, 1, second);
  ASSERT_EQ(0, starpu_task_submit(first));
  ASSERT_EQ(0, starpu_task_submit(after));
  ASSERT_EQ(0, starpu_task_submit(second));
  starpu_task_end_dep_release(first);
  starpu_task_wait_for_all();
  ASSERT_EQ(3u, log.entries.size());
  EXPECT_EQ(2, log.entries[2]);
}

TEST(Tasks, CallTheirCallbacksInOrder) {
  Started started(1);
  starpu_codelet codelet = NoteCodelet();
  Log log;
  Note notes[] = {{&log, 0}, {&log, 1}, {&log, 2}, {&log, 3}, {&log, 4}};
  starpu_task* task = MakeTask(&codelet, &notes[2]);
  task->prologue_callback_func = NoteCallback;
  task->prologue_callback_arg = &notes[0];
  task->prologue_callback_pop_func = NoteCallback;
  task->prologue_callback_pop_arg = &notes[1];
  task->epilogue_callback_func = NoteCallback;
  task->epilogue_callback_arg = &notes[3];
  task->callback_func = NoteCallback;
  task->callback_arg = &notes[4];
  ASSERT_EQ(0, starpu_task_submit(task));
  starpu_task_wait_for_all();
  EXPECT_EQ((std::vector<int>{0, 1, 2, 3, 4}), log.entries);
}

TEST(Tasks, AreWaitedForAndUsedAgain) {
  Started started(2);
  starpu_codelet codelet = NoteCodelet();
  Log log;
  Note note{&log, 7};
  starpu_task* task = MakeTask(&codelet, &note);
  task->detach = 0;
  task->destroy = 0;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(0, starpu_task_submit(task));
    ASSERT_EQ(0, starpu_task_wait(task));
    EXPECT_TRUE(starpu_task_finished(task));
  }
  starpu_task_destroy(task);
  EXPECT_EQ(20u, log.entries.size());
}

TEST(Tasks, OfTheProgramsOwnMemoryAreCleaned) {
  Started started(2);
  starpu_codelet codelet = NoteCodelet();
  Log log;
  Note note{&log, 7};
  starpu_task task;
  starpu_task_init(&task);
  task.cl = &codelet;
  task.cl_arg = &note;
  task.detach = 0;
  ASSERT_EQ(0, starpu_task_submit(&task));
  ASSERT_EQ(0, starpu_task_wait(&task));
  starpu_task_clean(&task);
  EXPECT_EQ(1u, log.entries.size());
}

TEST(Tasks, SynchronousOnesHaveRunAtReturn) {
  Started started(2);
  starpu_codelet codelet = NoteCodelet();
  Log log;
  Note note{&log, 7};
  starpu_task* task = MakeTask(&codelet, &note);
  task->synchronous = 1;
  ASSERT_EQ(0, starpu_task_submit(task));
  EXPECT_EQ(1u, log.entries.size());
}

struct Again {
  int left = 5;
  std::atomic<int> runs{0};
};
void CountRun(void**, void* argument) { ++static_cast<Again*>(argument)->runs; }
void StopAtLast(void* argument) {
  Again* again = static_cast<Again*>(argument);
  if (--again->left == 0) starpu_task_get_current()->regenerate = 0;
}

TEST(Tasks, RegenerateUntilToldOtherwise) {
  Started started(2);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = CountRun;
  Again again;
  starpu_task* task = MakeTask(&codelet, &again);
  task->regenerate = 1;
  task->callback_func = StopAtLast;
  task->callback_arg = &again;
  ASSERT_EQ(0, starpu_task_submit(task));
  starpu_task_wait_for_all();
  EXPECT_EQ(5, again.runs);
}

TEST(Tasks, RunWhereTheyAreSent) {
  Started started(3);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void* argument) {
    *static_cast<int*>(argument) = starpu_worker_get_id();
  };
  int ran_on[3] = {-1, -1, -1};
  for (int i = 0; i < 3; ++i) {
    starpu_task* task = MakeTask(&codelet, &ran_on[i]);
    task->execute_on_a_specific_worker = 1;
    task->workerid = static_cast<unsigned>(i);
    ASSERT_EQ(0, starpu_task_submit(task));
  }
  starpu_task_wait_for_all();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(i, ran_on[i]);
  uint32_t second_only = 1u << 1;
  int where = -1;
  starpu_task* task = MakeTask(&codelet, &where);
  task->workerids = &second_only;
  task->workerids_len = 1;
  ASSERT_EQ(0, starpu_task_submit(task));
  starpu_task_wait_for_all();
  EXPECT_EQ(1, where);
}

TEST(Tasks, RunTheImplementationThatCanExecuteAllows) {
  Started started(2);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void* argument) { *static_cast<int*>(argument) = 0; };
  codelet.cpu_funcs[1] = [](void**, void* argument) { *static_cast<int*>(argument) = 1; };
  codelet.can_execute = [](unsigned worker, starpu_task*, unsigned implementation) -> int {
    return worker == 1 && implementation == 1;
  };
  int which = -1;
  ASSERT_EQ(0, starpu_task_submit(MakeTask(&codelet, &which)));
  starpu_task_wait_for_all();
  EXPECT_EQ(1, which);
}

void Never(void**, void*) {}

TEST(Refused, TasksThatNoWorkerCanRun) {
  Started started(1);
  starpu_codelet elsewhere = {};
  elsewhere.cuda_funcs[0] = Never;
  starpu_task* task = MakeTask(&elsewhere, nullptr);
  EXPECT_EQ(-ENODEV, starpu_task_submit(task));
  starpu_task_destroy(task);
  starpu_codelet nobody = {};
  nobody.cpu_funcs[0] = Never;
  nobody.can_execute = [](unsigned, starpu_task*, unsigned) { return 0; };
  task = MakeTask(&nobody, nullptr);
  EXPECT_EQ(-ENODEV, starpu_task_submit(task));
  starpu_task_destroy(task);
}

TEST(Refused, TasksThatMakeNoSense) {
  Started started(1);
  starpu_task zeroed = {};
  EXPECT_EQ(-EINVAL, starpu_task_submit(&zeroed));
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = Never;
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_R;
  starpu_task* task = MakeTask(&codelet, nullptr);
  EXPECT_EQ(-EINVAL, starpu_task_submit(task));  // its handle is NULL
  starpu_task_destroy(task);
  starpu_task* detached = starpu_task_create();
  EXPECT_EQ(-EINVAL, starpu_task_wait(detached));
  starpu_task_destroy(detached);
}

TEST(Refused, ATaskSubmittedTwice) {
  Started started(1);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = Never;
  starpu_task* task = MakeTask(&codelet, nullptr);
  task->detach = 0;
  starpu_pause();
  ASSERT_EQ(0, starpu_task_submit(task));
  EXPECT_EQ(-EINVAL, starpu_task_submit(task));
  starpu_resume();
  EXPECT_EQ(0, starpu_task_wait(task));
}

double SleepingMs(int worker) {
  starpu_profiling_worker_info info;
  if (starpu_profiling_worker_get_info(worker, &info) != 0) return 0;
  return starpu_timing_timespec_to_us(&info.sleeping_time) / 1000;
}

TEST(Paused, NoTaskStartsThatWasTakenBefore) {
  Started started(1);
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  static std::atomic<bool> taken, goes_on, ran;
  taken = goes_on = ran = false;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { ran = true; };
  starpu_task* task = MakeTask(&codelet, nullptr);
  task->prologue_callback_pop_func = [](void*) {
    taken = true;
    while (!goes_on) std::this_thread::yield();
  };
  ASSERT_EQ(0, starpu_task_submit(task));
  while (!taken) std::this_thread::yield();
  starpu_pause();
  SleepingMs(0);  // from here on
  goes_on = true;
  // Before it starts the task the worker falls asleep.
  while (!ran && SleepingMs(0) == 0) std::this_thread::yield();
  EXPECT_FALSE(ran);
  starpu_resume();
  starpu_task_wait_for_all();
  EXPECT_TRUE(ran);
}

TEST(Paused, NothingStartsUntilItIsResumed) {
  constexpr int kWorkers = 3;
  Started started(kWorkers);
  static std::atomic<int> starts, ends;
  starts = ends = 0;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {
    ++starts;
    ++ends;
  };
  // A function that was called a moment before may not have counted yet.
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 50; ++i) ASSERT_EQ(0, starpu_task_submit(MakeTask(&codelet, nullptr)));
    starpu_pause();
    const int so_far = starts;
    while (ends < so_far) std::this_thread::yield();
    for (int i = 0; i < 10; ++i) std::this_thread::yield();
    EXPECT_LE(starts, so_far + kWorkers) << "in round " << round;
    starpu_resume();
  }
  starpu_task_wait_for_all();
  EXPECT_EQ(200 * 50, ends);
}

TEST(Paused, ATaskMayDoItInsideAndGoesOn) {
  Started started(2);
  static std::atomic<int> runs;
  runs = 0;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {
    starpu_pause();
    ++runs;
    starpu_resume();
  };
  for (int i = 0; i < 100; ++i) ASSERT_EQ(0, starpu_task_submit(MakeTask(&codelet, nullptr)));
  starpu_task_wait_for_all();
  EXPECT_EQ(100, runs);
}

void BlockInside(void**, void* argument) {
  int* errors = static_cast<int*>(argument);
  errors[0] = starpu_task_wait_for_all();
  errors[1] = starpu_tag_wait(1);
  starpu_task* task = starpu_task_create();
  task->synchronous = 1;
  errors[2] = starpu_task_submit(task);
  starpu_task_destroy(task);
}

TEST(Refused, BlockingInsideATask) {
  Started started(1);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = BlockInside;
  int errors[3] = {};
  ASSERT_EQ(0, starpu_task_submit(MakeTask(&codelet, errors)));
  starpu_task_wait_for_all();
  for (const int error : errors) EXPECT_EQ(-EDEADLK, error);
}

TEST(Tasks, CanBeSubmittedFromManyThreadsAndTasks) {
  Started started(4);
  static std::atomic<int> runs;
  runs = 0;
  static starpu_codelet leaf = {};
  leaf.cpu_funcs[0] = [](void**, void*) { ++runs; };
  starpu_codelet spawner = {};
  spawner.cpu_funcs[0] = [](void**, void*) {
    for (int i = 0; i < 10; ++i) EXPECT_EQ(0, starpu_task_submit(MakeTask(&leaf, nullptr)));
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&spawner] {
      for (int i = 0; i < 200; ++i) EXPECT_EQ(0, starpu_task_submit(MakeTask(&spawner, nullptr)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(8000, runs);
  EXPECT_EQ(0, starpu_task_nsubmitted());
}

TEST(Tasks, AChainOfOneHundredThousandEmptyOnesEnds) {
  Started started(2);
  starpu_task* first = starpu_task_create();
  starpu_task* before = first;
  for (int i = 1; i < 100000; ++i) {  // would overflow the stack if ends recursed
    starpu_task* task = starpu_task_create();
    starpu_task_declare_deps(task, 1, before);
    before = task;
    ASSERT_EQ(0, starpu_task_submit(task));
  }
  ASSERT_EQ(0, starpu_task_submit(first));
  EXPECT_EQ(0, starpu_task_wait_for_all());
}

TEST(Profiling, TellsWhenATaskRan) {
  Started started(1);
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { SpinUs(2000); };
  starpu_task* task = MakeTask(&codelet, nullptr);
  task->detach = 0;
  task->destroy = 0;
  task->flops = 5;
  ASSERT_EQ(0, starpu_task_submit(task));
  ASSERT_EQ(0, starpu_task_wait(task));
  starpu_profiling_task_info* info = task->profiling_info;
  ASSERT_NE(nullptr, info);
  EXPECT_EQ(0, info->workerid);
  EXPECT_GE(starpu_timing_timespec_delay_us(&info->start_time, &info->end_time), 2000);
  EXPECT_GE(starpu_timing_timespec_delay_us(&info->submit_time, &info->start_time), 0);
  starpu_profiling_worker_info worker;
  ASSERT_EQ(0, starpu_profiling_worker_get_info(0, &worker));
  EXPECT_EQ(1, worker.executed_tasks);
  EXPECT_EQ(5, worker.flops);
  EXPECT_GE(starpu_timing_timespec_to_us(&worker.executing_time), 2000);
  EXPECT_EQ(1ul, codelet.per_worker_stats[0]);
  starpu_task_destroy(task);
  EXPECT_EQ(STARPU_PROFILING_ENABLE, starpu_profiling_status_set(STARPU_PROFILING_DISABLE));
}

// One task waits for the program, and is not waited for; the other may end at any moment.
TEST(WaitingForNoReadyTask, EndsWithTheLastOfThem) {
  Started started(2);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  for (int round = 0; round < 2000; ++round) {
    starpu_task *ready = MakeTask(&codelet, nullptr), *waits = MakeTask(&codelet, nullptr);
    waits->use_tag = 1;
    waits->tag_id = 2;
    starpu_tag_declare_deps(2, 1, starpu_tag_t{1});
    ASSERT_EQ(0, starpu_task_submit(waits));
    ASSERT_EQ(0, starpu_task_submit(ready));
    for (int i = 0; i < 50 * (round % 40); ++i) asm volatile("");
    ASSERT_EQ(0, starpu_task_wait_for_no_ready());
    starpu_tag_notify_from_apps(1);
    ASSERT_EQ(0, starpu_task_wait_for_all());
    starpu_tag_remove(1);
    starpu_tag_remove(2);
  }
}

TEST(TasksLeftToTheProgram, AreFreedLikeItsOwnMemory) {
  Started started(2);
  static std::atomic<int> ran;
  ran = 0;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { ++ran; };
  constexpr int kTasks = 100;
  for (int round = 0; round < 3; ++round) {
    std::vector<starpu_task*> tasks;
    for (int i = 0; i < kTasks; ++i) {
      starpu_task* const task = starpu_task_create();
      task->cl = &codelet;
      task->destroy = 0;
      task->detach = 0;
      tasks.push_back(task);
      ASSERT_EQ(0, starpu_task_submit(task));
    }
    for (starpu_task* const task : tasks) {
      ASSERT_EQ(0, starpu_task_wait(task));
      starpu_task_clean(task);
      switch (round) {
        case 0: free(task); break;
        case 1: starpu_task_destroy(task); break;
        case 2:  // once more, by the runtime to the end
          task->destroy = 1;
          task->detach = 1;
          ASSERT_EQ(0, starpu_task_submit(task));
      }
    }
    ASSERT_EQ(0, starpu_task_wait_for_all());
  }
  EXPECT_EQ(4 * kTasks, ran);
  // One that was never submitted.
  starpu_task* const task = starpu_task_create();
  starpu_task_clean(task);
  free(task);
}

TEST(TasksLeftToTheProgram, MayBeOfItsOwnMemoryFromTheStart) {
  Started started(1);
  static std::atomic<int> ran;
  ran = 0;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { ++ran; };
  starpu_task on_stack;
  auto* const on_heap = static_cast<starpu_task*>(malloc(sizeof(starpu_task)));
  for (starpu_task* const task : {&on_stack, on_heap}) {
    starpu_task_init(task);
    task->cl = &codelet;
    task->detach = 0;
    ASSERT_EQ(0, starpu_task_submit(task));
    ASSERT_EQ(0, starpu_task_wait(task));
    starpu_task_clean(task);
  }
  free(on_heap);
  EXPECT_EQ(2, ran);
}

}  // namespace
}  // namespace tasklens
