// SPDX-License-Identifier: Apache-2.0
// tasks.rec: its fields, StarPU's facts, and recutils reading any name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "converters/formats.h"
#include "converters/writers/text.h"
#include "tests/testing/hard_names.h"
#include "tests/testing/recutils.h"
#include "tests/testing/starpu_traces.h"
#include "tests/testing/test_trace.h"
#include "tests/testing/tools.h"

namespace tasklens {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ParseRecords;
using testing::RecRecord;
using testing::RunTool;
using testing::TestFile;
using testing::TestTrace;

std::string WriteTasks(const TraceModel& model) {
  MemoryOutputs outputs;
  const Status status = FindWriter("tasks")->write(model, {}, outputs);
  EXPECT_TRUE(status.ok()) << status.message();
  return outputs.Text("tasks.rec");
}

// recinf and rec2csv read `text`, which has so many records.
void ExpectAccepted(const std::string& text, size_t records) {
  std::vector<std::string> errors;
  EXPECT_EQ(ParseRecords(text, &errors).size(), records);
  EXPECT_THAT(errors, IsEmpty());
  const std::string path = TestFile("tasks.rec", text);
  const auto count = RunTool("recsel -c " + path);
  EXPECT_EQ(count.output, std::to_string(records) + "\n");
  for (const char* command : {"recinf ", "recfix --check ", "rec2csv "}) {
    const auto run = RunTool(command + path + " > " + path + ".out");
    EXPECT_EQ(run.status, 0) << command;
    EXPECT_EQ(run.output, "") << command;
  }
}

TEST(TasksWriter, WritesTheFieldsInStarpusOrder) {
  const TraceModel model =
      TestTrace()
          .Worker("CPU0")
          .Task("a", 1000, 2000)
          .Task("gemm", 3'000'001, 4'500'000,
                {.submit_ns = 2500,
                 .file = "c.c",
                 .line = 12,
                 .model = "gemm_model",
                 .priority = -3,
                 .iteration = 1,
                 .subiteration = 2,
                 .tag = 0xff,
                 .flops = 2e9,
                 .footprint = 0xabc})
          .Dep(1, 2)
          .Event(2600, EventKind::kTaskAccess, {2, 0x10, 64, kAccessRead | kAccessWrite})
          .Event(2600, EventKind::kTaskAccess, {2, 0x20, 8, kAccessRedux | kAccessCommute})
          .Event(2600, EventKind::kTaskParameter, {2, "M4x4x4"})
          .Event(2600, EventKind::kTaskParameter, {2, "v8"})
          .Build();
  const std::string text = WriteTasks(model);
  EXPECT_THAT(text, HasSubstr("Name: gemm\n"
                              "Model: gemm_model\n"
                              "File: c.c\n"
                              "Line: 12\n"
                              "JobId: 2\n"));
  EXPECT_THAT(text, HasSubstr("Priority: -3\n"
                              "DependsOn: 1\n"
                              "DepLabels: task\n"
                              "Tag: ff\n"
                              "WorkerId: 0\n"
                              "MemoryNode: 0\n"
                              "SubmitTime: 0.002500\n"
                              "StartTime: 3.000001\n"
                              "EndTime: 4.500000\n"
                              "Footprint: abc\n"
                              "GFlop: 2.000000\n"
                              "Iteration: 1 2\n"
                              "Parameters: M4x4x4 v8\n"
                              "Handles: 10 20\n"
                              "Modes: RW XC\n"
                              "Sizes: 64 8\n"
                              "NumaNodes: -1 -1\n"
                              "MPIRank: -1\n"
                              "\n"));
  ExpectAccepted(text, 2);
}

TEST(TasksWriter, EndsARecordWithEndDependenciesByABlankLine) {
  const TraceModel model = TestTrace()
                               .Task("a", 1, 2)
                               .Task("b", 2, 3)
                               .Task("c", 3, 4)
                               .Event(2, EventKind::kTaskEndDep, {2, 1})
                               .Event(2, EventKind::kTaskEndDep, {3, 1})
                               .Build();
  const std::string text = WriteTasks(model);
  EXPECT_THAT(text, HasSubstr("MPIRank: -1\nEndDependencies: 2, 3\n\nName: b\n"));
  ExpectAccepted(text, 3);
}

TEST(TasksWriter, PutsDataThatWillNotBeUsedFirst) {
  const TraceModel model = TestTrace()
                               .Task("a", 1000, 2000)
                               .Event(3000, EventKind::kDataWontUse, {0xbeef, 5, 6})
                               .Build();
  const std::string text = WriteTasks(model);
  EXPECT_TRUE(
      text.starts_with("Control: WontUse\n"
                       "JobId: 6\n"
                       "SubmitOrder: 5\n"
                       "SubmitTime: 0.003000\n"
                       "Handles: beef\n"
                       "MPIRank: -1\n"
                       "\n"))
      << text;
  ExpectAccepted(text, 2);
}

TEST(TasksWriter, LeavesOutHiddenTasks) {
  const TraceModel model = TestTrace()
                               .Task("seen", 1, 2)
                               .Task("unseen", 2, 3)
                               .Event(3, EventKind::kTaskHidden, {2, 1})
                               .Build();
  ExpectAccepted(WriteTasks(model), 1);
}

TEST(TasksWriter, NamesRanksInJobs) {
  TestTrace trace;
  for (const uint32_t rank : {0u, 12u}) trace.Rank(rank).Task("a", 1, 2);
  const std::string text = WriteTasks(trace.Build());
  EXPECT_THAT(text, HasSubstr("JobId: 00_1\n"));
  EXPECT_THAT(text, HasSubstr("JobId: 12_1\n"));
  EXPECT_THAT(text, HasSubstr("MPIRank: 12\n"));
  ExpectAccepted(text, 2);
}

// What a record file can hold of `name`, see PutRecordText.
std::string Value(const std::string& name) {
  std::string value;
  for (const char c : CleanText(name, /*keep_newlines=*/true)) value += c;
  if (value.ends_with('\\')) value += ' ';
  return value;
}

TEST(TasksWriter, EveryNameSurvives) {
  TestTrace trace;
  std::vector<std::string> names = testing::HardNames();
  names.push_back("a\\\nb");  // a backslash would join the two lines
  int64_t time_ns = 10;
  for (const std::string& name : names) {
    trace.Task(name, time_ns, time_ns + 5, {.file = name, .line = 7, .model = name});
    trace.Event(time_ns, EventKind::kTaskParameter, {static_cast<int>(time_ns / 10), name});
    time_ns += 10;
  }
  const std::string text = WriteTasks(trace.Build());
  ExpectAccepted(text, names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "a\\\nb") continue;
    const auto run = RunTool("recsel -e 'JobId = " + std::to_string(i + 1) + "' -P Name " +
                             TestFile("names.rec", text));
    EXPECT_EQ(run.output, Value(names[i]) + "\n");
  }
  EXPECT_THAT(text, HasSubstr("Name: a\\ \n+ b\n"));
}

// --- Real traces ---------------------------------------------------------------------------------

class TasksOfRealTrace : public ::testing::TestWithParam<std::string> {};

// StarPU lists a dependency as often as the program declared it.
std::string WithoutDoubles(const std::string& list) {
  std::set<std::string> words;
  std::istringstream stream(list);
  std::string unique;
  for (std::string word; stream >> word;) {
    if (words.insert(word).second) unique += " " + word;
  }
  return unique;
}

// StarPU forgets the parameters of a parallel task when another worker starts it last; after 1.4
// the first one of every task.
bool ForgetsParameters(const std::string& trace) {
  const std::vector<std::string> after_14 = testing::StarpuMasterTraces();
  return trace == "parallel_small" ||
         std::find(after_14.begin(), after_14.end(), trace) != after_14.end();
}

TEST_P(TasksOfRealTrace, HasTheFactsOfStarpus) {
  Diagnostics diags;
  const auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  const std::string text = WriteTasks(*model);
  const auto theirs = ParseRecords(testing::PartedAfterEndDependencies(
      testing::ReadFile(testing::StarpuReference(GetParam(), "tasks.rec"))));
  const auto ours = ParseRecords(text);
  ExpectAccepted(text, theirs.size());
  std::map<std::string, const RecRecord*> by_job;
  for (const RecRecord& record : ours)
    by_job[record.Get("Control") + record.Get("JobId")] = &record;
  for (const RecRecord& record : theirs) {
    const std::string job = record.Get("Control") + record.Get("JobId");
    ASSERT_TRUE(by_job.contains(job)) << job;
    const RecRecord& mine = *by_job[job];
    std::vector<std::string> names, my_names;
    // StarPU's tool after 1.4 says any ready time of what was never given to a scheduler.
    const bool has_ready_time = mine.Has("ReadyTime") || record.Has("WorkerId");
    for (const auto& [name, value] : record.fields)
      if (name != "ReadyTime" || has_ready_time) names.push_back(name);
    for (const auto& [name, value] : mine.fields) my_names.push_back(name);
    EXPECT_EQ(my_names, names) << job;  // the same fields in the same order
    for (const auto& [name, value] : record.fields) {
      if (name == "DepLabels" || (name == "ReadyTime" && !has_ready_time)) continue;
      if (name == "DependsOn") {
        EXPECT_EQ(mine.Get(name).insert(0, " "), WithoutDoubles(value)) << job;
      } else if (name.ends_with("Time") && model->ranks.size() > 1) {
        // StarPU shifts the times of several ranks in floating point.
        EXPECT_NEAR(std::stod(mine.Get(name)), std::stod(value), 1.1e-6) << job;
      } else if (name != "Parameters" || !ForgetsParameters(GetParam())) {
        EXPECT_EQ(mine.Get(name), value) << job << ' ' << name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(StarpuAfter14, TasksOfRealTrace,
                         ::testing::ValuesIn(testing::StarpuMasterTraces()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Starpu, TasksOfRealTrace, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tasklens
