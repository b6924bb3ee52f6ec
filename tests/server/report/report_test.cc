// SPDX-License-Identifier: Apache-2.0
// What a page keeps of a run, and what it says of the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "server/report/graph_tree.h"
#include "server/report/numbered_texts.h"
#include "server/report/overview.h"
#include "server/report/report_data.h"
#include "server/report/report_page.h"
#include "server/report/source_quote.h"
#include "server/traces/make_trace.h"
#include "tests/testing/test_trace.h"
#include "trace/colours/colours.h"

namespace tasklens {
namespace {

using nlohmann::json;
using testing::TestTrace;

// `count` tasks of two codelets one after the other, each waiting for the one before.
TraceModel Chain(int count) {
  TestTrace trace;
  for (int i = 0; i < count; ++i) {
    trace.Task(i % 2 == 0 ? "even" : "odd", i * 100, i * 100 + 60,
               {.submit_ns = 0, .file = "a.c", .line = 3, .iteration = i / 10});
    if (i > 0) trace.Dep(static_cast<uint64_t>(i), static_cast<uint64_t>(i) + 1);
  }
  return trace.Build();
}

std::string BytesOf(TraceModel model, const ReportLimits& limits) {
  const auto trace = MakeOpenTrace({.model = std::move(model), .may_run_git = false});
  return ReportData(*trace, limits);
}

uint32_t HeaderBytes(const std::string& bytes) {
  uint32_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length;
}

json HeaderOf(const std::string& bytes) { return json::parse(bytes.substr(4, HeaderBytes(bytes))); }
json HeaderOf(TraceModel model, const ReportLimits& limits) {
  return HeaderOf(BytesOf(std::move(model), limits));
}

// A column of steps, see columns.h.
std::vector<int64_t> StepsOf(const std::string& bytes, std::string_view name) {
  size_t at = 4 + HeaderBytes(bytes);
  const json header = HeaderOf(bytes);
  for (const json& column : header["columns"]) {
    if (column["name"] != name) {
      at += column["bytes"].get<size_t>();
      continue;
    }
    EXPECT_EQ(column["coding"], "steps");
    std::vector<int64_t> values;
    for (int64_t value = 0; values.size() < column["count"]; values.push_back(value)) {
      uint64_t word = 0;
      for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<uint8_t>(bytes[at++]);
        word |= uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) break;
      }
      value += static_cast<int64_t>(word >> 1) ^ -static_cast<int64_t>(word & 1);
    }
    return values;
  }
  ADD_FAILURE() << "no column " << name;
  return {};
}

TEST(GraphTree, SplitsDownToTasksWhereThereIsRoom) {
  const TraceModel model = Chain(40);
  const GraphTree tree = BuildGraphTree(model, Topology(model), {GroupBy::kIteration}, 1000);
  std::map<uint32_t, uint64_t> tasks_of_parts;
  size_t leaves = 0;
  for (size_t i = 1; i < tree.nodes.size(); ++i) {
    EXPECT_LT(tree.nodes[i].parent, i);
    tasks_of_parts[tree.nodes[i].parent] += tree.nodes[i].node.tasks;
  }
  for (const auto& [row, tasks] : tasks_of_parts) EXPECT_EQ(tree.nodes[row].node.tasks, tasks);
  for (const auto& node : tree.nodes) leaves += !node.node.can_open;
  EXPECT_EQ(leaves, 40u);
  EXPECT_EQ(tree.edges.size(), 39u);
  EXPECT_EQ(tree.not_split, 0u);
}

TEST(GraphTree, CountsGroupsForWhichThereIsNoRoomAndKeepsAllDependencies) {
  const TraceModel model = Chain(1000);
  const GraphTree tree = BuildGraphTree(model, Topology(model), {GroupBy::kIteration}, 150);
  EXPECT_LE(tree.nodes.size(), 150u);
  EXPECT_GT(tree.not_split, 0u);
  uint64_t dependencies = 0;
  for (const GraphEdge& edge : tree.edges) dependencies += edge.count;
  EXPECT_LE(dependencies, 999u);
  EXPECT_GE(dependencies, 99u);  // at least those between iterations
}

TEST(GraphTree, SaysOfEveryTaskWhichNodeHoldsItAndOfNodesTheirColours) {
  const TraceModel model = Chain(1000);
  const auto colours = std::make_shared<const TaskColours>(model, ColourBy::kIteration);
  const GraphTree tree =
      BuildGraphTree(model, Topology(model), {GroupBy::kCodelet}, 150, {&colours, 1});
  std::map<uint32_t, std::vector<uint32_t>> members;
  for (uint32_t task = 0; task < 1000; ++task) members[tree.leaf_of[task]].push_back(task);
  for (const auto& [leaf, tasks] : members) {
    ASSERT_LT(leaf, tree.nodes.size());
    EXPECT_FALSE(tree.nodes[leaf].node.can_open);
    EXPECT_EQ(tree.nodes[leaf].node.tasks, tasks.size());
    double sum = 0;
    for (const uint32_t task : tasks) sum += model.tasks.iteration[task];
    EXPECT_EQ(tree.nodes[leaf].colours,
              std::vector{colours->EntryOfValue(sum / static_cast<double>(tasks.size()))});
  }
}

TEST(Report, KeepsTheWholeCriticalPathInAsManyStretchesAsThereIsRoomFor) {
  const json all = HeaderOf(Chain(5000), {});
  EXPECT_EQ(all["kept"]["pathStretches"], 5000);
  const json some = HeaderOf(Chain(5000), {.path = 1500});
  EXPECT_LE(some["kept"]["pathStretches"], 1500);
  EXPECT_GE(some["kept"]["pathStretches"], 700);
  EXPECT_EQ(some["criticalPath"]["count"], 5000);
}

messages::OverviewAnswer OverviewOf(TraceModel model) {
  return OverviewMessage(*MakeOpenTrace({.model = std::move(model), .may_run_git = false}), 3);
}

TEST(Overview, NamesTheColoursThatTheProgramChose) {
  TraceModel model = TestTrace()
                         .Task("green", 0, 10, {.rgb = 0x00ff00})
                         .Task("green", 10, 20, {.rgb = 0x00ff00})
                         .Task("green", 20, 30)
                         .Task("several", 30, 40, {.rgb = 0xff0000})
                         .Task("several", 40, 50, {.rgb = 0x0000ff})
                         .Task("none", 50, 60)
                         .Build();
  const messages::OverviewAnswer overview = OverviewOf(std::move(model));
  EXPECT_TRUE(std::ranges::equal(overview.palette, Palette()));
  EXPECT_EQ(overview.colours, (std::map<std::string, uint64_t>{{"green", 0x00ff00}}));
}

TEST(Report, KeepsAllOfASmallRun) {
  const json header = HeaderOf(Chain(50), {});
  EXPECT_EQ(header["kept"]["tasks"], 50);
  EXPECT_EQ(header["kept"]["tasksTotal"], 50);
  EXPECT_EQ(header["kept"]["slices"], header["kept"]["statesTotal"]);
  EXPECT_EQ(header["kept"]["detailNs"], 0);
  EXPECT_EQ(header["overview"]["tasks"], 50);
}

TEST(Report, SaysWhatItLeavesOutOfALargeOneAndCountsAllTheSame) {
  const json header = HeaderOf(Chain(5000), {.slices = 500, .tasks = 100, .groups = 60});
  EXPECT_EQ(header["kept"]["tasks"], 100);
  EXPECT_EQ(header["kept"]["tasksTotal"], 5000);
  EXPECT_LE(header["kept"]["slices"], 500);
  EXPECT_GT(header["kept"]["detailNs"], 0);
  EXPECT_EQ(header["overview"]["tasks"], 5000);
  EXPECT_EQ(header["stats"]["codelet"]["groups"][0]["tasks"], 2500);
  EXPECT_EQ(header["criticalPath"]["count"], 5000);
}

// As other tools' files have them.
TEST(Report, CallsStatesAsTheirFileDoes) {
  TestTrace trace;
  trace.Worker("CPU0").Event(10, EventKind::kNamedState,
                             {static_cast<uint32_t>(StateKind::kWaitingTask), "Group send", 0u},
                             1000);
  const json header = HeaderOf(trace.Task("a", 20, 30).Build(), {});
  const json names = header["texts"]["names"];
  EXPECT_NE(std::find(names.begin(), names.end(), "Group send"), names.end()) << names;
}

// A finding may stand at a line that submits nothing.
TEST(Report, HasTheLineOfEveryFinding) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  for (int i = 0; i < 20; ++i) {
    const int64_t from_ns = i * 1000;
    trace.Task("a", from_ns + 10, from_ns + 980,
               {.submit_ns = from_ns, .file = "a.c", .line = 3, .function = "main"});
    trace.Event(from_ns + 5, EventKind::kCallSite, {uint32_t{4}, "a.c", "main"});
    trace.Event(from_ns + 5, EventKind::kStatePush, {StateKind::kWaitingAllTasks});
    trace.Event(from_ns + 985, EventKind::kStatePop, {});
  }
  const json header = HeaderOf(trace.Build(), {});
  bool waits = false;
  for (const json& finding : header["advice"]) {
    if (finding["site"].is_null()) continue;
    const std::string site = std::to_string(finding["site"].get<uint32_t>());
    ASSERT_TRUE(header["sites"].contains(site)) << finding;
    EXPECT_EQ(header["sites"][site]["line"], finding["line"]);
    if (finding["rule"] != "waits_for_all") continue;
    waits = true;
    EXPECT_EQ(finding["line"], 4);
    EXPECT_EQ(header["sites"][site]["waits"], json({{"calls", 20}, {"totalNs", 20 * 980}}));
  }
  EXPECT_TRUE(waits) << header["advice"];
}

TEST(Report, OfARunWithoutTasksIsAPage) {
  const json header = HeaderOf(TraceModel(), {});
  EXPECT_EQ(header["overview"]["tasks"], 0);
  EXPECT_EQ(header["kept"]["tasks"], 0);
}

TEST(Overview, ItsKindsOfTimeAddUpToWhatWasMeasured) {
  const TraceModel model = Chain(100);
  messages::OverviewAnswer overview = OverviewOf(Chain(100));
  AddReasons(model, ExplainIdleness(model), ComputeBounds(model), ObservedCriticalPath(model),
             overview);
  int64_t sum_ns = 0;
  for (const auto& [kind, ns] : *overview.times_ns) sum_ns += ns;
  EXPECT_EQ(sum_ns, overview.end_ns - overview.begin_ns);
  const std::vector<double>& busy = overview.profile->shares[0];
  const double mean =
      std::accumulate(busy.begin(), busy.end(), 0.) / static_cast<double>(busy.size());
  EXPECT_NEAR(mean, *overview.factors->total, 0.01);
  EXPECT_NEAR(*overview.efficiency, *overview.factors->total, 1e-12);
}

TEST(Overview, SaysWhyABoundIsWithoutTheWorkOfTheWorkers) {
  const TraceModel model = Chain(10);
  Bounds bounds = ComputeBounds(model);
  const auto why_not_found = [&] {
    messages::OverviewAnswer overview;
    AddReasons(model, ExplainIdleness(model), bounds, ObservedCriticalPath(model), overview);
    return overview.bound->why_not_found;
  };
  EXPECT_EQ(why_not_found(), std::nullopt);
  bounds.area.at(0).status = BoundStatus::kGaveUp;
  EXPECT_EQ(why_not_found(), "too many kinds of tasks");
}

TEST(SourceQuote, HasTheLinesAround) {
  const Text text("1\n2\n3\n4\n5\n6\n7\n8\n9");
  EXPECT_EQ(QuoteLine(text, 5).lines,
            (std::vector<std::string>{"2", "3", "4", "5", "6", "7", "8"}));
  EXPECT_EQ(QuoteLine(text, 5).first_line, 2u);
  EXPECT_EQ(QuoteLine(text, 1).lines, (std::vector<std::string>{"1", "2", "3", "4"}));
  EXPECT_EQ(QuoteLine(text, 9).lines, (std::vector<std::string>{"6", "7", "8", "9"}));
  EXPECT_EQ(QuoteLine(text, 10).first_line, 0u);
  EXPECT_EQ(QuoteLine(text, 0).first_line, 0u);
}

OpenTrace WithTexts(TracedTexts texts) {
  OpenTrace trace;
  trace.texts = std::make_shared<const TracedTexts>(std::move(texts));
  return trace;
}

TEST(SourceQuote, IsOfTheTextThatTheProgramWasMadeOf) {
  const std::string path = ::testing::TempDir() + "/report_test_edited.c";
  std::ofstream(path) << "new";
  const auto old = std::make_shared<const std::string>("old");
  const auto kept = ReadTracedSource(WithTexts({{path, {old, TextOrigin::kSaved}}}), path);
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->text.text(), "old");
  EXPECT_EQ(kept->note, "");
  for (const auto& [origin, word] :
       {std::pair(TextOrigin::kHistory, "history"), {TextOrigin::kSaved, "may have been"}}) {
    const auto guessed = ReadTracedSource(WithTexts({{path, {old, origin, false}}}), path);
    ASSERT_TRUE(guessed.ok());
    EXPECT_EQ(guessed->text.text(), "old");
    EXPECT_NE(guessed->note.find(word), std::string::npos) << guessed->note;
  }
}

TEST(SourceQuote, SaysThatAFileMayHaveChanged) {
  const std::string path = ::testing::TempDir() + "/report_test_unknown.c";
  std::ofstream(path) << "new";
  const auto present = ReadTracedSource(WithTexts({}), path);
  ASSERT_TRUE(present.ok());
  EXPECT_EQ(present->text.text(), "new");
  EXPECT_NE(present->note.find("as it is now"), std::string::npos);
  EXPECT_FALSE(ReadTracedSource(WithTexts({}), path + ".missing").ok());
}

TEST(Report, KeepsFewFlagsAndArrowsWholeAndCountsMany) {
  TestTrace trace;
  for (int i = 0; i < 3000; ++i)
    trace.Task("t", i * 100, i * 100 + 60, {.submit_ns = 0})
        .Event(i * 100, EventKind::kTaskReady, {static_cast<uint64_t>(i) + 1, 0});
  const json whole = HeaderOf(trace.Build(), {});
  const uint64_t total = whole["kept"]["schedulerFlagsTotal"];
  EXPECT_GE(total, 3000u);
  EXPECT_EQ(whole["kept"]["schedulerFlags"], total);
  const json part = HeaderOf(trace.Build(), {.flags = 1500});
  EXPECT_LE(part["kept"]["schedulerFlags"], 1500);
  EXPECT_GE(part["kept"]["schedulerFlags"], 750);
  EXPECT_EQ(part["kept"]["schedulerFlagsTotal"], total);
}

TEST(Page, HoldsDataThatNoMarkupCanEnd) {
  const std::string page = ReportPage("</script><script>alert(1)</script>");
  EXPECT_EQ(page.find("alert(1)"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(ServedPage().find("id=\"tasklens-data\""), std::string::npos);
}

// Of a chain every task is on the critical path, and all are as long.
TEST(ReportData, KeepsTasksFromTheBeginningToTheEndOfTheRun) {
  for (const size_t slices : {size_t{400}, size_t{100'000}}) {
    const std::string bytes = BytesOf(Chain(10'000), {.slices = slices, .tasks = 1000});
    const std::vector<int64_t> rows = StepsOf(bytes, "taskRow");
    EXPECT_LE(rows.size(), 1000u);
    EXPECT_GE(rows.size(), 500u);
    std::array<int, 10> of_tenth{};
    for (const int64_t row : rows) ++of_tenth[static_cast<size_t>(row) / 1000];
    for (const int kept : of_tenth) EXPECT_GE(kept, 40) << slices << " entries";
  }
}

// A page counts tasks of a stretch itself, and must know which it cannot.
TEST(ReportData, SaysWhichTasksWereCutAndThatWorkersHadTasksTogether) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1").Task("whole", 0, 10);
  EXPECT_EQ(HeaderOf(trace.Build(), {})["hasParts"], false);
  trace.Event(20, EventKind::kTaskStart, {7, 0, 0, 0}, 1000);
  trace.Event(60, EventKind::kUserEvent, {uint64_t{7}});
  const std::string bytes = BytesOf(trace.Build(), {});
  EXPECT_EQ(StepsOf(bytes, "taskCut"), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(HeaderOf(bytes)["hasParts"], false);
  TestTrace shared;
  shared.Worker("CPU0").Worker("CPU1");
  for (const uint64_t worker : {0, 1}) {
    shared.Event(10, EventKind::kTaskStart, {uint64_t{1}, worker, 0, 0}, 1000 + worker);
    shared.Event(20, EventKind::kTaskEnd, {uint64_t{1}, worker, 0, 0, ""}, 1000 + worker);
  }
  EXPECT_EQ(HeaderOf(shared.Build(), {})["hasParts"], true);
}

// Three tasks submitted long after the beginning: each change at its own nanosecond, and whole.
TEST(ReportData, KeepsEveryChangeOfCountersThatHaveFew) {
  TestTrace trace;
  trace.Task("early", 0, 10, {.submit_ns = 0});
  for (int64_t i = 0; i < 3; ++i)
    trace.Task("a", 50'000'100 + 10 * i, 50'000'107 + 10 * i, {.submit_ns = 50'000'000 + i});
  const std::string bytes = BytesOf(trace.Build(), {});
  const json header = HeaderOf(bytes);
  ASSERT_EQ(header["counters"][0]["kind"], "submitted_tasks");
  EXPECT_EQ(header["counters"][0]["step"], 1);
  const std::string column = header["counters"][0]["column"];
  const std::vector<int64_t> starts = StepsOf(bytes, column + "Start");
  const std::vector<int64_t> values = StepsOf(bytes, column + "High");
  for (int64_t i = 1; i < 3; ++i) {
    const auto at = std::find(starts.begin(), starts.end(), 50'000'000 + i);
    ASSERT_NE(at, starts.end());
    EXPECT_EQ(values[static_cast<size_t>(at - starts.begin())], i + 1);
  }
}

TEST(NumberedPatterns, GivesBackEachTextWithItsNumbersInPlace) {
  const std::vector<std::string> texts = {"none",
                                          "job 12",
                                          "job 7",
                                          "0",
                                          "-1.050 us on worker 0",
                                          "0x00ab10",
                                          "1,234,567 bytes",
                                          "10000000000000000000 1",
                                          "",
                                          "a\x01 3"};
  NumberedPatterns patterns;
  for (const std::string& text : texts) patterns.Add(text);
  EXPECT_EQ(patterns.pattern_of()[1], patterns.pattern_of()[2]) << "one pattern for all jobs";
  const std::vector<size_t> pattern_of = patterns.pattern_of();
  const json list = patterns.TakePatterns();
  size_t number = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    std::string text;
    for (const char letter : list[pattern_of[i]].get<std::string>())
      text += letter == '\x01' ? std::to_string(patterns.numbers().at(number++))
                               : std::string(1, letter);
    EXPECT_EQ(text, i + 1 < texts.size() ? texts[i] : "a  3");
  }
  EXPECT_EQ(number, patterns.numbers().size());
}

}  // namespace
}  // namespace tasklens
