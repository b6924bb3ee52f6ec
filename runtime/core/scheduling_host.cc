// SPDX-License-Identifier: Apache-2.0
// Implements Host with the workers, performance models and data of the runtime.
#include "runtime/core/scheduling_host.h"

#include "runtime/core/eligibility.h"
#include "runtime/core/runtime.h"
#include "runtime/core/task_data.h"
#include "runtime/core/worker.h"
#include "runtime/data/task_costs.h"
#include "runtime/jobs/codelet.h"
#include "runtime/perfmodel/models.h"
#include "runtime/support/clock.h"

namespace tasklens::runtime {
namespace {

class SchedulingHost final : public Host {
 public:
  explicit SchedulingHost(Runtime& runtime) : runtime_(runtime) {}

  int worker_count() const override { return static_cast<int>(runtime_.workers().size()); }
  WorkerView worker(int id) const override {
    const Worker& worker = Of(id);
    return {worker.kind, worker.node, worker.arch, worker.enabled.load(), worker.name.c_str()};
  }
  WorkerSet MembersOf(unsigned context) const override {
    return runtime_.contexts().WorkersOf(context);
  }
  const CombinedWorkers& combined() const override { return runtime_.combined(); }
  unsigned node_count() const override { return 1 + runtime_.devices().count(); }
  double NowUs() const override { return static_cast<double>(NowNs()) / 1000; }

  bool MayRun(int worker, const Job& job, unsigned implementation) const override {
    return runtime::MayRun(Of(worker), job, implementation);
  }

  double LengthUs(const Job& job, int worker, unsigned implementation) const override {
    return ExpectedCost(job.task->cl->model, job.task, Of(worker).arch, implementation, worker);
  }
  double EnergyJ(const Job& job, int worker, unsigned implementation) const override {
    return ExpectedCost(job.task->cl->energy_model, job.task, Of(worker).arch, implementation,
                        worker);
  }
  double TeamLengthUs(const Job& job, std::span<const int> members) const override {
    return ExpectedCost(job.task->cl->model, job.task, CpuArch(static_cast<int>(members.size())),
                        job.implementation, members[0]);
  }
  double TransferUs(const starpu_task& task, unsigned node) const override {
    return runtime::TransferUs(task, node);
  }
  double ConversionUs(const starpu_task& task, int worker) const override {
    return runtime::ConversionUs(task, Of(worker));
  }
  double CopyUs(unsigned from, unsigned to, size_t bytes) const override {
    return starpu_transfer_predict(from, to, bytes);
  }

  bool IsThere(const starpu_task& task, unsigned buffer, unsigned local) const override {
    const int node = NodeFor(task, buffer, local);
    return node == kNoNode ||
           runtime::IsThere(BufferHandle(task, buffer), static_cast<unsigned>(node));
  }
  bool HasItsData(const starpu_task& task, unsigned node) const override {
    return runtime::HasItsData(task, node);
  }
  size_t BytesOf(Handle* handle) const override { return starpu_data_get_size(handle); }
  void SendData(const starpu_task& task, unsigned node) const override {
    runtime::SendData(task, node, CopyReason::kTaskPrefetch);
  }

  CostWeights& weights() override { return runtime_.settings.dmda_weights; }
  void Configure(unsigned context) override {
    if (const auto callback = runtime_.policy_context(context)->callback) callback(context);
  }

 protected:
  bool CanRunRestricted(int worker, Job* job) const override {
    return runtime::CanRun(worker, job);
  }

 private:
  const Worker& Of(int id) const { return *runtime_.workers()[static_cast<size_t>(id)]; }

  Runtime& runtime_;
};

}  // namespace

std::unique_ptr<Host> MakeSchedulingHost(Runtime& runtime) {
  return std::make_unique<SchedulingHost>(runtime);
}

}  // namespace tasklens::runtime
