// SPDX-License-Identifier: Apache-2.0
// Hands each event to the machine, and to what keeps points and counts.
#include "trace/model/build/timeline.h"

#include <algorithm>

#include "trace/events/event_table.h"
#include "trace/model/build/event_check.h"
#include "trace/model/build/work.h"

namespace tasklens::build {
namespace {

// The row of each memory operation's state; kNone: it has none.
constexpr std::array<StateKind, static_cast<size_t>(MemoryOp::kCount)> kStateOfMemoryOp = {
    StateKind::kAllocating,  StateKind::kAllocatingReuse,  StateKind::kFreeing,
    StateKind::kWritingBack, StateKind::kWritingBackAsync, StateKind::kReclaiming,
    StateKind::kNone,
};

// What both halves take, beside points.
constexpr EventKind kShared[] = {
    EventKind::kTaskStart, EventKind::kTaskEnd, EventKind::kTaskResume,
    EventKind::kCopyStart, EventKind::kCopyEnd,
};

// How many events say line, file, function, name and model of a task.
uint64_t CountTexts(std::span<const uint64_t> texts) {
  return uint64_t{texts[1] != 0} + uint64_t{texts[3] != 0} + uint64_t{texts[4] != 0};
}

}  // namespace

bool Timeline::Takes(EventKind kind) {
  return !Work::Takes(kind) || PointPart(kind) != 0 ||
         std::find(std::begin(kShared), std::end(kShared), kind) != std::end(kShared);
}

Timeline::Timeline(TraceModel& model, uint32_t parts, BlockStore* scratch, BlockStore* columns)
    : model_(model),
      machine_((parts & kPartStates) != 0, scratch),
      moments_(model, machine_, parts, scratch, columns) {
  for (size_t kind = 0; kind < kEventKinds; ++kind)
    is_moment_[kind] = moments_.Keeps(static_cast<EventKind>(kind));
}

RankData& Timeline::AnotherRank(uint32_t rank) {
  uint32_t index = index_of_rank_.Find(rank);
  if (index == IdMap::kAbsent) {
    index = static_cast<uint32_t>(ranks_.size());
    ranks_.emplace_back();
    ranks_.back().rank = rank;
    ranks_.back().index = index;
    index_of_rank_.Insert(rank, index);
  }
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

// What a copy shows on the row of the node it goes to.
void Timeline::CopyState(RankData& rank, const Event& event) {
  const build::Node& target = machine_.node(machine_.NodeOf(rank, event.args[1], event.time_ns));
  if (target.has_thread) return;
  if (event.kind == EventKind::kCopyStart)
    machine_.Push(target.lane, event.time_ns, StateKind::kDriverCopy);
  else
    machine_.Pop(target.lane, event.time_ns);
}

// Its threads need not have done anything else. Of a rank that nothing else told of, only who sent
// it is known.
void Timeline::WholeMessage(RankData& rank, const Event& event) {
  const auto thread_of = [&](RankData& of, uint64_t tid) {
    // What else it does may come later, and be earlier.
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

int64_t Timeline::OnEvent(RankData& rank, const Event& event) {
  const auto args = event.args;
  const uint32_t thread = ThreadOf(rank, event);
  switch (event.kind) {
    case EventKind::kWorkerNew: machine_.WorkerNew(rank, thread, event); break;
    case EventKind::kWorkerReady: machine_.WorkerReady(rank, thread, event); break;
    case EventKind::kWorkerStop: machine_.WorkerStop(rank, thread, event.time_ns); break;
    case EventKind::kWorkerGone: machine_.WorkerGone(thread, event.time_ns); break;
    case EventKind::kMemoryNodeNew: machine_.MemoryNodeNew(rank, event); break;
    case EventKind::kMemoryNodeThread: machine_.MemoryNodeThread(rank, thread, event); break;
    case EventKind::kThreadName: machine_.ThreadName(thread, static_cast<StringId>(args[0])); break;
    case EventKind::kStateSet:
    case EventKind::kStatePush:
    case EventKind::kStatePop: machine_.ThreadState(rank, thread, event); break;
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

    // META alone (bit 0) is no recording.
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
  if (is_moment_[static_cast<size_t>(event.kind)]) moments_.Point(rank, thread, event);
  return event.time_ns;
}

Timeline::OfJoint Timeline::OnJoint(RankData& rank, const JointEvent& joint) {
  const int64_t time_ns = joint.time_ns;
  const uint32_t thread = Takes(joint.kind) ? FindThread(rank, joint.tid, time_ns) : kNone;
  if (thread != kNone) machine_.thread(thread).last_ns = time_ns;
  const auto args = joint.args;
  const auto point = [&](EventKind kind, std::span<const uint64_t> of) {
    if (is_moment_[static_cast<size_t>(kind)])
      moments_.Point(rank, thread, {time_ns, kind, joint.rank, joint.tid, of});
  };
  const auto submitted = [&](uint64_t with_state) {
    if (with_state)
      machine_.Push(machine_.LaneOf(rank, thread, time_ns), time_ns, StateKind::kSubmittingTask);
    rank.counts_tasks = true;
    point(EventKind::kTaskCount, {});
    return with_state + 2;
  };
  const auto taken = [&](uint64_t priority, StateKind state) {
    point(EventKind::kTaskPop, std::array{args[0], priority});
    machine_.SetThreadState(rank, thread, time_ns, state);
  };
  const auto begun = [&](uint64_t worker) { machine_.BeginTask(rank, worker, time_ns, args[0]); };
  uint64_t events = 0;
  int64_t of_work_ns = time_ns;
  switch (joint.kind) {
    case Joint::kSubmission: events = submitted(0) + CountTexts(args.subspan(6)); break;
    case Joint::kAccesses: events = (args.size() - 1) / 2; break;
    case Joint::kTaken:
      taken(args[1], static_cast<StateKind>(args[2]));
      events = 2;
      break;
    case Joint::kFetch:
      taken(args[2], StateKind::kFetchingInput);
      point(EventKind::kDataLoad, std::array{args[3], args[1]});
      events = 3;
      break;
    case Joint::kBegin:
      begun(args[5]);
      events = 2;
      break;
    case Joint::kPlainBegin:
      begun(args[3]);
      events = args[6] != 0 ? 3 : 2;
      break;
    case Joint::kShortSubmission:
    case Joint::kShortAccess:
      events = submitted(args[3] >> 8 & 1) + CountTexts(args.subspan(3)) +
               (joint.kind == Joint::kShortAccess);
      break;
    case Joint::kShortBegin:
      begun(args[3] >> 16);
      events = args[4] != 0 ? 3 : 2;
      break;
    case Joint::kShortEnd:
      of_work_ns = machine_.EndTask(rank, args[3] >> 1, time_ns, args[0]);
      if (args[3] & 1) machine_.SetThreadState(rank, thread, time_ns, StateKind::kPushingOutput);
      events = 1 + (args[3] & 1);
      break;
    case Joint::kDone:
      machine_.SetThreadState(rank, thread, time_ns, StateKind::kScheduling);
      events = 2;
      break;
    case Joint::kParameters: events = args.size() - 1; break;
    case Joint::kWholeSubmission:
      events = submitted(args[5] >> 8 & 1) + CountTexts(args.subspan(6)) + (args[6] != 0) +
               (args.size() - 11) / 2;
      break;
    case Joint::kDependencies: events = args.size() - 3; break;
    case Joint::kWholeBegin:
      begun(args[3] >> 16);
      events = 2 + args.size() - 5;
      break;
    case Joint::kCount: break;
  }
  return {events, of_work_ns};
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
