// SPDX-License-Identifier: Apache-2.0
// STARPU_PROF_TOOL: what a tool is told, and what the user is told of a tool that is none.
#include <dlfcn.h>
#include <starpu_profiling_tool.h>

#include <cstdlib>
#include <string>

#include "tests/runtime/on_disk.h"
#include "tests/runtime/started.h"

namespace tasklens {
namespace {

constexpr char kLibrary[] = "tests/runtime/libtool.so";

TEST(Tools, AreToldWhatHappens) {
  void* library = dlopen(kLibrary, RTLD_NOW);
  ASSERT_NE(nullptr, library) << dlerror();
  const auto count =
      reinterpret_cast<int (*)(starpu_prof_tool_event)>(dlsym(library, "tool_count"));
  const auto wrong = reinterpret_cast<int (*)()>(dlsym(library, "tool_wrong"));
  testing::on_disk::Folder folder;
  setenv("STARPU_PROF_TOOL", kLibrary, 1);
  {
    Started started(2);
    EXPECT_EQ(1, count(starpu_prof_tool_event_init_end));
    static starpu_codelet codelet = {};
    codelet.cpu_funcs[0] = [](void**, void*) {};
    codelet.name = "told";
    for (int i = 0; i < 10; ++i) ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
    ASSERT_EQ(0, starpu_task_wait_for_all());
    ASSERT_EQ(1, starpu_disk_register(&starpu_disk_unistd_ops, folder.path(), -1));
    starpu_data_handle_t handle;
    static double values[100];
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(values), 100,
                                sizeof(double));
    ASSERT_EQ(0, starpu_data_acquire_on_node(handle, 1, STARPU_RW));
    starpu_data_release_on_node(handle, 1);
    starpu_data_unregister(handle);
  }
  unsetenv("STARPU_PROF_TOOL");
  EXPECT_EQ(1, count(starpu_prof_tool_event_init_begin));
  EXPECT_EQ(1, count(starpu_prof_tool_event_init));
  EXPECT_EQ(2, count(starpu_prof_tool_event_driver_init_start));
  EXPECT_EQ(0, count(starpu_prof_tool_event_driver_init)) << "it was unregistered";
  EXPECT_EQ(2, count(starpu_prof_tool_event_driver_init_end));
  EXPECT_EQ(10, count(starpu_prof_tool_event_start_cpu_exec));
  EXPECT_EQ(10, count(starpu_prof_tool_event_end_cpu_exec));
  EXPECT_EQ(2, count(starpu_prof_tool_event_start_transfer)) << "there and back";
  EXPECT_EQ(2, count(starpu_prof_tool_event_end_transfer));
  EXPECT_EQ(2, count(starpu_prof_tool_event_driver_deinit));
  EXPECT_EQ(1, count(starpu_prof_tool_event_terminate));
  EXPECT_EQ(0, wrong());
  dlclose(library);
}

TEST(Tools, AreNamedWhenTheyCannotBeUsed) {
  setenv("STARPU_PROF_TOOL", "/no/such/tool.so:tests/runtime/libpolicy.so", 1);
  ::testing::internal::CaptureStderr();
  { Started started(1); }
  EXPECT_EQ(
      "tasklens: STARPU_PROF_TOOL: /no/such/tool.so: cannot open shared object file: No such file "
      "or "
      "directory\n"
      "tasklens: STARPU_PROF_TOOL: tests/runtime/libpolicy.so has no "
      "starpu_prof_tool_library_register()\n",
      ::testing::internal::GetCapturedStderr());
  unsetenv("STARPU_PROF_TOOL");
}

}  // namespace
}  // namespace tasklens
