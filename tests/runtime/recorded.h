// SPDX-License-Identifier: Apache-2.0
// A block of a test, run by the runtime and recorded, and the trace that came of it.
#pragma once

#include <cstdlib>
#include <string>

#include "converters/formats.h"
#include "tests/runtime/started.h"
#include "tests/testing/model_check.h"

namespace tasklens {

struct RecordedRun {
  std::string name;  // of the trace, unlike that of any other run of the test
  int workers = 2;
  const char* policy = "lws";
  starpu_sched_policy* own_policy = nullptr;
  const char* categories = nullptr;  // STARPU_FXT_EVENTS; nullptr: all
};

inline std::string RecordedPath(const std::string& name) {
  return ::testing::TempDir() + "/" + name + "_0.tlt";
}

// Runs `program` recorded, waits for its tasks, stops the runtime and reads the trace.
template <class Program>
TraceModel Recorded(const RecordedRun& run, Program&& program) {
  setenv("STARPU_FXT_TRACE", "1", 1);
  setenv("STARPU_FXT_PREFIX", ::testing::TempDir().c_str(), 1);
  setenv("STARPU_FXT_SUFFIX", run.name.c_str(), 1);
  if (run.categories) setenv("STARPU_FXT_EVENTS", run.categories, 1);
  {
    Started started(run.workers, run.policy, run.own_policy);
    program();
    starpu_task_wait_for_all();
  }
  unsetenv("STARPU_FXT_EVENTS");
  unsetenv("STARPU_FXT_TRACE");
  const std::string paths[] = {RecordedPath(run.name)};
  Diagnostics diags;
  Result<TraceModel> model = LoadPaths(paths, diags);
  if (!model.ok()) {
    ADD_FAILURE() << model.status().message();
    std::abort();
  }
  EXPECT_EQ("", tasklens::testing::BrokenPromise(*model));
  return std::move(*model);
}

}  // namespace tasklens
