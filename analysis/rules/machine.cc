// SPDX-License-Identifier: Apache-2.0
// Rules about the machine that workers run on.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/rules/context.h"
#include "analysis/sum.h"
#include "analysis/text.h"

namespace tasklens {
namespace {

// Whether the trace says that all ranks ran on one machine.
bool IsOneMachine(const TraceModel& model) {
  std::vector<StringId> hosts;
  for (const auto& [key, value] : model.info)
    if (model.str(key) == "host") hosts.push_back(value);
  return hosts.size() >= model.ranks.size() &&
         std::adjacent_find(hosts.begin(), hosts.end(), std::not_equal_to<>()) == hosts.end();
}

// For how long two or more of these workers were in tasks.
int64_t TogetherNs(const IdleReport& idle, const std::vector<uint32_t>& workers) {
  std::vector<std::pair<int64_t, int>> steps;  // when so many more were in tasks
  for (const uint32_t worker : workers) {
    const Span measured = idle.workers[worker].measured;
    steps.push_back({measured.begin_ns, 1});
    steps.push_back({measured.end_ns, -1});
    for (uint32_t i = idle.first_of_worker[worker]; i < idle.first_of_worker[worker + 1]; ++i) {
      steps.push_back({idle.pauses[i].start_ns, -1});
      steps.push_back({idle.pauses[i].end_ns, 1});
    }
  }
  std::sort(steps.begin(), steps.end());
  int64_t together_ns = 0, from_ns = 0;
  int busy = 0;
  for (const auto& [time_ns, more] : steps) {
    if (busy >= 2) AddNs(together_ns, time_ns - from_ns);
    busy += more;
    from_ns = time_ns;
  }
  return together_ns;
}

}  // namespace

// CPU workers that ran tasks and are bound to one processor, of one rank or of ranks on one
// machine: while one of them runs another waits, in the midst of a task or before it. What the run
// loses by it depends on the processors that were free, which no trace tells: 0.
void FindSharedProcessors(const AdviceContext& context, std::vector<Finding>& findings) {
  const TraceModel& model = context.model;
  const bool is_one_machine = IsOneMachine(model);
  std::map<std::pair<uint32_t, int32_t>, std::vector<uint32_t>> workers_of;  // machine, processor
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
    const int32_t processor = model.workers.cpu[worker];
    if (model.workers.arch[worker] != WorkerArch::kCpu || processor < 0) continue;
    if (context.idle.workers[worker].busy_ns == 0) continue;
    const uint32_t machine = is_one_machine ? 0 : model.workers.rank_index[worker];
    workers_of[{machine, processor}].push_back(worker);
  }
  int64_t workers = 0, processors = 0, together_ns = 0;
  bool across_ranks = false;
  for (const auto& [place, sharing] : workers_of) {
    if (sharing.size() < 2) continue;
    workers += static_cast<int64_t>(sharing.size());
    ++processors;
    together_ns = std::max(together_ns, TogetherNs(context.idle, sharing));
    for (const uint32_t worker : sharing)
      across_ranks |= model.workers.rank_index[worker] != model.workers.rank_index[sharing.front()];
  }
  if (processors == 0) return;
  const std::string place = processors == 1 ? "one processor"
                                            : CountText(static_cast<uint64_t>(processors)) +
                                                  " processors, several to each";
  const std::string ranks =
      across_ranks ? "; bind the ranks of a machine to processors of their own" : "";
  findings.push_back(context.Make(
      0, kNone,
      CountText(static_cast<uint64_t>(workers)) + " CPU workers are bound to " + place +
          ": one waits while another runs, so that times in this trace are longer than what they "
          "are of; have one worker on each processor (STARPU_NCPU, STARPU_WORKERS_CPUID)" +
          ranks,
      {{"workers", workers}, {"processors", processors}, {"in_tasks_at_once_ns", together_ns}}));
}

}  // namespace tasklens
