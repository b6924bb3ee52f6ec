// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/communication.h"

#include <atomic>
#include <cstdio>

#include "runtime/core/insert.h"
#include "runtime/core/lifetime.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/handle.h"
#include "runtime/support/arguments.h"
#include "runtime/support/message.h"
#include "trace/format/ticks.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short
using tasklens::EventKind;
using tasklens::Record;

namespace tasklens::runtime {
namespace {

std::atomic<void (*)(starpu_data_handle_t, void*)> on_unregister{nullptr};

// A reading of the trace's clock and of the system's clock at one moment.
struct BothClocks {
  uint64_t ticks, ns;
};
BothClocks ReadBothClocks() {
  BothClocks best{};
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < 8; ++i) {
    const uint64_t before = tasklens::Recorder::Now().ticks;
    const uint64_t ns = tlt::MonotonicNs();
    const uint64_t between = tasklens::Recorder::Now().ticks - before;
    if (between >= shortest) continue;
    shortest = between;
    best = {before + between / 2, ns};
  }
  return best;
}

// Returns the trace's clock at the moment, a short while ago, when the system's clock showed
// `instant_ns`.
uint64_t TicksAt(uint64_t instant_ns) {
  constexpr uint64_t kMeasureFor = 200'000;
  const BothClocks first = ReadBothClocks();
  while (tlt::MonotonicNs() < first.ns + kMeasureFor) CpuRelax();
  const BothClocks last = ReadBothClocks();
  const double ticks_per_ns =
      static_cast<double>(last.ticks - first.ticks) / static_cast<double>(last.ns - first.ns);
  const double ago_ns = static_cast<double>(static_cast<int64_t>(last.ns - instant_ns));
  return last.ticks - static_cast<uint64_t>(static_cast<int64_t>(ago_ns * ticks_per_ns));
}

}  // namespace

void TellCommunication(Handle* handle) {
  void* const slot = CommunicationOf(handle).exchange(nullptr);
  const auto told = on_unregister.load(std::memory_order_acquire);
  if (slot && told) told(handle, slot);
}

}  // namespace tasklens::runtime

extern "C" {

starpu_task* _starpu_communication_build(const char* file, int line, const char* function,
                                         starpu_codelet* codelet, va_list arguments) {
  return BuildTask({file, function, static_cast<uint32_t>(line)}, codelet, arguments);
}
void _starpu_communication_warn(const char* format, ...) {
  char text[896];
  WITH_ARGS_AFTER(format, vsnprintf(text, sizeof text, format, args));
  Warn("%s", text);
}
void _starpu_communication_fatal(const char* format, ...) {
  char text[896];
  WITH_ARGS_AFTER(format, vsnprintf(text, sizeof text, format, args));
  Fatal("%s", text);
}

void* _starpu_communication_slot(starpu_data_handle_t handle) {
  return CommunicationOf(handle).load(std::memory_order_acquire);
}
void _starpu_communication_set_slot(starpu_data_handle_t handle, void* slot) {
  CommunicationOf(handle).store(slot, std::memory_order_release);
}
void _starpu_communication_on_unregister(void (*unregistered)(starpu_data_handle_t, void*)) {
  on_unregister.store(unregistered, std::memory_order_release);
}
int _starpu_communication_has_value(starpu_data_handle_t handle) { return handle->initialized; }
starpu_codelet* _starpu_communication_reduction(starpu_data_handle_t handle, void** argument) {
  *argument = handle->redux_argument;
  return handle->redux_codelet;
}

void _starpu_communication_started(unsigned rank, unsigned size) {
  Record<EventKind::kMpiStart>(rank, size);
}
void _starpu_communication_stopped(unsigned rank, unsigned size) {
  Record<EventKind::kMpiStop>(rank, size);
}
void _starpu_communication_barrier(unsigned rank, unsigned size, uint64_t run_key,
                                   uint64_t instant_ns) {
  if (!tasklens::Recorder::Started()) return;
  const tasklens::RecordMoment moment{TicksAt(instant_ns)};
  tasklens::RecordAt<EventKind::kMpiBarrier>(moment, rank, size, run_key, uint64_t{0});
}
void _starpu_communication_sent(int target, int64_t tag, uint64_t size_bytes, uint64_t job,
                                starpu_data_handle_t handle, int priority) {
  constexpr auto kType = static_cast<uint32_t>(tasklens::MessageType::kPointToPoint);
  Record<EventKind::kMpiSend>(target, tag, size_bytes, kType, job, handle, priority);
}
void _starpu_communication_received(int source, int64_t tag, uint64_t job,
                                    starpu_data_handle_t handle) {
  Record<EventKind::kMpiReceived>(source, tag, job, handle);
}
void _starpu_communication_spared(int target, int64_t tag, starpu_data_handle_t handle) {
  Record<EventKind::kMpiSpared>(target, tag, starpu_data_get_size(handle), handle);
}
void _starpu_communication_owner(starpu_data_handle_t handle, int rank) {
  Record<EventKind::kDataMpiOwner>(handle, rank);
}
void _starpu_communication_tag(starpu_data_handle_t handle, int64_t tag) {
  Record<EventKind::kDataMpiTag>(handle, tag);
}
void _starpu_communication_checkpoint(int is_end, uint64_t number, uint64_t domain) {
  Record<EventKind::kCheckpoint>(static_cast<uint32_t>(is_end), number, domain);
}
void _starpu_communication_enters(_starpu_communication_state state) {
  constexpr tasklens::StateKind kStates[] = {tasklens::StateKind::kSleeping,
                                             tasklens::StateKind::kCommPolling,
                                             tasklens::StateKind::kCallback};
  tasklens::RecordIn<EventKind::kStateSet>(tasklens::CategoryBit(tasklens::Category::kMpi),
                                           static_cast<uint32_t>(kStates[state]));
}

}  // extern "C"
