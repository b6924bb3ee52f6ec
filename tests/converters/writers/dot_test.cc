// SPDX-License-Identifier: Apache-2.0
// dag.dot: what is in it, and that Graphviz's tools read it whatever the names are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "converters/formats.h"
#include "converters/writers/text.h"
#include "tests/testing/hard_names.h"
#include "tests/testing/starpu_traces.h"
#include "tests/testing/test_trace.h"
#include "tests/testing/tools.h"

namespace tasklens {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunTool;
using testing::TestFile;
using testing::TestTrace;

std::string WriteDot(const TraceModel& model,
                     const std::map<std::string, std::string, std::less<>>& keys = {}) {
  WriteOptions options;
  options.values = keys;
  MemoryOutputs outputs;
  const Status status = FindWriter("dot")->write(model, options, outputs);
  EXPECT_TRUE(status.ok()) << status.message();
  return outputs.Text("dag.dot");
}

// Runs a Graphviz program on `dot`; it must succeed without a word.
std::string Graphviz(const std::string& command, const std::string& dot) {
  const std::string path = TestFile("dag.dot", dot);
  const auto run = RunTool(command + " " + path);
  EXPECT_EQ(run.status, 0) << command << '\n' << run.output;
  return run.output;
}

void ExpectAccepted(const std::string& dot) {
  EXPECT_EQ(Graphviz("dot -Tsvg -o /dev/null", dot), "");
}

// --- One subject a test --------------------------------------------------------------------------

TEST(DotWriter, WritesATaskWithLabelColourAndLink) {
  const std::string dot = WriteDot(TestTrace()
                                       .Task("greet", 10, 20, {.file = "/src/hello.c", .line = 44})
                                       .Task("coloured", 20, 30, {.rgb = 0xFFEE80})
                                       .Dep(1, 2)
                                       .Build(),
                                   {{"colors", ""}});
  // StarPU's colour of this name.
  EXPECT_THAT(dot, HasSubstr("\"task_1\" [ style=filled, label=\"greet\", fillcolor=\"#c9506e\", "
                             "fontcolor=\"white\"]\n"));
  EXPECT_THAT(dot, HasSubstr("\"task_1\" [ href=\"/src/hello.c#44\" ]\n"));
  EXPECT_THAT(dot, HasSubstr("fillcolor=\"#ffee80\", fontcolor=\"black\"]\n"));
  EXPECT_THAT(dot, HasSubstr("\"task_1\"->\"task_2\"\n"));
  ExpectAccepted(dot);
}

TEST(DotWriter, ColoursWorkersUnlessToldOtherwise) {
  const std::string dot = WriteDot(TestTrace().Worker("CPU0").Task("a", 1, 2).Build());
  EXPECT_THAT(dot, HasSubstr("fillcolor=\"/greens9/7\""));
  ExpectAccepted(dot);
}

TEST(DotWriter, MakesFilesAbsoluteWithADirectory) {
  const TraceModel model = TestTrace().Task("a", 1, 2, {.file = "../x/a b.c", .line = 3}).Build();
  EXPECT_THAT(WriteDot(model), HasSubstr("href=\"../x/a%20b.c#3\""));
  EXPECT_THAT(WriteDot(model, {{"directory", "/users/me/build"}}),
              HasSubstr("href=\"/users/me/x/a%20b.c#3\""));
}

TEST(DotWriter, TakesTheDirectoryThatTheTraceNames) {
  const TraceModel model = TestTrace()
                               .Event(0, EventKind::kProgramInfo, {"directory", "/work dir"})
                               .Task("a", 1, 2, {.file = "a.c", .line = 3})
                               .Build();
  EXPECT_THAT(WriteDot(model), HasSubstr("href=\"/work%20dir/a.c#3\""));
}

TEST(DotWriter, HidesInternalTasksUnlessSomethingShownWaitsForThem) {
  const TraceModel model = TestTrace()
                               .Task("first", 1, 2)
                               .Task("internal", 2, 3, {.submit_ns = 1, .type = kTaskInternal})
                               .Task("last", 3, 4)
                               .Task("alone", 4, 5, {.submit_ns = 1, .type = kTaskInternal})
                               .Task("acquire", 5, 6, {.submit_ns = 1, .type = kTaskDataAcquire})
                               .Dep(1, 2)
                               .Dep(2, 3)
                               .Event(7, EventKind::kTaskSubmit, {2, 0, -1, -1, 0, kTaskInternal})
                               .Event(7, EventKind::kTaskSubmit, {4, 0, -1, -1, 0, kTaskInternal})
                               .Build();
  const std::string dot = WriteDot(model);
  EXPECT_THAT(dot, HasSubstr("\"task_1\"->\"task_2\"\n"));
  EXPECT_THAT(dot, HasSubstr("\"task_2\"->\"task_3\"\n"));
  EXPECT_THAT(dot, Not(HasSubstr("alone")));
  EXPECT_THAT(dot, HasSubstr("acquire"));
  EXPECT_THAT(WriteDot(model, {{"internal", ""}}), HasSubstr("alone"));
  EXPECT_THAT(WriteDot(model, {{"no-acquire", ""}}), Not(HasSubstr("acquire")));
}

TEST(DotWriter, LabelsDependenciesWhenAsked) {
  const TraceModel model = TestTrace().Task("a", 1, 2).Task("b", 2, 3).Dep(1, 2, "gho\"st").Build();
  EXPECT_THAT(WriteDot(model), Not(HasSubstr("gho")));
  const std::string dot = WriteDot(model, {{"label-deps", ""}});
  EXPECT_THAT(dot, HasSubstr("\"task_1\"->\"task_2\" [label=\"gho\\\"st\"]\n"));
  ExpectAccepted(dot);
}

TEST(DotWriter, DrawsTagsAndEndDependencies) {
  const std::string dot = WriteDot(TestTrace()
                                       .Task("a", 1, 2, {.tag = 0x10})
                                       .Task("b", 2, 3, {.tag = 0x20})
                                       .Event(1, EventKind::kTagDep, {0x20, 0x10})
                                       .Event(2, EventKind::kTagDone, {0x10, "a"})
                                       .Event(3, EventKind::kTaskEndDep, {1, 2})
                                       .Build());
  EXPECT_THAT(dot, HasSubstr("\"tag_10\"->\"tag_20\"\n"));
  EXPECT_THAT(dot, HasSubstr("\"tag_10\"->\"task_1\"->\"tag_10\" [style=dashed]\n"));
  EXPECT_THAT(dot, HasSubstr("\"tag_10\" [ style=filled, fillcolor=\"white\""));
  EXPECT_THAT(dot, HasSubstr("\"task_1\" [ end_dep=\"2\"]\n"));
  ExpectAccepted(dot);
}

TEST(DotWriter, PlacesTheNodesOfALargeGraph) {
  TestTrace trace;
  for (uint64_t job = 1; job <= 1600; ++job) {
    trace.Task("task", static_cast<int64_t>(job), static_cast<int64_t>(job) + 1,
               {.tag = job <= 3 ? job : 0});
    if (job > 4) trace.Dep(job / 4, job);
  }
  const std::string dot = WriteDot(trace.Build());
  // Every node has a position: else neato -n2 complains and lays out anew.
  const std::string svg = Graphviz("neato -n2 -Tsvg", dot);
  EXPECT_THAT(svg, HasSubstr("task_1600"));
  EXPECT_THAT(svg, Not(HasSubstr("has no position")));
  EXPECT_THAT(WriteDot(TestTrace().Task("a", 1, 2).Build()), Not(HasSubstr("pos=")));
}

TEST(DotWriter, WritesAnEmptyGraph) { ExpectAccepted(WriteDot(TestTrace().Build())); }

// --- Any content ---------------------------------------------------------------------------------

// A label as it is after the DOT parser: its escapes are still there for the renderer.
std::string Label(const std::string& name) {
  std::string label;
  for (const char c : CleanText(name, /*keep_newlines=*/true)) {
    if (c == '\\') label += '\\';
    if (c == '\n') {
      label += "\\n";
    } else if (c == '&') {
      label += "&amp;";
    } else {
      label += c;
    }
  }
  return label;
}

TEST(DotWriter, EveryNameSurvives) {
  TestTrace trace;
  int64_t time_ns = 10;
  for (const std::string& name : testing::HardNames()) {
    trace.Task(name, time_ns, time_ns + 5, {.file = name, .line = 7});
    time_ns += 10;
  }
  trace.Dep(1, 2, "a\"\\b\n");
  const std::string dot = WriteDot(trace.Build(), {{"label-deps", ""}});
  ExpectAccepted(dot);
  const std::string labels = Graphviz("gvpr 'N{printf(\"%s=%s\\n\", $.name, $.label)}'", dot);
  size_t job = 0;
  for (const std::string& name : testing::HardNames())
    EXPECT_THAT(labels, HasSubstr("task_" + std::to_string(++job) + "=" + Label(name) + "\n"));
}

// --- Real traces ---------------------------------------------------------------------------------

struct Graph {
  std::set<std::string> edges;
  std::map<std::string, std::string> labels, hrefs;  // by node
};

Graph Parse(const std::string& dot) {
  static const std::regex kEdge("\\s*(\"[^\\[]*\"->[^\\[]*\")(.*)");
  static const std::regex kLabel("\\s*\"(\\w+)\" \\[ style=filled, (.*)\\]");
  static const std::regex kHref("\\s*\"(\\w+)\" \\[ href=\"(.*)\" \\]");
  // StarPU numbers messages in the order in which it finds them.
  static const std::regex kMessage("(mpi_\\d+)_\\d+");
  Graph graph;
  std::istringstream lines(dot);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, kEdge))
      graph.edges.insert(std::regex_replace(match[1].str(), kMessage, "$1") + match[2].str());
    if (std::regex_match(line, match, kLabel)) graph.labels[match[1]] = match[2];
    if (std::regex_match(line, match, kHref)) graph.hrefs[match[1]] = match[2];
  }
  return graph;
}

class DotOfRealTrace : public ::testing::TestWithParam<std::string> {};

TEST_P(DotOfRealTrace, HasTheFactsOfStarpus) {
  Diagnostics diags;
  const auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  const Graph ours = Parse(WriteDot(*model, {{"colors", ""}}));
  const Graph theirs = Parse(testing::ReadFile(testing::StarpuReference(GetParam(), "dag.dot")));
  EXPECT_FALSE(theirs.labels.empty());
  // StarPU writes an edge as often as the program declared it; sets forgive that.
  EXPECT_EQ(ours.edges, theirs.edges);
  EXPECT_EQ(ours.labels, theirs.labels);
  EXPECT_EQ(ours.hrefs, theirs.hrefs);
}

TEST_P(DotOfRealTrace, IsAcceptedByGraphviz) {
  Diagnostics diags;
  const auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  for (const auto& options : {std::map<std::string, std::string, std::less<>>{},
                              {{"colors", ""}, {"label-deps", ""}, {"internal", ""}}}) {
    const std::string dot = WriteDot(*model, options);
    // A tag and the task that owns it point at each other, as in StarPU's file.
    if (dot.find("tag_") == std::string::npos) {
      EXPECT_EQ(Graphviz("acyclic -n", dot), "");
    }
    EXPECT_THAT(Graphviz("gvpr 'BEG_G{printf(\"%d\", nNodes($G))}'", dot), Not(HasSubstr("rror")));
  }
}

INSTANTIATE_TEST_SUITE_P(Starpu, DotOfRealTrace, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tasklens
