// SPDX-License-Identifier: Apache-2.0
// Our figures beside StarVZ's (0.8) where both define the same thing. StarVZ works on what StarPU's
// own tool makes of a trace, so its figures are computed here from tasks.rec and comms.rec of that
// tool, by its definitions and not by our code, and ours from the trace itself:
//
// - area bound of a node: min T with n(c, k) >= 0, sum over k of n(c, k) = tasks of codelet c, and
//   for each kind k of resource sum over c of n(c, k) mean(c, k) <= T * resources of k that ran
//   any; with one kind that is the time of all tasks over the resources;
// - critical-path bound: the longest path by measured time from the task that started first, with
//   tasks that did not run as vertices without cost; ours is the longest over all tasks;
// - idleness of a resource: 1 - (sum of its tasks' time) / (last end - first start of any task);
// - the last dependency of a task: of those that it depends on, the one that ended last;
// - efficiency of a node: its area bound over its makespan.
//
// Ours differ on purpose in the window (it begins with the first submission, not the first start)
// and in workers that ran nothing (they count). Both are taken into account below.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analysis/bounds.h"
#include "analysis/critical_path.h"
#include "analysis/efficiency.h"
#include "analysis/idle.h"
#include "analysis/last_dependencies.h"
#include "analysis/tag_links.h"
#include "converters/formats.h"
#include "tests/testing/recutils.h"
#include "tests/testing/starpu_traces.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::RecRecord;

struct StarvzTask {
  double start_ms = NAN, end_ms = NAN;
  int worker = -1;
  std::set<std::string> dependents;    // jobs that it waits for, as StarVZ's column is called
  std::set<std::string> message_from;  // jobs of other ranks whose message it waits for

  bool ran() const { return worker >= 0 && end_ms >= start_ms; }
  double length_ms() const { return ran() ? end_ms - start_ms : 0; }
};

// By job, "0_12" where there are several ranks.
using StarvzTasks = std::map<std::string, StarvzTask>;

StarvzTasks ReadTasks(const std::string& trace) {
  StarvzTasks tasks;
  const auto number = [](const std::string& text) {
    return text.empty() ? NAN : std::strtod(text.c_str(), nullptr);
  };
  for (const RecRecord& record :
       testing::ParseRecords(testing::ReadFile(testing::StarpuReference(trace, "tasks.rec")))) {
    if (!record.Has("JobId") || record.Has("Control")) continue;
    StarvzTask& task = tasks[record.Get("JobId")];
    task.start_ms = number(record.Get("StartTime"));
    task.end_ms = number(record.Get("EndTime"));
    if (record.Has("WorkerId")) task.worker = std::atoi(record.Get("WorkerId").c_str());
    std::string job;
    for (const char c : record.Get("DependsOn") + " ") {
      if (c != ' ') job += c;
      if (c == ' ' && !job.empty()) task.dependents.insert(std::exchange(job, ""));
    }
  }
  for (const RecRecord& record :
       testing::ParseRecords(testing::ReadFile(testing::StarpuReference(trace, "comms.rec"))))
    if (record.Has("SendJobId") && record.Has("RecvJobId"))
      tasks[record.Get("RecvJobId")].message_from.insert(record.Get("SendJobId"));
  return tasks;
}

uint32_t RankOf(const std::string& job) {
  const size_t at = job.find('_');
  return at == job.npos ? 0 : static_cast<uint32_t>(std::atoi(job.c_str()));
}

// The longest path that ends with `job`, from `first` on ("": from anywhere); kNoPath where none
// leads there.
constexpr double kNoPath = -1e300;
double LongestMs(const StarvzTasks& tasks, const std::string& job, const std::string& first,
                 std::map<std::string, double>& known) {
  if (const auto it = known.find(job); it != known.end()) return it->second;
  known[job] = kNoPath;  // a circle has no path
  const StarvzTask& task = tasks.at(job);
  double before_ms = first.empty() || job == first ? 0 : kNoPath;
  for (const auto* ends : {&task.dependents, &task.message_from})
    for (const std::string& before : *ends)
      if (tasks.contains(before))
        before_ms = std::max(before_ms, LongestMs(tasks, before, first, known));
  return known[job] = before_ms == kNoPath ? kNoPath : before_ms + task.length_ms();
}
double LongestMs(const StarvzTasks& tasks, const std::string& first) {
  std::map<std::string, double> known;
  double longest_ms = 0;
  for (const auto& [job, task] : tasks)
    longest_ms = std::max(longest_ms, LongestMs(tasks, job, first, known));
  return longest_ms;
}

TraceModel Loaded(const std::string& trace) {
  Diagnostics diags;
  Result<TraceModel> model = LoadPaths(testing::StarpuTraceFiles(trace), diags);
  if (!model.ok()) {
    ADD_FAILURE() << model.status().message();
    std::abort();
  }
  return std::move(*model);
}

std::string JobOf(const TraceModel& model, uint32_t task) {
  const std::string job = std::to_string(model.tasks.job[task]);
  if (model.ranks.size() == 1) return job;
  return std::to_string(model.ranks.rank[model.tasks.rank_index[task]]) + "_" + job;
}

// Times of tasks.rec have six digits after the point, of milliseconds.
constexpr double kRoundingNs = 2;

class StarvzTest : public ::testing::TestWithParam<const char*> {};

TEST_P(StarvzTest, AreaBoundAndEfficiencyAreItsOwn) {
  const StarvzTasks tasks = ReadTasks(GetParam());
  const TraceModel model = Loaded(GetParam());
  const Bounds bounds = ComputeBounds(model);
  for (uint32_t rank = 0; rank < model.ranks.size(); ++rank) {
    double total_ms = 0, first_ms = INFINITY, last_ms = 0;
    size_t count = 0;
    std::set<int> workers;
    for (const auto& [job, task] : tasks) {
      if (!task.ran() || RankOf(job) != model.ranks.rank[rank]) continue;
      total_ms += task.length_ms();
      workers.insert(task.worker);
      first_ms = std::min(first_ms, task.start_ms);
      last_ms = std::max(last_ms, task.end_ms);
      ++count;
    }
    ASSERT_GT(count, 0u);
    const auto all_workers =
        std::count(model.workers.rank_index.begin(), model.workers.rank_index.end(), rank);
    const double starvz_ns = 1e6 * total_ms / static_cast<double>(workers.size());
    const double with_all_ns = 1e6 * total_ms / static_cast<double>(all_workers);
    EXPECT_NEAR(bounds.area[rank].bound_ns, with_all_ns, kRoundingNs * static_cast<double>(count));
    EXPECT_LE(with_all_ns, starvz_ns);
    // No node is more efficient than its area bound allows.
    EXPECT_LE(starvz_ns, 1e6 * (last_ms - first_ms) + kRoundingNs * static_cast<double>(count));
    std::printf("%s rank %u: StarVZ's ABE %.3f ms (%zu of %td workers), ours %.3f ms\n", GetParam(),
                rank, starvz_ns / 1e6, workers.size(), all_workers,
                bounds.area[rank].bound_ns / 1e6);
  }
}

TEST_P(StarvzTest, CriticalPathBoundIsItsOwnFromTheBestFirstTask) {
  const StarvzTasks tasks = ReadTasks(GetParam());
  std::string first;
  for (const auto& [job, task] : tasks)
    if (task.ran() && (first.empty() || task.start_ms < tasks.at(first).start_ms)) first = job;
  const double starvz_ns = 1e6 * LongestMs(tasks, first);
  const double longest_ns = 1e6 * LongestMs(tasks, "");
  const TraceModel model = Loaded(GetParam());
  const auto ours_ns = static_cast<double>(LongestDependencyChain(model).length_ns);
  std::printf("%s: StarVZ's CPB %.3f ms from the first task, %.3f ms from any, ours %.3f ms\n",
              GetParam(), starvz_ns / 1e6, longest_ns / 1e6, ours_ns / 1e6);
  EXPECT_NEAR(ours_ns, longest_ns, kRoundingNs * static_cast<double>(tasks.size()));
  EXPECT_LE(starvz_ns, longest_ns);
}

TEST_P(StarvzTest, IdlenessOfWorkersIsItsOwnInItsWindow) {
  const StarvzTasks tasks = ReadTasks(GetParam());
  const TraceModel model = Loaded(GetParam());
  const IdleReport idle = ExplainIdleness(model);
  struct Resource {
    double total_ms = 0;
    size_t count = 0;
  };
  std::map<std::pair<uint32_t, int>, Resource> resources;
  double first_ms = INFINITY, last_ms = 0;
  for (const auto& [job, task] : tasks) {
    if (!task.ran()) continue;
    Resource& resource = resources[{RankOf(job), task.worker}];
    resource.total_ms += task.length_ms();
    ++resource.count;
    first_ms = std::min(first_ms, task.start_ms);
    last_ms = std::max(last_ms, task.end_ms);
  }
  const double window_ns = 1e6 * (last_ms - first_ms);
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
    const uint32_t rank = model.ranks.rank[model.workers.rank_index[worker]];
    const Resource& resource = resources[{rank, static_cast<int>(model.workers.id[worker])}];
    const WorkerTime& time = idle.workers[worker];
    const double rounding_ns = kRoundingNs * static_cast<double>(resource.count + 1);
    EXPECT_NEAR(static_cast<double>(time.busy_ns), 1e6 * resource.total_ms, rounding_ns);
    EXPECT_EQ(time.busy_ns + time.idle_ns, time.measured.length_ns());
    const double starvz = 1 - 1e6 * resource.total_ms / window_ns;
    const double ours = 1 - static_cast<double>(time.busy_ns) / window_ns;
    EXPECT_NEAR(ours, starvz, rounding_ns / window_ns);
  }
}

TEST_P(StarvzTest, LastDependencyIsItsOwn) {
  const StarvzTasks tasks = ReadTasks(GetParam());
  const TraceModel model = Loaded(GetParam());
  const TagLinks tags(model);
  const LastDependencies last_dependencies(model);
  size_t compared = 0;
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    const auto record = tasks.find(JobOf(model, task));
    if (record == tasks.end() || !record->second.ran()) continue;
    if (!tags.before[task].empty()) continue;  // it does not know tags
    // StarVZ does not look behind what did not run.
    double last_ms = -1;
    bool all_ran = record->second.message_from.empty();
    for (const std::string& before : record->second.dependents) {
      const auto it = tasks.find(before);
      all_ran &= it != tasks.end() && it->second.ran();
      if (it != tasks.end() && it->second.ran()) last_ms = std::max(last_ms, it->second.end_ms);
    }
    if (!all_ran) continue;
    ++compared;
    const uint32_t last = last_dependencies.Of(task);
    ASSERT_EQ(last == kNone, record->second.dependents.empty());
    if (last != kNone) {
      EXPECT_NEAR(tasks.at(JobOf(model, last)).end_ms, last_ms, 2e-6);
    }
  }
  // There every task waits for acquisitions, which did not run.
  const bool is_mpi = GetParam() == std::string("mpi2");
  EXPECT_EQ(compared > 0, !is_mpi);
}

// Without parallel_small, whose tasks run on several workers, of which tasks.rec names one.
INSTANTIATE_TEST_SUITE_P(All, StarvzTest,
                         ::testing::Values("cholesky_lws", "cholesky_dmdas", "cholesky_calibrate",
                                           "cholesky_modular", "stencil", "stencil_2k", "hello",
                                           "tags", "mem_reclaim", "disk_compute", "two_ctx",
                                           "mpi2"),
                         [](const auto& info) { return std::string(info.param); });

// StarVZ's linear program with two kinds of resources, solved without one: all kinds end at the
// same time, and codelets go to the accelerators in the order of what they gain there, one of them
// in part.
double TwoKindsNs(std::vector<std::array<double, 3>> codelets, double cpus, double gpus) {
  std::sort(codelets.begin(), codelets.end(),
            [](const auto& a, const auto& b) { return a[1] / a[2] > b[1] / b[2]; });
  double cpu_ns = 0, gpu_ns = 0, best_ns;
  for (const auto& [count, on_cpu, on_gpu] : codelets) cpu_ns += count * on_cpu;
  best_ns = cpu_ns / cpus;
  for (const auto& [count, on_cpu, on_gpu] : codelets) {
    // The share x of this codelet's tasks with (cpu - x on_cpu) / cpus = (gpu + x on_gpu) / gpus.
    const double share =
        std::clamp((cpu_ns / cpus - gpu_ns / gpus) / (on_cpu / cpus + on_gpu / gpus), 0., count);
    best_ns = std::min(
        best_ns, std::max((cpu_ns - share * on_cpu) / cpus, (gpu_ns + share * on_gpu) / gpus));
    cpu_ns -= count * on_cpu;
    gpu_ns += count * on_gpu;
  }
  return std::min(best_ns, std::max(cpu_ns / cpus, gpu_ns / gpus));
}

TEST(Starvz, AreaBoundWithTwoKindsIsItsLinearPrograms) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const uint32_t cpus = 1 + random() % 6, gpus = 1 + random() % 3, kinds = 1 + random() % 6;
    testing::TestTrace trace;
    for (uint32_t w = 0; w < cpus + gpus; ++w)
      trace.Event(0, EventKind::kWorkerNew,
                  {w, w < cpus ? WorkerArch::kCpu : WorkerArch::kCuda, static_cast<int>(w), 0,
                   static_cast<int>(w), 1, "w" + std::to_string(w)},
                  1000 + w);
    std::vector<std::array<double, 3>> codelets;
    std::vector<int64_t> now_ns(cpus + gpus);
    for (uint32_t codelet = 0; codelet < kinds; ++codelet) {
      // At least one on each resource, so that StarVZ counts them all.
      std::array<double, 3> sums{0, 0, 0};
      std::array<int64_t, 2> mean_ns{}, ran{};
      for (uint32_t w = 0; w < cpus + gpus; ++w) {
        const bool on_gpu = w >= cpus;
        for (uint32_t i = 1 + random() % 5; i > 0; --i) {
          const int64_t length_ns = 1 + static_cast<int64_t>(random() % (on_gpu ? 500 : 1000));
          trace.Task("c" + std::to_string(codelet), now_ns[w], now_ns[w] + length_ns,
                     {.worker = w});
          now_ns[w] += length_ns;
          mean_ns[on_gpu] += length_ns;
          ++ran[on_gpu];
        }
      }
      sums[0] = static_cast<double>(ran[0] + ran[1]);
      for (const size_t kind : {0, 1})
        sums[kind + 1] = static_cast<double>(mean_ns[kind]) / static_cast<double>(ran[kind]);
      codelets.push_back(sums);
    }
    const AreaBound bound = AreaBounds(trace.Build())[0];
    ASSERT_EQ(bound.status, BoundStatus::kOptimal);
    const double starvz_ns = TwoKindsNs(codelets, cpus, gpus);
    EXPECT_NEAR(bound.bound_ns, starvz_ns, 1e-6 * starvz_ns);
  }
}

}  // namespace
}  // namespace tasklens
