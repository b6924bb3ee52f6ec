// SPDX-License-Identifier: Apache-2.0
// What tables, summary, efficiency and bounds say of random runs, reckoned once more from the plan
// of each run, without the model: CPUs beside GPUs of which some have nothing to do, scheduling
// contexts, codelets of several sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analysis/bounds.h"
#include "analysis/critical_path.h"
#include "analysis/efficiency.h"
#include "analysis/idle.h"
#include "analysis/sites.h"
#include "analysis/statistics.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

constexpr uint64_t kWorkerThreads = 1000;  // the first of their threads

struct Plan {
  struct Worker {
    bool is_gpu;
    uint32_t context;
    std::string name;
  };
  struct Task {
    std::string codelet;
    uint32_t line;
    uint32_t size_bytes;  // and its footprint
    uint32_t worker;
    int64_t submit_ns, start_ns, end_ns;
    std::vector<size_t> waits_for;  // indices of tasks

    int64_t length_ns() const { return end_ns - start_ns; }
  };
  std::vector<Worker> workers;
  std::vector<Task> tasks;

  explicit Plan(uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
    const uint32_t contexts = 1 + below(2);
    for (uint32_t w = 1 + below(5); w > 0; --w) {
      const bool is_gpu = below(3) == 0;
      workers.push_back(
          {is_gpu, below(contexts), (is_gpu ? "CUDA " : "CPU ") + std::to_string(workers.size())});
    }
    std::vector<int64_t> free_ns(workers.size(), 50);
    for (uint32_t count = 1 + below(15); count > 0; --count) {
      Task task;
      task.codelet = std::string(1, static_cast<char>('a' + below(3)));
      task.line = 10 + below(4);
      task.size_bytes = 64 << below(2);
      task.worker = below(static_cast<uint32_t>(workers.size()));
      task.start_ns = free_ns[task.worker] + below(30);
      for (size_t before = 0; before < tasks.size(); ++before) {
        if (below(4) != 0) continue;
        task.waits_for.push_back(before);
        task.start_ns = std::max(task.start_ns, tasks[before].end_ns);
      }
      task.submit_ns = below(static_cast<uint32_t>(task.start_ns));
      task.end_ns = task.start_ns + 1 + below(workers[task.worker].is_gpu ? 20 : 60);
      free_ns[task.worker] = task.end_ns;
      tasks.push_back(task);
    }
  }

  TraceModel Model() const {
    testing::TestTrace trace;
    for (const Worker& worker : workers) trace.Worker(worker.name);
    for (size_t i = 0; i < tasks.size(); ++i) {
      const Task& task = tasks[i];
      const uint64_t job = i + 1, thread = kWorkerThreads + task.worker;
      const uint32_t context = workers[task.worker].context;
      trace.Event(task.submit_ns, EventKind::kTaskSubmit, {job, job, -1, -1, 0, 0});
      trace.Event(task.submit_ns, EventKind::kTaskName, {job, task.codelet});
      trace.Event(task.submit_ns, EventKind::kTaskSite, {job, task.line, "p.c", "main"});
      trace.Event(task.start_ns, EventKind::kTaskStart, {job, task.worker, 0, context}, thread);
      trace.Event(task.end_ns, EventKind::kTaskEnd,
                  {job, task.worker, task.size_bytes, task.size_bytes, ""}, thread);
      for (const size_t before : task.waits_for) trace.Dep(before + 1, job);
    }
    return trace.Build();
  }

  int64_t BeginNs() const {
    int64_t begin_ns = INT64_MAX;
    for (const Task& task : tasks) begin_ns = std::min(begin_ns, task.submit_ns);
    return begin_ns;
  }
  int64_t EndNs() const {
    int64_t end_ns = 0;
    for (const Task& task : tasks) end_ns = std::max(end_ns, task.end_ns);
    return end_ns;
  }
  int64_t SpanNs() const { return EndNs() - BeginNs(); }

  int64_t WorkNs() const {
    int64_t work_ns = 0;
    for (const Task& task : tasks) work_ns += task.length_ns();
    return work_ns;
  }

  bool AnyRanOn(bool is_gpu) const {
    return std::any_of(tasks.begin(), tasks.end(),
                       [&](const Task& task) { return workers[task.worker].is_gpu == is_gpu; });
  }

  int64_t WorkersOf(bool is_gpu) const {
    return std::count_if(workers.begin(), workers.end(),
                         [&](const Worker& worker) { return worker.is_gpu == is_gpu; });
  }

  // Those of a kind that ran something.
  int64_t WorkersThatCount() const {
    int64_t count = 0;
    for (const bool is_gpu : {false, true})
      if (AnyRanOn(is_gpu)) count += WorkersOf(is_gpu);
    return count;
  }

  // The durations of tasks like this one on a kind of worker.
  std::vector<int64_t> LikeOn(const Task& task, bool is_gpu) const {
    std::vector<int64_t> lengths_ns;
    for (const Task& other : tasks)
      if (other.codelet == task.codelet && other.size_bytes == task.size_bytes &&
          workers[other.worker].is_gpu == is_gpu)
        lengths_ns.push_back(other.length_ns());
    return lengths_ns;
  }
};

double Total(const std::vector<int64_t>& values) {
  double total = 0;
  for (const int64_t value : values) total += static_cast<double>(value);
  return total;
}

double Mean(const std::vector<int64_t>& values) {
  return Total(values) / static_cast<double>(values.size());
}

// By label, what `label_of` gives each task of.
template <class LabelOf>
void ExpectTable(const Plan& plan, const TraceModel& model, StatisticsBy by, LabelOf label_of) {
  std::map<std::string, std::vector<int64_t>> groups;
  for (const Plan::Task& task : plan.tasks) groups[label_of(task)].push_back(task.length_ns());
  const std::vector<StatisticsRow> rows = Statistics(model, by);
  EXPECT_EQ(rows.size(), groups.size());
  int64_t before_ns = INT64_MAX;
  for (const StatisticsRow& row : rows) {
    const std::string label = StatisticsLabel(model, by, row.key);
    ASSERT_TRUE(groups.contains(label)) << label;
    std::vector<int64_t>& lengths = groups[label];
    std::sort(lengths.begin(), lengths.end());
    const DurationSummary& told = row.durations;
    EXPECT_EQ(row.tasks, lengths.size()) << label;
    EXPECT_EQ(told.count, lengths.size()) << label;
    EXPECT_EQ(static_cast<double>(row.total_ns), Total(lengths)) << label;
    EXPECT_EQ(told.min_ns, lengths.front()) << label;
    EXPECT_EQ(told.max_ns, lengths.back()) << label;
    EXPECT_NEAR(told.mean_ns, Mean(lengths), 1e-6) << label;
    const size_t half = lengths.size() / 2;
    const double median = lengths.size() % 2 != 0
                              ? static_cast<double>(lengths[half])
                              : static_cast<double>(lengths[half - 1] + lengths[half]) / 2;
    EXPECT_NEAR(static_cast<double>(told.median_ns()), median, 0.5) << label;
    EXPECT_LE(row.total_ns, before_ns) << "the most expensive first";
    before_ns = row.total_ns;
  }
}

// The longest chain that ends with task `last`, each task on the fastest kind that ran its like.
double ChainNs(const Plan& plan, size_t last) {
  const Plan::Task& task = plan.tasks[last];
  double before_ns = 0;
  for (const size_t before : task.waits_for) before_ns = std::max(before_ns, ChainNs(plan, before));
  const bool is_gpu = plan.workers[task.worker].is_gpu;
  const std::vector<int64_t> here = plan.LikeOn(task, is_gpu), there = plan.LikeOn(task, !is_gpu);
  double length_ns = static_cast<double>(task.length_ns());
  if (!there.empty() && Mean(there) < Mean(here)) length_ns = std::min(length_ns, Mean(there));
  return before_ns + length_ns;
}

// The shortest time into which the work fits, each task at the mean of its like: what only one kind
// ran stays there; of the rest first goes to the CPUs what is least slower there.
double AreaNs(const Plan& plan) {
  struct Choice {
    double count, cpu_ns, gpu_ns;
  };
  double cpu_ns = 0, gpu_ns = 0;
  std::vector<Choice> choices;
  std::set<std::pair<std::string, uint32_t>> seen;
  for (const Plan::Task& task : plan.tasks) {
    if (!seen.emplace(task.codelet, task.size_bytes).second) continue;
    const std::vector<int64_t> cpu = plan.LikeOn(task, false), gpu = plan.LikeOn(task, true);
    if (gpu.empty())
      cpu_ns += Total(cpu);
    else if (cpu.empty())
      gpu_ns += Total(gpu);
    else
      choices.push_back({static_cast<double>(cpu.size() + gpu.size()), Mean(cpu), Mean(gpu)});
  }
  std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
    return a.cpu_ns / a.gpu_ns < b.cpu_ns / b.gpu_ns;
  });
  const auto cpus = static_cast<double>(plan.WorkersOf(false));
  const auto gpus = static_cast<double>(plan.WorkersOf(true));
  for (const Choice& choice : choices) gpu_ns += choice.count * choice.gpu_ns;
  for (const Choice& choice : choices) {
    // As many as make both kinds end at once, or all, or none.
    const double even =
        (gpu_ns * cpus - cpu_ns * gpus) / (choice.cpu_ns * gpus + choice.gpu_ns * cpus);
    const double moved = std::clamp(even, 0., choice.count);
    cpu_ns += moved * choice.cpu_ns;
    gpu_ns -= moved * choice.gpu_ns;
  }
  return std::max(cpus > 0 ? cpu_ns / cpus : 0, gpus > 0 ? gpu_ns / gpus : 0);
}

TEST(Recomputed, TablesOfTasks) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    const Plan plan(seed);
    const TraceModel model = plan.Model();
    ExpectTable(plan, model, StatisticsBy::kCodelet,
                [](const Plan::Task& task) { return task.codelet; });
    ExpectTable(plan, model, StatisticsBy::kSite,
                [](const Plan::Task& task) { return "p.c:" + std::to_string(task.line); });
    ExpectTable(plan, model, StatisticsBy::kWorker,
                [&](const Plan::Task& task) { return plan.workers[task.worker].name; });
    ExpectTable(plan, model, StatisticsBy::kKind, [&](const Plan::Task& task) -> std::string {
      return plan.workers[task.worker].is_gpu ? "CUDA" : "CPU";
    });
    ExpectTable(plan, model, StatisticsBy::kSize, [](const Plan::Task& task) {
      return SizeLabel(task.codelet, task.size_bytes, task.size_bytes);
    });
    if (HasFailure()) return;
  }
}

TEST(Recomputed, SummaryAndEfficiency) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    const Plan plan(seed);
    const TraceModel model = plan.Model();
    const RunSummary run = Summarize(model);
    EXPECT_EQ(run.tasks, plan.tasks.size());
    EXPECT_EQ(run.ran, plan.tasks.size());
    EXPECT_EQ(run.workers, plan.workers.size());
    EXPECT_EQ(run.span_ns, plan.SpanNs());
    EXPECT_EQ(run.busy_ns, plan.WorkNs());
    const int64_t measured_ns = plan.WorkersThatCount() * plan.SpanNs();
    const double efficiency = static_cast<double>(plan.WorkNs()) / static_cast<double>(measured_ns);
    EXPECT_EQ(run.measured_ns, measured_ns);
    EXPECT_NEAR(run.Efficiency(), efficiency, 1e-12);
    const Efficiency whole = SplitEfficiency(model, ExplainIdleness(model)).whole;
    EXPECT_EQ(whole.task_ns, plan.WorkNs());
    EXPECT_EQ(whole.all_ns(), measured_ns);
    EXPECT_EQ(whole.all_ns() + whole.not_counted_ns,
              static_cast<int64_t>(plan.workers.size()) * plan.SpanNs());
    EXPECT_NEAR(whole.Total(), efficiency, 1e-12);
    if (HasFailure()) return;
  }
}

TEST(Recomputed, BoundsAndPath) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    const Plan plan(seed);
    const TraceModel model = plan.Model();
    const Bounds bounds = ComputeBounds(model);
    EXPECT_EQ(bounds.span_ns, plan.SpanNs());
    double chain_ns = 0;
    for (size_t i = 0; i < plan.tasks.size(); ++i) chain_ns = std::max(chain_ns, ChainNs(plan, i));
    // A mean is rounded to a whole nanosecond.
    EXPECT_NEAR(static_cast<double>(bounds.critical_path_ns), chain_ns,
                static_cast<double>(plan.tasks.size()));
    ASSERT_EQ(bounds.area.size(), 1u);
    EXPECT_NEAR(bounds.area[0].bound_ns, AreaNs(plan), 1e-6 * AreaNs(plan));
    const CriticalPath path = ObservedCriticalPath(model);
    EXPECT_EQ(path.work_ns + path.wait_ns, plan.SpanNs());
    int64_t work_ns = 0;
    for (const CriticalStep& step : path.steps)
      work_ns += plan.tasks[model.tasks.job[step.task] - 1].length_ns();
    EXPECT_EQ(path.work_ns, work_ns);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tasklens
