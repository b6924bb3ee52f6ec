// SPDX-License-Identifier: Apache-2.0
// trace.json, read as strict JSON and held to the rules of Chrome's format by chrome_facts.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "converters/formats.h"
#include "tests/converters/out_and_in.h"
#include "tests/testing/hard_names.h"
#include "tests/testing/starpu_traces.h"
#include "tests/testing/test_trace.h"
#include "tests/testing/tools.h"

namespace tasklens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using testing::TestTrace;
using ::testing::UnorderedElementsAre;

// Lines of chrome_facts.py by their first word, which they lose; tabs as blanks.
using Facts = std::map<std::string, std::vector<std::string>>;

Facts FactsOf(const TraceModel& model, const std::vector<std::string>& keys = {}) {
  const std::string json = testing::Written("chrome-json", "trace.json", model, keys);
  const auto run = testing::RunTool("python3 tests/converters/writers/chrome_facts.py " +
                                    testing::TestFile("trace.json", json));
  EXPECT_EQ(run.status, 0) << run.output.substr(0, 1000);
  Facts facts;
  for (std::string_view rest = run.output; !rest.empty();) {
    std::string line(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    std::replace(line.begin(), line.end(), '\t', '|');
    const size_t word = std::min(line.find('|'), line.size());
    facts[line.substr(0, word)].push_back(line.substr(std::min(word + 1, line.size())));
  }
  EXPECT_THAT(facts["fault"], IsEmpty());
  return facts;
}

TEST(ChromeJsonWriter, WritesATaskWithItsPlaceAndArguments) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("potrf", 1000, 3501,
                                     {.submit_ns = 10,
                                      .file = "chol.c",
                                      .line = 42,
                                      .function = "main",
                                      .priority = -2,
                                      .iteration = 3,
                                      .size_bytes = 4096})
                               .Build();
  EXPECT_THAT(FactsOf(model)["slice"],
              Contains("CPU0|task|potrf|1000|3501|site=chol.c:42 function=main job=1 iteration=3 "
                       "priority=-2 data_bytes=4096"));
  EXPECT_THAT(FactsOf(model, {"no-args"})["slice"],
              Contains("CPU0|task|potrf|1000|3501|site=chol.c:42 function=main"));
}

TEST(ChromeJsonWriter, DrawsOneArrowADependency) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Worker("CPU1")
                               .Task("a", 0, 10)
                               .Task("b", 20, 30, {.worker = 1})
                               .Task("c", 40, 50)
                               .Dep(1, 2)
                               .Dep(1, 3)
                               .Dep(2, 3)
                               .Build();
  EXPECT_THAT(FactsOf(model)["arrow"], UnorderedElementsAre("a|b", "a|c", "b|c"));
  EXPECT_THAT(FactsOf(model, {"no-flows"})["arrow"], IsEmpty());
}

TEST(ChromeJsonWriter, NestsPushedStates) {
  const TraceModel model = testing::NestedStates().Build();
  Facts facts = FactsOf(model);
  EXPECT_THAT(facts["slice"],
              ElementsAre("CPU0|state|Idle|0|100|", "CPU0|state|Overhead|100|500|",
                          "CPU0|state|Scheduling|200|400|", "CPU0|state|Callback|250|300|"));
  EXPECT_THAT(facts["instant"], ElementsAre("user event 7|500"));
}

TEST(ChromeJsonWriter, PutsTransfersThatOverlapIntoLanes) {
  TestTrace trace;
  trace.MemoryNode("RAM").MemoryNode("GPU");
  for (uint64_t copy = 0; copy < 3; ++copy) {
    const int64_t start = static_cast<int64_t>(copy) * 60;
    trace.Event(start, EventKind::kCopyStart,
                {0u, 1u, uint64_t{64}, copy, CopyReason::kFetch, uint64_t{0xab}});
    trace.Event(start + 100, EventKind::kCopyEnd, {0u, 1u, uint64_t{64}, copy, CopyReason::kFetch});
  }
  // That they nest, which these would not on one row, is among the rules of chrome_facts.py.
  EXPECT_THAT(FactsOf(trace.Build())["slice"],
              IsSupersetOf({"transfers to node 1|transfer|from node 0|0|100|data_bytes=64",
                            "transfers to node 1|transfer|from node 0|60|160|data_bytes=64",
                            "transfers to node 1|transfer|from node 0|120|220|data_bytes=64"}));
}

TEST(ChromeJsonWriter, AnyNameIsKept) {
  TestTrace trace;
  trace.Worker("CPU0");
  int64_t time = 0;
  for (const std::string& name : testing::HardNames()) {
    trace.Task(name, time, time + 10, {.file = name, .line = 1, .function = name});
    trace.Event(time, EventKind::kMessage, {name});
    time += 10;
  }
  Facts facts = FactsOf(trace.Build());
  EXPECT_EQ(facts["slice"].size(), testing::HardNames().size());
  EXPECT_EQ(facts["instant"].size(), testing::HardNames().size());
}

TEST(ChromeJsonWriter, RefusesWhatBrowsersDoNotCopeWith) {
  TestTrace trace;
  trace.Worker("CPU0").State(0, StateKind::kNone);
  constexpr int kMessages = 1'000'001;
  for (int i = 0; i < kMessages; ++i) trace.Event(i, EventKind::kMessage, {"m"});
  const TraceModel model = trace.Build();
  MemoryOutputs outputs;
  const Status status = FindWriter("chrome-json")->write(model, {}, outputs);
  EXPECT_EQ(status.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("--to perfetto"));
  EXPECT_THAT(outputs.Names(), IsEmpty());
  EXPECT_FALSE(testing::Written("chrome-json", "trace.json", model, {"any-size"}).empty());
}

// --- Real runs ---

class ChromeJsonOf : public ::testing::TestWithParam<std::string> {};

TEST_P(ChromeJsonOf, HasEveryTaskDependencyTransferAndMessage) {
  Diagnostics diags;
  const auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  Facts facts = FactsOf(*model);

  std::vector<std::string> slices, tasks;
  size_t transfers = 0;
  for (const std::string& slice : facts["slice"]) {
    transfers += slice.find("|transfer|") != std::string::npos;
    if (const size_t at = slice.find("|task|"); at != std::string::npos)
      slices.push_back(slice.substr(0, slice.rfind('|')));
  }
  const StateTable& states = model->states;
  for (uint32_t track = 0; track < model->tracks.size(); ++track)
    for (uint32_t row = states.first_of_track[track]; row < states.first_of_track[track + 1]; ++row)
      if (states.kind[row] == StateKind::kTask && states.task[row] != kNone)
        tasks.push_back(std::string(model->str(model->tracks.name[track])) + "|task|" +
                        std::string(model->TaskNameOf(states.task[row])) + '|' +
                        std::to_string(states.start_ns[row]) + '|' +
                        std::to_string(states.end_ns[row]));
  std::sort(slices.begin(), slices.end());
  std::sort(tasks.begin(), tasks.end());
  EXPECT_EQ(slices, tasks);
  EXPECT_EQ(transfers, model->transfers.size());

  const auto ran = [&](uint32_t task) {
    return model->tasks.start_ns[task] != kNever && model->tasks.worker[task] != kNone;
  };
  size_t arrows = 0;
  for (uint32_t task = 0; task < model->tasks.size(); ++task)
    for (const DepEnd& before : model->predecessors[task]) arrows += ran(task) && ran(before.task);
  for (uint32_t row = 0; row < model->messages.size(); ++row)
    arrows += model->messages.send_ns[row] != kNever && model->messages.receive_ns[row] != kNever;
  EXPECT_EQ(facts["arrow"].size(), arrows);

  size_t samples = 0;
  for (const CounterSeries& series : model->counters) samples += series.time_ns.size();
  EXPECT_EQ(facts["counter"].size(), samples);
}

INSTANTIATE_TEST_SUITE_P(All, ChromeJsonOf, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tasklens
