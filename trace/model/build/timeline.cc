// SPDX-License-Identifier: Apache-2.0
// Hands each event to the machine, and to the code that keeps points and counts.
#include "trace/model/build/timeline.h"

#include <algorithm>

#include "trace/events/event_table.h"
#include "trace/model/build/event_check.h"
#include "trace/model/build/routes.h"
#include "trace/model/build/work.h"

namespace tasklens::build {
namespace {

// The state that each memory operation shows on its row; kNone: none.
constexpr std::array<StateKind, static_cast<size_t>(MemoryOp::kCount)> kStateOfMemoryOp = {
    StateKind::kAllocating,  StateKind::kAllocatingReuse,  StateKind::kFreeing,
    StateKind::kWritingBack, StateKind::kWritingBackAsync, StateKind::kReclaiming,
    StateKind::kNone,
};

}  // namespace

Timeline::Timeline(TraceModel& model, uint32_t parts, BlockStore* scratch, BlockStore* columns)
    : model_(model),
      machine_((parts & kPartStates) != 0, scratch),
      moments_(model, machine_, parts, scratch, columns) {
  for (size_t kind = 0; kind < kEventKinds; ++kind)
    is_moment_[kind] = moments_.Keeps(static_cast<EventKind>(kind));
}

RankData& Timeline::AnotherRank(uint32_t rank) {
  const uint32_t index = index_of_rank_.FindOrAdd(rank, ranks_.size(), [&] {
    RankData& added = ranks_.emplace_back();
    added.rank = rank;
    added.index = static_cast<uint32_t>(ranks_.size()) - 1;
  });
  last_rank_ = rank;
  last_rank_index_ = index;
  last_thread_ = kNone;
  return ranks_[index];
}

inline uint32_t Timeline::ThreadOf(RankData& rank, const Event& event) {
  if (event.tid == 0) return kNone;
  Thread& thread = machine_.thread(FindThread(rank, event.tid, event.time_ns));
  if (event.time_ns >= thread.last_ns) {
    thread.last_ns = event.time_ns;
  } else if (inversions_++ == 0) {
    first_inversion_ = Place(event);
  }
  return last_thread_;
}

void Timeline::MemoryOperation(RankData& rank, const Event& event) {
  const StateKind state = kStateOfMemoryOp[event.args[1]];
  if (state == StateKind::kNone) return;
  const uint32_t node = machine_.NodeOf(rank, event.args[0], event.time_ns);
  if (event.kind == EventKind::kMemoryOpStart)
    machine_.Push(machine_.node(node).lane, event.time_ns, state);
  else
    machine_.Pop(machine_.node(node).lane, event.time_ns);
}

void Timeline::CopySubmission(RankData& rank, const Event& event) {
  const uint32_t node = machine_.NodeOf(rank, event.args[1], event.time_ns);
  if (event.kind == EventKind::kCopySubmitStart)
    machine_.Push(machine_.node(node).lane, event.time_ns, StateKind::kDriverCopyAsync);
  else
    machine_.Pop(machine_.node(node).lane, event.time_ns);
}

void Timeline::Barrier(RankData& rank, const Event& event) {
  const int64_t local_ns = static_cast<int64_t>(event.args[3]);
  const bool usable = local_ns > 0 && local_ns < kMaxTime;
  rank.barriers.push_back({usable ? local_ns : event.time_ns, event.args[2]});
  rank.world_size = static_cast<uint32_t>(event.args[1]);
}

// The state that a copy shows on the row of its target node.
void Timeline::CopyState(RankData& rank, const Event& event) {
  const build::Node& target = machine_.node(machine_.NodeOf(rank, event.args[1], event.time_ns));
  if (target.has_thread) return;
  if (event.kind == EventKind::kCopyStart)
    machine_.Push(target.lane, event.time_ns, StateKind::kDriverCopy);
  else
    machine_.Pop(target.lane, event.time_ns);
}

// The threads of a message may have no other events. In a rank without other events, only the
// sender is known.
void Timeline::WholeMessage(RankData& rank, const Event& event) {
  const auto thread_of = [&](RankData& of, uint64_t tid) {
    // Other events of the thread may follow, with earlier times.
    return tid == 0 ? kNone : machine_.ThreadOf(of, tid, -kMaxTime);
  };
  const auto after = [&](size_t arg) {
    const int64_t ns = std::clamp(static_cast<int64_t>(event.args[arg]), -kMaxTime, kMaxTime);
    return std::clamp(event.time_ns + ns, 1 - kMaxTime, kMaxTime - 1);
  };
  const build::Moments::MessageTimes times{event.time_ns, after(5), after(6), after(7)};
  rank.Saw(times.left_ns);
  const uint32_t target = index_of_rank_.Find(static_cast<uint32_t>(event.args[1]));
  const bool is_known = target != IdMap::kAbsent;
  const uint32_t receiver = is_known ? thread_of(ranks_[target], event.args[2]) : kNone;
  RankData& end = is_known ? ranks_[target] : rank;
  end.Saw(times.asked_ns);
  end.Saw(times.arrived_ns);
  moments_.WholeMessage(rank, thread_of(rank, event.args[0]), is_known ? target : kNone, receiver,
                        times, event);
}

template <class Kind>
inline int64_t Timeline::On(Kind kind, RankData& rank, uint32_t thread, const Event& event) {
  const auto args = event.args;
  switch (EventKind{kind}) {
    case EventKind::kWorkerNew: machine_.WorkerNew(rank, thread, event); break;
    case EventKind::kWorkerReady: machine_.WorkerReady(rank, thread, event); break;
    case EventKind::kWorkerStop: machine_.WorkerStop(rank, thread, event.time_ns); break;
    case EventKind::kWorkerGone: machine_.WorkerGone(thread, event.time_ns); break;
    case EventKind::kMemoryNodeNew: machine_.MemoryNodeNew(rank, event); break;
    case EventKind::kMemoryNodeThread: machine_.MemoryNodeThread(rank, thread, event); break;
    case EventKind::kThreadName: machine_.ThreadName(thread, static_cast<StringId>(args[0])); break;
    case EventKind::kStateSet:
      machine_.SetThreadState(rank, thread, event.time_ns, static_cast<StateKind>(args[0]));
      break;
    case EventKind::kStatePush:
      if (thread != kNone)
        machine_.Push(machine_.LaneOf(rank, thread, event.time_ns), event.time_ns,
                      static_cast<StateKind>(args[0]));
      break;
    case EventKind::kStatePop:
      if (thread != kNone)
        machine_.Pop(machine_.LaneOf(rank, thread, event.time_ns), event.time_ns);
      break;
    case EventKind::kWorkerStateSet: machine_.WorkerState(rank, event); break;
    case EventKind::kNamedState: machine_.NamedState(rank, thread, event); break;

    case EventKind::kTaskCount: rank.counts_tasks = true; break;
    case EventKind::kTaskStart:
    case EventKind::kTaskResume: machine_.BeginTask(rank, args[1], event.time_ns, args[0]); break;
    case EventKind::kTaskEnd: return machine_.EndTask(rank, args[1], event.time_ns, args[0]);
    case EventKind::kCopyStart:
    case EventKind::kCopyEnd: CopyState(rank, event); break;
    case EventKind::kCopySubmitStart:
    case EventKind::kCopySubmitEnd: CopySubmission(rank, event); break;
    case EventKind::kMemoryOpStart:
    case EventKind::kMemoryOpEnd: MemoryOperation(rank, event); break;
    case EventKind::kMemoryUsed: moments_.MemoryUsed(rank, event); break;

    // META alone (bit 0) means that nothing is recorded.
    case EventKind::kTracingStart: rank.recording.push_back({event.time_ns, args[0] != 1}); break;
    case EventKind::kTracingStop: rank.recording.push_back({event.time_ns, false}); break;

    case EventKind::kSteal: moments_.Steal(rank, event); break;
    case EventKind::kMpiStart:
      rank.world_size = static_cast<uint32_t>(args[1]);
      machine_.MpiStart(rank, thread, event.time_ns);
      break;
    case EventKind::kMpiStop: machine_.MpiStop(thread, event.time_ns); break;
    case EventKind::kMpiBarrier: Barrier(rank, event); break;
    case EventKind::kMpiSend:
    case EventKind::kMpiReceived:
    case EventKind::kMpiAfterSend:
    case EventKind::kMpiBeforeReceive:
    case EventKind::kMpiSendNuma:
    case EventKind::kMpiReceiveNuma: moments_.Message(rank, event); break;
    case EventKind::kWholeMessage: WholeMessage(rank, event); break;
    case EventKind::kCounterValue:
      if (thread != kNone) moments_.CounterValue(rank, thread, event);
      break;
    case EventKind::kProgramInfo:
      model_.info.emplace_back(static_cast<StringId>(args[0]), static_cast<StringId>(args[1]));
      break;
    default: break;  // only points
  }
  if (MayBeMoment(kind) && is_moment_[static_cast<size_t>(EventKind{kind})])
    moments_.Point(rank, thread, event);
  return event.time_ns;
}

int64_t Timeline::OnEvent(RankData& rank, const Event& event) {
  return On(event.kind, rank, ThreadOf(rank, event), event);
}

Timeline::OfJoint Timeline::OnJoint(RankData& rank, const JointEvent& joint) {
  const uint32_t thread = Takes(joint.kind) ? FindThread(rank, joint.tid, joint.time_ns) : kNone;
  if (thread != kNone) machine_.thread(thread).last_ns = joint.time_ns;
  OfJoint of{0, joint.time_ns};
  TakeApart(joint.kind, joint.args, [&](auto kind, std::span<const uint64_t> args) {
    ++of.events;
    if (!IsForTimeline(kind)) return;
    const Event event{joint.time_ns, kind, joint.rank, joint.tid, args};
    const int64_t work_time_ns = On(kind, rank, thread, event);
    if (kind == EventKind::kTaskEnd) of.work_time_ns = work_time_ns;
  });
  return of;
}

void Timeline::RenameStrings(const StringIds& new_id) {
  machine_.RenameStrings(new_id);
  moments_.RenameStrings(new_id);
  for (auto& [key, value] : model_.info) {
    key = new_id[key];
    value = new_id[value];
  }
}

}  // namespace tasklens::build
