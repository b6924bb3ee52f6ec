// SPDX-License-Identifier: Apache-2.0
// The trace of a program of OpenMP: its tasks with their names and places, and what a worker does
// while one of them waits.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/runtime/in_openmp.h"
#include "tests/runtime/recorded.h"

extern "C" {
void RunRegionInC(void);
void ExpectPlace(const char* task, int line);
}

namespace tasklens {
namespace {

std::map<std::string, uint32_t>* g_lines;

// OpenMP starts and ends within `program`.
template <class Program>
TraceModel RecordedOpenMp(const std::string& name, Program&& program) {
  setenv("STARPU_FXT_TRACE", "1", 1);
  setenv("STARPU_FXT_PREFIX", ::testing::TempDir().c_str(), 1);
  setenv("STARPU_FXT_SUFFIX", name.c_str(), 1);
  program();
  unsetenv("STARPU_FXT_TRACE");
  const std::string paths[] = {RecordedPath(name)};
  Diagnostics diags;
  Result<TraceModel> model = LoadPaths(paths, diags);
  if (!model.ok()) {
    ADD_FAILURE() << model.status().message();
    std::abort();
  }
  EXPECT_EQ("", tasklens::testing::BrokenPromise(*model));
  return std::move(*model);
}

// The names of the tasks that a worker shows, one after the other.
std::vector<std::string> TasksShownBy(const TraceModel& model, uint32_t worker) {
  std::vector<std::string> shown;
  const uint32_t track = model.workers.track[worker];
  for (uint32_t row = model.states.first_of_track[track];
       row < model.states.first_of_track[track + 1]; ++row) {
    if (model.states.kind[row] != StateKind::kTask || model.states.depth[row] != 0) continue;
    shown.emplace_back(model.str(model.tasks.name[model.states.task[row]]));
  }
  return shown;
}

TEST(OpenmpRecording, TasksHaveTheirNamesAndPlaces) {
  std::map<std::string, uint32_t> lines;
  g_lines = &lines;
  const TraceModel model = RecordedOpenMp("openmp_places", [] {
    OpenMp openmp(1);
    RunRegionInC();
  });
  g_lines = nullptr;
  std::set<std::string> seen;
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    const std::string name(model.str(model.tasks.name[task]));
    if (!lines.contains(name)) continue;
    seen.insert(name);
    const uint32_t site = model.tasks.site[task];
    ASSERT_NE(kNone, site) << name;
    EXPECT_EQ("tests/runtime/openmp_in_c.c", model.str(model.sites.file[site]));
    EXPECT_EQ(lines[name], model.sites.line[site]) << name;
    EXPECT_NE(kNever, model.tasks.start_ns[task]) << name;
    EXPECT_LE(model.tasks.start_ns[task], model.tasks.end_ns[task]) << name;
    // Also where the worker went to another thread afterwards: its time counts as a worker's.
    const uint32_t worker = model.tasks.worker[task];
    EXPECT_LE(model.workers.ready_ns[worker], model.tasks.start_ns[task]) << name;
    EXPECT_TRUE(model.workers.stop_ns[worker] == kNever ||
                model.tasks.end_ns[task] <= model.workers.stop_ns[worker])
        << name;
  }
  EXPECT_EQ((std::set<std::string>{"child", "omp_parallel", "omp_task", "waiting"}), seen);
}

TEST(OpenmpRecording, ATaskThatWaitsIsNotShownWhileItsWorkerRunsAnother) {
  std::map<std::string, uint32_t> lines;
  g_lines = &lines;
  const TraceModel model = RecordedOpenMp("openmp_pauses", [] {
    OpenMp openmp(1);
    RunRegionInC();
  });
  g_lines = nullptr;
  ASSERT_EQ(1u, model.workers.size());
  std::vector<std::string> shown = TasksShownBy(model, 0);
  std::erase(shown, "omp_task");
  EXPECT_EQ((std::vector<std::string>{"omp_parallel", "waiting", "child", "waiting"}), shown);
}

TEST(OpenmpRecording, WhileATaskWaitsItIsPaused) {
  std::map<std::string, uint32_t> lines;
  g_lines = &lines;
  const TraceModel model = RecordedOpenMp("openmp_stretches", [] {
    OpenMp openmp(1);
    RunRegionInC();
  });
  g_lines = nullptr;
  uint32_t of_waiting = 0;
  int64_t busy_ns = 0, begin_ns = kNever, end_ns = 0;
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    if (model.tasks.start_ns[task] == kNever) continue;
    busy_ns += model.tasks.RunNs(task);
    if (begin_ns == kNever) begin_ns = model.tasks.start_ns[task];
    begin_ns = std::min(begin_ns, model.tasks.start_ns[task]);
    end_ns = std::max(end_ns, model.tasks.end_ns[task]);
    if (model.str(model.tasks.name[task]) != "waiting") continue;
    ++of_waiting;
    EXPECT_GT(model.tasks.paused_ns[task], 0);
  }
  EXPECT_EQ(1u, of_waiting);
  // One worker: its tasks, without their pauses, were one after the other.
  EXPECT_LE(busy_ns, end_ns - begin_ns);
}

TEST(OpenmpRecording, TheThreadInAWorkersPlaceIsThatWorker) {
  const TraceModel model = RecordedOpenMp("openmp_place", [] {
    OpenMp openmp(2);
    for (int i = 0; i < 5; ++i) Parallel(0, [] { starpu_omp_barrier(); });
  });
  ASSERT_EQ(2u, model.workers.size());
  for (uint32_t worker = 0; worker < 2; ++worker) {
    const auto shown = TasksShownBy(model, worker);
    EXPECT_GE(shown.size(), 5u);
    EXPECT_LE(shown.size(), 10u);
  }
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    EXPECT_EQ("omp_parallel", model.str(model.tasks.name[task]));
    EXPECT_NE(kNone, model.tasks.worker[task]);
  }
}

}  // namespace
}  // namespace tasklens

void ExpectPlace(const char* task, int line) {
  (*tasklens::g_lines)[task] = static_cast<uint32_t>(line);
}
