// SPDX-License-Identifier: Apache-2.0
// Rules about work that devices could do but have no function for.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/eligible_workers.h"
#include "analysis/execution_order.h"
#include "analysis/rules/context.h"
#include "analysis/sum.h"
#include "analysis/text.h"

namespace tasklens {
namespace {

// The time of a codelet's tasks on workers of each architecture, in one rank.
struct Codelet {
  std::map<WorkerArch, int64_t> task_ns;
  KindMask eligible = 0;
  uint32_t site = kNone;
  int64_t SumNs() const {
    int64_t sum_ns = 0;
    for (const auto& [arch, ns] : task_ns) AddNs(sum_ns, ns);
    return sum_ns;
  }
};

struct Machine {
  std::map<StringId, Codelet> codelets;
  std::map<WorkerArch, int64_t> workers, task_ns;
  std::map<WorkerArch, KindMask> kinds;
};

// By rank row.
std::vector<Machine> Machines(const TraceModel& model) {
  const EligibleWorkers eligible(model);
  const TaskTable& tasks = model.tasks;
  std::vector<Machine> machines(model.ranks.size());
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
    Machine& machine = machines[model.workers.rank_index[worker]];
    ++machine.workers[model.workers.arch[worker]];
    machine.kinds[model.workers.arch[worker]] |= 1u << eligible.KindOf(worker);
  }
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (!Executed(tasks, task) || tasks.worker[task] >= model.workers.size()) continue;
    Machine& machine = machines[tasks.rank_index[task]];
    const WorkerArch arch = model.workers.arch[tasks.worker[task]];
    Codelet& codelet = machine.codelets[tasks.name[task]];
    AddNs(codelet.task_ns[arch], tasks.RunNs(task));
    AddNs(machine.task_ns[arch], tasks.RunNs(task));
    codelet.eligible |= eligible.CanRun(task);
    if (codelet.site == kNone) codelet.site = tasks.site[task];
  }
  return machines;
}

// Returns the least time for which the workers would be busy, in any order, without the codelet's
// tasks on CPUs.
double BusyNs(const Machine& machine, const Codelet& codelet) {
  double longest_ns = 0;
  for (const auto& [arch, workers] : machine.workers) {
    const auto load = machine.task_ns.find(arch);
    if (load == machine.task_ns.end()) continue;
    auto load_ns = static_cast<double>(load->second);
    if (const auto own = codelet.task_ns.find(arch); own != codelet.task_ns.end())
      load_ns -= static_cast<double>(own->second);
    longest_ns = std::max(longest_ns, load_ns / static_cast<double>(workers));
  }
  return longest_ns;
}

}  // namespace

// A codelet without a function for any device of the machine or, if the trace lists no functions,
// with many tasks of which none ran on a device. The cost is how much shorter the run could be if
// they took no time there: an upper bound, because their speed there is unknown.
void FindMissingFunction(const AdviceContext& context, std::vector<Finding>& findings) {
  const TraceModel& model = context.model;
  if (std::none_of(model.workers.arch.begin(), model.workers.arch.end(), &IsDevice)) return;
  const std::vector<Machine> machines = Machines(model);
  for (uint32_t rank = 0; rank < machines.size(); ++rank) {
    const Machine& machine = machines[rank];
    const StringId* worst_name = nullptr;
    const Codelet* worst = nullptr;
    WorkerArch worst_device = WorkerArch::kUnknown;
    int64_t most_ns = 0;
    for (const auto& [name, codelet] : machine.codelets) {
      for (const auto& [device, kinds] : machine.kinds) {
        if (!IsDevice(device) || (codelet.eligible & kinds)) continue;
        const int64_t gain_ns =
            context.windows[rank].length_ns() - static_cast<int64_t>(BusyNs(machine, codelet));
        if (gain_ns <= most_ns || !context.WorthSaying(gain_ns)) continue;
        // The codelet must be what keeps the CPUs busy: other causes of a long run do not count.
        const auto cpus = machine.workers.find(WorkerArch::kCpu);
        const double workers_ns =
            (cpus == machine.workers.end() ? 1. : static_cast<double>(cpus->second)) *
            static_cast<double>(context.windows[rank].length_ns());
        const double share = static_cast<double>(codelet.SumNs()) / workers_ns;
        if (share < 0.5) continue;
        most_ns = gain_ns;
        worst_name = &name;
        worst = &codelet;
        worst_device = device;
      }
    }
    if (!worst) continue;
    int64_t of_all_ns = 0;
    for (const auto& [arch, ns] : machine.task_ns) AddNs(of_all_ns, ns);
    const auto there = machine.task_ns.find(worst_device);
    const int64_t workers = machine.workers.at(worst_device);
    const double busy =
        there == machine.task_ns.end()
            ? 0
            : static_cast<double>(there->second) / static_cast<double>(workers) /
                  static_cast<double>(std::max<int64_t>(1, context.windows[rank].length_ns()));
    const std::string device(WorkerArchName(worst_device));
    const auto share = static_cast<double>(worst->SumNs()) / static_cast<double>(of_all_ns);
    findings.push_back(context.Make(
        most_ns, worst->site,
        "codelet '" + std::string(model.str(*worst_name)) + "' takes " + ShareText(share) +
            " of the time in tasks and has no function for " + device + ", whose " +
            CountText(static_cast<uint64_t>(workers), "worker") + " ran tasks for " +
            ShareText(busy) + " of the run; add one, if the codelet can be faster there",
        {{"codelet", std::string(model.str(*worst_name))}, {"task_ns", worst->SumNs()}}));
  }
}

}  // namespace tasklens
