// SPDX-License-Identifier: Apache-2.0
// Checks each event and hands it to the halves of the model that need it: to the timeline at once,
// to tasks and data through a pipe if another thread builds these.
#include "trace/model/model_builder.h"

#include <algorithm>
#include <array>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/events/event_pipe.h"
#include "trace/model/build/event_check.h"
#include "trace/model/build/ranks.h"
#include "trace/model/build/routes.h"
#include "trace/model/build/timeline.h"
#include "trace/model/build/work.h"
#include "trace/model/model_columns.h"

namespace tasklens {
namespace {

using build::RankData;

// Whether all events of `joint` are valid and needed. Other joint events are taken apart.
bool IsPlain(const JointEvent& joint) {
  if (joint.time_ns >= kMaxTime || joint.time_ns <= -kMaxTime || joint.tid == 0) return false;
  if (joint.args[0] == 0) return false;  // no task
  switch (joint.kind) {
    case Joint::kTaken: return joint.args[2] < static_cast<uint64_t>(StateKind::kCount);
    case Joint::kAccesses: return joint.args.size() >= 3;  // else it has no access
    default: return true;
  }
}

}  // namespace

class ModelBuilder::Impl {
 public:
  Impl(Diagnostics& diags, uint32_t parts, std::shared_ptr<ScratchFile> scratch, Threads threads)
      : diags_(diags),
        scratch_(scratch ? std::shared_ptr<BlockStore>(scratch)
                         : std::make_shared<SegmentMemory>()),
        columns_(scratch ? scratch_ : std::make_shared<SegmentMemory>()),
        timeline_(model_, parts, scratch_.get(), columns_.get()),
        work_(model_, parts, scratch_.get(), columns_.get()) {
    VisitColumns(model_, [this]<class T>(T& column) {
      if constexpr (requires { column.UseStore(columns_.get()); }) column.UseStore(columns_.get());
    });
    // The columns of states share a stream, because they are read together.
    BlockStream* stream = columns_->NewStream();
    StateTable& states = model_.states;
    states.start_ns.UseStore(stream);
    states.end_ns.UseStore(stream);
    states.kind.UseStore(stream);
    states.depth.UseStore(stream);
    states.task.UseStore(stream);
    model_.storage = columns_;
    for (size_t i = 0; i < kEventKinds; ++i) {
      const auto kind = static_cast<EventKind>(i);
      takers_[i] = {build::IsForTimeline(kind), build::IsForWork(kind)};
    }
    if (threads == Threads::kTwo) work_sink_ = &pipe_.emplace(work_);
  }

  StringId Intern(std::string_view text) { return model_.strings.Intern(text); }
  void OnEvent(const Event& event);
  void OnJoint(const JointEvent& joint);
  Result<TraceModel> Finish();

  EventSink& timeline_half() { return timeline_half_; }
  EventSink& work_half() { return work_half_; }

 private:
  struct Takers {
    bool timeline, work;
  };

  // Takes events for one half only: see ModelBuilder::timeline_half().
  class TimelineHalf : public EventSink {
   public:
    explicit TimelineHalf(Impl& impl) : impl_(impl) {}
    StringId Intern(std::string_view text) override { return impl_.timeline_strings_.Intern(text); }
    bool Wants(EventKind kind) const override { return build::IsForTimeline(kind); }
    void OnEvent(const Event& event) override { impl_.OnTimelineEvent(event); }

   private:
    Impl& impl_;
  };
  class WorkHalf : public EventSink {
   public:
    explicit WorkHalf(Impl& impl) : impl_(impl) {}
    StringId Intern(std::string_view text) override { return impl_.Intern(text); }
    bool Wants(EventKind kind) const override { return build::IsForWork(kind); }
    void OnEvent(const Event& event) override { impl_.OnWorkEvent(event); }

   private:
    Impl& impl_;
  };

  Takers TakersOf(EventKind kind) const { return takers_[static_cast<size_t>(kind)]; }
  void OnTimelineEvent(const Event& event);
  void OnWorkEvent(const Event& event);
  bool IsAboutTheFile(RankData& rank, const Event& event);
  void TaskOnDevice(const RankData& rank, const Event& event);
  void CopyOnDevice(const RankData& rank, const Event& event);
  void JoinHalves();
  void SetWallClockOfModel(const std::vector<RankData>& ranks, const build::Clocks& clocks);
  void AddUpSourceCounts();

  Diagnostics& diags_;
  const std::shared_ptr<BlockStore> scratch_;  // for data that is freed by Finish()
  const std::shared_ptr<BlockStore> columns_;  // for the columns of the model
  TraceModel model_;
  build::Timeline timeline_;
  build::Work work_;
  std::array<Takers, kEventKinds> takers_;
  build::Tally tally_;

  // For events that only one of the halves gets.
  TimelineHalf timeline_half_{*this};
  WorkHalf work_half_{*this};
  StringPool timeline_strings_;
  build::Tally work_tally_;
  std::vector<RankData> work_ranks_;  // with times only

  EventSink* work_sink_ = &work_;
  std::optional<EventPipe> pipe_;  // to work_. Last: its thread uses the other members
};

// Events about the file, not caused by the program: they are not counted, and their time means
// nothing.
inline bool ModelBuilder::Impl::IsAboutTheFile(RankData& rank, const Event& event) {
  if (event.kind == EventKind::kWallClock) {
    rank.wall_local_ns = event.time_ns;
    rank.wall_unix_ns = static_cast<int64_t>(event.args[0]);
    return true;
  }
  if (event.kind != EventKind::kSourceEventCount) return false;
  model_.source_event_counts.emplace_back(event.args[0], event.args[1]);
  return true;
}

void ModelBuilder::Impl::TaskOnDevice(const RankData& rank, const Event& event) {
  const uint64_t job = event.args[0], began_ago_ns = event.args[1], ended_ago_ns = event.args[2];
  if (job == 0 || began_ago_ns < ended_ago_ns) return;
  const int64_t began_ns =
      timeline_.machine().TaskOnDevice(rank, job, rank.Before(event.time_ns, began_ago_ns),
                                       rank.Before(event.time_ns, ended_ago_ns));
  const std::array args = {job, static_cast<uint64_t>(began_ns)};
  work_sink_->OnEvent({event.time_ns, event.kind, rank.index, 0, args});
}

void ModelBuilder::Impl::CopyOnDevice(const RankData& rank, const Event& event) {
  const uint64_t began_ago_ns = event.args[1], ended_ago_ns = event.args[2];
  if (began_ago_ns < ended_ago_ns) return;
  const std::array args = {event.args[0],
                           static_cast<uint64_t>(rank.Before(event.time_ns, began_ago_ns)),
                           static_cast<uint64_t>(rank.Before(event.time_ns, ended_ago_ns))};
  work_sink_->OnEvent({event.time_ns, event.kind, rank.index, 0, args});
}

void ModelBuilder::Impl::OnEvent(const Event& event) {
  if (!tally_.Accepts(event)) return;
  RankData& rank = timeline_.RankOf(event.rank);
  if (IsAboutTheFile(rank, event)) return;
  ++tally_.events;
  rank.Saw(event.time_ns);
  if (event.kind == EventKind::kTaskOnDevice) return TaskOnDevice(rank, event);
  if (event.kind == EventKind::kCopyOnDevice) return CopyOnDevice(rank, event);
  const Takers takers = TakersOf(event.kind);
  const int64_t time_ns = takers.timeline ? timeline_.OnEvent(rank, event) : event.time_ns;
  if (takers.work) work_sink_->OnEvent({time_ns, event.kind, rank.index, 0, event.args});
}

void ModelBuilder::Impl::OnTimelineEvent(const Event& event) {
  // Called for invalid events as well: both halves must know the same ranks.
  RankData& rank = timeline_.RankOf(event.rank);
  if (event.kind < EventKind::kCount && !TakersOf(event.kind).timeline) return;
  if (!tally_.Accepts(event)) return;
  if (IsAboutTheFile(rank, event)) return;
  ++tally_.events;
  rank.Saw(event.time_ns);
  timeline_.OnEvent(rank, event);
}

void ModelBuilder::Impl::OnWorkEvent(const Event& event) {
  if (work_ranks_.empty() || work_ranks_.back().rank != event.rank) {
    const auto index = static_cast<uint32_t>(work_ranks_.size());
    work_ranks_.emplace_back();
    work_ranks_.back().rank = event.rank;
    work_ranks_.back().index = index;
  }
  if (!build::IsValid(event)) {
    if (event.kind < EventKind::kCount && !TakersOf(event.kind).timeline)
      work_tally_.Accepts(event);
    return;
  }
  const Takers takers = TakersOf(event.kind);
  if (!takers.work) return;
  RankData& rank = work_ranks_.back();
  rank.Saw(event.time_ns);
  work_tally_.events += !takers.timeline;
  work_.OnEvent(work_.RankOf(rank.index), event);
}

// Only if each half got its own events.
void ModelBuilder::Impl::JoinHalves() {
  tally_.Add(work_tally_);
  for (const RankData& work : work_ranks_) {
    RankData& rank = timeline_.RankOf(work.rank);
    rank.first_ns = std::min(rank.first_ns, work.first_ns);
    rank.last_ns = std::max(rank.last_ns, work.last_ns);
  }
  if (timeline_strings_.size() == 1) return;  // the empty one
  timeline_.RenameStrings(model_.strings.Adopt(timeline_strings_));
}

// Each half applies all events of the joint event at once, with a single look-up of what they
// share.
void ModelBuilder::Impl::OnJoint(const JointEvent& joint) {
  const auto take_apart = [&] {
    ForEachEvent(joint, [this](const Event& event) { OnEvent(event); });
  };
  if (!IsPlain(joint)) return take_apart();
  RankData& rank = timeline_.RankOf(joint.rank);
  if (!timeline_.IsInOrder(rank, joint)) return take_apart();
  rank.Saw(joint.time_ns);
  const build::Timeline::OfJoint of = timeline_.OnJoint(rank, joint);
  tally_.events += of.events;
  work_sink_->OnJoint({of.work_time_ns, joint.kind, rank.index, 0, joint.args});
}

void ModelBuilder::Impl::SetWallClockOfModel(const std::vector<RankData>& ranks,
                                             const build::Clocks& clocks) {
  const RankData* lowest = nullptr;
  for (const RankData& rank : ranks)
    if (rank.wall_unix_ns > 0 && (!lowest || rank.rank < lowest->rank)) lowest = &rank;
  if (!lowest) return;
  const int64_t offset_ns = clocks.of_rank[lowest->index].offset_ns();
  const auto wrap = [](int64_t value) { return static_cast<uint64_t>(value); };
  model_.wall_clock_ns = static_cast<int64_t>(wrap(lowest->wall_unix_ns) -
                                              wrap(lowest->wall_local_ns) - wrap(offset_ns));
}

// One row per code, summed over all ranks.
void ModelBuilder::Impl::AddUpSourceCounts() {
  std::map<uint64_t, uint64_t> sums;
  for (const auto& [code, count] : model_.source_event_counts) sums[code] += count;
  model_.source_event_counts.assign(sums.begin(), sums.end());
}

Result<TraceModel> ModelBuilder::Impl::Finish() {
  pipe_.reset();
  JoinHalves();
  if (tally_.events == 0)
    return Status(ErrorCode::kCorrupt, "the trace holds no event; was recording ever on?");
  model_.event_count = tally_.events;
  diags_.Skip("model_bad_event", tally_.first_bad, tally_.bad);
  timeline_.ReportInversions(diags_);
  build::Machine& machine = timeline_.machine();
  std::vector<RankData>& ranks = timeline_.ranks();
  for (RankData& rank : ranks)
    if (rank.first_ns > rank.last_ns) rank.first_ns = rank.last_ns = 0;  // it has no event
  const build::Clocks clocks = build::AlignClocks(ranks, model_.ranks, diags_);
  for (const RankData& rank : ranks)
    model_.duration_ns = std::max(model_.duration_ns, clocks.of_rank[rank.index](rank.last_ns));
  SetWallClockOfModel(ranks, clocks);
  AddUpSourceCounts();
  timeline_.moments().PlaceRows();
  machine.FinishTracks(ranks, clocks, model_);
  build::Tasks& tasks = work_.tasks();
  const std::vector<build::WorkOfRank>& work = work_.Ranks(ranks.size());
  // States and dependencies are most of the work, and share nothing with the rest.
  Diagnostics of_states;
  std::future<void> states = std::async(
      std::launch::async, [&] { machine.FinishStates(ranks, work, clocks, model_, of_states); });
  std::future<void> deps = std::async(std::launch::async, [&] { tasks.FinishDeps(); });
  // Each of these calls needs the times of the later ones to be still local.
  timeline_.moments().Finish(ranks, tasks.FinishRuns(), clocks, diags_);
  work_.data().Finish(work, clocks, diags_);
  tasks.Finish(ranks, machine, clocks, diags_);
  deps.get();
  states.get();
  diags_.Merge(of_states);
  // Moves the columns that are not packed yet into the store as well.
  VisitColumns(model_, []<class T>(T& column) {
    if constexpr (requires { column.ShrinkToFit(); }) column.ShrinkToFit();
  });
  return std::move(model_);
}

ModelBuilder::ModelBuilder(Diagnostics& diags, uint32_t parts, std::shared_ptr<ScratchFile> scratch,
                           Threads threads)
    : impl_(std::make_unique<Impl>(diags, parts, std::move(scratch), threads)) {}
ModelBuilder::~ModelBuilder() = default;
StringId ModelBuilder::Intern(std::string_view text) { return impl_->Intern(text); }
void ModelBuilder::OnEvent(const Event& event) { impl_->OnEvent(event); }
void ModelBuilder::OnJoint(const JointEvent& joint) { impl_->OnJoint(joint); }
EventSink& ModelBuilder::timeline_half() { return impl_->timeline_half(); }
EventSink& ModelBuilder::work_half() { return impl_->work_half(); }
Result<TraceModel> ModelBuilder::Finish() && { return impl_->Finish(); }

}  // namespace tasklens
