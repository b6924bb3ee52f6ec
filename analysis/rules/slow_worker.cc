// SPDX-License-Identifier: Apache-2.0
#include "analysis/rules/slow_worker.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/sum.h"

namespace tasklens {
namespace {

constexpr size_t kFewest = 3;         // least number of tasks of a group on a worker
constexpr size_t kFewestWorkers = 3;  // least number of workers with as many of them
constexpr double kSlow = 2;

// The tasks of one worker, by group.
struct Part {
  int64_t median_ns;  // on this worker
  int64_t usual_ns;   // the median of the medians of the other workers
  int64_t least_ns;   // the second shortest here, because the shortest may be cut short
  size_t tasks;
  uint32_t site;
  bool comes_again;  // its tasks write the same data as others of the group
};

using TasksByWorker = std::map<uint32_t, std::vector<uint32_t>>;
using PartsByWorker = std::map<uint32_t, std::vector<Part>>;

// The data that several tasks of a group write.
class WrittenAgain {
 public:
  WrittenAgain(const TraceModel& model, std::span<const uint32_t> tasks) : model_(model) {
    for (const uint32_t task : tasks) {
      for (const TaskAccess& access : model.accesses[task]) {
        if (!(access.mode & kAccessWrite)) continue;
        ++writes_[access.handle];
      }
    }
  }
  bool IsSome(std::span<const uint32_t> tasks) const {
    for (const uint32_t task : tasks)
      for (const TaskAccess& access : model_.accesses[task])
        if (const auto it = writes_.find(access.handle); it != writes_.end() && it->second > 1)
          return true;
    return false;
  }

 private:
  const TraceModel& model_;
  std::unordered_map<uint32_t, size_t> writes_;  // by handle
};

struct Median {
  int64_t median_ns, least_ns;  // see Part
  uint32_t worker;
};

// Returns the medians of workers with enough of the tasks, the fastest first.
std::vector<Median> MediansOf(const TraceModel& model, const TasksByWorker& tasks_of) {
  std::vector<Median> medians;
  for (const auto& [worker, tasks] : tasks_of) {
    if (tasks.size() < kFewest) continue;
    std::vector<int64_t> lengths_ns;
    for (const uint32_t task : tasks) lengths_ns.push_back(model.tasks.RunNs(task));
    std::sort(lengths_ns.begin(), lengths_ns.end());
    medians.push_back({lengths_ns[lengths_ns.size() / 2], lengths_ns[1], worker});
  }
  std::sort(medians.begin(), medians.end(), [](const Median& a, const Median& b) {
    return std::tie(a.median_ns, a.worker) < std::tie(b.median_ns, b.worker);
  });
  return medians;
}

void AddParts(const TraceModel& model, const Fellows& of, PartsByWorker& parts) {
  TasksByWorker tasks_of;
  for (const uint32_t task : of.tasks) tasks_of[model.tasks.worker[task]].push_back(task);
  if (tasks_of.size() < kFewestWorkers) return;
  const std::vector<Median> medians = MediansOf(model, tasks_of);
  if (medians.size() < kFewestWorkers) return;
  // Computed only if some worker may be slow, because it reads every access.
  std::optional<WrittenAgain> data;
  for (size_t i = 0; i < medians.size(); ++i) {
    // The median of the others.
    size_t middle = (medians.size() - 1) / 2;
    middle += i <= middle;
    const auto& [median_ns, least_ns, worker] = medians[i];
    const int64_t usual_ns = medians[middle].median_ns;
    const std::vector<uint32_t>& own = tasks_of[worker];
    const bool may_be_slow =
        static_cast<double>(median_ns) >= kSlow * static_cast<double>(usual_ns);
    if (may_be_slow && !data) data.emplace(model, of.tasks);
    parts[worker].push_back(
        {median_ns, usual_ns, least_ns, own.size(), of.site, may_be_slow && data->IsSome(own)});
  }
}

struct Speed {
  SlowWorker of;
  bool is_certain;
};

Speed SpeedOf(uint32_t worker, const std::vector<Part>& parts) {
  double here_ns = 0, usual_ns = 0;
  int64_t beyond_ns = 0, most_ns = 0;
  uint32_t site = kNone;
  bool is_certain = parts.size() > 1 || !parts.front().comes_again;
  for (const Part& part : parts) {
    is_certain &= static_cast<double>(part.least_ns) >= kSlow * static_cast<double>(part.usual_ns);
    const auto tasks = static_cast<int64_t>(part.tasks);
    here_ns += static_cast<double>(part.median_ns * tasks);
    usual_ns += static_cast<double>(part.usual_ns * tasks);
    const int64_t more_ns = (part.median_ns - part.usual_ns) * tasks;
    AddNs(beyond_ns, std::max<int64_t>(0, more_ns));
    if (more_ns <= most_ns) continue;
    most_ns = more_ns;
    site = part.site;
  }
  return {{worker, usual_ns > 0 ? here_ns / usual_ns : 1, beyond_ns, site}, is_certain};
}

}  // namespace

SlowWorker FindSlowWorkerOf(const TraceModel& model, std::span<const Fellows> fellows) {
  PartsByWorker parts;
  for (const Fellows& of : fellows) AddParts(model, of, parts);
  std::vector<Speed> speeds;
  for (const auto& [worker, all] : parts) speeds.push_back(SpeedOf(worker, all));
  const auto slow = std::count_if(speeds.begin(), speeds.end(),
                                  [](const Speed& one) { return one.of.times >= kSlow; });
  if (slow == 0 || static_cast<size_t>(slow) * 3 > speeds.size()) return {};
  const Speed& worst = *std::max_element(
      speeds.begin(), speeds.end(),
      [](const Speed& a, const Speed& b) { return a.of.beyond_ns < b.of.beyond_ns; });
  return worst.of.times >= kSlow && worst.is_certain ? worst.of : SlowWorker{};
}

}  // namespace tasklens
