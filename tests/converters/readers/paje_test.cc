// SPDX-License-Identifier: Apache-2.0
// Paje files, read: the dialects of ViTE, SimGrid and StarPU, damage; and our own files, which give
// the run that they were written of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "converters/formats.h"
#include "tests/converters/out_and_in.h"
#include "tests/testing/run_facts.h"
#include "tests/testing/starpu_traces.h"
#include "tests/testing/tools.h"

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using testing::Loaded;
using testing::MessagesOf;
using testing::StatesOf;
using testing::TasksOf;
using testing::TestFile;
using testing::TextsOf;
using testing::TimesOf;
using testing::TransfersOf;
using ::testing::UnorderedElementsAre;

TraceModel Read(const std::string& paje) { return testing::ReadBack("read.trace", paje); }
TraceModel Example(const std::string& name) {
  return Read(testing::ReadFile("tests/converters/readers/corpus/paje/" + name));
}

// "compute CPU0 100 200"
std::vector<std::string> Tasks(const TraceModel& model) {
  std::vector<std::string> result;
  for (const auto& [rank, job, name, row, start, end, site] : TasksOf(model))
    result.push_back(name + ", " + row + ' ' + std::to_string(start) + ' ' + std::to_string(end));
  return result;
}

// Of those that ran: rank, number, scheduling context.
std::set<std::tuple<uint32_t, uint64_t, uint32_t>> ContextsOf(const TraceModel& model) {
  const TaskTable& tasks = model.tasks;
  std::set<std::tuple<uint32_t, uint64_t, uint32_t>> contexts;
  for (uint32_t task = 0; task < tasks.size(); ++task)
    if (tasks.start_ns[task] != kNever)
      contexts.emplace(model.ranks.rank[tasks.rank_index[task]], tasks.job[task], tasks.ctx[task]);
  return contexts;
}

// --- Dialects ---

TEST(PajeReader, TakesStatesWithNamesOfTheirOwnForTasks) {
  const TraceModel model = Example("vite");
  EXPECT_THAT(Tasks(model), UnorderedElementsAre("Compute, Thread 1 1000000 3000000",
                                                 "Compute, Thread 1 4000000 6000000"));
  EXPECT_THAT(StatesOf(model, "Thread 1"), IsSupersetOf({"Idle 3000000 4000000"}));
  EXPECT_THAT(TextsOf(model), ElementsAre("2000000 Mark: half way"));
}

TEST(PajeReader, TakesVariablesForCurvesOfTheirRows) {
  Diagnostics diags;
  const TraceModel model = Loaded("tests/converters/readers/corpus/paje/vite", diags);
  ASSERT_EQ(model.counters.size(), 1u);
  EXPECT_EQ(model.counters[0].kind, CounterKind::kOfFile);
  EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();
}

TEST(PajeReader, ReadsTimesWithExponentsAndStatesWithinTasks) {
  const TraceModel model = Example("simgrid");
  EXPECT_THAT(Tasks(model),
              UnorderedElementsAre("computing, rank-0 0 1000000000", "MPI_Send, rank-0 15000 20000",
                                   "computing, rank-1 500000000 1000000000"));
  EXPECT_EQ(model.stretches.size(), 2u) << "of what the send interrupted";
  ASSERT_EQ(model.messages.size(), 1u);
  EXPECT_EQ(model.messages.send_ns[0], 15000);
  EXPECT_EQ(model.str(model.tracks.name[model.messages.target_track[0]]), "rank-1");
}

TEST(PajeReader, KnowsStarpusStatesTasksAndWorkers) {
  const std::string head = testing::ReadFile("tests/converters/readers/corpus/paje/own");
  const TraceModel model = Read(head.substr(0, head.find("\n7\t")) + R"(
7 0.0 root MPIP 0 "root"
7 0.0 p P root "program"
7 0.0 mn1 Mn p "MEMNODE1"
7 0.0 t T mn1 "T0"
7 1.0 w0 W t "CUDA0"
10 1.0 w0 WS "Sc"
10 2.0 w0 WS "potrf"
20 2.0 w0 WS "potrf" 4096 "V" 0000002a ff 7 1 0 1.5 0 0 -1 -1 "-1"
11 2.5 w0 WS "C"
12 3.0 w0 WS
10 4.0 w0 WS "Sl"
8 5.0 w0 W
)");
  ASSERT_EQ(model.tasks.size(), 1u);
  EXPECT_THAT(Tasks(model), ElementsAre("potrf, CUDA0 2000000 4000000"));
  EXPECT_EQ(model.tasks.job[0], 7u);
  EXPECT_EQ(model.tasks.size_bytes[0], 4096u);
  EXPECT_EQ(model.tasks.footprint[0], 42u);
  EXPECT_EQ(model.tasks.flops[0], 1.5e9);
  ASSERT_EQ(model.workers.size(), 1u);
  EXPECT_EQ(model.workers.arch[0], WorkerArch::kCuda);
  EXPECT_EQ(model.workers.memory_node[0], 1u);
  EXPECT_THAT(StatesOf(model, "CUDA0"),
              IsSupersetOf({"Scheduling 1000000 2000000", "Task 2000000 4000000",
                            "Callback 2500000 3000000", "Sleeping 4000000 5000000"}));
}

TEST(PajeReader, KnowsTheSchedulingContextsThatRowsBesideTheWorkersNameTasksIn) {
  const std::string head = testing::ReadFile("tests/converters/readers/corpus/paje/own");
  const TraceModel model = Read(head.substr(0, head.find("\n7\t")) + R"(
3 Ctx2 W "InCtx2"
7 0.0 root MPIP 0 "root"
7 0.0 p P root "0_program"
7 0.0 mn0 Mn p "0_MEMNODE0"
7 0.0 t T mn0 "T0"
7 1.0 w0 W t "0_CPU0"
21 2.0 w0 Ctx2 "a" 0 "" 0 0 0_7 0_1
20 2.0 w0 WS "a" 0 "" 0 0 0_7 1 0 0 0 0 -1 -1 "-1"
10 3.0 w0 Ctx2 "I"
20 3.0 w0 WS "b" 0 "" 0 0 0_8 2 0 0 0 0 -1 -1 "-1"
10 4.0 w0 WS "Sl"
)");
  EXPECT_THAT(ContextsOf(model), ElementsAre(std::tuple(0u, 7u, 2u), std::tuple(0u, 8u, 0u)));
  EXPECT_THAT(StatesOf(model, "CPU0 (InCtx2)"), IsEmpty());
}

// Of the tasks of a file of StarPU's kind: time and number, by the name of the curve.
std::map<std::string, std::vector<std::pair<int64_t, double>>> CurvesOfCounts(
    const std::string& lines) {
  const std::string head = testing::ReadFile("tests/converters/readers/corpus/paje/own");
  const TraceModel model = Read(head.substr(0, head.find("\n7\t")) + R"(
7 0.0 root MPIP 0 "root"
7 0.0 p P root "program"
7 0.0 sched Sc p "scheduler"
13 0.0 sched nsubmitted 0.0
13 0.0 sched nready 0.0
)" + lines);
  std::map<std::string, std::vector<std::pair<int64_t, double>>> curves;
  for (const CounterSeries& series : model.counters) {
    const std::string name = series.kind == CounterKind::kOfFile
                                 ? std::string(model.str(series.name))
                             : series.kind == CounterKind::kSubmittedTasks ? "submitted"
                                                                           : "ready";
    for (size_t i = 0; i < series.time_ns.size(); ++i)
      curves[name].emplace_back(series.time_ns[i], series.value[i]);
  }
  return curves;
}
using Curve = std::vector<std::pair<int64_t, double>>;

TEST(PajeReader, CountsSubmittedTasksWhereTheirNumberRises) {
  const auto curves = CurvesOfCounts(R"(
13 1.0 sched nsubmitted 1.0
9 2.0 pu p 7
13 2.0 sched nready 1.0
13 3.0 sched nsubmitted 2.0
9 4.0 po p 7
13 4.0 sched nready 0.0
13 4.0 sched nsubmitted 1.0
)");
  EXPECT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves.at("submitted"), (Curve{{1000000, 1}, {3000000, 2}, {4000000, 1}}));
  EXPECT_EQ(curves.at("ready"), (Curve{{2000000, 1}, {4000000, 0}}));
}

// As StarPU's tool writes with -no-events.
TEST(PajeReader, HasCurvesOfCountsWhereTheFileLeavesPushesAndPopsOut) {
  const auto curves = CurvesOfCounts(R"(
13 1.0 sched nsubmitted 1.0
13 2.0 sched nready 1.0
13 4.0 sched nready 0.0
13 4.0 sched nsubmitted 0.0
)");
  EXPECT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves.at("Number of Submitted Uncompleted Tasks"),
            (Curve{{0, 0}, {1000000, 1}, {4000000, 0}}));
  EXPECT_EQ(curves.at("Number of Ready Tasks"), (Curve{{0, 0}, {2000000, 1}, {4000000, 0}}));
}

// --- What cannot be read ---

constexpr char kHead[] =
    "%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineStateType 2\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 3\n% Time date\n% Alias string\n% Type string\n"
    "% Container string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeSetState 4\n% Time date\n% Type string\n% Container string\n% Value string\n"
    "%EndEventDef\n"
    "%EventDef PajePopState 5\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "1 T 0 Thread\n2 S T State\n3 0 c T 0 row\n";

TEST(PajeReader, CountsWhatIsNoLineOfPajeAndGoesOn) {
  Diagnostics diags;
  const TraceModel model = Loaded(
      TestFile("damaged.trace", std::string(kHead) + "4 1 S c a\n4 2 S\n99 2 S c a\nnoise\n"
                                                     "4 soon S c a\n4 -1 S c a\n4 3 S c\n4 4 S c"),
      diags);
  EXPECT_EQ(diags.Count("paje_bad_line"), 7u);
  EXPECT_EQ(model.tasks.size(), 1u);
}

TEST(PajeReader, CountsNamesThatNobodyDefined) {
  Diagnostics diags;
  (void)Loaded(TestFile("names.trace", std::string(kHead) + "4 1 X c a\n4 1 S nobody a\n"
                                                            "3 1 d X 0 row\n5 1 S c\n"),
               diags);
  EXPECT_EQ(diags.Count("paje_unknown_name"), 3u);
  EXPECT_EQ(diags.Count("paje_unmatched_pop"), 1u);
  EXPECT_EQ(diags.Count("paje_no_tasks"), 1u);
}

TEST(PajeReader, StatesMayComeInAnyOrder) {
  const TraceModel model = Read(std::string(kHead) + "4 3 S c b\n4 1 S c a\n4 5 S c Idle\n");
  EXPECT_THAT(Tasks(model),
              UnorderedElementsAre("a, row 1000000000 3000000000", "b, row 3000000000 5000000000"));
}

TEST(PajeReader, RefusesAFileOfNoDefinition) {
  Diagnostics diags;
  const auto model =
      LoadPaths(std::vector{TestFile("none.trace", "%EventDef PajeSetState\n")}, diags);
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.status().message(), HasSubstr("no complete Paje definition"));
}

// --- Out and in again ---

class PajeOutAndIn : public ::testing::TestWithParam<std::string> {};

// Without submission sites, for which Paje has no place.
std::multiset<testing::RunTask> TasksWithoutSites(const TraceModel& model) {
  std::multiset<testing::RunTask> result;
  for (testing::RunTask task : TasksOf(model)) {
    std::get<6>(task).clear();
    result.insert(task);
  }
  return result;
}
// Numbers of submitted and of ready tasks by rank: the last of each moment, where it is another.
std::map<std::pair<uint32_t, CounterKind>, std::map<int64_t, double>> CountsOf(
    const TraceModel& model) {
  std::map<std::pair<uint32_t, CounterKind>, std::map<int64_t, double>> result;
  for (const CounterSeries& series : model.counters) {
    if (series.kind != CounterKind::kSubmittedTasks && series.kind != CounterKind::kReadyTasks)
      continue;
    auto& counts = result[{model.ranks.rank[series.rank_index], series.kind}];
    for (size_t i = 0; i < series.time_ns.size(); ++i) counts[series.time_ns[i]] = series.value[i];
    double last = 0;
    std::erase_if(counts, [&](const auto& count) {
      return std::exchange(last, count.second) == count.second;
    });
  }
  return result;
}
// Of workers and memory nodes: other threads have other names in Paje.
testing::StateTimes TimesOfTheMachine(const TraceModel& model) {
  std::set<std::string> workers;
  for (const uint32_t track : model.workers.track)
    workers.insert(std::string(model.str(model.tracks.name[track])));
  testing::StateTimes times;
  for (const auto& [key, time] : TimesOf(model))
    if (workers.contains(std::get<1>(key)) || std::get<1>(key).starts_with("memory node"))
      times[key] = time;
  return times;
}

TEST_P(PajeOutAndIn, GivesTheSameTasksStatesMessagesAndTransfers) {
  Diagnostics diags;
  const auto written = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
  ASSERT_TRUE(written.ok()) << written.status().message();
  const TraceModel read = Read(testing::Written("paje", "paje.trace", *written));
  EXPECT_EQ(TasksWithoutSites(read), TasksWithoutSites(*written));
  EXPECT_EQ(ContextsOf(read), ContextsOf(*written));
  EXPECT_EQ(TimesOfTheMachine(read), TimesOfTheMachine(*written));
  EXPECT_EQ(MessagesOf(read), MessagesOf(*written));
  EXPECT_EQ(TransfersOf(read), TransfersOf(*written));
  EXPECT_EQ(read.steals.size(), written->steals.size());
  EXPECT_EQ(CountsOf(read), CountsOf(*written));
}

// StarPU's own file of the run has the same tasks, on the same workers, of the same length.
TEST_P(PajeOutAndIn, ReadsStarpusOwnFileOfTheSameRun) {
  Diagnostics diags;
  const auto original = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
  ASSERT_TRUE(original.ok()) << original.status().message();
  const TraceModel read =
      Read(testing::ReadFile(testing::StarpuReference(GetParam(), "paje.trace")));
  // Its clock begins elsewhere, and it aligns those of ranks otherwise.
  const bool one_clock = original->ranks.size() == 1;
  const auto facts = [&](const TraceModel& model) {
    std::multiset<std::tuple<uint32_t, uint64_t, std::string, std::string, int64_t>> result;
    for (const auto& [rank, job, name, row, start, end, site] : TasksOf(model))
      result.emplace(rank, job, name, row, one_clock ? end - start : 0);
    return result;
  };
  EXPECT_EQ(facts(read), facts(*original));
  EXPECT_EQ(ContextsOf(read), ContextsOf(*original));
  if (one_clock) {
    EXPECT_EQ(CountsOf(read), CountsOf(*original));
  }
}

INSTANTIATE_TEST_SUITE_P(All, PajeOutAndIn, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tasklens
