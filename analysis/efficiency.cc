// SPDX-License-Identifier: Apache-2.0
// Sums and quotients of times.
#include "analysis/efficiency.h"

#include "analysis/sum.h"

namespace tasklens {
namespace {

double Quotient(int64_t part_ns, int64_t whole_ns) {
  return whole_ns > 0 ? static_cast<double>(part_ns) / static_cast<double>(whole_ns) : 1;
}

void Add(Efficiency& sum, const Efficiency& one) {
  AddNs(sum.task_ns, one.task_ns);
  AddNs(sum.transfer_ns, one.transfer_ns);
  AddNs(sum.scheduling_ns, one.scheduling_ns);
  AddNs(sum.runtime_ns, one.runtime_ns);
  AddNs(sum.no_work_ns, one.no_work_ns);
  AddNs(sum.not_known_ns, one.not_known_ns);
  AddNs(sum.not_counted_ns, one.not_counted_ns);
}

Efficiency OfWorker(const WorkerTime& time) {
  const auto cause = [&](IdleCause which) { return time.cause_ns[static_cast<size_t>(which)]; };
  Efficiency one;
  if (!time.counts) {
    one.not_counted_ns = time.measured.length_ns();
    return one;
  }
  AddNs(one.task_ns, time.busy_ns);
  AddNs(one.transfer_ns, cause(IdleCause::kTransfer));
  AddNs(one.scheduling_ns, cause(IdleCause::kScheduler));
  AddNs(one.runtime_ns, cause(IdleCause::kRuntime));
  AddNs(one.no_work_ns, cause(IdleCause::kNothingReady));
  AddNs(one.no_work_ns, cause(IdleCause::kNothingSubmitted));
  AddNs(one.no_work_ns, cause(IdleCause::kNothingForIt));
  AddNs(one.not_known_ns, cause(IdleCause::kNotKnown));
  return one;
}

}  // namespace

// A factor with numerator 0 makes all later ones 0 / 0; these count as 1, so that the product is
// right in all cases.
double Efficiency::Locality() const { return Quotient(task_ns, task_ns + transfer_ns); }
double Efficiency::Scheduling() const {
  return Quotient(task_ns + transfer_ns, task_ns + transfer_ns + scheduling_ns);
}
double Efficiency::Runtime() const {
  return Quotient(task_ns + transfer_ns + scheduling_ns, known_ns() - no_work_ns);
}
double Efficiency::Parallelism() const { return Quotient(known_ns() - no_work_ns, known_ns()); }
double Efficiency::Known() const { return Quotient(known_ns(), all_ns()); }
double Efficiency::Total() const { return Quotient(task_ns, all_ns()); }

EfficiencyReport SplitEfficiency(const TraceModel& model, const IdleReport& idle) {
  EfficiencyReport report;
  report.ranks.resize(model.ranks.size());
  for (size_t worker = 0; worker < idle.workers.size(); ++worker) {
    report.workers.push_back(OfWorker(idle.workers[worker]));
    Add(report.ranks[model.workers.rank_index[worker]], report.workers.back());
    Add(report.whole, report.workers.back());
  }
  return report;
}

}  // namespace tasklens
