// SPDX-License-Identifier: Apache-2.0
// dag.dot: what is in it, and that Graphviz's tools read it whatever the names are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
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

// Of StarPU after 1.4: a message has a job that it waits for and one that waits for it, on each
// side.
TEST(DotWriter, DrawsEdgesBeforeAReceiveAndAfterASend) {
  TestTrace trace;
  trace.Task("produce", 1, 2).Task("goes on", 8, 9);
  trace.Event(3, EventKind::kMpiSend, {1, 7, 80, 0, uint64_t{1}, uint64_t{0xa}, 0});
  trace.Event(3, EventKind::kMpiAfterSend, {1, 7, uint64_t{2}});
  trace.Rank(1).Task("prepare", 1, 2).Task("consume", 8, 9);
  trace.Event(6, EventKind::kMpiReceived, {0, 7, uint64_t{2}, uint64_t{0xb}});
  trace.Event(6, EventKind::kMpiBeforeReceive, {0, 7, uint64_t{1}});
  const std::string dot = WriteDot(trace.Build());
  EXPECT_THAT(dot, HasSubstr("\"task_0_1\"->\"mpi_7_0\"\n"));
  EXPECT_THAT(dot, HasSubstr("\"mpi_7_0\"->\"task_0_2\"\n"));
  EXPECT_THAT(dot, HasSubstr("\"task_1_1\"->\"mpi_7_0\"\n"));
  EXPECT_THAT(dot, HasSubstr("\"mpi_7_0\"->\"task_1_2\"\n"));
  ExpectAccepted(dot);
}

TEST(DotWriter, NamesRecursiveTasksAsTheVersionDoes) {
  TestTrace trace;
  trace.Task("outer", 1, 9).Task("inner", 2, 3);
  trace.Event(1, EventKind::kTaskParent, {uint64_t{1}, 1, uint64_t{0}});
  trace.Event(1, EventKind::kTaskParent, {uint64_t{2}, 0, uint64_t{1}});
  EXPECT_THAT(WriteDot(trace.Build()), HasSubstr("\"task_1\" [ bubble=\"1\" ]\n"));
  trace.Event(1, EventKind::kProgramInfo, {"runtime", "StarPU after 1.4"});
  const std::string dot = WriteDot(trace.Build());
  EXPECT_THAT(dot, HasSubstr("\"task_1\" [ recursive_task=\"1\" ]\n"));
  EXPECT_THAT(dot, HasSubstr("\"task_2\" [ recursive_task=\"0\", recursive_task_parent=\"1\" ]\n"));
  ExpectAccepted(dot);
}

// Compilers are given names from where they run.
TEST(DotWriter, LinksTheFileThatIsThere) {
  const std::filesystem::path root = std::filesystem::path(::testing::TempDir()) / "source root";
  std::filesystem::create_directories(root / "src");
  std::ofstream(root / "x.c") << "int x;\n";
  std::ofstream(root / "src" / "y.c") << "int y;\n";
  const TraceModel model = TestTrace()
                               .Task("a", 1, 2, {.file = "../../src/x.c", .line = 1})
                               .Task("b", 2, 3, {.file = "../../src/y.c", .line = 1})
                               .Task("c", 3, 4, {.file = "../gone.c", .line = 1})
                               .Build();
  const std::string dot = WriteDot(model, {{"directory", root.string()}});
  EXPECT_THAT(dot, HasSubstr("source%20root/x.c#1\""));
  EXPECT_THAT(dot, HasSubstr("source%20root/src/y.c#1\""));
  EXPECT_THAT(dot, Not(HasSubstr("source%20root/gone.c")));
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
  EXPECT_THAT(dot, HasSubstr("\"task_2\" [ end_dep=\"1\"]\n"));
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

// As StarPU's tool does: the tasks stay where they are, and neither option silences the other.
TEST(DotWriter, ShowsWorkersInABoxBesideTheGraphAndIterationsInIt) {
  const TraceModel model =
      TestTrace()
          .Worker("CPU \"0\"")
          .Event(0, EventKind::kWorkerNew, {1, WorkerArch::kCuda, 0, 1, 0, 1, "CUDA 0.0"}, 1001)
          .Task("a", 1, 2, {.worker = 0, .submit_ns = 0, .iteration = 3})
          .Task("b", 2, 3, {.worker = 1, .submit_ns = 0, .iteration = 3, .subiteration = 1})
          .Task("c", 3, 4, {.worker = 1})
          .Dep(1, 2)
          .Build();
  const std::string plain = WriteDot(model);
  const std::string both = WriteDot(model, {{"show-workers", ""}, {"iter-clusters", ""}});
  const std::string workers =
      "}\nsubgraph cluster_1 {\n\tcolor=green;\n"
      "\t \"worker_0_CPU\" [ shape=box, style=filled, fillcolor=\"/greens9/7\", "
      "fontcolor=\"black\"]\n"
      "\t \"worker_1_CUDA\" [ shape=box, style=filled, fillcolor=\"/ylorrd9/6\", "
      "fontcolor=\"black\"]\n}\n}\n";
  const std::string iterations =
      "subgraph cluster_iterations_3 {\n\tlabel=\"iteration 3\";\n\t \"task_1\"\n"
      "subgraph cluster_iterations_3_sub_1 {\n\tlabel=\"iteration 3.1\";\n\t \"task_2\"\n}\n}\n";
  EXPECT_TRUE(both.ends_with(workers)) << both;
  EXPECT_THAT(both, HasSubstr(iterations));
  ExpectAccepted(both);
  // What is neither box is the graph as it is without them.
  std::string rest = both.substr(0, both.size() - workers.size()) + "}\n}\n";
  rest.erase(rest.find(iterations), iterations.size());
  EXPECT_EQ(rest, plain);
  EXPECT_THAT(WriteDot(model, {{"show-workers", ""}}), Not(HasSubstr("cluster_iterations")));
  EXPECT_THAT(WriteDot(model, {{"iter-clusters", ""}}), Not(HasSubstr("cluster_1")));
}

TEST(DotWriter, PlacesTheWorkersOfALargeGraphBesideIt) {
  TestTrace trace;
  trace.Worker("CPU 0");
  for (int64_t job = 1; job <= 1600; ++job) trace.Task("task", job, job + 1, {.worker = 0});
  const std::string dot = WriteDot(trace.Build(), {{"show-workers", ""}});
  EXPECT_THAT(Graphviz("neato -n2 -Tsvg", dot), Not(HasSubstr("has no position")));
  EXPECT_THAT(dot, HasSubstr("\"worker_0_CPU\" [ pos=\"-300.0,"));
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

// What stands in `line` between `begin` and the last `end` behind it, "" if they are not there.
std::string Between(const std::string& line, const std::string& begin, const std::string& end) {
  const size_t from = line.find(begin);
  const size_t to = line.rfind(end);
  if (from == std::string::npos || to == std::string::npos || to < from + begin.size()) return "";
  return line.substr(from + begin.size(), to - from - begin.size());
}

// StarPU numbers messages in the order in which it finds them: "mpi_5_3" becomes "mpi_5".
std::string WithoutMessageNumber(std::string edge) {
  const size_t message = edge.find("mpi_");
  if (message == std::string::npos) return edge;
  const size_t number = edge.find('_', message + 4);
  return edge.erase(number, edge.find('"', number) - number);
}

Graph Parse(const std::string& dot) {
  Graph graph;
  std::istringstream lines(dot);
  for (std::string line; std::getline(lines, line);) {
    const std::string node = Between(line, "\"", "\" [ ");
    if (line.find("\"->\"") != std::string::npos) {
      graph.edges.insert(WithoutMessageNumber(line));
    } else if (line.find("\" [ style=filled, ") != std::string::npos) {
      graph.labels[node] = Between(line, "style=filled, ", "]");
    } else if (line.find("\" [ href=\"") != std::string::npos) {
      graph.hrefs[node] = Between(line, "href=\"", "\" ]");
    }
  }
  return graph;
}

// StarVZ finds the arrow of a message by its number.
TEST(DotWriter, MessagesHaveTheNumbersOfPajesArrows) {
  Diagnostics diags;
  const auto model = LoadPaths(testing::StarpuTraceFiles("mpi2"), diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  std::istringstream lines(WriteDot(*model, {{"starvz", ""}}));
  MemoryOutputs paje;
  ASSERT_TRUE(FindWriter("paje")->write(*model, {}, paje).ok());
  size_t found = 0;
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find("\"->\"mpi_");
    if (at == line.npos) continue;
    ++found;
    const size_t number = line.find('_', at + 9) + 1;
    const std::string key = "mpicom_" + line.substr(number, line.find('"', number) - number) + "\t";
    const std::string tag = line.substr(at + 8, number - 1 - at - 8);
    EXPECT_THAT(paje.Text("paje.trace"), HasSubstr(key + tag + "\t")) << line;
  }
  EXPECT_GT(found, 0u);
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
    EXPECT_THAT(Graphviz("nop -p", dot), "");
    EXPECT_THAT(Graphviz("gvpr 'BEG_G{printf(\"%d\", nNodes($G))}'", dot), Not(HasSubstr("rror")));
  }
}

INSTANTIATE_TEST_SUITE_P(Starpu, DotOfRealTrace, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tasklens
