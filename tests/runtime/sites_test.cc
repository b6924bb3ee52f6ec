// SPDX-License-Identifier: Apache-2.0
// Every way to submit a task leaves the right file, line and function in the trace, from C and C++,
// and the rest of what a trace says of a task is true as well.
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "tests/runtime/recorded.h"

extern "C" {
void SubmitInEachWayFromC(void);
void ExpectSite(const char* task, const char* file, int line, const char* function);
}

namespace tasklens {
namespace {

struct Place {
  std::string file;
  uint32_t line;
  std::string function;
};
std::map<std::string, Place>* g_expected;

uint32_t TaskCalled(const TraceModel& model, const std::string& name) {
  for (uint32_t i = 0; i < model.tasks.job.size(); ++i) {
    if (model.str(model.tasks.name[i]) == name) return i;
  }
  ADD_FAILURE() << "no task is called " << name;
  return 0;
}

void CheckSites(const TraceModel& model, const std::map<std::string, Place>& expected) {
  for (const auto& [name, place] : expected) {
    const uint32_t site = model.tasks.site[TaskCalled(model, name)];
    if (place.file.empty()) {
      EXPECT_EQ(kNone, site) << name;
      continue;
    }
    ASSERT_NE(kNone, site) << name;
    EXPECT_EQ(place.file, model.str(model.sites.file[site])) << name;
    EXPECT_EQ(place.line, model.sites.line[site]) << name;
    EXPECT_EQ(place.function, model.str(model.sites.function[site])) << name;
  }
}

starpu_codelet* Nothing() {
  static starpu_codelet codelet = [] {
    starpu_codelet nothing = {};
    nothing.cpu_funcs[0] = [](void**, void*) {};
    nothing.name = "nothing";
    return nothing;
  }();
  return &codelet;
}

#define EXPECT_NEXT_LINE(name) ExpectSite(name, __FILE__, __LINE__ + 1, __func__)

template <class A, class B>
starpu_task* MakeFor(const char* name) {
  starpu_task* task = starpu_task_create();
  task->cl = Nothing();
  task->name = name;
  return task;
}

struct Submitter {
  void SubmitInEachWay() {
    EXPECT_NEXT_LINE("c++ insert");
    EXPECT_EQ(0, starpu_task_insert(Nothing(), STARPU_NAME, "c++ insert", 0));
    EXPECT_NEXT_LINE("c++ qualified");
    EXPECT_EQ(0, ::starpu_task_insert(Nothing(), STARPU_NAME, "c++ qualified", 0));
    EXPECT_NEXT_LINE("c++ template");  // a comma that no parenthesis hides
    EXPECT_EQ(0, starpu_task_submit(MakeFor<int, long>("c++ template")));
    const auto lambda = [] {
      EXPECT_NEXT_LINE("c++ lambda");
      EXPECT_EQ(0, starpu_insert_task(Nothing(), STARPU_NAME, "c++ lambda", 0));
    };
    lambda();
    EXPECT_NEXT_LINE("c++ build");
    starpu_task* task = starpu_task_build(Nothing(), STARPU_NAME, "c++ build", 0);
    EXPECT_EQ(0, starpu_task_submit(task));
  }
};

TEST(Sites, AreThoseOfTheCallInEachWay) {
  std::map<std::string, Place> expected;
  g_expected = &expected;
  const TraceModel model = Recorded({.name = "sites"}, [] {
    SubmitInEachWayFromC();
    Submitter().SubmitInEachWay();
  });
  EXPECT_EQ(17u, expected.size());
  CheckSites(model, expected);
}

TEST(Trace, SaysWhatATaskIs) {
  static double values[8];
  const TraceModel model = Recorded({.name = "facts"}, [] {
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(values), 8,
                                sizeof(double));
    starpu_data_set_name(handle, "values");
    starpu_data_set_coordinates(handle, 2, 3, -4);
    // They are asked for until their tasks have ended, which is later than the end of the data.
    static starpu_codelet write = *Nothing(), read = *Nothing();
    write.nbuffers = read.nbuffers = 1;
    write.modes[0] = STARPU_W;
    read.modes[0] = STARPU_R;
    starpu_iteration_push(5);
    starpu_iteration_push(6);
    EXPECT_EQ(0, starpu_task_insert(&write, STARPU_W, handle, STARPU_NAME, "writer",
                                    STARPU_PRIORITY, -3, STARPU_FLOPS, 1234.5, STARPU_TASK_COLOR,
                                    0x102030, STARPU_TAG, starpu_tag_t{99}, 0));
    starpu_iteration_pop();
    starpu_iteration_pop();
    EXPECT_EQ(0, starpu_task_insert(&read, STARPU_R, handle, STARPU_NAME, "reader", STARPU_TAG_ONLY,
                                    starpu_tag_t{98}, 0));
    starpu_fxt_trace_user_event_string("half way");
    starpu_data_unregister(handle);
  });
  const TaskTable& tasks = model.tasks;
  const uint32_t writer = TaskCalled(model, "writer"), reader = TaskCalled(model, "reader");
  EXPECT_EQ(-3, tasks.priority[writer]);
  EXPECT_EQ(1234.5, tasks.flops[writer]);
  EXPECT_EQ(0x102030u, tasks.rgb[writer]);
  EXPECT_EQ(5, tasks.iteration[writer]);
  EXPECT_EQ(6, tasks.subiteration[writer]);
  EXPECT_EQ(-1, tasks.iteration[reader]);
  EXPECT_EQ(99u, tasks.tag[writer]);
  EXPECT_EQ(98u, tasks.tag[reader]) << "it orders nothing, and is shown";
  EXPECT_EQ(64u, tasks.size_bytes[writer]);
  EXPECT_NE(0u, tasks.footprint[writer]);
  EXPECT_LE(tasks.submit_ns[writer], tasks.ready_ns[writer]);
  EXPECT_LE(tasks.ready_ns[writer], tasks.pop_ns[writer]);
  EXPECT_LE(tasks.pop_ns[writer], tasks.start_ns[writer]);
  EXPECT_LE(tasks.start_ns[writer], tasks.end_ns[writer]);
  EXPECT_LE(tasks.end_ns[writer], tasks.start_ns[reader]);
  EXPECT_EQ(2u, model.workers.id.size());
  bool found = false;
  for (const DepEnd& dep : model.predecessors[reader]) found = found || dep.task == writer;
  EXPECT_TRUE(found) << "the reader waits for the writer";
}

TEST(Trace, LeavesOutWhatIsStopped) {
  starpu_fxt_autostart_profiling(0);
  const TraceModel model = Recorded({.name = "region"}, [] {
    EXPECT_EQ(0, starpu_task_insert(Nothing(), STARPU_NAME, "before", 0));
    starpu_task_wait_for_all();
    starpu_fxt_start_profiling();
    EXPECT_EQ(0, starpu_task_insert(Nothing(), STARPU_NAME, "within", 0));
    starpu_task_wait_for_all();
    starpu_fxt_stop_profiling();
    EXPECT_EQ(0, starpu_task_insert(Nothing(), STARPU_NAME, "after", 0));
  });
  starpu_fxt_autostart_profiling(1);
  size_t named = 0;
  for (uint32_t i = 0; i < model.tasks.job.size(); ++i) named += model.tasks.name[i] != 0;
  EXPECT_EQ(1u, named);
  TaskCalled(model, "within");
}

}  // namespace
}  // namespace tasklens

void ExpectSite(const char* task, const char* file, int line, const char* function) {
  (*tasklens::g_expected)[task] = {file, static_cast<uint32_t>(line), function};
}
