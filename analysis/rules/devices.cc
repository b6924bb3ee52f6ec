// SPDX-License-Identifier: Apache-2.0
// Rules about what devices could do and have no function for.
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

bool IsDevice(WorkerArch arch) { return arch != WorkerArch::kCpu && arch != WorkerArch::kUnknown; }

// What tasks of a codelet did on workers of each architecture, in one rank.
struct Codelet {
  std::map<WorkerArch, int64_t> task_ns, tasks;
  KindMask eligible = 0;
  uint32_t site = kNone;
  int64_t SumNs() const {
    int64_t sum_ns = 0;
    for (const auto& [arch, ns] : task_ns) AddNs(sum_ns, ns);
    return sum_ns;
  }
  double MeanNs(WorkerArch arch) const {
    const auto count = tasks.find(arch);
    return count == tasks.end()
               ? 0
               : static_cast<double>(task_ns.at(arch)) / static_cast<double>(count->second);
  }
};

struct Machine {
  std::map<StringId, Codelet> codelets;
  std::map<WorkerArch, int64_t> workers, task_ns;
  std::map<WorkerArch, KindMask> kinds;
};

Machine MachineOf(const AdviceContext& context, const EligibleWorkers& eligible, uint32_t rank) {
  const TraceModel& model = context.model;
  const TaskTable& tasks = model.tasks;
  Machine machine;
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
    if (model.workers.rank_index[worker] != rank) continue;
    ++machine.workers[model.workers.arch[worker]];
    machine.kinds[model.workers.arch[worker]] |= 1u << eligible.KindOf(worker);
  }
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (tasks.rank_index[task] != rank || !Executed(tasks, task)) continue;
    if (tasks.worker[task] >= model.workers.size()) continue;
    const WorkerArch arch = model.workers.arch[tasks.worker[task]];
    Codelet& codelet = machine.codelets[tasks.name[task]];
    AddNs(codelet.task_ns[arch], tasks.RunNs(task));
    AddNs(machine.task_ns[arch], tasks.RunNs(task));
    ++codelet.tasks[arch];
    codelet.eligible |= eligible.CanRun(task);
    if (codelet.site == kNone) codelet.site = tasks.site[task];
  }
  return machine;
}

// By how much tasks are faster on the device than on CPUs, of those that ran on both; 0: none did.
double SpeedUp(const Machine& machine, WorkerArch device) {
  double on_cpus_ns = 0, on_device_ns = 0;
  for (const auto& [name, codelet] : machine.codelets) {
    const double cpu_ns = codelet.MeanNs(WorkerArch::kCpu), there_ns = codelet.MeanNs(device);
    if (cpu_ns <= 0 || there_ns <= 0) continue;
    const auto count = static_cast<double>(codelet.tasks.at(device));
    on_cpus_ns += cpu_ns * count;
    on_device_ns += there_ns * count;
  }
  return on_device_ns > 0 ? on_cpus_ns / on_device_ns : 0;
}

// How long the workers would have been busy, whatever their order, had the codelet's tasks of CPUs
// been shared with the device: as much faster there as others are, or in no time where none ran on
// both. With L what workers did besides, n their number, C the codelet's time on CPUs and s the
// factor, (C + L_cpu + s L_device) / (n_cpu + s n_device), and no less than L / n of either.
double BusyNs(const Machine& machine, const Codelet& codelet, WorkerArch device) {
  const auto of = [](const std::map<WorkerArch, int64_t>& values, WorkerArch arch) {
    const auto it = values.find(arch);
    return it == values.end() ? 0. : static_cast<double>(it->second);
  };
  const double cpus = std::max(1., of(machine.workers, WorkerArch::kCpu));
  const double devices = std::max(1., of(machine.workers, device));
  const double codelet_ns = of(codelet.task_ns, WorkerArch::kCpu);
  const double cpu_ns = of(machine.task_ns, WorkerArch::kCpu) - codelet_ns;
  const double device_ns = of(machine.task_ns, device);
  const double least_ns = std::max(cpu_ns / cpus, device_ns / devices);
  const double factor = SpeedUp(machine, device);
  if (factor <= 0) return least_ns;
  return std::max(least_ns, (codelet_ns + cpu_ns + factor * device_ns) / (cpus + factor * devices));
}

}  // namespace

// A codelet that no device of the machine has a function for, or none of whose many tasks ran there
// where the trace does not tell functions: how much less the workers would have had to do with it
// on the device. Its tasks there would have their data fetched, and their chains stay: it is what
// can be won at most.
void FindMissingFunction(const AdviceContext& context, std::vector<Finding>& findings) {
  const TraceModel& model = context.model;
  if (std::none_of(model.workers.arch.begin(), model.workers.arch.end(), &IsDevice)) return;
  const EligibleWorkers eligible(model);
  for (uint32_t rank = 0; rank < model.ranks.size(); ++rank) {
    const Machine machine = MachineOf(context, eligible, rank);
    const StringId* worst_name = nullptr;
    const Codelet* worst = nullptr;
    WorkerArch worst_device = WorkerArch::kUnknown;
    int64_t most_ns = 0;
    for (const auto& [name, codelet] : machine.codelets) {
      for (const auto& [device, kinds] : machine.kinds) {
        if (!IsDevice(device) || (codelet.eligible & kinds)) continue;
        const int64_t gain_ns = context.windows[rank].length_ns() -
                                static_cast<int64_t>(BusyNs(machine, codelet, device));
        if (gain_ns <= most_ns || !context.WorthSaying(gain_ns)) continue;
        // Not what any shorter run would win: the codelet must be what keeps the CPUs busy.
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
        "codelet '" + std::string(model.str(*worst_name)) + "' has " + ShareText(share) +
            " of the time in tasks and no function for " + device + ", of which " +
            CountText(static_cast<uint64_t>(workers), "worker") + " ran tasks for " +
            ShareText(busy) + " of the run: give it one, if it can be faster there",
        {{"codelet", std::string(model.str(*worst_name))},
         {"task_ns", worst->SumNs()},
         {"speed_up_of_others", SpeedUp(machine, worst_device)}}));
  }
}

}  // namespace tasklens
