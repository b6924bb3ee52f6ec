// SPDX-License-Identifier: Apache-2.0
// What the analyses cost on a million tasks, of an ordinary shape and of perverse ones, beside the
// targets. `bazel run //bench:analysis_bench [-- TASKS [SHAPE...]]`.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "analysis/advice.h"
#include "analysis/bounds.h"
#include "analysis/critical_path.h"
#include "analysis/graph_browser.h"
#include "analysis/graph_view.h"
#include "analysis/group_finder.h"
#include "analysis/idle.h"
#include "analysis/last_dependencies.h"
#include "analysis/list_schedule.h"
#include "analysis/rules/context.h"
#include "analysis/sites.h"
#include "analysis/statistics.h"
#include "analysis/task_details.h"
#include "analysis/timeline.h"
#include "analysis/timeline_arrows.h"
#include "analysis/timeline_curves.h"
#include "bench/cost.h"
#include "bench/model_memory.h"
#include "trace/model/model_builder.h"

namespace tasklens {
namespace {

constexpr uint32_t kWorkers = 16, kCodelets = 8, kSites = 40, kIterations = 100;

// Tasks with dependencies, run as soon as they may on the worker that is free first.
class Program {
 public:
  explicit Program(size_t tasks) : tasks_(tasks) {}

  // `before(i)`: the tasks that task i waits for, all earlier; `length(i)`: how long it takes.
  TraceModel Run(const std::function<std::vector<uint32_t>(uint32_t)>& before,
                 const std::function<int64_t(uint32_t)>& length) {
    Diagnostics diags;
    ModelBuilder builder(diags);
    StartWorkers(builder);
    const auto emit = [&](int64_t time_ns, EventKind kind, uint64_t tid,
                          std::initializer_list<uint64_t> args) {
      builder.OnEvent({time_ns, kind, 0, tid, std::span(args.begin(), args.size())});
    };
    const StringId label = builder.Intern("task"), file = builder.Intern("program.c"),
                   function = builder.Intern("main"), arch = builder.Intern("cpu0_impl0");
    std::vector<StringId> names;
    for (uint32_t i = 0; i < kCodelets; ++i)
      names.push_back(builder.Intern("codelet" + std::to_string(i)));
    std::vector<int64_t> end_ns(tasks_), free_ns(kWorkers, 0);
    for (uint32_t i = 0; i < tasks_; ++i) {
      const uint64_t job = i + 1;
      int64_t ready_ns = 0;
      for (const uint32_t b : before(i)) {
        ready_ns = std::max(ready_ns, end_ns[b]);
        emit(0, EventKind::kTaskDep, 1, {b + uint64_t{1}, job, 0, label});
      }
      const auto worker =
          static_cast<uint32_t>(std::min_element(free_ns.begin(), free_ns.end()) - free_ns.begin());
      const int64_t start_ns = std::max(ready_ns, free_ns[worker]);
      end_ns[i] = free_ns[worker] = start_ns + length(i);
      const uint64_t iteration = uint64_t{i} * kIterations / tasks_;
      emit(0, EventKind::kTaskSubmit, 1, {job, job, iteration, ~uint64_t{0}, 0, 0});
      emit(0, EventKind::kTaskSite, 1, {job, i % kSites + 1, file, function});
      emit(ready_ns, EventKind::kTaskReady, 1, {job, 0});
      emit(start_ns, EventKind::kTaskPop, 1000 + worker, {job, 0});
      emit(start_ns, EventKind::kTaskName, 1000 + worker, {job, names[i % kCodelets]});
      emit(start_ns, EventKind::kTaskStart, 1000 + worker, {job, worker, 0, 0});
      emit(end_ns[i], EventKind::kTaskEnd, 1000 + worker, {job, worker, 8, 1, arch});
    }
    return std::move(*std::move(builder).Finish());
  }

 private:
  static void StartWorkers(ModelBuilder& builder) {
    for (uint32_t w = 0; w < kWorkers; ++w) {
      const uint64_t name = builder.Intern("CPU" + std::to_string(w));
      const uint64_t args[] = {w, 0, w, 0, w, 1, name}, ready[] = {w};
      builder.OnEvent({0, EventKind::kWorkerNew, 0, 1000 + w, args});
      builder.OnEvent({0, EventKind::kWorkerReady, 0, 1000 + w, ready});
    }
  }

  const size_t tasks_;
};

// Times to look at, from the whole run to a millionth of it.
std::vector<Span> Windows(const TraceModel& model, int count) {
  std::mt19937_64 random(1);
  std::vector<Span> windows;
  for (int i = 0; i < count; ++i) {
    const int64_t all_ns = std::max<int64_t>(model.duration_ns, 2);
    const int64_t length_ns = std::max<int64_t>(1, all_ns >> (random() % 20));
    const auto begin_ns =
        static_cast<int64_t>(random() % static_cast<uint64_t>(all_ns - length_ns + 1));
    windows.push_back({begin_ns, begin_ns + length_ns});
  }
  return windows;
}

void MeasureTimeline(const TraceModel& model, Table& table) {
  constexpr uint32_t kPixels = 1920;
  table.Row("index of the timeline", BestOf(2, [&] { TimelineIndex built(model); }), 0);
  table.Row("rows and curves", BestOf(2, [&] { TimelineCurves(model, TimelineRows(model)); }), 0);
  const TimelineRows rows(model);
  table.Row("index of dependencies as arrows",
            BestOf(1, [&] { TimelineArrows(model, rows, ArrowKind::kDependency); }), 0);
  const TimelineIndex index(model);
  const TimelineCurves curves(model, rows);
  const TimelineArrows arrows(model, rows, ArrowKind::kDependency);
  std::vector<Cost> states, with_curves, with_arrows;
  std::vector<uint32_t> tracks;
  for (uint32_t track = 0; track < model.tracks.size(); ++track) tracks.push_back(track);
  for (const Span& window : Windows(model, 300)) {
    states.push_back(
        BestOf(2, [&] { index.Pictures(tracks, window.begin_ns, window.end_ns, kPixels); }));
    with_curves.push_back(BestOf(2, [&] {
      for (size_t curve = 0; curve < curves.curves().size(); ++curve)
        curves.Slices(curve, window.begin_ns, window.end_ns, kPixels);
    }));
    with_arrows.push_back(BestOf(2, [&] { arrows.View(window.begin_ns, window.end_ns, kPixels); }));
  }
  table.Row("timeline view, all rows, p99", Quantile(states, 0.99), 16);
  table.Row("  its curves, p99", Quantile(with_curves, 0.99), 16);
  table.Row("  its dependencies, p99", Quantile(with_arrows, 0.99), 16);
}

void MeasureGraph(const TraceModel& model, Table& table) {
  GraphQuery query;
  GraphView view;
  table.Row("first graph", BestOf(2, [&] { view = ViewGraph(model, Topology(model), query); }),
            1000);
  const Topology topology(model);
  GraphBrowser browser(model, topology, query);
  std::vector<Cost> opens, views;
  for (size_t i = 0; i < view.nodes.size() && opens.size() < 20; i += 1 + view.nodes.size() / 20) {
    if (!view.nodes[i].can_open) continue;
    const std::string& id = view.nodes[i].id;
    opens.push_back(BestOf(2, [&] {
      browser.Open(id);
      browser.View();
      browser.Close(id);
    }));
    browser.Open(id);
    views.push_back(BestOf(2, [&] { browser.View(); }));
  }
  // As an editor asks when a task is selected: now here, now there.
  table.Row("groups around a task, the first time",
            BestOf(2, [&] { GroupFinder(model, topology, query).Around(1); }), 0);
  GroupFinder finder(model, topology, query);
  std::vector<Cost> finds;
  for (uint32_t i = 0; i < 100; ++i) {
    const auto task = static_cast<uint32_t>(uint64_t{i} * 7919 * 7919 % model.tasks.size());
    finds.push_back(BestOf(1, [&] { finder.Around(task); }));
  }
  finds.erase(finds.begin());  // it split the whole
  table.Row("groups around a task, worst of 99", Quantile(finds, 1), 50);
  if (opens.empty()) return;
  table.Row("open and close a group, worst of 20", Quantile(opens, 1), 50);
  table.Row("graph view, worst of 20", Quantile(views, 1), 16);
}

// What all rules share, and those rules that cost most.
void MeasureAdvice(const TraceModel& model, Table& table) {
  const IdleReport idle = ExplainIdleness(model);
  table.Row("  what its rules look at", BestOf(2, [&] { AdviceContext(model, idle); }), 0);
  const AdviceContext context(model, idle);
  std::vector<std::pair<Cost, std::string>> rules;
  for (const AdviceRule& rule : AdviceRules())
    rules.emplace_back(BestOf(2,
                              [&] {
                                std::vector<Finding> findings;
                                rule.find(context, findings);
                              }),
                       rule.id);
  std::stable_sort(rules.begin(), rules.end(),
                   [](const auto& a, const auto& b) { return a.first.cpu_ms > b.first.cpu_ms; });
  rules.resize(std::min<size_t>(rules.size(), 3));
  for (const auto& [cost, name] : rules) table.Row(("  rule " + name).c_str(), cost, 0);
}

void Measure(const std::string& shape, const TraceModel& model) {
  Table table(shape, std::max(1., static_cast<double>(model.tasks.size()) / 1e6));
  std::printf("%-12s %zu tasks, %zu dependencies\n", shape.c_str(), model.tasks.size(),
              model.predecessors.items.size());
  PrintMemory(shape.c_str(), model);
  table.Row("critical path", BestOf(3, [&] { ObservedCriticalPath(model); }), 300);
  table.Row("longest chain", BestOf(2, [&] { LongestDependencyChain(model); }), 0);
  table.Row("slack", BestOf(2, [&] { SlackNs(model); }), 0);
  const auto last = static_cast<uint32_t>(model.tasks.size() - 1);
  table.Row("what last dependencies need", BestOf(3, [&] { LastDependencies{model}; }), 0);
  const LastDependencies last_dependencies(model);
  table.Row("last dependency", BestOf(3, [&] { last_dependencies.Of(last); }), 5);
  table.Row("last-dependency chain", BestOf(3, [&] { last_dependencies.ChainOf(last); }), 0);
  table.Row("a task's panel", BestOf(3, [&] { TaskFields(model, DescribeTask(model, last)); }), 0);
  MeasureGraph(model, table);
  uint64_t found = 0;
  table.Row("line to its tasks",
            BestOf(3,
                   [&] {
                     for (uint32_t task = 0; task < model.tasks.size(); ++task)
                       found += model.tasks.site[task] == 3;
                   }),
            20);
  MeasureTimeline(model, table);
  table.Row("cost by site", BestOf(2, [&] { CostBySite(model); }), 0);
  table.Row("statistics by codelet", BestOf(2, [&] { Statistics(model, StatisticsBy::kCodelet); }),
            0);
  table.Row("causes of idle time", BestOf(2, [&] { ExplainIdleness(model); }), 0);
  table.Row("bounds", BestOf(2, [&] { ComputeBounds(model); }), 0);
  table.Row("a good schedule", BestOf(2, [&] { ScheduleByList(model); }), 0);
  table.Row("advice", BestOf(2, [&] { Advise(model); }), 1000);
  MeasureAdvice(model, table);
}

// A shape of a program: a task waits for `before`, and takes `length_ns`.
struct Shape {
  const char* name;
  std::function<std::vector<uint32_t>(uint32_t)> before;
  std::function<int64_t(uint32_t)> length_ns;
};

std::vector<Shape> Shapes(std::mt19937& random) {
  const auto length = [&](uint32_t) { return 1000 + static_cast<int64_t>(random() % 9000); };
  const auto none = [](uint32_t) { return std::vector<uint32_t>(); };
  const auto few = [&](uint32_t i) {
    std::vector<uint32_t> before;
    for (int d = 0; d < 3 && i > 0; ++d) before.push_back(i - 1 - random() % std::min(i, 2000u));
    return before;
  };
  const auto previous = [](uint32_t i) {
    return i > 0 ? std::vector<uint32_t>{i - 1} : std::vector<uint32_t>();
  };
  const auto first = [](uint32_t i) {
    return i > 0 ? std::vector<uint32_t>{0} : std::vector<uint32_t>();
  };
  return {{"ordinary", few, length},
          {"chain", previous, length},
          {"star", first, length},
          {"independent", none, length},
          {"instant", none, [](uint32_t) { return int64_t{0}; }}};
}

// Measures the shapes that are named, all where none is; false: there is no such shape.
bool Main(size_t tasks, const std::vector<std::string>& names) {
  std::mt19937 random(42);
  const std::vector<Shape> shapes = Shapes(random);
  for (const std::string& name : names)
    if (std::none_of(shapes.begin(), shapes.end(),
                     [&](const Shape& shape) { return name == shape.name; }))
      return false;
  for (const Shape& shape : shapes)
    if (names.empty() || std::find(names.begin(), names.end(), shape.name) != names.end())
      Measure(shape.name, Program(tasks).Run(shape.before, shape.length_ns));
  return true;
}

}  // namespace
}  // namespace tasklens

int main(int argc, char** argv) {
  const long tasks = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  if (tasks < 2 || tasks > 100'000'000 ||
      !tasklens::Main(static_cast<size_t>(tasks), {argv + std::min(argc, 2), argv + argc})) {
    std::fprintf(stderr,
                 "analysis_bench: the arguments are a number of tasks, 2 to 100000000, and shapes: "
                 "ordinary, chain, star, independent, instant\n");
    return 2;
  }
  return 0;
}
