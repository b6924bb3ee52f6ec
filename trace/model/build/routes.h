// SPDX-License-Identifier: Apache-2.0
// The parts of the model that need each kind of event. A new kind gets a row here; without one it
// goes to the timeline only.
//
// Threads: constants and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trace/events/event_table.h"
#include "trace/model/trace_model.h"

namespace tasklens::build {

// The part of Work that takes an event.
enum class WorkPart : uint8_t {
  kNone,
  kTask,     // Tasks; the first argument is the task
  kTasks,    // Tasks; events of several tasks or of none
  kData,     // Data; the first argument is the task
  kHandles,  // Data
  kCopies,   // Data
};
inline constexpr std::array<WorkPart, kEventKinds> kWorkRoutes = [] {
  std::array<WorkPart, kEventKinds> of{};
  const auto set = [&](WorkPart part, auto... kinds) {
    ((of[static_cast<size_t>(kinds)] = part), ...);
  };
  using K = EventKind;
  set(WorkPart::kTask, K::kTaskReady, K::kTaskPop, K::kTaskSubmit, K::kTaskSite, K::kTaskName,
      K::kTaskModel, K::kTaskColor, K::kTaskHidden, K::kTaskParent, K::kTaskStart, K::kTaskEnd,
      K::kTaskOnDevice, K::kTaskResume, K::kTaskDone, K::kTaskLevel, K::kTaskDetails, K::kTaskPapi,
      K::kTaskEstimate, K::kTaskBound);
  set(WorkPart::kTasks, K::kTaskTag, K::kTaskDep, K::kTaskEndDep, K::kTagDep, K::kTagDone,
      K::kTagSite, K::kCodeletWhere, K::kCallSite);
  set(WorkPart::kData, K::kTaskAccess, K::kTaskParameter, K::kTaskNuma);
  set(WorkPart::kHandles, K::kDataNew, K::kDataDelete, K::kDataName, K::kDataCoordinates,
      K::kDataMpiTag, K::kDataMpiOwner);
  set(WorkPart::kCopies, K::kCopyStart, K::kCopyEnd, K::kCopyOnDevice);
  return of;
}();
constexpr WorkPart WorkRoute(EventKind kind) { return kWorkRoutes[static_cast<size_t>(kind)]; }

struct PointRoute {
  EventKind kind;
  ModelParts part;
};

// Every kind that is kept as a point.
inline constexpr PointRoute kPointRoutes[] = {
    {EventKind::kTaskReady, kPartSchedulerPoints},
    {EventKind::kTaskPop, kPartSchedulerPoints},
    {EventKind::kComponentNew, kPartSchedulerPoints},
    {EventKind::kComponentLink, kPartSchedulerPoints},
    {EventKind::kComponentPush, kPartSchedulerPoints},
    {EventKind::kComponentPull, kPartSchedulerPoints},
    {EventKind::kMemoryOpStart, kPartMemoryPoints},
    {EventKind::kMemoryOpEnd, kPartMemoryPoints},
    {EventKind::kDataState, kPartMemoryPoints},
    {EventKind::kDataRequest, kPartMemoryPoints},
    {EventKind::kDataLoad, kPartMemoryPoints},
    {EventKind::kDataCopied, kPartMemoryPoints},
    {EventKind::kCopySubmitStart, kPartMemoryPoints},
    {EventKind::kCopySubmitEnd, kPartMemoryPoints},
    {EventKind::kDataNew, kPartPoints},
    {EventKind::kDataDelete, kPartPoints},
    {EventKind::kDataWontUse, kPartPoints},
    {EventKind::kMemoryFull, kPartPoints},
    {EventKind::kUserEvent, kPartPoints},
    {EventKind::kMessage, kPartPoints},
    {EventKind::kThreadMessage, kPartPoints},
    {EventKind::kTagDone, kPartPoints},
    {EventKind::kProfiling, kPartPoints},
    {EventKind::kTracingStart, kPartPoints},
    {EventKind::kTracingStop, kPartPoints},
    {EventKind::kMpiBarrier, kPartPoints},
    {EventKind::kMpiSpared, kPartPoints},
    {EventKind::kFlushStart, kPartPoints},
    {EventKind::kFlushEnd, kPartPoints},
    {EventKind::kCheckpoint, kPartPoints},
    {EventKind::kCallSite, kPartPoints},
};

inline constexpr std::array<uint32_t, kEventKinds> kPartOfKind = [] {
  std::array<uint32_t, kEventKinds> parts{};
  for (const PointRoute& row : kPointRoutes) parts[static_cast<size_t>(row.kind)] = row.part;
  return parts;
}();
// Returns the part of the model that keeps events of `kind` as points; 0: they are not kept,
// because a table holds all their data.
constexpr uint32_t PointPart(EventKind kind) { return kPartOfKind[static_cast<size_t>(kind)]; }

// Whether an event of `kind` counts the tasks that are submitted, ready or taken.
constexpr bool CountsTasks(EventKind kind) {
  return kind == EventKind::kTaskCount || kind == EventKind::kTaskReady ||
         kind == EventKind::kTaskPop;
}
// Whether Moments may use events of `kind`, whatever parts of the model are wanted.
constexpr bool MayBeMoment(EventKind kind) { return PointPart(kind) != 0 || CountsTasks(kind); }

// Whether a half of the model needs events of `kind`. Every kind is for at least one half.
constexpr bool IsForWork(EventKind kind) { return WorkRoute(kind) != WorkPart::kNone; }
constexpr bool IsForTimeline(EventKind kind) {
  using K = EventKind;
  return !IsForWork(kind) || PointPart(kind) != 0 || kind == K::kTaskStart || kind == K::kTaskEnd ||
         kind == K::kTaskResume || kind == K::kCopyStart || kind == K::kCopyEnd;
}

}  // namespace tasklens::build
