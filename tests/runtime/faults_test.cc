// SPDX-License-Identifier: Apache-2.0
// Programs that crash, hang, fork or misuse the interface: one line says what is wrong, and the
// trace of what happened before is not lost.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/recorded.h"
#include "tests/testing/tlt_file.h"
#include "tests/testing/tools.h"

namespace tasklens {
namespace {

struct FaultyRun {
  int status;  // as the shell sees it: 128 and more for a signal
  std::string output;
  std::vector<std::string> traces;
};

FaultyRun RunFaulty(const std::string& what, const testing::TempFolder& folder,
                    const std::string& variables = "") {
  const testing::ToolRun run = testing::RunTool(
      "sh -c " +
      testing::ShellQuote(
          "ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0 " +
          std::string("TSAN_OPTIONS=handle_segv=0:report_signal_unsafe=0:die_after_fork=0 ") +
          "STARPU_FXT_TRACE=1 STARPU_NCPU=2 STARPU_FXT_SUFFIX=trace " + variables +
          " STARPU_FXT_PREFIX=" + folder.path() + " tests/runtime/faulty " + what +
          "; echo status $?"));
  FaultyRun result = {-1, run.output, {}};
  const size_t at = run.output.rfind("status ");
  if (at != std::string::npos) result.status = std::stoi(run.output.substr(at + 7));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    result.traces.push_back(entry.path());
  std::sort(result.traces.begin(), result.traces.end());
  return result;
}

TraceModel LoadTrace(const std::string& path) {
  const std::string paths[] = {path};
  Diagnostics diags;
  Result<TraceModel> model = LoadPaths(paths, diags);
  EXPECT_TRUE(model.ok()) << model.status().message();
  return model.ok() ? std::move(*model) : TraceModel();
}

// How many tasks of this name have started, and how many of them have ended.
std::pair<int, int> StartedAndEnded(const TraceModel& model, const std::string& name) {
  std::pair<int, int> counts;
  for (size_t i = 0; i < model.tasks.size(); ++i) {
    if (model.str(model.tasks.name[i]) != name) continue;
    counts.first += model.tasks.start_ns[i] != kNever;
    counts.second += model.tasks.done_ns[i] != kNever;
  }
  return counts;
}

struct Fault {
  const char* what;
  int status;
  const char* line;  // in the output
};

class Faults : public ::testing::TestWithParam<Fault> {};

TEST_P(Faults, LeaveATraceOfAllThatWasBefore) {
  const testing::TempFolder folder;
  const FaultyRun run = RunFaulty(GetParam().what, folder);
  EXPECT_EQ(GetParam().status, run.status) << run.output;
  EXPECT_NE(std::string::npos, run.output.find(GetParam().line)) << run.output;
  ASSERT_EQ(1u, run.traces.size()) << run.output;
  const TraceModel model = LoadTrace(run.traces[0]);
  EXPECT_EQ(std::make_pair(10, 10), StartedAndEnded(model, "fine"));
  EXPECT_LE(StartedAndEnded(model, GetParam().what).second, 0);
}

INSTANTIATE_TEST_SUITE_P(
    OfTasks, Faults,
    ::testing::Values(Fault{"crash", 128 + 11, ""}, Fault{"abort", 128 + 6, ""},
                      Fault{"kill", 128 + 9, ""}, Fault{"exit", 3, ""}, Fault{"leave", 0, ""},
                      Fault{"throw", 128 + 6,
                            "task 'throw' ended with an exception: out of luck\n"},
                      Fault{"end_thread", 128 + 6, "task 'end_thread' called pthread_exit()"}),
    [](const auto& fault) { return fault.param.what; });

TEST(Faults, ATaskThatCrashesIsTheOneThatHasStartedAndNotEnded) {
  const testing::TempFolder folder;
  const FaultyRun run = RunFaulty("crash", folder);
  ASSERT_EQ(1u, run.traces.size()) << run.output;
  EXPECT_EQ(std::make_pair(1, 0), StartedAndEnded(LoadTrace(run.traces[0]), "crash"));
}

TEST(Watchdog, AbortsAProgramWhoseTaskNeverEnds) {
  const testing::TempFolder folder;
  const FaultyRun run =
      RunFaulty("hang", folder, "STARPU_WATCHDOG_TIMEOUT=1000000 STARPU_WATCHDOG_CRASH=1");
  EXPECT_EQ(128 + 6, run.status) << run.output;
  EXPECT_NE(std::string::npos, run.output.find("no task has ended for 1 s")) << run.output;
  EXPECT_NE(std::string::npos, run.output.find(" runs task 11 of ")) << run.output;
  ASSERT_EQ(1u, run.traces.size());
  EXPECT_EQ(std::make_pair(1, 0), StartedAndEnded(LoadTrace(run.traces[0]), "hang"));
}

TEST(Watchdog, TellsThatTasksWaitForWhatDoesNotCome) {
  const testing::TempFolder folder;
  const FaultyRun run =
      RunFaulty("never", folder, "STARPU_WATCHDOG_TIMEOUT=1000000 STARPU_WATCHDOG_CRASH=1");
  EXPECT_EQ(128 + 6, run.status) << run.output;
  EXPECT_NE(std::string::npos, run.output.find("1 are left: no worker runs one")) << run.output;
}

TEST(Watchdog, CallsTheProgram) {
  setenv("STARPU_WATCHDOG_TIMEOUT", "20000", 1);
  static std::atomic<bool> called;
  called = false;
  {
    Started started(1);
    starpu_task_watchdog_set_hook(
        [](void*) {
          called = true;
          called.notify_one();
        },
        nullptr);
    starpu_codelet codelet = {};
    codelet.cpu_funcs[0] = [](void**, void*) { called.wait(false); };
    ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
    ASSERT_EQ(0, starpu_task_wait_for_all());
  }
  EXPECT_TRUE(called);
  unsetenv("STARPU_WATCHDOG_TIMEOUT");
}

TEST(Fork, GivesAChildThatMayStartARuntimeOfItsOwn) {
  const char* sanitizer = getenv("TASKLENS_SANITIZER");
  if (sanitizer && std::string(sanitizer) == "thread")
    GTEST_SKIP() << "the thread sanitizer cannot follow threads of a forked child";
  const testing::TempFolder folder;
  const FaultyRun run = RunFaulty("fork", folder);
  EXPECT_EQ(0, run.status) << run.output;
  EXPECT_NE(std::string::npos,
            run.output.find("a task was submitted without a successful starpu_init()"))
      << run.output;
  ASSERT_EQ(2u, run.traces.size()) << run.output;
  for (const std::string& trace : run.traces)
    EXPECT_EQ(std::make_pair(10, 10), StartedAndEnded(LoadTrace(trace), "fine")) << trace;
}

TEST(Fork, GivesAChildThatDoesNotWaitForEver) {
  const testing::TempFolder folder;
  const FaultyRun run = RunFaulty("fork-and-wait", folder);
  EXPECT_EQ(0, run.status) << run.output;
  EXPECT_NE(std::string::npos, run.output.find("waiting for tasks in a child of fork()"))
      << run.output;
}

TEST(Fork, InsideATaskIsNoWorkerInTheChild) {
  const testing::TempFolder folder;
  const FaultyRun run = RunFaulty("spawn", folder);
  EXPECT_EQ(0, run.status) << run.output;
  EXPECT_NE(std::string::npos, run.output.find("11 done\n")) << run.output;
}

// --- Many threads, and callbacks
// ------------------------------------------------------------------

TEST(Submission, FromManyThreadsAtOnceLosesNothing) {
  Started started(2);
  constexpr int kThreads = 6, kTasks = 500;
  uint64_t sum = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&sum),
                                sizeof(sum));
  static starpu_codelet add = {};
  add.cpu_funcs[0] = [](void* buffers[], void*) {
    ++*reinterpret_cast<uint64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
  };
  add.nbuffers = 1;
  add.modes[0] = STARPU_RW;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([handle] {
      for (int i = 0; i < kTasks; ++i) EXPECT_EQ(0, starpu_task_insert(&add, STARPU_RW, handle, 0));
    });
  }
  for (std::thread& thread : threads) thread.join();
  starpu_data_unregister(handle);
  EXPECT_EQ(uint64_t{kThreads * kTasks}, sum);
}

// Each callback submits the next task, until none is left.
std::atomic<int> g_left;
starpu_codelet& Nothing() {
  static starpu_codelet codelet = [] {
    starpu_codelet made = {};
    made.cpu_funcs[0] = [](void**, void*) {};
    return made;
  }();
  return codelet;
}
void SubmitNext(void*) {
  if (--g_left <= 0) return;
  EXPECT_EQ(0, starpu_task_insert(&Nothing(), STARPU_CALLBACK, SubmitNext, 0));
}

TEST(Submission, FromCallbacksIsWaitedFor) {
  Started started(2);
  g_left = 5000;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(0, starpu_task_insert(&Nothing(), STARPU_CALLBACK, SubmitNext, 0));
  }
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_LE(g_left, 0);
}

// --- Handles that are gone
// -------------------------------------------------------------------------

TEST(Handles, ThatWereUnregisteredAreRefused) {
  Started started(1);
  double value = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value),
                                sizeof(value));
  starpu_data_unregister(handle);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_R;
  codelet.name = "late";
  ::testing::internal::CaptureStderr();
  starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  task->handles[0] = handle;
  EXPECT_EQ(-EINVAL, starpu_task_submit(task));
  starpu_task_destroy(task);
  EXPECT_EQ(-EINVAL, starpu_data_acquire(handle, STARPU_R));
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(std::string::npos,
            text.find("task 'late' is not accepted: one of its handles was unregistered before\n"))
      << text;
  EXPECT_NE(std::string::npos, text.find("starpu_data_acquire(): handle 0x")) << text;
  EXPECT_DEATH(starpu_data_unregister(handle), "was unregistered before");
}

}  // namespace
}  // namespace tasklens
