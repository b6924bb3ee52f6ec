// SPDX-License-Identifier: Apache-2.0
// trace.prv, trace.pcf, trace.row and the views: small runs to the letter, real ones by the rules
// of the format and by what the model says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "converters/formats.h"
#include "converters/paraver_numbers.h"
#include "converters/writers/paraver_objects.h"
#include "tests/converters/writers/paraver_checker.h"
#include "tests/testing/hard_names.h"
#include "tests/testing/starpu_traces.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::PrvFile;
using testing::PrvThread;
using testing::TestTrace;

struct Files {
  std::string prv, pcf, row;
};

Files WriteFiles(const TraceModel& model, const std::string& dialect = "today") {
  MemoryOutputs outputs;
  const Status status = FindWriter("paraver")->write(model, {{{"paraver", dialect}}}, outputs);
  EXPECT_TRUE(status.ok()) << status.message();
  return {outputs.Text("trace.prv"), outputs.Text("trace.pcf"), outputs.Text("trace.row")};
}

// All three files without a breach of any rule.
PrvFile Checked(const Files& files, const std::string& dialect = "today") {
  const bool in_2001 = dialect == "2001";
  PrvFile prv = testing::CheckPrv(files.prv, in_2001);
  EXPECT_THAT(prv.violations, IsEmpty());
  EXPECT_THAT(testing::CheckPcf(files.pcf, in_2001).violations, IsEmpty());
  EXPECT_THAT(testing::CheckRow(files.row, prv, in_2001).violations, IsEmpty());
  return prv;
}

std::string Body(const std::string& prv) { return prv.substr(prv.find('\n') + 1); }

// --- To the letter ---

TraceModel TwoTasks() {
  return TestTrace()
      .Worker("CPU0")
      .Event(0, EventKind::kWallClock, {int64_t{1795297020} * 1'000'000'000})  // 2026-11-21 21:37
      .Task("potrf", 1000, 3500,
            {.submit_ns = 400, .file = "chol.c", .line = 42, .function = "main"})
      .Task("trsm", 3500, 5000,
            {.submit_ns = 500,
             .file = "chol.c",
             .line = 57,
             .function = "main",
             .iteration = 3,
             .subiteration = 1})
      .State(5000, StateKind::kSleeping)
      .Event(7000, EventKind::kUserEvent, {uint64_t{12}}, 1000)
      .Build();
}

TEST(ParaverWriter, WritesTwoTasksAsTodaysParaverWantsThem) {
  const Files files = WriteFiles(TwoTasks());
  Checked(files);
  EXPECT_EQ(files.prv,
            "#Paraver (21/11/2026 at 21:37):7000_ns:1(1):1:1(1:1)\n"
            "2:1:1:1:1:0:40000001:1\n"
            "1:1:1:1:1:0:1000:0\n"
            "2:1:1:1:1:400:92000011:1\n"
            "2:1:1:1:1:500:92000011:2\n"
            "2:1:1:1:1:1000:92000011:1\n"
            "2:1:1:1:1:1000:60000023:102:60000024:1:60000124:1:92000001:1:92000004:600\n"
            "1:1:1:1:1:1000:3500:1\n"
            "2:1:1:1:1:3500:92000011:0\n"
            "2:1:1:1:1:3500:60000023:0:60000024:0:60000124:0:92000001:0:92000004:0\n"
            "2:1:1:1:1:3500:60000023:103:60000024:1:60000124:2:92000001:2:92000002:3:92000003:1:"
            "92000004:3000\n"
            "1:1:1:1:1:3500:5000:1\n"
            "2:1:1:1:1:5000:60000023:0:60000024:0:60000124:0:92000001:0:92000002:0:92000003:0:"
            "92000004:0\n"
            "1:1:1:1:1:5000:7000:9\n"
            "2:1:1:1:1:7000:92000021:12\n"
            "2:1:1:1:1:7000:40000001:0\n");
}

TEST(ParaverWriter, WritesTwoTasksAsTheDocumentWantsThem) {
  const Files files = WriteFiles(TwoTasks(), "2001");
  Checked(files, "2001");
  EXPECT_EQ(files.prv,
            "#Paraver (21/11/26 at 21:37):7:1(1):1:1(1:1)\n"
            "2:1:1:1:1:0:40000001:1\n"
            "2:1:1:1:1:0:92000011:1\n"
            "2:1:1:1:1:0:92000011:2\n"
            "1:1:1:1:1:0:1:0\n"
            "2:1:1:1:1:1:92000011:1\n"
            "2:1:1:1:1:1:60000023:102\n"
            "2:1:1:1:1:1:60000024:1\n"
            "2:1:1:1:1:1:60000124:1\n"
            "2:1:1:1:1:1:92000001:1\n"
            "2:1:1:1:1:1:92000004:1\n"
            "1:1:1:1:1:1:3:1\n"
            "2:1:1:1:1:3:92000011:0\n"
            "2:1:1:1:1:3:60000023:0\n"
            "2:1:1:1:1:3:60000024:0\n"
            "2:1:1:1:1:3:60000124:0\n"
            "2:1:1:1:1:3:92000001:0\n"
            "2:1:1:1:1:3:92000004:0\n"
            "2:1:1:1:1:3:60000023:103\n"
            "2:1:1:1:1:3:60000024:1\n"
            "2:1:1:1:1:3:60000124:2\n"
            "2:1:1:1:1:3:92000001:2\n"
            "2:1:1:1:1:3:92000002:3\n"
            "2:1:1:1:1:3:92000003:1\n"
            "2:1:1:1:1:3:92000004:3\n"
            "1:1:1:1:1:3:5:1\n"
            "2:1:1:1:1:5:60000023:0\n"
            "2:1:1:1:1:5:60000024:0\n"
            "2:1:1:1:1:5:60000124:0\n"
            "2:1:1:1:1:5:92000001:0\n"
            "2:1:1:1:1:5:92000002:0\n"
            "2:1:1:1:1:5:92000003:0\n"
            "2:1:1:1:1:5:92000004:0\n"
            "1:1:1:1:1:5:7:4\n"
            "2:1:1:1:1:7:92000021:12\n"
            "2:1:1:1:1:7:40000001:0\n");
}

TEST(ParaverWriter, NamesValuesInThePcf) {
  const testing::PcfFile pcf = testing::CheckPcf(WriteFiles(TwoTasks()).pcf, false);
  EXPECT_THAT(pcf.violations, IsEmpty());
  EXPECT_EQ(pcf.states.at(1), "Task");
  EXPECT_EQ(pcf.states.at(9), "Sleeping");
  EXPECT_EQ(pcf.types.at(kParaverTaskType).values.at(0), "End");
  EXPECT_EQ(pcf.types.at(kParaverTaskType).values.at(102), "potrf");
  EXPECT_EQ(pcf.types.at(kParaverTaskType).values.at(103), "trsm");
  EXPECT_EQ(pcf.types.at(kParaverSiteFunction).values.at(1), "main");
  EXPECT_EQ(pcf.types.at(kParaverSiteLine).values.at(2), "57 (chol.c, chol.c)");
  EXPECT_EQ(pcf.options.at("UNITS"), "NANOSEC");
}

TEST(ParaverWriter, NamesNodesCpusAndThreadsInTheRow) {
  EXPECT_EQ(WriteFiles(TwoTasks()).row,
            "LEVEL SYSTEM SIZE 1\nmachine\n\nLEVEL NODE SIZE 1\nnode of rank 0\n\n"
            "LEVEL CPU SIZE 1\nCPU0\n\nLEVEL WORKLOAD SIZE 1\nrun\n\nLEVEL APPL SIZE 1\ntest\n\n"
            "LEVEL TASK SIZE 1\nrank 0\n\nLEVEL THREAD SIZE 1\nCPU0\n");
}

TEST(ParaverWriter, WritesOfNestedStatesTheInnermost) {
  const TraceModel model = testing::NestedStates().Build();
  const PrvFile prv = Checked(WriteFiles(model));
  std::vector<std::string> states;
  for (const auto& state : prv.states)
    if (state.thread.thread == 1)
      states.push_back(std::to_string(state.begin) + ' ' + std::to_string(state.end) + ' ' +
                       std::to_string(state.state));
  EXPECT_THAT(states, ElementsAre("0 100 0", "100 200 24", "200 250 7", "250 300 41", "300 400 7",
                                  "400 500 24"));
}

TEST(ParaverWriter, SaysThatAThreadDoesNotExistYet) {
  const TraceModel model = TestTrace()
                               .Event(600, EventKind::kUserEvent, {uint64_t{1}}, 77)
                               .Event(900, EventKind::kUserEvent, {uint64_t{2}}, 77)
                               .Build();
  EXPECT_THAT(Body(WriteFiles(model).prv), HasSubstr(":0:600:2\n"));
}

TEST(ParaverWriter, PutsTransfersBetweenMemoryNodesAndSaysSinceWhenTheyWereWanted) {
  const TraceModel model =
      TestTrace()
          .Worker("CPU0")
          .MemoryNode("RAM")
          .MemoryNode("GPU")
          .Event(100, EventKind::kDataRequest, {uint64_t{0xab}, 0, 1, 0, 0u, uint64_t{0xcd}})
          .Event(200, EventKind::kCopyStart,
                 {0u, 1u, uint64_t{4096}, uint64_t{7}, CopyReason::kPrefetch, uint64_t{0xab}})
          .Event(300, EventKind::kCopyEnd,
                 {0u, 1u, uint64_t{4096}, uint64_t{7}, CopyReason::kPrefetch})
          .Build();
  const PrvFile prv = Checked(WriteFiles(model));
  ASSERT_EQ(prv.communications.size(), 1u);
  const auto& comm = prv.communications[0];
  EXPECT_NE(comm.sender, comm.receiver);
  EXPECT_EQ(comm.logical_send, 100);
  EXPECT_EQ(comm.physical_send, 200);
  EXPECT_EQ(comm.logical_receive, 100);
  EXPECT_EQ(comm.physical_receive, 300);
  EXPECT_EQ(comm.size, 4096);
  EXPECT_EQ(comm.tag, 3);
}

TEST(ParaverWriter, WritesCountersOfTasksAtTheirEnds) {
  const TraceModel model =
      TestTrace()
          .Task("a", 0, 1000)
          .Event(1000, EventKind::kTaskPapi,
                 {uint64_t{1}, int64_t{static_cast<int32_t>(0x80000032)}, int64_t{-5}}, 1000)
          .Build();
  const Files files = WriteFiles(model);
  Checked(files);
  EXPECT_THAT(files.prv, HasSubstr(":92000001:0:42000050:-5\n"));
  EXPECT_THAT(files.pcf, HasSubstr("42000050    PAPI counter -2147483598\n"));
}

TEST(ParaverWriter, AnyNameIsALabel) {
  TestTrace trace;
  trace.Worker("CPU0");
  int64_t time = 0;
  for (const std::string& name : testing::HardNames()) {
    trace.Task(name, time, time + 10,
               {.file = name, .line = 1, .function = name, .iteration = 1, .size_bytes = 1});
    trace.Event(time, EventKind::kMessage, {name});
    trace.Event(time, EventKind::kThreadName, {name}, 5000 + static_cast<uint64_t>(time));
    time += 10;
  }
  const TraceModel model = trace.Build();
  Checked(WriteFiles(model));
  Checked(WriteFiles(model, "2001"), "2001");
}

TEST(ParaverWriter, KnowsTheVersionsOfTheFormat) {
  MemoryOutputs outputs;
  const Status status = FindWriter("paraver")->write(TwoTasks(), {{{"paraver", "1999"}}}, outputs);
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("2001"));
}

TEST(ParaverWriter, ViewsShowTypesThatTheTraceLabels) {
  MemoryOutputs outputs;
  ASSERT_TRUE(FindWriter("paraver")->write(TwoTasks(), {}, outputs).ok());
  const testing::PcfFile pcf = testing::CheckPcf(outputs.Text("trace.pcf"), false);
  std::vector<std::string> views;
  for (const std::string& name : outputs.Names()) {
    if (!name.ends_with(".cfg")) continue;
    const std::string& text = outputs.Text(name);
    EXPECT_TRUE(text.starts_with("#ParaverCFG\nConfigFile.Version: 3.4\n")) << name;
    views.push_back(name);
    constexpr std::string_view kFilter = "window_filter_module evt_type 1 ";
    if (const size_t at = text.find(kFilter); at != text.npos) {
      const int64_t type = std::stoll(text.substr(at + kFilter.size()));
      EXPECT_TRUE(pcf.types.contains(type)) << name << ": " << type;
    }
  }
  EXPECT_THAT(views, ElementsAre("paraver_ready_tasks.cfg", "paraver_states.cfg",
                                 "paraver_submission_sites.cfg", "paraver_task_types.cfg",
                                 "paraver_transfers.cfg", "paraver_useful_duration.cfg"));
}

TEST(ParaverNumbers, EachStateHasOneOfItsOwn) {
  for (const auto dialect : {ParaverDialect::kToday, ParaverDialect::k2001}) {
    std::map<uint32_t, std::string_view> met{{kParaverNotCreated, "not created"}};
    for (const StateDecl& state : AllStates()) {
      if (state.kind == StateKind::kNone) continue;
      const uint32_t number = ParaverState(state.kind, dialect);
      EXPECT_TRUE(met.emplace(number, state.name).second) << state.name << " and " << met[number];
      EXPECT_LT(number, kParaverTaskTypes);
    }
  }
}

// --- Real runs ---

class RealTrace : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Diagnostics diags;
    auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
    ASSERT_TRUE(model.ok()) << model.status().message();
    model_ = std::make_unique<TraceModel>(std::move(*model));
    objects_ = std::make_unique<ParaverObjects>(*model_);
  }

  PrvThread ThreadOf(uint32_t track) const {
    const auto& thread = objects_->OfTrack(track);
    return {thread.application, thread.task, thread.number};
  }

  std::unique_ptr<TraceModel> model_;
  std::unique_ptr<ParaverObjects> objects_;
};

using Times = std::map<std::pair<PrvThread, uint32_t>, int64_t>;  // (thread, state): time in it

// The time that each row spends in each state and in none within it.
Times TimesOf(const TraceModel& model, const std::function<PrvThread(uint32_t)>& thread_of) {
  Times times;
  const StateTable& states = model.states;
  for (uint32_t track = 0; track < model.tracks.size(); ++track)
    for (uint32_t row = states.first_of_track[track]; row < states.first_of_track[track + 1];
         ++row) {
      if (states.kind[row] == StateKind::kNone) continue;
      int64_t own = states.end_ns[row] - states.start_ns[row];
      for (uint32_t inner = row + 1;
           inner < states.first_of_track[track + 1] && states.depth[inner] > states.depth[row];
           ++inner)
        if (states.depth[inner] == states.depth[row] + 1 && states.kind[inner] != StateKind::kNone)
          own -= states.end_ns[inner] - states.start_ns[inner];
      if (own != 0)
        times[{thread_of(track), ParaverState(states.kind[row], ParaverDialect::kToday)}] += own;
    }
  return times;
}

TEST_P(RealTrace, KeepsTheRulesOfBothDialects) {
  Checked(WriteFiles(*model_));
  Checked(WriteFiles(*model_, "2001"), "2001");
}

TEST_P(RealTrace, SpendsAsLongInEachStateAsTheModel) {
  Times times;
  for (const auto& state : testing::CheckPrv(WriteFiles(*model_).prv, false).states)
    if (state.state != kParaverNotCreated)
      times[{state.thread, state.state}] += state.end - state.begin;
  EXPECT_EQ(times, TimesOf(*model_, [&](uint32_t track) { return ThreadOf(track); }));
}

TEST_P(RealTrace, RunsEachTaskOnItsWorkerFromItsStartToItsEnd) {
  struct Run {
    int64_t begin = 0, end = -1;
    uint32_t type = 0, line = 0, under_way = 0;  // on so many workers
  };
  std::map<std::pair<uint32_t, int64_t>, Run> runs;  // by (task of Paraver, number)
  std::map<PrvThread, int64_t> running;
  const Files files = WriteFiles(*model_);
  for (const auto& event : testing::CheckPrv(files.prv, false).events) {
    const std::map<uint32_t, int64_t> values(event.pairs.begin(), event.pairs.end());
    const auto id = values.find(kParaverTaskId);
    if (id == values.end()) continue;
    if (id->second == 0) {
      Run& run = runs[{event.thread.task, running[event.thread]}];
      run.end = event.time;
      --run.under_way;
      continue;
    }
    running[event.thread] = id->second;
    Run& run = runs[{event.thread.task, id->second}];
    // That of its first worker, and the last where it ran again and again.
    if (run.under_way++ == 0) run.begin = event.time;
    run.type = static_cast<uint32_t>(values.at(kParaverTaskType));
    if (values.contains(kParaverSiteLine))
      run.line = static_cast<uint32_t>(values.at(kParaverSiteLine));
  }
  const auto pcf = testing::CheckPcf(files.pcf, false);
  const auto& types = pcf.types.at(kParaverTaskType).values;
  const TaskTable& tasks = model_->tasks;
  size_t started = 0;
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (tasks.start_ns[task] == kNever || tasks.worker[task] == kNone) continue;
    ++started;
    const auto found =
        runs.find({tasks.rank_index[task] + 1, static_cast<int64_t>(tasks.job[task])});
    ASSERT_NE(found, runs.end()) << "task " << tasks.job[task];
    const Run& run = found->second;
    EXPECT_EQ(run.begin, tasks.start_ns[task]) << "task " << tasks.job[task];
    if (tasks.end_ns[task] != kNever && !tasks.cut[task]) {
      EXPECT_EQ(run.end, tasks.end_ns[task]) << "task " << tasks.job[task];
    }
    EXPECT_EQ(types.at(run.type), model_->TaskNameOf(task));
    EXPECT_EQ(run.line == 0, tasks.site[task] == kNone);
  }
  EXPECT_EQ(runs.size(), started);
}

TEST_P(RealTrace, WritesEachTransferAndEachMessageOnce) {
  const PrvFile prv = testing::CheckPrv(WriteFiles(*model_).prv, false);
  const MessageTable& messages = model_->messages;
  size_t whole = 0;
  for (uint32_t row = 0; row < messages.size(); ++row)
    whole += messages.send_ns[row] != kNever && messages.receive_ns[row] != kNever;
  EXPECT_EQ(prv.communications.size(), model_->transfers.size() + whole);
}

INSTANTIATE_TEST_SUITE_P(All, RealTrace, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tasklens
