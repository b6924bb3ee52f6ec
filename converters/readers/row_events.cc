// SPDX-License-Identifier: Apache-2.0
// Fills in what these files do not tell.
#include "converters/readers/row_events.h"

#include "converters/rank_word.h"

namespace tasklens {
namespace {

WorkerArch ArchOf(std::string_view name) {
  for (const WorkerArch arch : {WorkerArch::kCuda, WorkerArch::kOpencl, WorkerArch::kHip})
    if (name.starts_with(WorkerArchName(arch))) return arch;
  return WorkerArch::kCpu;
}

}  // namespace

void RowEvents::TellOfRun(uint32_t rank, int64_t time_ns, std::string_view key,
                          std::string_view value) {
  Tell(time_ns, EventKind::kProgramInfo, rank, 0, sink_.Intern(key), sink_.Intern(value));
}

void RowEvents::TellClock(uint32_t rank, size_t ranks, bool are_runs) {
  constexpr uint64_t kRun = 1, kOwnTime = 0;
  Tell(0, EventKind::kMpiBarrier, rank, 0, rank, are_runs ? kNoWorld : ranks, kRun, kOwnTime);
}

void RowEvents::TellWorker(const EventRow& row, int64_t time_ns, std::string_view name,
                           int64_t node, int64_t cpu) {
  constexpr int64_t kNoDevice = -1, kOwnThread = 1;
  Tell(time_ns, EventKind::kWorkerNew, row.rank, row.tid, row.worker,
       static_cast<uint64_t>(ArchOf(name)), kNoDevice, node, cpu, kOwnThread, sink_.Intern(name));
  SetState(row, time_ns, StateKind::kNone);
}

void RowEvents::SetState(const EventRow& row, int64_t time_ns, StateKind kind, StringId name) {
  const auto state = static_cast<uint64_t>(kind);
  constexpr uint64_t kReplaces = 0;
  if (name != 0)
    Tell(time_ns, EventKind::kNamedState, row.rank, row.tid, state, name, kReplaces);
  else if (row.is_worker)
    Tell(time_ns, EventKind::kWorkerStateSet, row.rank, row.tid, row.worker, state);
  else
    Tell(time_ns, EventKind::kStateSet, row.rank, row.tid, state);
}

void RowEvents::PushState(const EventRow& row, int64_t time_ns, StateKind kind, StringId name) {
  const auto state = static_cast<uint64_t>(kind);
  constexpr uint64_t kIsPushed = 1;
  if (name != 0)
    Tell(time_ns, EventKind::kNamedState, row.rank, row.tid, state, name, kIsPushed);
  else
    Tell(time_ns, EventKind::kStatePush, row.rank, row.tid, state);
}

void RowEvents::TellCopy(uint32_t rank, int64_t source, int64_t target, int64_t start_ns,
                         int64_t end_ns, uint64_t size_bytes, int64_t reason) {
  constexpr uint64_t kNoThread = 0, kNoHandle = 0;
  ++copies_;
  Tell(start_ns, EventKind::kCopyStart, rank, kNoThread, source, target, size_bytes, copies_,
       reason, kNoHandle);
  Tell(std::max(start_ns, end_ns), EventKind::kCopyEnd, rank, kNoThread, source, target, size_bytes,
       copies_, reason);
}

}  // namespace tasklens
