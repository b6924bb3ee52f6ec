// SPDX-License-Identifier: Apache-2.0
// dag.svg and LayoutGraph: positions, links and data of every node, and valid XML for any name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "converters/formats.h"
#include "converters/writers/svg_layout.h"
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
using testing::ShellQuote;
using testing::TestFile;
using testing::TestTrace;

GraphLayout Layout(const TraceModel& model, const LayoutOptions& options = {}) {
  auto layout = LayoutGraph(model, options);
  EXPECT_TRUE(layout.ok()) << layout.status().message();
  return std::move(*layout);
}

std::string Svg(const TraceModel& model, const LayoutOptions& options = {}) {
  return DrawSvg(model, Layout(model, options), options);
}

void ExpectValidXml(const std::string& svg) {
  const auto run = RunTool("xmllint --noout " + TestFile("dag.svg", svg));
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output, "");
}

// What an XML parser finds at `xpath`.
std::string XPath(const std::string& svg, const std::string& xpath) {
  const std::string path = TestFile("xpath.svg", svg);
  const auto run = RunTool("xmllint --xpath " + ShellQuote("string(" + xpath + ")") + " " + path);
  EXPECT_EQ(run.status, 0) << run.output;
  return run.output.substr(0, run.output.rfind('\n'));
}

// A tree of tasks, four children each.
TraceModel Tree(uint64_t tasks) {
  TestTrace trace;
  for (uint64_t job = 1; job <= tasks; ++job) {
    trace.Task("task", static_cast<int64_t>(job) * 10, static_cast<int64_t>(job) * 10 + 5,
               {.file = "/src/tree.c", .line = 12});
    if (job > 1) trace.Dep((job + 2) / 4, job);
  }
  return trace.Build();
}

void ExpectNoOverlap(const GraphLayout& layout) {
  for (const PlacedNode& node : layout.nodes) {
    EXPECT_GE(node.x, node.width / 2 - 1) << node.id;
    EXPECT_LE(node.x, layout.width - node.width / 2 + 1) << node.id;
    EXPECT_GE(node.y, node.height / 2 - 1) << node.id;
    EXPECT_LE(node.y, layout.height - node.height / 2 + 1) << node.id;
  }
  for (size_t i = 0; i < layout.nodes.size(); ++i) {
    for (size_t j = i + 1; j < layout.nodes.size(); ++j) {
      const PlacedNode &a = layout.nodes[i], &b = layout.nodes[j];
      const bool apart = std::abs(a.x - b.x) > (a.width + b.width) / 2 - 1 ||
                         std::abs(a.y - b.y) > (a.height + b.height) / 2 - 1;
      ASSERT_TRUE(apart) << a.id << " and " << b.id;
    }
  }
}

TEST(SvgWriter, ANodeKnowsItsTaskAndItsLine) {
  const TraceModel model =
      TestTrace().Task("greet", 10, 20, {.file = "/my src/hello.c", .line = 44}).Build();
  const std::string svg = Svg(model);
  const std::string node = "//*[@id=\"task_1\"]";
  EXPECT_EQ(XPath(svg, node + "/@data-job"), "1");
  EXPECT_EQ(XPath(svg, node + "/@data-rank"), "0");
  EXPECT_EQ(XPath(svg, node + "/@data-file"), "/my src/hello.c");
  EXPECT_EQ(XPath(svg, node + "/@data-line"), "44");
  EXPECT_EQ(XPath(svg, node + "/@href"), "file:///my%20src/hello.c#44");
  ExpectValidXml(svg);
}

TEST(SvgWriter, ARelativeFileBecomesAbsoluteWithADirectory) {
  const TraceModel model = TestTrace().Task("a", 1, 2, {.file = "../a.c", .line = 3}).Build();
  LayoutOptions options;
  EXPECT_EQ(XPath(Svg(model, options), "//*[@id=\"task_1\"]/@href"), "../a.c#3");
  options.graph.directory = "/users/me/build";
  EXPECT_EQ(XPath(Svg(model, options), "//*[@id=\"task_1\"]/@href"), "file:///users/me/a.c#3");
}

TEST(SvgWriter, ATaskWithoutASiteIsNoLink) {
  const std::string svg = Svg(TestTrace().Task("a", 1, 2).Build());
  EXPECT_THAT(svg, Not(HasSubstr("href=")));
  EXPECT_THAT(svg, HasSubstr("<g id=\"task_1\""));
}

TEST(SvgWriter, EveryNameSurvives) {
  TestTrace trace;
  int64_t time_ns = 10;
  for (const std::string& name : testing::HardNames()) {
    trace.Task(name, time_ns, time_ns + 5, {.file = "/" + name, .line = 7});
    time_ns += 10;
  }
  trace.Dep(1, 2, "a\"<&\n");
  LayoutOptions options;
  options.graph.label_deps = true;
  const TraceModel model = trace.Build();
  const std::string svg = Svg(model, options);
  ExpectValidXml(svg);
  size_t job = 0;
  for (const std::string& name : testing::HardNames()) {
    const std::string node = "//*[@id=\"task_" + std::to_string(++job) + "\"]";
    // The first line of the tooltip is the whole name, cleaned of what XML forbids.
    const std::string title = XPath(svg, node + "/*[local-name()=\"title\"]");
    EXPECT_EQ(title.substr(0, title.find("\njob ")), CleanText(name)) << name;
  }
}

TEST(SvgWriter, WritesAnEmptyGraph) {
  const TraceModel model = TestTrace().Build();
  EXPECT_TRUE(Layout(model).nodes.empty());
  ExpectValidXml(Svg(model));
}

TEST(LayoutGraph, PlacesSmallGraphsByGraphviz) {
  const TraceModel model = Tree(100);
  const GraphLayout layout = Layout(model);
  EXPECT_TRUE(layout.by_graphviz);
  EXPECT_EQ(layout.nodes.size(), 100u);
  EXPECT_EQ(layout.edges.size(), 99u);
  ExpectNoOverlap(layout);
  for (const PlacedEdge& edge : layout.edges) {
    ASSERT_GE(edge.points.size(), 4u);
    EXPECT_EQ(edge.points.size() % 3, 1u);
    EXPECT_LT(layout.nodes[edge.from].x, layout.nodes[edge.to].x);  // from left to right
  }
  ExpectValidXml(DrawSvg(model, layout, {}));
}

TEST(LayoutGraph, PlacesLargeGraphsByTheRun) {
  const TraceModel model = Tree(5000);
  const GraphLayout layout = Layout(model);
  EXPECT_FALSE(layout.by_graphviz);
  EXPECT_EQ(layout.nodes.size(), 5000u);
  ExpectNoOverlap(layout);
  for (const PlacedEdge& edge : layout.edges) {
    ASSERT_EQ(edge.points.size(), 4u);
    EXPECT_LT(layout.nodes[edge.from].x, layout.nodes[edge.to].x);
  }
  ExpectValidXml(DrawSvg(model, layout, {}));
}

TEST(LayoutGraph, FoldsALevelWithManyTasks) {
  TestTrace trace;
  for (int i = 0; i < 3000; ++i) trace.Task("independent", i, i + 1);
  const GraphLayout layout = Layout(trace.Build());
  ExpectNoOverlap(layout);
  EXPECT_LT(layout.height, 10 * layout.width);
  EXPECT_LT(layout.width, 10 * layout.height);
}

TEST(LayoutGraph, PlacesWhatLiesBehindACycle) {
  TestTrace trace;
  for (int i = 0; i < 1000; ++i) trace.Task("a", i, i + 1);
  for (uint64_t job = 1; job < 1000; ++job) trace.Dep(job, job + 1);
  trace.Dep(1000, 500);
  const GraphLayout layout = Layout(trace.Build());
  EXPECT_EQ(layout.nodes.size(), 1000u);
  ExpectNoOverlap(layout);
}

TEST(LayoutGraph, PlacesTagsWithTheirTasks) {
  const TraceModel model = TestTrace()
                               .Task("a", 1, 2, {.tag = 0x10})
                               .Task("b", 2, 3, {.tag = 0x20})
                               .Event(1, EventKind::kTagDep, {0x20, 0x10})
                               .Build();
  for (const size_t graphviz : {0, 100}) {
    LayoutOptions options;
    options.most_graphviz_nodes = graphviz;
    const GraphLayout layout = Layout(model, options);
    EXPECT_EQ(layout.nodes.size(), 4u);
    EXPECT_EQ(layout.edges.size(), 3u);
    ExpectNoOverlap(layout);
    EXPECT_THAT(DrawSvg(model, layout, options), HasSubstr("id=\"tag_20\""));
  }
}

TEST(LayoutGraph, WorksFromSeveralThreads) {
  const TraceModel model = Tree(60);
  const std::string alone = Svg(model);
  std::vector<std::string> together(4);
  std::vector<std::thread> threads;
  for (std::string& svg : together) threads.emplace_back([&] { svg = Svg(model); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& svg : together) EXPECT_EQ(svg, alone);
}

class SvgOfRealTrace : public ::testing::TestWithParam<std::string> {};

TEST_P(SvgOfRealTrace, IsValidAndHasEveryTaskOfTheGraph) {
  Diagnostics diags;
  const auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  MemoryOutputs outputs;
  ASSERT_TRUE(FindWriter("svg")->write(*model, {}, outputs).ok());
  const std::string& svg = outputs.Text("dag.svg");
  ExpectValidXml(svg);
  for (const uint32_t task : SelectGraph(*model, {}).tasks)
    EXPECT_THAT(svg, HasSubstr("data-job=\"" + std::to_string(model->tasks.job[task]) + "\""));
}

INSTANTIATE_TEST_SUITE_P(Starpu, SvgOfRealTrace, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tasklens
