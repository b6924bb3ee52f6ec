// SPDX-License-Identifier: Apache-2.0
// Rules about the machine that workers run on.
#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/rules/context.h"
#include "analysis/sum.h"
#include "analysis/text.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

// Returns how long two or more of these workers ran tasks at the same time.
int64_t TogetherNs(const IdleReport& idle, const std::vector<uint32_t>& workers) {
  std::vector<std::pair<int64_t, int>> steps;  // time, change in the number of workers in tasks
  for (const uint32_t worker : workers) {
    const Span measured = idle.workers[worker].measured;
    steps.push_back({measured.begin_ns, 1});
    steps.push_back({measured.end_ns, -1});
    for (const IdlePause& pause : idle.PausesOf(worker)) {
      steps.push_back({pause.start_ns, -1});
      steps.push_back({pause.end_ns, 1});
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

// Returns the number of processors of the run, if the trace has it and one rank; else 0.
int64_t ProcessorsOf(const TraceModel& model) {
  if (model.ranks.size() != 1) return 0;
  int64_t processors = 0;
  const std::string_view text = LastInfo(model, "processors");
  std::from_chars(text.data(), text.data() + text.size(), processors);
  return processors;
}

// Finds more CPU workers than processors, whatever their binding.
bool FindTooManyWorkers(const AdviceContext& context, std::vector<Finding>& findings) {
  const int64_t processors = ProcessorsOf(context.model);
  int64_t workers = 0;
  for (uint32_t worker = 0; worker < context.model.workers.size(); ++worker)
    workers += context.model.workers.arch[worker] == WorkerArch::kCpu &&
               context.idle.workers[worker].busy_ns > 0;
  if (processors <= 0 || workers <= processors) return false;
  findings.push_back(
      context.Make(0, kNone,
                   CountText(static_cast<uint64_t>(workers)) + " CPU workers ran tasks on " +
                       CountText(static_cast<uint64_t>(processors), "processor") +
                       ": one waits while another runs, so tasks take longer in this trace than "
                       "they need; use no more workers than processors (STARPU_NCPU)",
                   {{"workers", workers}, {"processors", processors}}));
  return true;
}

}  // namespace

// More CPU workers ran tasks than the run had processors; or several are bound to one processor, in
// one rank or in ranks on one machine: while one of them runs, another waits, within a task or
// before it. The loss depends on which processors were free, which traces do not record, so the
// cost is 0.
void FindSharedProcessors(const AdviceContext& context, std::vector<Finding>& findings) {
  if (FindTooManyWorkers(context, findings) || context.sharing.empty()) return;
  const std::vector<uint32_t>& rank_of = context.model.workers.rank_index;
  const auto processors = static_cast<int64_t>(context.sharing.size());
  int64_t workers = 0, together_ns = 0;
  bool across_ranks = false;
  for (const std::vector<uint32_t>& sharing : context.sharing) {
    workers += static_cast<int64_t>(sharing.size());
    together_ns = std::max(together_ns, TogetherNs(context.idle, sharing));
    for (const uint32_t worker : sharing) across_ranks |= rank_of[worker] != rank_of[sharing[0]];
  }
  const std::string place = processors == 1 ? "one processor"
                                            : CountText(static_cast<uint64_t>(processors)) +
                                                  " processors, several to each";
  const std::string ranks =
      across_ranks ? "; bind each rank of a machine to its own processors" : "";
  findings.push_back(context.Make(
      0, kNone,
      CountText(static_cast<uint64_t>(workers)) + " CPU workers are bound to " + place +
          ": one waits while another runs, so tasks take longer in this trace than they need; use "
          "one worker per processor (STARPU_NCPU, STARPU_WORKERS_CPUID)" +
          ranks,
      {{"workers", workers}, {"processors", processors}, {"in_tasks_at_once_ns", together_ns}}));
}

}  // namespace tasklens
