// SPDX-License-Identifier: Apache-2.0
// The tables behind events.h; the rows of events are parsed in event_table.h.
#include "trace/events/events.h"

#include "trace/events/event_table.h"

namespace tasklens {
namespace {

constexpr StateDecl kStates[] = {
#define STATE(Kind, name, group, red, green, blue) \
  {StateKind::k##Kind, name, StateGroup::group, (red << 16) | (green << 8) | blue},
#include "trace/events/states.inc"
#undef STATE
};

constexpr std::string_view kCategoryNames[] = {
    "META",
    "USER",
    "TASK",
    "TASK_VERBOSE",
    "DATA",
    "DATA_VERBOSE",
    "WORKER",
    "WORKER_VERBOSE",
    "DSM",
    "DSM_VERBOSE",
    "SCHED",
    "SCHED_VERBOSE",
    "LOCK",
    "LOCK_VERBOSE",
    "EVENT",
    "EVENT_VERBOSE",
    "MPI",
    "MPI_VERBOSE",
    "HYP",
    "HYP_VERBOSE",
    "TASK_VERBOSE_EXTRA",
    "MPI_VERBOSE_EXTRA",
};
static_assert(std::size(kCategoryNames) == static_cast<size_t>(Category::kCount));

}  // namespace

std::string_view CategoryName(Category category) {
  return kCategoryNames[static_cast<size_t>(category)];
}

const EventDecl& Decl(EventKind kind) { return kEventTable[static_cast<size_t>(kind)]; }

std::span<const EventDecl> AllEvents() { return kEventTable; }

const EventDecl* FindEvent(std::string_view name) {
  for (const EventDecl& decl : kEventTable)
    if (decl.name == name) return &decl;
  return nullptr;
}

const StateDecl& Decl(StateKind kind) { return kStates[static_cast<size_t>(kind)]; }

std::span<const StateDecl> AllStates() { return kStates; }

std::string_view WorkerArchName(WorkerArch arch) {
  switch (arch) {
    case WorkerArch::kCpu: return "CPU";
    case WorkerArch::kCuda: return "CUDA";
    case WorkerArch::kOpencl: return "OPENCL";
    case WorkerArch::kMaxFpga: return "MAX_FPGA";
    case WorkerArch::kMpiMs: return "MPI_MS";
    case WorkerArch::kTcpipMs: return "TCPIP_MS";
    case WorkerArch::kHip: return "HIP";
    case WorkerArch::kUnknown: break;
  }
  return "UNK";
}

}  // namespace tasklens
