// SPDX-License-Identifier: Apache-2.0
// Implements ResidencyHost with the workers, devices and tools of the runtime.
#include "runtime/core/data_host.h"

#include <algorithm>

#include "runtime/core/runtime.h"
#include "runtime/core/worker.h"
#include "runtime/jobs/thread_state.h"

namespace tasklens::runtime {
namespace {

class DataHost final : public ResidencyHost {
 public:
  explicit DataHost(Runtime& runtime) : runtime_(runtime) {}

  Carrier* carrier() override { return runtime_.carrier(); }
  bool IsPinned(const void* memory) override {
    return runtime_.pinned_memory() && runtime_.pinned_memory()->Has(memory);
  }
  unsigned NodeOf(int worker) override {
    const Worker* const of_id = runtime_.worker(worker);
    return of_id ? of_id->node : STARPU_MAIN_RAM;
  }
  std::atomic<bool>* StuckMark() override {
    Worker* const worker = ThisThread().worker;
    return worker ? &worker->is_stuck : nullptr;
  }
  bool IsAnyOtherBusy() override {
    const Worker* const self = ThisThread().worker;
    const auto& workers = runtime_.workers();
    return std::any_of(workers.begin(), workers.end(), [self](const auto& worker) {
      if (worker.get() == self || worker->is_stuck.load()) return false;
      return worker->running.load() != nullptr || worker->over.load() != worker->taken.load();
    });
  }
  bool Wants(starpu_prof_tool_event event) override { return runtime_.tools().Wants(event); }
  void Tell(starpu_prof_tool_event event, unsigned target, uint64_t bytes) override {
    starpu_prof_tool_info info = OfWorker(starpu_worker_get_id());
    info.memnode = target;
    info.bytes_to_transfer = static_cast<unsigned>(bytes);
    const bool is_end = event == starpu_prof_tool_event_end_transfer;
    info.bytes_transfered = is_end ? info.bytes_to_transfer : 0;
    runtime_.tools().Tell(event, info);
  }

 private:
  Runtime& runtime_;
};

}  // namespace

std::unique_ptr<ResidencyHost> MakeDataHost(Runtime& runtime) {
  return std::make_unique<DataHost>(runtime);
}

}  // namespace tasklens::runtime
