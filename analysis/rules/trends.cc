// SPDX-License-Identifier: Apache-2.0
// Rules about tasks whose length changes in the course of the run.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/execution_order.h"
#include "analysis/rules/context.h"
#include "analysis/rules/fellows.h"
#include "analysis/sum.h"
#include "analysis/text.h"

namespace tasklens {
namespace {

// Returns Spearman's coefficient of rank correlation of values with their order, -1..1, of at most
// a thousand evenly chosen values. https://en.wikipedia.org/wiki/Spearman's_rank_correlation
double RankCorrelation(const std::vector<int64_t>& all) {
  constexpr size_t kEnough = 1000;
  std::vector<int64_t> values;
  const size_t count = std::min(all.size(), kEnough);
  for (size_t i = 0; i < count; ++i) values.push_back(all[i * all.size() / count]);
  std::vector<uint32_t> by_value(count);
  std::iota(by_value.begin(), by_value.end(), 0);
  std::sort(by_value.begin(), by_value.end(),
            [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
  // Equal values share the mean of their ranks.
  std::vector<double> rank(count);
  for (size_t i = 0, next = 0; i < count; i = next) {
    for (next = i; next < count && values[by_value[next]] == values[by_value[i]];) ++next;
    for (size_t k = i; k < next; ++k) rank[by_value[k]] = static_cast<double>(i + next - 1) / 2;
  }
  const double mean = static_cast<double>(count - 1) / 2;
  double covariance = 0, of_order = 0, of_values = 0;
  for (size_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(i) - mean, y = rank[i] - mean;
    covariance += x * y;
    of_order += x * x;
    of_values += y * y;
  }
  return of_values > 0 ? covariance / std::sqrt(of_order * of_values) : 0;
}

}  // namespace

// Of similar tasks, the median of the last quarter is at least half as long again as that of the
// first, and the order of their lengths is mostly that of their submission: chance does not cause
// such a trend. The cost is the excess over the first quarter's median.
void FindGrowingTasks(const AdviceContext& context, std::vector<Finding>& findings) {
  constexpr double kTrend = 0.6;
  for (const Fellows& of : context.fellows) {
    std::vector<int64_t> lengths_ns;
    for (const uint32_t task : of.tasks) lengths_ns.push_back(context.model.tasks.RunNs(task));
    const auto quarter = static_cast<ptrdiff_t>(lengths_ns.size() / 4);
    const int64_t first_ns = MedianNs({lengths_ns.begin(), lengths_ns.begin() + quarter});
    const int64_t last_ns = MedianNs({lengths_ns.end() - quarter, lengths_ns.end()});
    if (last_ns < first_ns + first_ns / 2) continue;
    int64_t beyond_ns = 0;
    for (const int64_t ns : lengths_ns) AddNs(beyond_ns, std::max<int64_t>(0, ns - first_ns));
    const int64_t cost_ns = context.RunNs(beyond_ns);
    if (!context.WorthSaying(cost_ns) || RankCorrelation(lengths_ns) < kTrend) continue;
    findings.push_back(context.Make(
        cost_ns, of.site,
        "tasks take longer and longer: of " + CountText(of.tasks.size()) + " tasks of '" +
            std::string(context.model.str(of.name)) + "' the first quarter took " +
            DurationText(first_ns) + " each (median), the last " + DurationText(last_ns) +
            ", on data of the same size; look for something that grows with each task (a list that "
            "is searched, memory that is not freed, a file)",
        {{"tasks", static_cast<int64_t>(of.tasks.size())},
         {"first_median_ns", first_ns},
         {"last_median_ns", last_ns},
         {"worker_time_lost_ns", beyond_ns}}));
  }
}

// The first task of a kind, on each of at least two workers, takes at least five times the median
// of the others.
void FindSlowFirstTasks(const AdviceContext& context, std::vector<Finding>& findings) {
  constexpr int64_t kFarBeyond = 5;
  const TaskTable& tasks = context.model.tasks;
  for (const Fellows& of : context.fellows) {
    std::map<uint32_t, uint32_t> first;  // by worker
    std::vector<int64_t> lengths_ns;
    for (const uint32_t task : of.tasks) {
      lengths_ns.push_back(tasks.RunNs(task));
      const auto [it, is_new] = first.emplace(tasks.worker[task], task);
      if (!is_new && tasks.start_ns[task] < tasks.start_ns[it->second]) it->second = task;
    }
    const int64_t usual_ns = MedianNs(std::move(lengths_ns));
    int64_t beyond_ns = 0, longest_ns = 0;
    size_t slow = 0;
    for (const auto& [worker, task] : first) {
      const int64_t length_ns = tasks.RunNs(task);
      if (length_ns / kFarBeyond < usual_ns) continue;
      ++slow;
      AddNs(beyond_ns, length_ns - usual_ns);
      longest_ns = std::max(longest_ns, length_ns);
    }
    const int64_t cost_ns = context.RunNs(beyond_ns);
    if (slow < 2 || slow * 2 < first.size() || !context.WorthSaying(cost_ns)) continue;
    findings.push_back(context.Make(
        cost_ns, of.site,
        "first tasks are slow: on " + CountText(slow, "worker") + " the first task of '" +
            std::string(context.model.str(of.name)) + "' took up to " + DurationText(longest_ns) +
            ", the median of such tasks is " + DurationText(usual_ns) +
            "; do one-time work (loading a library, first use of memory) beforehand on each "
            "worker, for instance with starpu_execute_on_each_worker()",
        {{"workers", static_cast<int64_t>(slow)},
         {"longest_ns", longest_ns},
         {"usual_ns", usual_ns},
         {"worker_time_lost_ns", beyond_ns}}));
  }
}

}  // namespace tasklens
