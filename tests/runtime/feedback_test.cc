// SPDX-License-Identifier: Apache-2.0
// What a program is told of itself: times of tasks and workers, data, and the texts at the end.
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/runtime/spin.h"
#include "tests/runtime/started.h"

namespace tasklens {
namespace {

// A variable of the environment for the time of a block.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

int64_t Ns(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

struct Times {
  int64_t total, executing, callback, waiting, sleeping, scheduling;
  int64_t all_executing, all_callback, all_waiting, all_sleeping, all_scheduling;
  int tasks;
};

Times TimesOf(int worker) {
  starpu_profiling_worker_info info;
  EXPECT_EQ(0, starpu_profiling_worker_get_info(worker, &info));
  return {Ns(info.total_time),         Ns(info.executing_time),      Ns(info.callback_time),
          Ns(info.waiting_time),       Ns(info.sleeping_time),       Ns(info.scheduling_time),
          Ns(info.all_executing_time), Ns(info.all_callback_time),   Ns(info.all_waiting_time),
          Ns(info.all_sleeping_time),  Ns(info.all_scheduling_time), info.executed_tasks};
}

void Spin5Ms(void**, void*) { SpinUs(5000); }

starpu_task* KeptTask(starpu_codelet* codelet) {
  starpu_task* task = starpu_task_create();
  task->cl = codelet;
  task->detach = 0;
  task->destroy = 0;
  return task;
}

TEST(WorkerTimes, AddUpToTheTotal) {
  Started started(2);
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = Spin5Ms;
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(0, starpu_task_insert(
                     &codelet, STARPU_CALLBACK, +[](void*) { SpinUs(1000); }, 0));
  }
  ASSERT_EQ(0, starpu_task_wait_for_all());
  int tasks = 0;
  for (int worker = 0; worker < 2; ++worker) {
    const Times times = TimesOf(worker);
    const int64_t named =
        times.executing + times.callback + times.waiting + times.sleeping + times.scheduling;
    EXPECT_LE(named, times.total);
    EXPECT_GT(named, 0);
    EXPECT_GE(times.executing, times.tasks * 5'000'000);
    EXPECT_GE(times.callback, times.tasks * 1'000'000);
    EXPECT_GE(times.all_executing, times.executing);
    EXPECT_GE(times.all_callback, times.callback);
    EXPECT_GE(times.all_waiting, times.waiting);
    EXPECT_GE(times.all_sleeping, times.sleeping);
    EXPECT_GE(times.all_scheduling, times.scheduling);
    tasks += times.tasks;
  }
  EXPECT_EQ(6, tasks);
}

TEST(WorkerTimes, BeginAgainWhenTheyAreRead) {
  Started started(1);
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = Spin5Ms;
  ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(1, TimesOf(0).tasks);
  const Times again = TimesOf(0);
  EXPECT_EQ(0, again.tasks);
  EXPECT_EQ(0, again.executing);
  EXPECT_EQ(-EINVAL, starpu_profiling_worker_get_info(7, nullptr));
}

TEST(WorkerTimes, StandStillWhileProfilingIsOff) {
  Started started(1);
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = Spin5Ms;
  ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
  ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  // Turning it off has not thrown away what was there.
  const Times times = TimesOf(0);
  EXPECT_EQ(1, times.tasks);
  EXPECT_GE(times.executing, 5'000'000);
}

TEST(WorkerTimes, CountACallbackInsideATaskTwiceInTheViewOfAll) {
  Started started(1);
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  static starpu_codelet inner = {};
  inner.cpu_funcs[0] = [](void**, void*) {};
  starpu_codelet outer = {};
  outer.cpu_funcs[0] = [](void**, void*) {
    // Ready at once, so its prologue runs here.
    ASSERT_EQ(0, starpu_task_insert(
                     &inner, STARPU_PROLOGUE_CALLBACK, +[](void*) { SpinUs(3000); }, 0));
  };
  ASSERT_EQ(0, starpu_task_insert(&outer, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  const Times times = TimesOf(0);
  EXPECT_GE(times.executing, 3'000'000);
  EXPECT_GE(times.all_callback, 3'000'000);
  EXPECT_EQ(0, times.callback);
}

TEST(TaskTimes, AreInTheOrderOfATasksLife) {
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);  // before the start counts as well
  for (starpu_sched_policy** at = starpu_sched_get_predefined_policies(); *at; ++at) {
    SCOPED_TRACE((*at)->policy_name);
    Started started(2, (*at)->policy_name);
    double value = 0;
    starpu_data_handle_t handle;
    starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value), 8);
    starpu_codelet codelet = {};
    codelet.cpu_funcs[0] = [](void**, void*) { SpinUs(100); };
    codelet.nbuffers = 1;
    codelet.modes[0] = STARPU_RW;
    starpu_task* task = KeptTask(&codelet);
    task->handles[0] = handle;
    task->callback_func = [](void*) { SpinUs(100); };
    ASSERT_EQ(0, starpu_task_submit(task));
    ASSERT_EQ(0, starpu_task_wait(task));
    const starpu_profiling_task_info* info = task->profiling_info;
    ASSERT_TRUE(info);
    const timespec* moments[] = {&info->submit_time,
                                 &info->push_start_time,
                                 &info->push_end_time,
                                 &info->pop_end_time,
                                 &info->acquire_data_start_time,
                                 &info->acquire_data_end_time,
                                 &info->start_time,
                                 &info->end_time,
                                 &info->release_data_start_time,
                                 &info->release_data_end_time,
                                 &info->callback_start_time,
                                 &info->callback_end_time};
    for (size_t i = 0; i + 1 < std::size(moments); ++i) {
      // A modular policy notes the end of the push when the task is in its last queue, which may
      // be when a worker pulls it.
      EXPECT_LE(Ns(*moments[i]), Ns(*moments[i + 1])) << "moment " << i;
    }
    EXPECT_LE(Ns(info->pop_start_time), Ns(info->pop_end_time));
    EXPECT_GE(Ns(info->end_time) - Ns(info->start_time), 100'000);
    EXPECT_GE(Ns(info->callback_end_time) - Ns(info->callback_start_time), 100'000);
    EXPECT_TRUE(info->workerid == 0 || info->workerid == 1);
    starpu_task_destroy(task);
    starpu_data_unregister(handle);
  }
  starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
}

TEST(TaskTimes, AreNotTakenWithoutProfiling) {
  Started started(1);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  starpu_task* task = KeptTask(&codelet);
  ASSERT_EQ(0, starpu_task_submit(task));
  ASSERT_EQ(0, starpu_task_wait(task));
  EXPECT_EQ(nullptr, task->profiling_info);
  starpu_task_destroy(task);
}

TEST(Buses, AreNoneBetweenOneMemoryAndItself) {
  Started started(1);
  EXPECT_EQ(0, starpu_bus_get_count());
  EXPECT_EQ(-1, starpu_bus_get_id(0, 0));
  starpu_profiling_bus_info info;
  EXPECT_EQ(-EINVAL, starpu_bus_get_profiling_info(0, &info));
}

// --- Texts ---------------------------------------------------------------------------------------

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A run of ten tasks of 2 ms and a million operations.
void RunTenTasks() {
  Started started(2);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { SpinUs(2000); };
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(0, starpu_task_insert(&codelet, STARPU_FLOPS, 1e6, 0));
  }
  ASSERT_EQ(0, starpu_task_wait_for_all());
}

// The numbers of milliseconds in a line, in order.
std::vector<double> Milliseconds(const std::string& line) {
  std::vector<double> numbers;
  static const std::regex kMs("([0-9.]+) ms");
  for (auto at = std::sregex_iterator(line.begin(), line.end(), kMs); at != std::sregex_iterator();
       ++at) {
    numbers.push_back(std::stod((*at)[1]));
  }
  return numbers;
}

TEST(WorkerStats, ArePrintedAtTheEndAndAddUp) {
  const std::string path = ::testing::TempDir() + "/worker-stats";
  Variable profiling("STARPU_PROFILING", "1"), stats("STARPU_WORKER_STATS", "1"),
      file("STARPU_WORKER_STATS_FILE", path);
  RunTenTasks();
  const std::string text = ReadFile(path);
  std::istringstream lines(text);
  int splits = 0, tasks = 0;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, std::regex("\t([0-9]+) task\\(s\\)")))
      tasks += std::stoi(match[1]);
    if (line.find("time split: total") == std::string::npos) continue;
    const std::vector<double> ms = Milliseconds(line);
    ASSERT_EQ(7u, ms.size()) << line;
    double sum = 0;
    for (size_t i = 1; i < ms.size(); ++i) sum += ms[i];
    EXPECT_NEAR(ms[0], sum, 0.04) << line;  // rounded to 0.01 each
    ++splits;
  }
  EXPECT_EQ(3, splits) << text;  // two workers, and all
  EXPECT_EQ(10, tasks);
  for (const char* part : {"\nWorker stats:\nCPU 0\n", "\nCPU 1\n", "\tall time: executing: ",
                           " GFlop/s\n", "Global time split: total ", "%) + overhead "})
    EXPECT_NE(std::string::npos, text.find(part)) << part << " in " << text;
}

TEST(WorkerStats, AreNotPrintedUnasked) {
  testing::internal::CaptureStderr();
  RunTenTasks();
  EXPECT_EQ("", WithoutSharing(testing::internal::GetCapturedStderr()));
}

TEST(WorkerStats, GoToStandardErrorWhenTheirFileCannotBeWritten) {
  Variable stats("STARPU_WORKER_STATS", "1"), file("STARPU_WORKER_STATS_FILE", "/no/such/folder/f");
  testing::internal::CaptureStderr();
  RunTenTasks();
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(std::string::npos, text.find("STARPU_WORKER_STATS_FILE: /no/such/folder/f: No such"));
  EXPECT_NE(std::string::npos, text.find("Worker stats:"));
}

TEST(BusStats, ArePrintedToTheirFile) {
  const std::string path = ::testing::TempDir() + "/bus-stats";
  Variable stats("STARPU_BUS_STATS", "1"), file("STARPU_BUS_STATS_FILE", path);
  RunTenTasks();
  EXPECT_EQ("\nData transfer stats:\nTotal transfers: 0.0000 GB\n", ReadFile(path));
}

// Five tasks find a variable in place, one finds it to be made.
std::string TextOfDataProgram() {
  testing::internal::CaptureStderr();
  {
    Started started(1);
    starpu_data_handle_t handle;
    starpu_variable_data_register(&handle, -1, 0, 8);
    starpu_codelet write = {}, read = {};
    write.cpu_funcs[0] = read.cpu_funcs[0] = [](void**, void*) {};
    write.nbuffers = read.nbuffers = 1;
    write.modes[0] = STARPU_W;
    read.modes[0] = STARPU_R;
    EXPECT_EQ(0, starpu_task_insert(&write, STARPU_W, handle, 0));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(0, starpu_task_insert(&read, STARPU_R, handle, 0));
    EXPECT_EQ(0, starpu_task_wait_for_all());
    starpu_data_display_memory_stats();
    starpu_data_unregister(handle);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(DataStats, CountWhatTasksFoundInPlace) {
  Variable stats("STARPU_ENABLE_STATS", "1");
  const std::string text = TextOfDataProgram();
  EXPECT_NE(std::string::npos,
            text.find("MSI cache stats :\nTOTAL MSI stats\thit 5 (83.33 %)\tmiss 1 (16.67 %)\n"))
      << text;
  EXPECT_NE(std::string::npos, text.find("Data transfer stats:")) << text;
  Variable hide("STARPU_STATS", "0");
  EXPECT_EQ("", TextOfDataProgram());
}

TEST(MemoryStats, TellHowRegisteredDataAreUsed) {
  Variable stats("STARPU_MEMORY_STATS", "1");
  const std::string text = TextOfDataProgram();
  EXPECT_NE(std::string::npos, text.find("Memory stats :\n")) << text;
  EXPECT_NE(std::string::npos, text.find("Size : 8\n")) << text;
  EXPECT_NE(std::string::npos, text.find("Direct access : 6\n\tLoaded (Owner) : 1\n")) << text;
  // Once when the program asks, and at the end, when nothing is registered any more.
  EXPECT_EQ(text.find("Data : 0x"), text.rfind("Data : 0x"));
  EXPECT_NE(text.find("Memory stats :"), text.rfind("Memory stats :"));
}

}  // namespace
}  // namespace tasklens
