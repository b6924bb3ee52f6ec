// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/conversion.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "runtime/data/devices.h"
#include "runtime/data/handle.h"
#include "runtime/data/multiformat.h"
#include "runtime/data/residency.h"
#include "runtime/data/task_costs.h"
#include "runtime/jobs/codelet.h"
#include "runtime/perfmodel/models.h"
#include "runtime/support/clock.h"
#include "runtime/support/message.h"
#include "runtime/support/virtual_time.h"

namespace tasklens::runtime {
namespace {

using Multiformat = starpu_multiformat_interface;

Multiformat* DataOn(Handle* handle, unsigned node) {
  return static_cast<Multiformat*>(InterfaceOn(handle, node));
}

starpu_codelet* ConverterOf(const Handle* handle, bool to_cuda) {
  const auto& formats = *static_cast<const Multiformat*>(handle->interface)->ops;
  return to_cuda ? formats.cpu_to_cuda_cl : formats.cuda_to_cpu_cl;
}

// A task for the conversion, as its performance model needs one.
class Conversion {
 public:
  Conversion(Handle* handle, starpu_codelet* codelet) : job_(NewJob(/*with_task=*/true)) {
    task()->cl = codelet;
    task()->handles[0] = handle;
  }
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;
  ~Conversion() { DestroyTask(task(), job_); }
  starpu_task* task() const { return job_->task; }

 private:
  Job* const job_;
};

// Reserves the time of a simulated conversion: others wait until it ends. Returns its end.
uint64_t Reserve(Residency& residency, const Converter* converter, Handle* handle, unsigned node,
                 bool to_cuda) {
  starpu_perfmodel_arch* const arch = converter ? converter->arch
                                      : to_cuda ? CudaArch(residency.devices().NumberOf(node))
                                                : CpuArch(1);
  const double us = ConversionUs(handle, to_cuda, arch, 0, converter ? converter->id : 0);
  if (std::isnan(us))
    Warn("the performance model of %s does not know what the conversion of %s takes: taken for 0",
         to_cuda ? "cpu_to_cuda_cl" : "cuda_to_cpu_cl", Describe(handle).c_str());
  const uint64_t end_ns =
      VirtualTime::NowNs() + (std::isnan(us) ? 0 : static_cast<uint64_t>(std::llround(us * 1000)));
  residency.ArrivesNotBefore(handle, node, end_ns);
  return end_ns;
}

// Calls the function, waits for its work, and feeds the model with the time.
void Convert(const Converter* converter, Handle* handle, unsigned node,
             const starpu_codelet& codelet, starpu_cpu_func_t function) {
  void* buffers[] = {InterfaceOn(handle, node)};
  if (VirtualTime::On()) {
    if (handle->is_computed) function(buffers, nullptr);
    return;
  }
  const uint64_t start_ns = NowNs();
  function(buffers, nullptr);
  if (!converter) return;
  converter->await_functions();
  if (!codelet.model || !WantsMeasures(*codelet.model)) return;
  const Conversion conversion(handle, const_cast<starpu_codelet*>(&codelet));
  FeedModel(codelet.model, conversion.task(), converter->arch, 0,
            static_cast<double>(NowNs() - start_ns) / 1000);
}

}  // namespace

bool IsForeign(Handle* handle, unsigned node) {
  return IsMultiformat(handle) && IsForeign(*DataOn(handle, node));
}

bool WillBeForeign(Residency& residency, Handle* handle, bool on_cuda) {
  if (!IsMultiformat(handle)) return false;
  // False if the main memory or a device already has the value in the target's layout.
  const bool is_in_ram = handle->initialized && !handle->away;
  if (is_in_ram && IsForeign(handle, STARPU_MAIN_RAM) == on_cuda) return false;
  for (unsigned node = 1; node <= residency.devices().count(); ++node) {
    if (!IsCudaNode(node) || !residency.IsOn(handle, node)) continue;
    if (IsForeign(handle, node) != on_cuda) return false;
  }
  return handle->initialized;
}

void CarryLayout(const Handle* handle, const void* source, unsigned source_node, void* target,
                 unsigned target_node) {
  if (!IsMultiformat(handle)) return;
  const bool is_cuda = HasCudaLayout(*static_cast<const Multiformat*>(source), source_node);
  SetForeign(*static_cast<Multiformat*>(target), is_cuda != IsCudaNode(target_node));
}

size_t CarriedBytes(const Handle* handle, const void* source, unsigned source_node) {
  if (!IsMultiformat(handle)) return handle->size_bytes;
  const auto& data = *static_cast<const Multiformat*>(source);
  return BytesOf(data, HasCudaLayout(data, source_node));
}

size_t BytesOnDevice(const Handle* handle) {
  if (!IsMultiformat(handle)) return handle->size_bytes;
  return BytesOfBoth(*static_cast<const Multiformat*>(handle->interface));
}

double ConversionUs(Handle* handle, bool to_cuda, starpu_perfmodel_arch* arch,
                    unsigned implementation, int worker) {
  starpu_codelet* const codelet = ConverterOf(handle, to_cuda);
  if (!codelet || !codelet->model) return 0;
  const Conversion conversion(handle, codelet);
  return ExpectedCost(codelet->model, conversion.task(), arch, implementation, worker);
}

void MakeOwnLayout(Residency& residency, const Converter* converter, Handle* handle,
                   unsigned node) {
  if (!IsMultiformat(handle)) return;
  if (converter && converter->node != node) converter = nullptr;  // called from a callback
  const bool to_cuda = IsCudaNode(node), is_simulated = VirtualTime::On();
  uint64_t end_ns = 0;
  {
    // Releases the claim before it waits for virtual time.
    const Residency::Claim claim(residency, handle);
    Multiformat& data = *DataOn(handle, node);
    if (IsForeign(data)) {
      const starpu_codelet* const codelet = ConverterOf(handle, to_cuda);
      const auto kind = to_cuda ? STARPU_CUDA_WORKER : STARPU_CPU_WORKER;
      const starpu_cpu_func_t function = codelet ? FunctionFor(kind, *codelet, 0) : nullptr;
      if (!function)
        Fatal("%s cannot be converted to the layout of %s: its %s has no function for them",
              Describe(handle).c_str(), to_cuda ? "CUDA devices" : "CPUs",
              to_cuda ? "cpu_to_cuda_cl" : "cuda_to_cpu_cl");
      if (to_cuda && !converter && !is_simulated)
        Fatal("%s is in the layout of CPUs on its device: only a task there can convert it",
              Describe(handle).c_str());
      if (is_simulated) end_ns = Reserve(residency, converter, handle, node, to_cuda);
      Convert(converter, handle, node, *codelet, function);
      SetForeign(data, false);
    }
  }
  if (is_simulated) residency.WaitFor(end_ns ? end_ns : residency.ArrivalOf(handle, node));
}

void WillWriteOwnLayout(Handle* handle, unsigned node) {
  if (IsMultiformat(handle)) SetForeign(*DataOn(handle, node), false);
}

}  // namespace tasklens::runtime
