// SPDX-License-Identifier: Apache-2.0
// Checks each event and hands it to the part of the model that it concerns.
#include "trace/model/model_builder.h"

#include <algorithm>
#include <array>
#include <future>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trace/events/event_table.h"
#include "trace/model/build/data.h"
#include "trace/model/build/machine.h"
#include "trace/model/build/moments.h"
#include "trace/model/build/ranks.h"
#include "trace/model/build/tasks.h"
#include "trace/model/model_columns.h"

namespace tasklens {
namespace {

using build::RankData;

// The row of each memory operation's state; kNone: it has none.
constexpr std::array<StateKind, static_cast<size_t>(MemoryOp::kCount)> kStateOfMemoryOp = {
    StateKind::kAllocating,  StateKind::kAllocatingReuse,  StateKind::kFreeing,
    StateKind::kWritingBack, StateKind::kWritingBackAsync, StateKind::kReclaiming,
    StateKind::kNone,
};

// How many arguments an event has, and which of them indexes something of ours: it is smaller than
// `limit`; 0: none does.
struct ArgRule {
  uint8_t count = 0, index = 0, limit = 0;
};

constexpr std::array<ArgRule, kEventKinds> kArgRules = [] {
  std::array<ArgRule, kEventKinds> rules{};
  for (const EventDecl& decl : kEventTable)
    rules[static_cast<size_t>(decl.kind)].count = static_cast<uint8_t>(decl.arg_count);
  const auto limit = [&](EventKind kind, uint8_t index, auto end) {
    rules[static_cast<size_t>(kind)].index = index;
    rules[static_cast<size_t>(kind)].limit = static_cast<uint8_t>(end);
  };
  limit(EventKind::kStateSet, 0, StateKind::kCount);
  limit(EventKind::kStatePush, 0, StateKind::kCount);
  limit(EventKind::kWorkerStateSet, 1, StateKind::kCount);
  limit(EventKind::kMemoryOpStart, 1, MemoryOp::kCount);
  limit(EventKind::kMemoryOpEnd, 1, MemoryOp::kCount);
  return rules;
}();

bool ArgsAreValid(const Event& event, const ArgRule& rule) {
  if (event.args.size() < rule.count || event.args.size() > kMaxArgs) return false;
  return rule.limit == 0 || event.args[rule.index] < rule.limit;
}

// What every event looks up, in one place.
struct KindRule {
  ArgRule args;
  bool is_moment = false;  // see Moments::Keeps()
};

// Whether nothing needs to be said of it, or left out: the others are taken apart.
bool IsPlain(const JointEvent& joint) {
  if (joint.time_ns >= kMaxTime || joint.time_ns <= -kMaxTime || joint.tid == 0) return false;
  if (joint.args[0] == 0) return false;  // no task
  switch (joint.kind) {
    case Joint::kTaken: return joint.args[2] < static_cast<uint64_t>(StateKind::kCount);
    case Joint::kAccesses: return joint.args.size() >= 3;  // else it has none
    default: return true;
  }
}

// Where an event stands, for people.
std::string Place(const Event& event) {
  std::string place = event.kind < EventKind::kCount ? std::string(Decl(event.kind).name) : "event";
  place += " of rank " + std::to_string(event.rank);
  if (event.tid != 0) place += ", thread " + std::to_string(event.tid);
  return place;
}

}  // namespace

class ModelBuilder::Impl {
 public:
  Impl(Diagnostics& diags, uint32_t parts, std::shared_ptr<ScratchFile> scratch)
      : diags_(diags),
        parts_(parts),
        columns_(scratch ? std::shared_ptr<BlockStore>(scratch)
                         : std::make_shared<SegmentMemory>()),
        machine_((parts & kPartStates) != 0, scratch.get()),
        tasks_(model_, machine_, parts, scratch.get(), columns_.get()),
        data_(model_, machine_, parts, scratch.get(), columns_.get()),
        moments_(model_, machine_, parts, scratch.get(), columns_.get()) {
    VisitColumns(model_, [this]<class T>(T& column) {
      if constexpr (requires { column.UseStore(columns_.get()); }) column.UseStore(columns_.get());
    });
    // The columns of states are read together.
    BlockStream* stream = columns_->NewStream();
    StateTable& states = model_.states;
    states.start_ns.UseStore(stream);
    states.end_ns.UseStore(stream);
    states.kind.UseStore(stream);
    states.depth.UseStore(stream);
    states.task.UseStore(stream);
    model_.storage = columns_;
    for (size_t kind = 0; kind < kEventKinds; ++kind)
      rules_[kind] = {kArgRules[kind], moments_.Keeps(static_cast<EventKind>(kind))};
  }

  StringId Intern(std::string_view text) { return model_.strings.Intern(text); }
  bool Wants(EventKind kind) const {
    return !build::IsPointOnly(kind) || (parts_ & build::PointPart(kind)) != 0;
  }
  void OnUnwanted(const UnwantedEvents& events);
  void OnEvent(const Event& event);
  void OnJoint(const JointEvent& joint);
  Result<TraceModel> Finish();

 private:
  RankData& RankOf(uint32_t rank) {
    return rank == last_rank_ && !ranks_.empty() ? ranks_[last_rank_index_] : AnotherRank(rank);
  }
  RankData& AnotherRank(uint32_t rank);
  void Reject(const Event& event);
  uint32_t ThreadOf(RankData& rank, const Event& event);
  uint32_t FindThread(RankData& rank, uint64_t tid, int64_t time_ns);
  uint64_t SubmissionTexts(uint32_t task, std::span<const uint64_t> texts);
  void AboutTheFile(RankData& rank, const Event& event);
  void MemoryOperation(RankData& rank, const Event& event);
  void CopySubmission(RankData& rank, const Event& event);
  void Barrier(RankData& rank, const Event& event);
  void SetWallClockOfModel(const build::Clocks& clocks);
  void AddUpSourceCounts();

  Diagnostics& diags_;
  const uint32_t parts_;
  const std::shared_ptr<BlockStore> columns_;  // where those of the model lie
  TraceModel model_;
  build::Machine machine_;
  build::Tasks tasks_;
  build::Data data_;
  build::Moments moments_;
  std::array<KindRule, kEventKinds> rules_;

  std::vector<RankData> ranks_;
  IdMap index_of_rank_;
  uint64_t bad_events_ = 0, inversions_ = 0;
  std::string first_bad_event_, first_inversion_;
  // The rank and thread of the event before: most often the same again.
  uint32_t last_rank_ = kNone, last_rank_index_ = 0;
  uint32_t last_thread_ = kNone;
};

RankData& ModelBuilder::Impl::AnotherRank(uint32_t rank) {
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

inline uint32_t ModelBuilder::Impl::FindThread(RankData& rank, uint64_t tid, int64_t time_ns) {
  if (last_thread_ == kNone || machine_.thread(last_thread_).tid != tid)
    last_thread_ = machine_.ThreadOf(rank, tid, time_ns);
  return last_thread_;
}

inline uint32_t ModelBuilder::Impl::ThreadOf(RankData& rank, const Event& event) {
  if (event.tid == 0) return kNone;
  build::Thread& thread = machine_.thread(FindThread(rank, event.tid, event.time_ns));
  if (event.time_ns >= thread.last_ns) {
    thread.last_ns = event.time_ns;
  } else if (inversions_++ == 0) {
    first_inversion_ = Place(event);
  }
  return last_thread_;
}

// Events that nothing in the program caused: they do not count, and their time means nothing.
void ModelBuilder::Impl::AboutTheFile(RankData& rank, const Event& event) {
  if (event.kind == EventKind::kWallClock) {
    rank.wall_local_ns = event.time_ns;
    rank.wall_unix_ns = static_cast<int64_t>(event.args[0]);
    return;
  }
  model_.source_event_counts.emplace_back(event.args[0], event.args[1]);
}

void ModelBuilder::Impl::MemoryOperation(RankData& rank, const Event& event) {
  const StateKind state = kStateOfMemoryOp[event.args[1]];
  if (state == StateKind::kNone) return;
  const uint32_t node = machine_.NodeOf(rank, event.args[0], event.time_ns);
  if (event.kind == EventKind::kMemoryOpStart)
    machine_.Push(machine_.node(node).lane, event.time_ns, state);
  else
    machine_.Pop(machine_.node(node).lane, event.time_ns);
}

void ModelBuilder::Impl::CopySubmission(RankData& rank, const Event& event) {
  const uint32_t node = machine_.NodeOf(rank, event.args[1], event.time_ns);
  if (event.kind == EventKind::kCopySubmitStart)
    machine_.Push(machine_.node(node).lane, event.time_ns, StateKind::kDriverCopyAsync);
  else
    machine_.Pop(machine_.node(node).lane, event.time_ns);
}

void ModelBuilder::Impl::Barrier(RankData& rank, const Event& event) {
  const int64_t local_ns = static_cast<int64_t>(event.args[3]);
  const bool usable = local_ns > 0 && local_ns < kMaxTime;
  rank.barriers.push_back({usable ? local_ns : event.time_ns, event.args[2]});
  rank.world_size = static_cast<uint32_t>(event.args[1]);
}

void ModelBuilder::Impl::OnUnwanted(const UnwantedEvents& events) {
  RankData& rank = RankOf(events.rank);
  rank.first_ns = std::min(rank.first_ns, events.first_ns);
  rank.last_ns = std::max(rank.last_ns, events.last_ns);
  model_.event_count += events.count;
}

void ModelBuilder::Impl::Reject(const Event& event) {
  if (bad_events_++ == 0) first_bad_event_ = Place(event);
}

void ModelBuilder::Impl::OnEvent(const Event& event) {
  if (event.kind >= EventKind::kCount) return Reject(event);
  const KindRule rule = rules_[static_cast<size_t>(event.kind)];
  if (!ArgsAreValid(event, rule.args) || event.time_ns >= kMaxTime || event.time_ns <= -kMaxTime)
    return Reject(event);
  RankData& rank = RankOf(event.rank);
  const auto args = event.args;
  if (event.kind == EventKind::kSourceEventCount || event.kind == EventKind::kWallClock)
    return AboutTheFile(rank, event);
  ++model_.event_count;
  rank.first_ns = std::min(rank.first_ns, event.time_ns);
  rank.last_ns = std::max(rank.last_ns, event.time_ns);
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

    case EventKind::kTaskCount: rank.counts_tasks = true; break;
    case EventKind::kTaskReady:
    case EventKind::kTaskPop:
    case EventKind::kTaskSubmit:
    case EventKind::kTaskSite:
    case EventKind::kTaskName:
    case EventKind::kTaskModel:
    case EventKind::kTaskColor:
    case EventKind::kTaskTag:
    case EventKind::kTaskDep:
    case EventKind::kTaskEndDep:
    case EventKind::kTagDep:
    case EventKind::kTagDone:
    case EventKind::kTaskHidden:
    case EventKind::kTaskParent:
    case EventKind::kTaskStart:
    case EventKind::kTaskEnd:
    case EventKind::kTaskOnDevice:
    case EventKind::kTaskDone:
    case EventKind::kTaskDetails:
    case EventKind::kTaskPapi:
    case EventKind::kTaskEstimate: tasks_.OnEvent(rank, event); break;
    case EventKind::kTaskAccess:
    case EventKind::kTaskParameter:
    case EventKind::kTaskNuma: data_.TaskEvent(rank, tasks_.RowOf(rank, args[0]), event); break;

    case EventKind::kDataNew:
    case EventKind::kDataDelete:
    case EventKind::kDataName:
    case EventKind::kDataCoordinates:
    case EventKind::kDataMpiTag:
    case EventKind::kDataMpiOwner: data_.HandleEvent(rank, event); break;
    case EventKind::kCopyStart:
    case EventKind::kCopyEnd: data_.CopyEvent(rank, event); break;
    case EventKind::kCopyOnDevice: data_.CopyOnDevice(rank, event); break;
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
    case EventKind::kMpiSendNuma:
    case EventKind::kMpiReceiveNuma: moments_.Message(rank, event); break;
    case EventKind::kProgramInfo:
      model_.info.emplace_back(static_cast<StringId>(args[0]), static_cast<StringId>(args[1]));
      break;
    default: break;  // points only
  }
  if (rule.is_moment) moments_.Point(rank, thread, event);
}

// Line, file, function, name and model of a task, and how many events say so.
uint64_t ModelBuilder::Impl::SubmissionTexts(uint32_t task, std::span<const uint64_t> texts) {
  if (texts[1] != 0) tasks_.Site(task, texts[0], texts[1], texts[2]);
  if (texts[3] != 0) tasks_.Name(task, texts[3]);
  if (texts[4] != 0) tasks_.Model(task, texts[4]);
  return (texts[1] != 0) + (texts[3] != 0) + (texts[4] != 0);
}

// What OnEvent() does with each of the events it stands for, without asking the same things of
// each.
void ModelBuilder::Impl::OnJoint(const JointEvent& joint) {
  const auto take_apart = [&] {
    ForEachEvent(joint, [this](const Event& event) { OnEvent(event); });
  };
  if (!IsPlain(joint)) return take_apart();
  const int64_t time_ns = joint.time_ns;
  RankData& rank = RankOf(joint.rank);
  const uint32_t thread = FindThread(rank, joint.tid, time_ns);
  if (time_ns < machine_.thread(thread).last_ns) return take_apart();
  machine_.thread(thread).last_ns = time_ns;
  rank.first_ns = std::min(rank.first_ns, time_ns);
  rank.last_ns = std::max(rank.last_ns, time_ns);

  const auto args = joint.args;
  if (joint.kind == Joint::kDependencies) {  // the task that it is about is not mentioned first
    tasks_.AddDeps(rank, args[0], args.subspan(3), args[1], args[2]);
    model_.event_count += args.size() - 3;
    return;
  }
  const uint32_t task = tasks_.RowOf(rank, args[0]);
  const auto point = [&](EventKind kind, std::span<const uint64_t> of) {
    if (rules_[static_cast<size_t>(kind)].is_moment)
      moments_.Point(rank, thread, {time_ns, kind, joint.rank, joint.tid, of});
  };
  const auto access = [&](uint64_t handle, uint64_t size_and_mode) {
    data_.AddAccess(rank, task, time_ns, handle, SizeOfAccess(size_and_mode),
                    ModeOfAccess(size_and_mode));
  };
  const auto taken = [&](uint64_t priority, StateKind state) {
    tasks_.Pop(task, time_ns);
    point(EventKind::kTaskPop, std::array{args[0], priority});
    machine_.SetThreadState(rank, thread, time_ns, state);
  };
  // Of tasks with TypeAndLine(); how many events it stands for. `texts`: file and those after it.
  const auto typed_submission = [&](uint64_t type_and_line, uint64_t iteration,
                                    uint64_t subiteration, uint64_t priority,
                                    std::span<const uint64_t> texts) -> uint64_t {
    const bool begins = type_and_line >> 8 & 1;
    if (begins)
      machine_.Push(machine_.LaneOf(rank, thread, time_ns), time_ns, StateKind::kSubmittingTask);
    rank.counts_tasks = true;
    point(EventKind::kTaskCount, {});
    tasks_.Submit(task, time_ns, args[1], iteration, subiteration, priority, type_and_line & 0xff);
    const std::array of = {type_and_line >> 9, texts[0], texts[1], texts[2], texts[3]};
    return begins + 2 + SubmissionTexts(task, of);
  };
  const auto short_submission = [&] {
    return typed_submission(args[3], kNoIteration, kNoIteration, args[2], args.subspan(4));
  };
  uint64_t events = 0;
  switch (joint.kind) {
    case Joint::kSubmission:
      rank.counts_tasks = true;
      point(EventKind::kTaskCount, {});
      tasks_.Submit(task, time_ns, args[1], args[2], args[3], args[4], args[5]);
      events = 2 + SubmissionTexts(task, args.subspan(6));
      break;
    case Joint::kOneAccess:
      rank.counts_tasks = true;
      point(EventKind::kTaskCount, {});
      tasks_.Submit(task, time_ns, args[1], kNoIteration, kNoIteration, args[4], args[5]);
      events = 3 + SubmissionTexts(task, args.subspan(6));
      access(args[2], args[3]);
      break;
    case Joint::kAccesses:
      for (size_t i = 1; i + 1 < args.size(); i += 2, ++events) access(args[i], args[i + 1]);
      break;
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
      tasks_.Details(task, args[1], args[2], args[3], args[4]);
      tasks_.Start(rank, task, time_ns, args[5], args[6], args[7]);
      events = 2;
      break;
    case Joint::kPlainBegin:
      if (args[6] != 0) data_.AddParameter(task, args[6]);
      tasks_.Details(task, args[1], args[2], 0, 0);
      tasks_.Start(rank, task, time_ns, args[3], args[4], args[5]);
      events = args[6] != 0 ? 3 : 2;
      break;
    case Joint::kShortSubmission: events = short_submission(); break;
    case Joint::kShortAccess:
      events = short_submission() + 1;
      data_.AddAccess(rank, task, time_ns, args[8], args[9], static_cast<uint32_t>(args[10]));
      break;
    case Joint::kShortBegin:
      if (args[4] != 0) data_.AddParameter(task, args[4]);
      tasks_.Details(task, args[1], args[2], 0, 0);
      tasks_.Start(rank, task, time_ns, args[3] >> 16, args[3] >> 8 & 0xff, args[3] & 0xff);
      events = args[4] != 0 ? 3 : 2;
      break;
    case Joint::kShortEnd:
      tasks_.End(rank, task, time_ns, args[3] >> 1, args[1], args[2], args[4]);
      if (args[3] & 1) machine_.SetThreadState(rank, thread, time_ns, StateKind::kPushingOutput);
      events = 1 + (args[3] & 1);
      break;
    case Joint::kDone:
      tasks_.Done(task, time_ns);
      machine_.SetThreadState(rank, thread, time_ns, StateKind::kScheduling);
      events = 2;
      break;
    case Joint::kParameters:
      for (const uint64_t text : args.subspan(1)) data_.AddParameter(task, text);
      events = args.size() - 1;
      break;
    case Joint::kWholeSubmission:
      events = typed_submission(args[5], args[2], args[3], args[4], args.subspan(7));
      if (args[6] != 0) tasks_.Color(task, args[6]), ++events;
      for (size_t i = 11; i + 1 < args.size(); i += 2, ++events) access(args[i], args[i + 1]);
      break;
    case Joint::kWholeBegin:
      for (const uint64_t text : args.subspan(5)) data_.AddParameter(task, text);
      tasks_.Details(task, args[1], args[2], 0, args[4]);
      tasks_.Start(rank, task, time_ns, args[3] >> 16, args[3] >> 8 & 0xff, args[3] & 0xff);
      events = 2 + args.size() - 5;
      break;
    case Joint::kDependencies:  // above
    case Joint::kCount: break;
  }
  model_.event_count += events;
}

void ModelBuilder::Impl::SetWallClockOfModel(const build::Clocks& clocks) {
  const RankData* lowest = nullptr;
  for (const RankData& rank : ranks_)
    if (rank.wall_unix_ns > 0 && (!lowest || rank.rank < lowest->rank)) lowest = &rank;
  if (!lowest) return;
  const int64_t offset_ns = clocks.of_rank[lowest->index].offset_ns();
  const auto wrap = [](int64_t value) { return static_cast<uint64_t>(value); };
  model_.wall_clock_ns = static_cast<int64_t>(wrap(lowest->wall_unix_ns) -
                                              wrap(lowest->wall_local_ns) - wrap(offset_ns));
}

// One row for each code, whichever ranks had it.
void ModelBuilder::Impl::AddUpSourceCounts() {
  std::map<uint64_t, uint64_t> sums;
  for (const auto& [code, count] : model_.source_event_counts) sums[code] += count;
  model_.source_event_counts.assign(sums.begin(), sums.end());
}

Result<TraceModel> ModelBuilder::Impl::Finish() {
  if (model_.event_count == 0)
    return Status(ErrorCode::kCorrupt, "the trace holds no event; was recording ever on?");
  diags_.Skip("model_bad_event", first_bad_event_, bad_events_);
  diags_.Skip("model_time_inversion", first_inversion_, inversions_);
  for (RankData& rank : ranks_)
    if (rank.first_ns > rank.last_ns) rank.first_ns = rank.last_ns = 0;  // it has no event
  const build::Clocks clocks = build::AlignClocks(ranks_, model_.ranks, diags_);
  for (const RankData& rank : ranks_)
    model_.duration_ns = std::max(model_.duration_ns, clocks.of_rank[rank.index](rank.last_ns));
  SetWallClockOfModel(clocks);
  AddUpSourceCounts();
  machine_.FinishTracks(ranks_, clocks, model_);
  // States and dependencies are most of the work, and touch nothing of the rest.
  Diagnostics of_states;
  std::future<void> states = std::async(
      std::launch::async, [&] { machine_.FinishStates(ranks_, clocks, model_, of_states); });
  std::future<void> deps = std::async(std::launch::async, [&] { tasks_.FinishDeps(); });
  // Each of these needs the local times of those after it.
  moments_.Finish(ranks_, tasks_.FinishRuns(), clocks, diags_);
  data_.Finish(ranks_, clocks, diags_);
  tasks_.Finish(ranks_, clocks, diags_);
  deps.get();
  states.get();
  diags_.Merge(of_states);
  // What was not packed yet goes into the store as well.
  VisitColumns(model_, []<class T>(T& column) {
    if constexpr (requires { column.ShrinkToFit(); }) column.ShrinkToFit();
  });
  return std::move(model_);
}

ModelBuilder::ModelBuilder(Diagnostics& diags, uint32_t parts, std::shared_ptr<ScratchFile> scratch)
    : impl_(std::make_unique<Impl>(diags, parts, std::move(scratch))) {}
ModelBuilder::~ModelBuilder() = default;
StringId ModelBuilder::Intern(std::string_view text) { return impl_->Intern(text); }
bool ModelBuilder::Wants(EventKind kind) const { return impl_->Wants(kind); }
void ModelBuilder::OnUnwanted(const UnwantedEvents& events) { impl_->OnUnwanted(events); }
void ModelBuilder::OnEvent(const Event& event) { impl_->OnEvent(event); }
void ModelBuilder::OnJoint(const JointEvent& joint) { impl_->OnJoint(joint); }
Result<TraceModel> ModelBuilder::Finish() && { return impl_->Finish(); }

}  // namespace tasklens
