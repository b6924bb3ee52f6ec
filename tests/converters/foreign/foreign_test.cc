// SPDX-License-Identifier: Apache-2.0
// What files of other tools say, in the model and in the views of Paraver's configurations. Each
// file of cases/ stands for a kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "analysis/bounds.h"
#include "analysis/critical_path.h"
#include "analysis/statistics.h"
#include "analysis/timeline_arrows.h"
#include "analysis/timeline_curves.h"
#include "analysis/timeline_rows.h"
#include "converters/formats.h"
#include "converters/paraver_views/evaluate.h"
#include "tests/testing/model_check.h"
#include "tests/testing/starpu_traces.h"

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Case(const std::string& name) { return "tests/converters/foreign/cases/" + name; }

Result<TraceModel> LoadText(const std::string& name, std::string text, Diagnostics& diags) {
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(MemorySource(name, std::move(text)));
  return tasklens::Load(sources, diags);
}
TraceModel Load(const std::string& name, Diagnostics& diags) {
  const std::string path = Case(name);
  auto model = LoadPaths({&path, 1}, diags);
  EXPECT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(testing::BrokenPromise(*model), "");
  return std::move(*model);
}
TraceModel Load(const std::string& name) {
  Diagnostics diags;
  return Load(name, diags);
}

// "name: count, total" by name.
std::map<std::string, std::string> Table(const TraceModel& model, StatisticsBy by) {
  std::map<std::string, std::string> table;
  for (const StatisticsRow& row : Statistics(model, by))
    table[StatisticsLabel(model, by, row.key)] =
        std::to_string(row.tasks) + ", " + std::to_string(row.total_ns);
  return table;
}
int64_t Total(const TraceModel& model, StatisticsBy by) {
  int64_t sum_ns = 0;
  for (const StatisticsRow& row : Statistics(model, by)) sum_ns += row.total_ns;
  return sum_ns;
}

// "number name start-end ran" of the tasks, in the order of their numbers.
std::vector<std::string> Tasks(const TraceModel& model) {
  std::vector<std::string> tasks;
  for (const uint32_t task : model.tasks_by_job) {
    std::ostringstream text;
    text << model.tasks.job[task] << ' ' << model.TaskNameOf(task) << ' '
         << model.tasks.start_ns[task] << '-' << model.tasks.end_ns[task] << " ran "
         << model.tasks.RunNs(task);
    tasks.push_back(text.str());
  }
  return tasks;
}

// --- Configurations of Paraver's ---

std::vector<std::string> RowsOf(const std::string& cfg, const std::string& prv) {
  const std::string text = testing::ReadFile(Case(cfg));
  const auto view = ParseViewConfiguration(text, cfg);
  EXPECT_TRUE(view.ok()) << view.status().message();
  if (!view.ok()) return {};
  EXPECT_THAT(view->notes, ElementsAre());
  Diagnostics diags;
  const auto source = OpenSource(Case(prv));
  const auto records = ReadParaverRecords(**source, diags);
  EXPECT_TRUE(records.ok()) << records.status().message();
  const auto rows = EvaluateWindow(*records, *view, view->windows.back());
  EXPECT_TRUE(rows.ok()) << rows.status().message();
  std::vector<std::string> result;
  if (!rows.ok()) return result;
  for (const ViewRow& row : *rows) {
    std::ostringstream line;
    line << row.name;
    const std::vector<Step>& steps = row.steps.steps();
    for (size_t i = 0; i < steps.size(); ++i)
      if (row.steps.EndOf(i, INT64_MAX) > steps[i].begin)
        line << ' ' << steps[i].begin << ':' << steps[i].value;
    result.push_back(line.str());
  }
  return result;
}

class Edges : public ::testing::TestWithParam<const char*> {};
TEST_P(Edges, AreSeenAsTheConfigurationAsks) {
  const std::string name = GetParam();
  const std::string row = name == "changed.cfg" ? "1.1" : "1.1.1";
  EXPECT_THAT(RowsOf(name, "edges.prv"),
              ElementsAre(row + " 0:0 1010:1 1020:2 1030:3 1090:5 2000:0"));
}
INSTANTIATE_TEST_SUITE_P(Of, Edges,
                         ::testing::Values("edges.cfg", "no_shebang.cfg", "old_header.cfg",
                                           "bom.cfg", "changed.cfg", "old_compose.cfg"));

TEST(Foreign, AConfigurationFindsEventsByTheirNames) {
  std::string text = testing::ReadFile(Case("edges.cfg"));
  auto view = ParseViewConfiguration(text, "edges.cfg");
  ASSERT_TRUE(view.ok());
  const auto types = [&] { return view->windows[0].functions.at("evt_type").parameters[0]; };
  ChooseByLabels(*view, "EVENT_TYPE\n0 99 Another\n");
  EXPECT_THAT(types(), ElementsAre(77)) << "it is called Test, and no type of the trace is";
  ChooseByLabels(*view, "EVENT_TYPE\n0 99 Test\n");
  EXPECT_THAT(types(), ElementsAre(99));
}

// --- Traces for Paraver ---

TEST(Foreign, ApplicationsStandBehindAnyCharacter) {
  Diagnostics diags;
  const auto source = OpenSource(Case("comma_apps.prv"));
  const auto records = ReadParaverRecords(**source, diags);
  ASSERT_TRUE(records.ok());
  EXPECT_EQ(records->threads.size(), 3u);
  EXPECT_EQ(records->applications, 2u);
  const TraceModel model = Load("comma_apps.prv", diags);
  EXPECT_EQ(model.ranks.size(), 3u);
  EXPECT_EQ(model.tracks.size(), 3u);
  EXPECT_EQ(diags.Count("prv_bad_record") + diags.Count("prv_bad_object"), 0u) << diags.Summary();
}

TEST(Foreign, ANumberThatChangesAloneIsAnotherTask) {
  EXPECT_THAT(Tasks(Load("nosv_same_type.prv")),
              ElementsAre("1 multiply 100-300 ran 200", "2 multiply 300-500 ran 200",
                          "3 multiply 500-900 ran 400"));
}

TEST(Foreign, NumberAndTypeComeInAnyOrder) {
  EXPECT_THAT(Tasks(Load("nosv_order.prv")), ElementsAre("5 multiply 100-200 ran 100"));
}

TEST(Foreign, ATaskThatPausesRunsInStretchesEverywhere) {
  const TraceModel model = Load("nosv_paused.prv");
  EXPECT_THAT(Tasks(model), ElementsAre("1 multiply 100-600 ran 300", "2 reduce 200-300 ran 100"));
  for (const StatisticsBy by :
       {StatisticsBy::kCodelet, StatisticsBy::kSite, StatisticsBy::kWorker, StatisticsBy::kKind})
    EXPECT_EQ(Total(model, by), 400) << StatisticsByName(by);
  EXPECT_EQ(Table(model, StatisticsBy::kState).at("Task"), "3, 400");
  const std::map<std::string, std::string> expected = {{"TH 0.1", "2, 200"}, {"TH 0.2", "1, 200"}};
  EXPECT_EQ(Table(model, StatisticsBy::kWorker), expected);
  const CriticalPath path = ObservedCriticalPath(model);
  EXPECT_EQ(path.work_ns + path.wait_ns, 500);
  MemoryOutputs outputs;
  ASSERT_TRUE(FindWriter("tasks")->write(model, {}, outputs).ok());
  EXPECT_THAT(outputs.Text("tasks.rec"), HasSubstr("PausedTime: 0.000200"));
}

TEST(Foreign, APausedTaskComesBackFromOurOwnFile) {
  const TraceModel model = Load("nosv_paused.prv");
  MemoryOutputs outputs;
  ASSERT_TRUE(FindWriter("paraver")->write(model, {}, outputs).ok());
  // Without the labels, which stand in another file, tasks have their numbers.
  Diagnostics diags;
  const auto again = LoadText("trace.prv", outputs.Text("trace.prv"), diags);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(Total(*again, StatisticsBy::kCodelet), 400);
}

TEST(Foreign, UserFunctionsAreStatesCalledAsTheirFileCallsThem) {
  const TraceModel model = Load("extrae_user.prv");
  const std::map<std::string, std::string> states = Table(model, StatisticsBy::kState);
  EXPECT_EQ(states.at("outer"), "1, 600") << "without what it called";
  EXPECT_EQ(states.at("inner"), "1, 200");
  EXPECT_THAT(Tasks(model), ElementsAre("1 work_task [prog.c] 200-700 ran 500"));
  const uint32_t site = model.tasks.site[0];
  ASSERT_LT(site, model.sites.size());
  EXPECT_EQ(model.sites.line[site], 42u);
}

TEST(Foreign, MessagesAreAtTheRowsThatTheirFileNames) {
  const TraceModel model = Load("hybrid.prv");
  const MessageTable& m = model.messages;
  ASSERT_EQ(m.size(), 2u);
  EXPECT_EQ(model.transfers.size(), 0u);
  const auto row = [&](uint32_t track) {
    return std::to_string(model.ranks.rank[model.tracks.rank_index[track]]) + "." +
           std::to_string(model.tracks.id[track]);
  };
  EXPECT_EQ(row(m.source_track[0]), "0.1") << "a worker's number counts from 0";
  EXPECT_EQ(row(m.target_track[0]), "1.1");
  EXPECT_EQ(row(m.source_track[1]), "0.0");
  EXPECT_EQ(row(m.target_track[1]), "0.1");
  MemoryOutputs outputs;
  ASSERT_TRUE(FindWriter("paraver")->write(model, {}, outputs).ok());
  std::vector<std::string> written;
  std::istringstream lines(outputs.Text("trace.prv"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("3:")) written.push_back(line.substr(line.find(':', 2)));
  EXPECT_THAT(written, ElementsAre(HasSubstr(":1:1:2:500:500:"), HasSubstr(":1:1:1:700:700:")));
  EXPECT_THAT(written[0], HasSubstr(":1:2:2:600:600:4096:1"));
  EXPECT_THAT(written[1], HasSubstr(":1:1:2:800:800:16:9"));
}

TEST(Foreign, ArrowsOfMessagesAreBetweenTheirRows) {
  const TraceModel model = Load("hybrid.prv");
  const TimelineRows rows(model);
  const TimelineArrows arrows(model, rows, ArrowKind::kMessage, {});
  EXPECT_EQ(arrows.size(), 2u);
}

TEST(Foreign, ClocksThatCannotBeRightAreSaid) {
  Diagnostics diags;
  const TraceModel model = Load("backward.prv", diags);
  EXPECT_EQ(model.messages.left_ns[0], 520);
  EXPECT_EQ(model.messages.asked_ns[0], 100);
  EXPECT_EQ(diags.Count("model_message_backward"), 1u);
  EXPECT_THAT(diags.Summary(), HasSubstr("120 ns at least"));
}

TEST(Foreign, NumbersWithoutLabelsAreCurvesOfTheirRows) {
  Diagnostics diags;
  const auto model = LoadText("x.prv",
                              "#Paraver (01/01/2026 at 00:00):100_ns:0:1:1(1:1)\n"
                              "2:0:1:1:1:10:42000050:7:77:9223372036854775807\n"
                              "2:0:1:1:1:20:42000050:8\n",
                              diags);
  ASSERT_TRUE(model.ok());
  ASSERT_EQ(model->counters.size(), 2u);
  EXPECT_EQ(model->str(model->counters[0].name), "event 42000050");
  EXPECT_EQ(model->counters[0].value[1], 8);
  EXPECT_EQ(model->points.size(), 0u);
  EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();
  const TimelineRows rows(*model);
  const TimelineCurves curves(*model, rows, {});
  EXPECT_EQ(curves.curves().size(), 2u);
}

// --- Traces of Paje ---

TEST(Foreign, StatesPushedOntoOthersKeepTheirNames) {
  Diagnostics diags;
  const TraceModel model = Load("nested.trace", diags);
  const std::map<std::string, std::string> expected = {
      {"MPI_Recv", "2, 7000000000"}, {"MPI_Send", "1, 1000000000"}, {"solve", "1, 6000000000"}};
  EXPECT_EQ(Table(model, StatisticsBy::kCodelet), expected);
  EXPECT_EQ(diags.Summary(), "") << "nothing is lost, also where the root ends";
  EXPECT_EQ(Total(model, StatisticsBy::kWorker), 14'000'000'000);
  for (const uint64_t job : {1, 2, 3, 4}) EXPECT_NE(model.FindTask(0, job), kNone) << job;
}

TEST(Foreign, LinksWithinAFileAreMessagesOfItsContainers) {
  Diagnostics diags;
  const TraceModel model = Load("smpi_sizes.trace", diags);
  ASSERT_EQ(model.messages.size(), 1u);
  EXPECT_EQ(model.messages.size_bytes[0], 4u);
  EXPECT_EQ(model.messages.send_ns[0], 1'500'000'000);
  EXPECT_EQ(model.messages.receive_ns[0], 1'800'000'000);
  EXPECT_EQ(model.str(model.tracks.name[model.messages.source_track[0]]), "rank-0");
  EXPECT_EQ(model.str(model.tracks.name[model.messages.target_track[0]]), "rank-1");
  EXPECT_EQ(diags.Summary(), "");
}

// As SimGrid writes a platform. pj_dump 1.3.6 shows the first link of each type alone where others
// begin with it.
constexpr std::string_view kLinksAtOnce = R"paje(%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 1
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 2
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeStartLink 3
% Time date
% Type string
% Container string
% Value string
% StartContainer string
% Key string
%EndEventDef
%EventDef PajeEndLink 4
% Time date
% Type string
% Container string
% Value string
% EndContainer string
% Key string
%EndEventDef
0 H 0 HOST
1 L 0 H H 0-HOST-HOST
2 0 a H 0 host0
2 0 b H 0 host1
2 0 c H 0 host2
3 0 L 0 topology a 0
4 0 L 0 topology b 0
3 0 L 0 topology b 1
4 0 L 0 topology c 1
3 0 L 0 topology a 2
4 0 L 0 topology c 2
)paje";

TEST(Foreign, LinksThatBeginAtOneTimeAreAllThere) {
  Diagnostics diags;
  const auto model = LoadText("platform.trace", std::string(kLinksAtOnce), diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  std::vector<std::string> links;
  const MessageTable& m = model->messages;
  const auto row = [&](uint32_t track) {
    return std::string(model->str(model->tracks.name[track]));
  };
  for (uint32_t i = 0; i < m.size(); ++i)
    links.push_back(row(m.source_track[i]) + " to " + row(m.target_track[i]));
  EXPECT_THAT(
      links, ::testing::UnorderedElementsAre("host0 to host1", "host1 to host2", "host0 to host2"));
  EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();
}

constexpr std::string_view kVariables = R"paje(%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineVariableType 1
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 2
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeSetVariable 3
% Time date
% Type string
% Container string
% Value double
%EndEventDef
%EventDef PajeAddVariable 4
% Time date
% Type string
% Container string
% Value double
%EndEventDef
%EventDef PajeSubVariable 5
% Time date
% Type string
% Container string
% Value double
%EndEventDef
0 H 0 HOST
1 p H "power (W)" "1 0 0"
2 0 a H 0 node-1
3 0.5 p a 10.5
5 2 p a 0.5
4 1 p a 2
)paje";

TEST(Foreign, VariablesAreCurvesOfTheirContainers) {
  Diagnostics diags;
  const auto model = LoadText("x.trace", std::string(kVariables), diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  ASSERT_EQ(model->counters.size(), 1u);
  const CounterSeries& series = model->counters[0];
  EXPECT_EQ(model->str(series.name), "power (W)");
  EXPECT_EQ(model->str(model->tracks.name[series.track]), "node-1");
  ASSERT_EQ(series.value.size(), 3u);
  EXPECT_EQ(series.value[0], 10.5);
  EXPECT_EQ(series.value[1], 12.5);
  EXPECT_EQ(series.value[2], 12);
  EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();
}

// --- Several Paje files of one run ---

Result<TraceModel> LoadProcesses(const std::vector<std::string>& names, Diagnostics& diags) {
  std::vector<std::string> paths;
  for (const std::string& name : names) paths.push_back(Case(name));
  return LoadPaths(paths, diags);
}

TEST(PajeFiles, OfOneRunAreRanksOfOneClock) {
  Diagnostics diags;
  const auto model = LoadProcesses({"process_1.trace", "process_0.trace"}, diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(testing::BrokenPromise(*model), "");
  EXPECT_TRUE(diags.empty());
  EXPECT_THAT(model->ranks.rank, ElementsAre(0, 1));
  EXPECT_EQ(model->ranks.aligned, (std::vector<bool>{true, true}));
  // The same aliases in both are two processes.
  EXPECT_EQ(model->workers.size(), 2u);
  EXPECT_EQ(Table(*model, StatisticsBy::kCodelet),
            (std::map<std::string, std::string>{{"compute", "2, 3500000000"}}));
}

TEST(PajeFiles, OfOneRunAreLinkedByTheirKeys) {
  Diagnostics diags;
  const auto model = LoadProcesses({"process_0.trace", "process_1.trace"}, diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  const MessageTable& m = model->messages;
  ASSERT_EQ(m.size(), 2u);
  std::vector<std::string> told;
  for (size_t i = 0; i < m.size(); ++i)
    told.push_back(std::string(model->str(model->tracks.name[m.source_track[i]])) + " " +
                   std::to_string(m.send_ns[i] / 1'000'000) + " > " +
                   std::string(model->str(model->tracks.name[m.target_track[i]])) + " " +
                   std::to_string(m.receive_ns[i] / 1'000'000) + ": " +
                   std::to_string(m.size_bytes[i]));
  EXPECT_THAT(told, ::testing::UnorderedElementsAre("process 0 1000 > process 1 2000: 100",
                                                    "process 1 3000 > process 0 3500: 8"));
}

TEST(PajeFiles, ALinkWithoutItsOtherFileIsTold) {
  Diagnostics alone, twice;
  ASSERT_TRUE(LoadProcesses({"process_0.trace"}, alone).ok());
  EXPECT_EQ(alone.counts().at("paje_half_link").count, 2u);
  // One of another run, with links of its own.
  ASSERT_TRUE(LoadProcesses({"process_0.trace", "nested.trace"}, twice).ok());
  EXPECT_EQ(twice.counts().at("paje_half_link").count, 2u);
}

TEST(PajeFiles, OfOneProgramAreNotTwoRanks) {
  Diagnostics diags;
  std::vector<std::unique_ptr<Source>> sources;
  for (const char* name : {"a.trace", "b.trace"})
    sources.push_back(MemorySource(
        name,
        "%EventDef PajeCreateContainer 1\n% Time date\n% Alias string\n% Type string\n"
        "% Container string\n% Name string\n%EndEventDef\n1 0 1_p P MPIroot 1_program\n"));
  const auto model = tasklens::Load(sources, diags);
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(std::string(model.status().message()), HasSubstr("are both of rank 1"));
}

}  // namespace
}  // namespace tasklens
