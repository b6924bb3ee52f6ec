// SPDX-License-Identifier: Apache-2.0
// The graph at any level of detail: no cycles, nothing lost, never more than asked for.
#include "analysis/graph_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <set>

#include "analysis/graph_browser.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

// A tiled Cholesky of `tiles` x `tiles`, all tasks one after another on one worker.
TraceModel Cholesky(int tiles) {
  TestTrace trace;
  std::map<std::pair<int, int>, uint64_t> writer;
  uint64_t job = 0;
  int64_t now_ns = 0;
  const auto add = [&](const char* name, int k, std::pair<int, int> writes,
                       std::vector<std::pair<int, int>> reads) {
    trace.Task(name, now_ns, now_ns + 10,
               {.submit_ns = 0, .file = "chol.c", .line = 7, .iteration = k});
    now_ns += 10;
    ++job;
    reads.push_back(writes);
    for (const auto& tile : reads)
      if (writer.count(tile)) trace.Dep(writer[tile], job);
    writer[writes] = job;
  };
  for (int k = 0; k < tiles; ++k) {
    add("potrf", k, {k, k}, {});
    for (int m = k + 1; m < tiles; ++m) add("trsm", k, {m, k}, {{k, k}});
    for (int m = k + 1; m < tiles; ++m)
      for (int n = k + 1; n <= m; ++n) add("gemm", k, {m, n}, {{m, k}, {n, k}});
  }
  return trace.Build();
}

// Whether every edge can go forward in one order of the nodes.
bool Acyclic(const GraphView& view) {
  std::vector<int> waiting(view.nodes.size(), 0);
  std::vector<std::vector<uint32_t>> successors(view.nodes.size());
  for (const GraphEdge& edge : view.edges) {
    ++waiting[edge.to];
    successors[edge.from].push_back(edge.to);
  }
  std::vector<uint32_t> ready;
  for (uint32_t node = 0; node < view.nodes.size(); ++node)
    if (waiting[node] == 0) ready.push_back(node);
  for (size_t i = 0; i < ready.size(); ++i)
    for (const uint32_t to : successors[ready[i]])
      if (--waiting[to] == 0) ready.push_back(to);
  return ready.size() == view.nodes.size();
}

uint64_t Members(const GraphView& view) {
  uint64_t members = 0;
  for (const GraphNode& node : view.nodes) members += node.tasks;
  return members;
}

uint64_t Dependencies(const GraphView& view) {
  uint64_t count = view.dependencies_inside + view.dependencies_left_out;
  for (const GraphEdge& edge : view.edges) count += edge.count;
  return count;
}

const GraphNode* Find(const GraphView& view, const std::string& label) {
  for (const GraphNode& node : view.nodes)
    if (node.label == label) return &node;
  return nullptr;
}

TEST(ViewGraph, GroupsByIterationAtFirst) {
  const TraceModel model = Cholesky(4);
  const GraphView view = ViewGraph(model, Topology(model), {});
  ASSERT_EQ(view.nodes.size(), 4u);
  EXPECT_EQ(view.nodes[0].label, "iteration 0");
  EXPECT_EQ(view.nodes[0].tasks, 10u);
  EXPECT_EQ(view.nodes[0].total_ns, 100);
  EXPECT_TRUE(view.nodes[0].can_open);
  EXPECT_EQ(view.Caption(), "20 of 20 tasks in 3 groups, 1 by themselves");
}

TEST(ViewGraph, OpensOneGroupAndLeavesTheOthersAlone) {
  const TraceModel model = Cholesky(4);
  const Topology topology(model);
  GraphQuery query;
  const GraphView closed = ViewGraph(model, topology, query);
  query.open = {closed.nodes[0].id};
  const GraphView view = ViewGraph(model, topology, query);
  ASSERT_EQ(view.nodes.size(), 6u);
  EXPECT_NE(Find(view, "potrf"), nullptr);
  EXPECT_EQ(Find(view, "potrf")->parent, closed.nodes[0].id);
  EXPECT_EQ(Find(view, "gemm")->tasks, 6u);
  EXPECT_EQ(Find(view, "iteration 1")->id, closed.nodes[1].id);
}

TEST(ViewGraph, ShowsACodeletOnceAStageSoThatThereIsNoCycle) {
  const TraceModel model = Cholesky(3);
  const GraphView view = ViewGraph(model, Topology(model), {.nesting = {GroupBy::kCodelet}});
  std::vector<std::string> labels;
  for (const GraphNode& node : view.nodes) labels.push_back(node.label);
  EXPECT_EQ(labels,
            (std::vector<std::string>{"potrf", "trsm", "gemm", "potrf", "trsm", "gemm", "potrf"}));
  EXPECT_TRUE(Acyclic(view));
}

TEST(ViewGraph, GivesBackEveryTaskAndEdgeWhenEverythingIsOpened) {
  const TraceModel model = Cholesky(6);
  const Topology topology(model);
  GraphQuery query;
  for (;;) {
    const GraphView view = ViewGraph(model, topology, query);
    EXPECT_EQ(Members(view), model.tasks.size());
    EXPECT_EQ(Dependencies(view), model.predecessors.items.size());
    EXPECT_TRUE(Acyclic(view));
    const auto closed = std::find_if(view.nodes.begin(), view.nodes.end(),
                                     [](const GraphNode& node) { return node.can_open; });
    if (closed == view.nodes.end()) {
      EXPECT_EQ(view.tasks_shown, model.tasks.size());
      EXPECT_EQ(view.edges.size(), model.predecessors.items.size());
      EXPECT_EQ(view.Caption(), "56 of 56 tasks");
      return;
    }
    query.open.push_back(closed->id);
  }
}

TEST(ViewGraph, ShowsSingleTasksAtOnceWhenNoGroupingIsAskedFor) {
  const TraceModel model = Cholesky(3);
  const GraphView view = ViewGraph(model, Topology(model), {.nesting = {}});
  EXPECT_EQ(view.tasks_shown, model.tasks.size());
}

TEST(ViewGraph, PutsIntervalsOfLevelsInWhereAGroupingGivesTooMuch) {
  // A chain of two codelets in turn: by codelet there are as many parts as tasks.
  TestTrace trace;
  for (int i = 0; i < 1000; ++i) {
    trace.Task(i % 2 ? "odd" : "even", i, i + 1);
    if (i > 0) trace.Dep(static_cast<uint64_t>(i), static_cast<uint64_t>(i) + 1);
  }
  const TraceModel model = trace.Build();
  const Topology topology(model);
  GraphQuery query{.nesting = {GroupBy::kCodelet}, .max_nodes = 100};
  const GraphView view = ViewGraph(model, topology, query);
  EXPECT_EQ(view.nodes.size(), 64u);
  EXPECT_EQ(view.nodes[0].label, "levels 0 to 15");
  EXPECT_EQ(Members(view), 1000u);
  EXPECT_TRUE(Acyclic(view));
  query.open = {view.nodes[0].id};
  EXPECT_NE(Find(ViewGraph(model, topology, query), "even"), nullptr);
}

TEST(ViewGraph, NumbersTheStagesOfAWorkerThatComesSeveralTimes) {
  // Two tasks on one worker, two that need these on another, two that need those on the first.
  TestTrace trace;
  trace.Worker("CPU 0").Worker("CPU 1").Worker("CPU 2");
  for (uint32_t step = 0; step < 3; ++step)
    for (uint64_t i = 1; i <= 2; ++i) {
      trace.Task("a", 2 * step, 2 * step + 1, {.worker = step % 2});
      if (step > 0) trace.Dep(2 * step - 2 + i, 2 * step + i);
    }
  trace.Task("a", 0, 1, {.worker = 2}).Task("a", 1, 2, {.worker = 2});
  const TraceModel model = trace.Build();
  const GraphView view = ViewGraph(model, Topology(model), {.nesting = {GroupBy::kWorker}});
  std::multiset<std::string> labels;
  for (const GraphNode& node : view.nodes) labels.insert(node.label);
  EXPECT_EQ(labels,
            (std::multiset<std::string>{"CPU 0, stage 1", "CPU 0, stage 2", "CPU 1", "CPU 2"}));
}

TEST(ViewGraph, CutsIndependentTasksIntoRuns) {
  TestTrace trace;
  for (int i = 0; i < 500; ++i) trace.Task("same", i, i + 1);
  const TraceModel model = trace.Build();
  const GraphView view = ViewGraph(model, Topology(model), {.nesting = {}, .max_nodes = 10});
  ASSERT_EQ(view.nodes.size(), 10u);
  EXPECT_EQ(view.nodes[0].label, "tasks 1 to 50");
  EXPECT_EQ(Members(view), 500u);
}

TEST(ViewGraph, KeepsTheHeaviestEdgesAndCountsTheRest) {
  const TraceModel model = Cholesky(5);
  GraphQuery query{.nesting = {}, .max_edges = 10};
  const GraphView view = ViewGraph(model, Topology(model), query);
  EXPECT_EQ(view.edges.size(), 10u);
  EXPECT_EQ(view.dependencies_left_out, model.predecessors.items.size() - 10);
  EXPECT_NE(view.Caption().find("dependencies left out"), std::string::npos);
}

TEST(ViewGraph, SaysWhatItHadNoRoomToOpen) {
  const TraceModel model = Cholesky(4);
  const Topology topology(model);
  GraphQuery query{.max_nodes = 4};
  query.open = {ViewGraph(model, topology, query).nodes[0].id};
  const GraphView view = ViewGraph(model, topology, query);
  EXPECT_EQ(view.not_opened, query.open);
  EXPECT_EQ(view.nodes.size(), 4u);
}

TEST(ViewGraph, IsEmptyForAnEmptyTrace) {
  const TraceModel model = TestTrace().Worker("CPU0").Build();
  const GraphView view = ViewGraph(model, Topology(model), {});
  EXPECT_TRUE(view.nodes.empty());
  EXPECT_EQ(view.Caption(), "0 of 0 tasks");
}

TEST(ViewGraph, HasNoCycleAndLosesNothingOnRandomGraphs) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    TestTrace trace;
    const int count = 1 + static_cast<int>(random() % 60);
    for (int i = 0; i < count; ++i)
      trace.Task("c" + std::to_string(random() % 4), i, i + 1,
                 {.submit_ns = 0,
                  .file = "f",
                  .line = 1 + static_cast<uint32_t>(random() % 3),
                  .iteration = static_cast<int32_t>(random() % 4)});
    for (int e = 0; e < 2 * count; ++e) {
      const uint64_t a = 1 + random() % count, b = 1 + random() % count;
      if (a < b) trace.Dep(a, b);
    }
    const TraceModel model = trace.Build();
    const Topology topology(model);
    EXPECT_EQ(topology.left_out, 0u);
    GraphQuery query;
    query.nesting.clear();
    for (int n = static_cast<int>(random() % 3); n >= 0; --n)
      query.nesting.push_back(static_cast<GroupBy>(random() % 6));
    query.max_nodes = 2 + random() % 60;
    for (int opened = 0; opened < 10; ++opened) {
      const GraphView view = ViewGraph(model, topology, query);
      EXPECT_LE(view.nodes.size(), query.max_nodes);
      EXPECT_EQ(Members(view), model.tasks.size());
      EXPECT_EQ(Dependencies(view), model.predecessors.items.size());
      EXPECT_TRUE(Acyclic(view));
      std::set<std::string> ids;
      for (const GraphNode& node : view.nodes) ids.insert(node.id);
      EXPECT_EQ(ids.size(), view.nodes.size());
      query.open.push_back(view.nodes[random() % view.nodes.size()].id);
    }
  }
}

TEST(Topology, CutsCyclesOfADamagedTrace) {
  const TraceModel model = TestTrace()
                               .Task("a", 0, 1)
                               .Task("b", 1, 2)
                               .Task("c", 2, 3)
                               .Dep(1, 2)
                               .Dep(2, 3)
                               .Dep(3, 1)
                               .Build();
  const Topology topology(model);
  EXPECT_EQ(topology.order.size(), 3u);
  EXPECT_EQ(topology.left_out, 1u);
  EXPECT_EQ(topology.levels, 3u);
}

// What a view says, in a form that can be compared.
std::string Described(const GraphView& view) {
  std::string text = view.Caption() + "\n";
  for (const GraphNode& node : view.nodes)
    text += node.id + " in " + node.parent + " " + node.label + " " + std::to_string(node.tasks) +
            " " + std::to_string(node.total_ns) + (node.can_open ? " +" : "") + "\n";
  for (const GraphEdge& edge : view.edges)
    text += std::to_string(edge.from) + ">" + std::to_string(edge.to) + " " +
            std::to_string(edge.count) + "\n";
  return text + std::to_string(view.dependencies_inside);
}

TEST(GraphBrowser, ShowsWhatTheSameQueryShowsFromTheStart) {
  const TraceModel model = Cholesky(7);
  const Topology topology(model);
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    GraphQuery query;
    if (round % 2) query.nesting = {GroupBy::kCodelet, GroupBy::kLevels, GroupBy::kWorker};
    GraphBrowser browser(model, topology, query);
    for (int step = 0; step < 12; ++step) {
      const GraphView view = browser.View();
      ASSERT_EQ(Described(view), Described(ViewGraph(model, topology, query)));
      if (random() % 3 == 0 && !query.open.empty()) {
        // Closing a group forgets what was open in it.
        const std::string id = query.open[random() % query.open.size()];
        EXPECT_TRUE(browser.Close(id));
        std::erase_if(query.open, [&](const std::string& open) {
          return open == id || open.starts_with(id + "/");
        });
        continue;
      }
      const std::string id = view.nodes[random() % view.nodes.size()].id;
      if (browser.Open(id)) query.open.push_back(id);
    }
  }
}

TEST(GraphBrowser, OpensAndClosesWhatASetSays) {
  const TraceModel model = Cholesky(6);
  const Topology topology(model);
  std::mt19937 random(5);
  GraphBrowser browser(model, topology, {});
  std::vector<std::string> known;
  for (const GraphNode& node : browser.View().nodes) known.push_back(node.id);
  for (int step = 0; step < 60; ++step) {
    GraphQuery query;
    for (const std::string& id : known)
      if (random() % 2) query.open.push_back(id);
    browser.SetOpen(query.open);
    const GraphView view = browser.View();
    ASSERT_EQ(Described(view), Described(ViewGraph(model, topology, query)));
    for (const GraphNode& frame : view.frames)
      EXPECT_NE(std::find(query.open.begin(), query.open.end(), frame.id), query.open.end());
    // Inner groups come to be known as outer ones are opened.
    known.push_back(view.nodes[random() % view.nodes.size()].id);
  }
}

TEST(GraphBrowser, MeansAreThoseOfTheMembers) {
  const TraceModel model = Cholesky(4);
  const Topology topology(model);
  GraphBrowser browser(model, topology, {.nesting = {GroupBy::kCodelet}});
  std::vector<int64_t> values(model.tasks.size(), kNever);
  for (uint32_t task = 0; task < values.size(); task += 2) values[task] = task;
  for (int round = 0; round < 2; ++round) {
    const GraphView view = browser.View();
    const std::vector<double> means = browser.Means("row", values);
    ASSERT_EQ(means.size(), view.nodes.size());
    for (size_t i = 0; i < means.size(); ++i) {
      const GraphNode& node = view.nodes[i];
      if (node.task != kNone) {
        EXPECT_EQ(means[i], static_cast<double>(values[node.task]));
      } else if (means[i] != static_cast<double>(kNever)) {
        EXPECT_GE(means[i], 0);
        EXPECT_LT(means[i], static_cast<double>(values.size()));
      }
    }
    EXPECT_TRUE(
        round == 1 ||
        browser.Open(std::find_if(view.nodes.begin(), view.nodes.end(), [](const GraphNode& node) {
                       return node.can_open;
                     })->id));
  }
}

TEST(GraphBrowser, MeanOfARunIsThatOfItsTasks) {
  TestTrace trace;
  trace.Worker("CPU0");
  for (int task = 0; task < 5; ++task) trace.Task("same", task, task + 1);
  const TraceModel model = trace.Build();
  const Topology topology(model);
  GraphBrowser browser(model, topology, {.nesting = {GroupBy::kCodelet}, .max_nodes = 2});
  // Tasks 0 to 2, 3 and 4.
  EXPECT_EQ(browser.Means("row", {10, 20, kNever, 30, 40}), (std::vector<double>{15, 35}));
}

TEST(GraphBrowser, ShowsOnlyTheTasksAskedFor) {
  const TraceModel model = Cholesky(5);
  const Topology topology(model);
  const GraphView view =
      ViewGraph(model, topology, {.nesting = {}, .only = std::vector<uint32_t>{3, 1, 0, 3}});
  std::set<uint32_t> shown;
  for (const GraphNode& node : view.nodes) shown.insert(node.task);
  EXPECT_EQ(shown, (std::set<uint32_t>{0, 1, 3}));
  EXPECT_EQ(view.Caption(), "3 of 35 tasks");
}

TEST(GraphBrowser, EndsEarlyWhenItIsStopped) {
  const TraceModel model = Cholesky(5);
  const Topology topology(model);
  const std::atomic<bool> stop{true};
  EXPECT_TRUE(GraphBrowser(model, topology, {}, &stop).View().nodes.empty());
}

TEST(GraphBrowser, RefusesWhatIsNotThere) {
  const TraceModel model = Cholesky(3);
  const Topology topology(model);
  GraphBrowser browser(model, topology, {});
  EXPECT_FALSE(browser.Open("no such group"));
  EXPECT_FALSE(browser.Open(""));
  EXPECT_FALSE(browser.Close("/iteration.0.0"));
  EXPECT_TRUE(browser.Open("/iteration.0.0"));
  EXPECT_FALSE(browser.Open("/iteration.0.0"));
  EXPECT_FALSE(browser.Open("task_1"));
}

TEST(GraphBrowser, SaysWhatItHadNoRoomFor) {
  const TraceModel model = Cholesky(5);
  const Topology topology(model);
  GraphBrowser browser(model, topology, {.max_nodes = 5});
  EXPECT_FALSE(browser.Open("/iteration.0.0"));
  EXPECT_EQ(browser.View().not_opened, std::vector<std::string>{"/iteration.0.0"});
}

}  // namespace
}  // namespace tasklens
