// SPDX-License-Identifier: Apache-2.0
#include "analysis/rules/slow_worker.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/sum.h"

namespace tasklens {
namespace {

constexpr size_t kFewest = 3;  // tasks of a group on a worker

// The tasks of one worker, by group of fellows.
struct Part {
  int64_t median_ns;  // here
  int64_t usual_ns;   // the median of the medians of the other workers
  size_t tasks;
  uint32_t site;
};

// Which workers' tasks of a group write the same data again and again: a worker that has some for
// itself may have the larger pieces, and need not be slow.
class SharedData {
 public:
  SharedData(const TraceModel& model, std::span<const uint32_t> tasks) : model_(model) {
    for (const uint32_t task : tasks) {
      for (const TaskAccess& access : model.accesses[task]) {
        if (!(access.mode & kAccessWrite)) continue;
        Writers& writers = of_[access.handle];
        const uint32_t worker = model.tasks.worker[task];
        writers.are_several |= writers.tasks > 0 && writers.first != worker;
        if (writers.tasks++ == 0) writers.first = worker;
      }
    }
  }
  // Whether, of what these tasks of a worker write that is written more than once, others write at
  // least a fifth.
  bool AreShared(std::span<const uint32_t> tasks) const {
    size_t again = 0, shared = 0;
    for (const uint32_t task : tasks) {
      for (const TaskAccess& access : model_.accesses[task]) {
        const auto it = of_.find(access.handle);
        if (it == of_.end() || it->second.tasks < 2) continue;
        ++again;
        shared += it->second.are_several;
      }
    }
    return shared * 5 >= again;
  }

 private:
  struct Writers {
    uint32_t first = kNone;
    size_t tasks = 0;
    bool are_several = false;
  };
  const TraceModel& model_;
  std::unordered_map<uint32_t, Writers> of_;  // by handle
};

}  // namespace

SlowWorker FindSlowWorkerOf(const TraceModel& model, std::span<const Fellows> fellows) {
  std::map<uint32_t, std::vector<Part>> parts;  // by worker
  for (const Fellows& of : fellows) {
    std::map<uint32_t, std::vector<uint32_t>> tasks_of;
    for (const uint32_t task : of.tasks) tasks_of[model.tasks.worker[task]].push_back(task);
    if (tasks_of.size() < 3) continue;
    const SharedData data(model, of.tasks);
    std::vector<std::pair<int64_t, uint32_t>> medians;
    for (const auto& [worker, tasks] : tasks_of) {
      if (tasks.size() < kFewest) continue;
      std::vector<int64_t> lengths_ns;
      for (const uint32_t task : tasks) lengths_ns.push_back(model.tasks.RunNs(task));
      medians.emplace_back(MedianNs(std::move(lengths_ns)), worker);
    }
    if (medians.size() < 3) continue;
    std::sort(medians.begin(), medians.end());
    for (size_t i = 0; i < medians.size(); ++i) {
      // The middle of the others.
      size_t middle = (medians.size() - 1) / 2;
      middle += i <= middle;
      const std::vector<uint32_t>& own = tasks_of[medians[i].second];
      if (!data.AreShared(own)) continue;
      parts[medians[i].second].push_back(
          {medians[i].first, medians[middle].first, own.size(), of.site});
    }
  }
  struct Speed {
    uint32_t worker;
    double times;
    int64_t beyond_ns;
    uint32_t site;
  };
  std::vector<Speed> speeds;
  for (const auto& [worker, all] : parts) {
    double here_ns = 0, usual_ns = 0;
    int64_t beyond_ns = 0, most_ns = 0;
    uint32_t site = kNone;
    for (const Part& part : all) {
      const auto tasks = static_cast<int64_t>(part.tasks);
      here_ns += static_cast<double>(part.median_ns * tasks);
      usual_ns += static_cast<double>(part.usual_ns * tasks);
      const int64_t more_ns = (part.median_ns - part.usual_ns) * tasks;
      AddNs(beyond_ns, std::max<int64_t>(0, more_ns));
      if (more_ns <= most_ns) continue;
      most_ns = more_ns;
      site = part.site;
    }
    speeds.push_back({worker, usual_ns > 0 ? here_ns / usual_ns : 1, beyond_ns, site});
  }
  constexpr double kSlow = 2;
  const auto slow = std::count_if(speeds.begin(), speeds.end(),
                                  [](const Speed& one) { return one.times >= kSlow; });
  if (slow == 0 || static_cast<size_t>(slow) * 3 > speeds.size()) return {};
  const Speed& worst =
      *std::max_element(speeds.begin(), speeds.end(),
                        [](const Speed& a, const Speed& b) { return a.beyond_ns < b.beyond_ns; });
  if (worst.times < kSlow) return {};
  return {worst.worker, worst.times, worst.beyond_ns, worst.site};
}

}  // namespace tasklens
