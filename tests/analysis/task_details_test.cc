// SPDX-License-Identifier: Apache-2.0
// The panel of a task: every field that StarPU's handbook names, and those it does not.
#include "analysis/task_details.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

std::map<std::string, std::string> Fields(const TraceModel& model, uint32_t task) {
  std::map<std::string, std::string> fields;
  for (const auto& [name, text] : TaskFields(model, DescribeTask(model, task)))
    EXPECT_TRUE(fields.emplace(name, text).second) << name << " comes twice";
  return fields;
}

TraceModel FullTrace() {
  TestTrace trace;
  trace.MemoryNode("NUMA 0").Worker("CPU0");
  trace.Event(0, EventKind::kDataNew, {0xbeef, 4096, 4096, 0, 0, "block"});
  trace.Event(0, EventKind::kDataCoordinates, {0xbeef, 3, 5});
  trace.Event(0, EventKind::kDataNew, {0xcafe, 64, 64, 0, 0, "input"});
  trace.Event(0, EventKind::kDataCoordinates, {0xcafe, 8, 9});
  trace.Task("potrf", 0, 5, {.submit_ns = 0});
  trace.Task("gemm", 1000, 3500,
             {.submit_ns = 100,
              .file = "chol.c",
              .line = 42,
              .function = "main",
              .model = "gemm_model",
              .priority = 7,
              .iteration = 2,
              .subiteration = 1,
              .tag = 0xabc,
              .size_bytes = 4160,
              .flops = 2.5e9,
              .footprint = 0x1234abcd,
              .rgb = 0xff8000});
  trace.Dep(1, 2);
  trace.Event(200, EventKind::kTaskReady, {2, 7}).Event(900, EventKind::kTaskPop, {2, 7});
  trace.Event(900, EventKind::kTaskAccess, {2, 0xcafe, 64, kAccessRead});
  trace.Event(900, EventKind::kTaskAccess, {2, 0xbeef, 4096, kAccessRead | kAccessWrite});
  trace.Event(900, EventKind::kTaskNuma, {2, 1, 5});
  trace.Event(900, EventKind::kTaskParameter, {2, "M64x64"});
  trace.Event(900, EventKind::kTaskEstimate, {2, 0, 2000.0, 0.0});
  trace.Event(3500, EventKind::kTaskPapi, {2, 0x80000000, 123});
  return trace.Build();
}

TEST(TaskDetails, EveryFieldOfTheHandbookIsThere) {
  const auto fields = Fields(FullTrace(), 1);
  const std::map<std::string, std::string> expected = {
      {"Name", "gemm"},
      {"Worker", "CPU0"},
      {"Time", "1 µs to 3.5 µs"},
      {"Duration", "2.50 µs"},
      {"Footprint", "0x1234abcd"},
      {"GFlop", "2.5"},
      {"Iteration", "2"},
      {"Job", "2"},
      {"NUMA nodes", "unknown, 0+2"},
      {"Parameters", "M64x64"},
      {"Size", "4,160 bytes"},
      {"Subiteration", "1"},
      {"Submission", "2"},
      {"Tag", "0x0000000000000abc"},
      {"X", "3"},  // of the first data that it writes, not of what it reads
      {"Y", "5"},
      {"Colour", "0xFF8000"},
  };
  for (const auto& [name, text] : expected) EXPECT_EQ(fields.at(name), text) << name;
}

TEST(TaskDetails, TheLineAndTheWaitingAreThereToo) {
  const auto fields = Fields(FullTrace(), 1);
  EXPECT_EQ(fields.at("Source"), "chol.c:42 in main");
  EXPECT_EQ(fields.at("Submitted"), "100 ns");
  EXPECT_EQ(fields.at("Ready"), "200 ns");
  EXPECT_EQ(fields.at("Taken"), "900 ns");
  EXPECT_EQ(fields.at("Priority"), "7");
  EXPECT_EQ(fields.at("Model"), "gemm_model");
  EXPECT_EQ(fields.at("Estimates"), "2 us on worker 0");
  EXPECT_EQ(fields.at("PAPI"), "0x80000000: 123");
  EXPECT_EQ(fields.at("Waits for"), "1 task");
  EXPECT_EQ(fields.at("Waited for by"), "0 tasks");
}

TEST(TaskDetails, ATaskThatNeverRanHasTheSameFieldsAndClaimsNothing) {
  const TraceModel model =
      TestTrace().Worker("CPU0").Event(5, EventKind::kTaskSubmit, {9, 0, -1, -1, 0, 0}).Build();
  const auto fields = Fields(model, 0);
  const auto full = Fields(FullTrace(), 1);
  ASSERT_EQ(fields.size(), full.size());
  EXPECT_EQ(fields.at("Worker"), "no worker");
  EXPECT_EQ(fields.at("Time"), "it did not run");
  EXPECT_EQ(fields.at("Duration"), "unknown");
  EXPECT_EQ(fields.at("Footprint"), "unknown");
  EXPECT_EQ(fields.at("Iteration"), "none");
  EXPECT_EQ(fields.at("Tag"), "none");
  EXPECT_EQ(fields.at("X"), "none");
  EXPECT_EQ(fields.at("Source"), "unknown");
}

}  // namespace
}  // namespace tasklens
