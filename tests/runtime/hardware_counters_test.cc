// SPDX-License-Identifier: Apache-2.0
// Hardware counters of tasks: by a library that stands in for PAPI, and by PAPI where it may count.
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "tests/runtime/recorded.h"

namespace tasklens {
namespace {

using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

constexpr int64_t kInstructions = static_cast<int32_t>(0x80000032);
constexpr int64_t kCycles = static_cast<int32_t>(0x8000003b);
constexpr const char* kStandIn = "tests/runtime/libpapi_stand_in.so";

// The variables of a run that counts `events`.
class Counting {
 public:
  explicit Counting(const char* events, const char* library = kStandIn) {
    setenv("STARPU_PROF_PAPI_EVENTS", events, 1);
    if (library) setenv("TASKLENS_PAPI_LIBRARY", library, 1);
    setenv("STARPU_PROFILING", "1", 1);
  }
  ~Counting() {
    unsetenv("STARPU_PROF_PAPI_EVENTS");
    unsetenv("TASKLENS_PAPI_LIBRARY");
    unsetenv("STARPU_PROFILING");
  }
};

long long (*count)(long long n);
void CountItsArgument(void**, void* argument) { count(reinterpret_cast<intptr_t>(argument)); }

starpu_task* Submitted(starpu_codelet* codelet, intptr_t argument) {
  starpu_task* task = starpu_task_create();
  task->cl = codelet;
  task->cl_arg = reinterpret_cast<void*>(argument);
  task->destroy = 0;
  EXPECT_EQ(0, starpu_task_submit(task));
  return task;
}

TEST(HardwareCounters, AreTheTasksOwn) {
  void* const library = dlopen(kStandIn, RTLD_NOW);
  ASSERT_TRUE(library) << dlerror();
  count = reinterpret_cast<long long (*)(long long)>(dlsym(library, "count"));
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = CountItsArgument;
  const Counting counting("PAPI_TOT_CYC, PAPI_NOT_THERE\tPAPI_TOT_INS");
  CaptureStderr();
  // Beyond what an int holds.
  constexpr long long kMany = 1LL << 40;
  for (int run = 0; run < 2; ++run) {
    const TraceModel model = Recorded({.name = "counters"}, [&] {
      std::vector<starpu_task*> tasks;
      for (intptr_t i = 0; i < 20; ++i) tasks.push_back(Submitted(&codelet, kMany + i));
      starpu_task_wait_for_all();
      for (int i = 0; i < 20; ++i) {
        const starpu_profiling_task_info* info = tasks[static_cast<size_t>(i)]->profiling_info;
        ASSERT_TRUE(info && info->papi_values);
        EXPECT_EQ(2 * (kMany + i), info->papi_values[0]);
        EXPECT_EQ(kMany + i, info->papi_values[1]);
        starpu_task_destroy(tasks[static_cast<size_t>(i)]);
      }
    });
    ASSERT_EQ(40u, model.papi.task.size());
    // By task: two workers may end theirs at the same moment.
    std::map<uint32_t, std::map<int64_t, int64_t>> of_task;
    for (size_t i = 0; i < 40; ++i)
      of_task[model.papi.task[i]][model.papi.code[i]] = model.papi.value[i];
    EXPECT_EQ(20u, of_task.size());
    int64_t sum = 0;
    for (auto& [task, counted] : of_task) {
      EXPECT_EQ(2u, counted.size());
      EXPECT_EQ(counted[kCycles], 2 * counted[kInstructions]);
      sum += counted[kInstructions] - kMany;
    }
    EXPECT_EQ(190, sum);
  }
  const std::string line =
      "tasklens: STARPU_PROF_PAPI_EVENTS: PAPI_NOT_THERE cannot be counted: Event does not exist\n";
  EXPECT_EQ(line + line, WithoutSharing(GetCapturedStderr()));
  dlclose(library);
}

TEST(HardwareCounters, OfATaskThatIsNeitherProfiledNorRecordedAreLeftAlone) {
  void* const library = dlopen(kStandIn, RTLD_NOW);
  ASSERT_TRUE(library) << dlerror();
  count = reinterpret_cast<long long (*)(long long)>(dlsym(library, "count"));
  static long long counted;
  counted = 0;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { counted = count(1); };
  const Counting counting("PAPI_TOT_INS");
  setenv("STARPU_PROFILING", "0", 1);
  {
    Started started(1);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(0, starpu_task_insert(&codelet, 0));
    starpu_task_wait_for_all();
  }
  EXPECT_EQ(3, counted) << "they are not set to zero before each task";
  dlclose(library);
}

TEST(HardwareCounters, WithoutALibraryAreNamedInALine) {
  const Counting counting("PAPI_TOT_INS", "/no/such/papi.so");
  CaptureStderr();
  { Started started(1); }
  EXPECT_EQ(
      "tasklens: TASKLENS_PAPI_LIBRARY: /no/such/papi.so: cannot open shared object file: No such "
      "file or directory; no hardware counter is read\n",
      GetCapturedStderr());
}

// Why nothing can be counted on this machine, whatever the runtime does; "": it can.
std::string WhyNobodyCounts() {
  if (!dlopen("libpapi.so.7.0", RTLD_NOW)) {
    return "PAPI is missing: apt-get install libpapi7.0";
  }
  perf_event_attr instructions = {};
  instructions.size = sizeof(instructions);
  instructions.type = PERF_TYPE_HARDWARE;
  instructions.config = PERF_COUNT_HW_INSTRUCTIONS;
  instructions.exclude_kernel = instructions.exclude_hv = 1;
  const long counter = syscall(SYS_perf_event_open, &instructions, 0, -1, -1, 0L);
  if (counter < 0) {
    return std::string("the kernel counts no instructions for this user: ") + strerror(errno);
  }
  close(static_cast<int>(counter));
  return "";
}

TEST(HardwareCounters, OfPapiGrowWithTheWork) {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void* argument) {
    for (intptr_t i = 0; i < reinterpret_cast<intptr_t>(argument); ++i) asm volatile("");
  };
  const Counting counting("PAPI_TOT_INS", /*library=*/nullptr);
  CaptureStderr();
  Started started(1);
  const std::string said = GetCapturedStderr();
  if (const std::string why = WhyNobodyCounts(); !why.empty()) {
    EXPECT_NE("", said) << "and the user is told";
    GTEST_SKIP() << why << "; the runtime says: " << said;
  }
  ASSERT_EQ("", said);
  starpu_task* small = Submitted(&codelet, 1'000'000);
  starpu_task* large = Submitted(&codelet, 10'000'000);
  starpu_task_wait_for_all();
  ASSERT_TRUE(small->profiling_info && small->profiling_info->papi_values);
  EXPECT_GE(small->profiling_info->papi_values[0], 1'000'000);
  EXPECT_GE(large->profiling_info->papi_values[0], 5 * small->profiling_info->papi_values[0]);
  starpu_task_destroy(small);
  starpu_task_destroy(large);
}

}  // namespace
}  // namespace tasklens
