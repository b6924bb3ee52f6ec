// SPDX-License-Identifier: Apache-2.0
// Builds the tables of tasks, dependencies, tags, submission sites and the other tables of tasks.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/events/event_sink.h"
#include "trace/model/build/machine.h"
#include "trace/model/build/ranks.h"
#include "trace/model/build/repeated_runs.h"
#include "trace/model/trace_model.h"
#include "trace/support/diagnostics.h"

namespace tasklens::build {

class Tasks {
 public:
  // `model` is filled in place, with local times until Finish(), and must outlive this. Blocks of
  // the model's columns go to `columns`, other blocks to `scratch`, which may be nullptr; see
  // PackedWords.
  Tasks(TraceModel& model, uint32_t parts, BlockStore* scratch, BlockStore* columns)
      : model_(model), parts_(parts), columns_(columns) {
    deps_.UseStore(scratch);
  }

  // The row of task `job`, made at its first mention; kNone for job 0, which is no task.
  uint32_t RowOf(WorkOfRank& rank, uint64_t job) {
    const uint32_t row = rank.jobs.Find(job);
    return row != IdMap::kAbsent ? row : NewRow(rank, job);
  }
  // The row of tag `tag`, made at its first mention.
  uint32_t TagOf(WorkOfRank& rank, uint64_t tag);

  // The events of category "Tasks" of events.inc, in the form that Work gets, except those of a
  // task's data. First function: events of the task in `row`, RowOf() of the first argument
  // (`kind`: the event's kind, or a constant of it, see kIs). Second: all others. REQUIRES: args
  // checked.
  template <class Kind>
  void OnTaskEvent(Kind kind, WorkOfRank& rank, uint32_t row, const Event& event);
  void OnEvent(WorkOfRank& rank, const Event& event);
  const RepeatedRuns& runs() const { return runs_; }

  // Sets the times of tasks that ran repeatedly, still local, and returns the events that counters
  // of tasks must leave out. Call before any Finish().
  std::vector<RepeatedRuns::Surplus> FinishRuns() {
    return std::move(runs_).Finish(model_.tasks, model_.executions);
  }
  // Fills predecessors and successors of `model`. Reads nothing of it that changes after the last
  // event.
  void FinishDeps();
  // REQUIRES: machine.FinishTracks() was called.
  void Finish(const std::vector<RankData>& ranks, const Machine& machine, const Clocks& clocks,
              Diagnostics& diags);

 private:
  struct Dep {
    uint32_t pred, succ;
    StringId label;
  };
  using Deps = Records<Dep, &Dep::pred, &Dep::succ, &Dep::label>;
  struct SiteKey {
    uint64_t file_and_line;
    StringId function;
    bool operator==(const SiteKey&) const = default;
  };
  struct SiteHash {
    size_t operator()(const SiteKey& key) const {
      return (key.file_and_line * 0x9e3779b97f4a7c15u) ^ (key.function * 0xd6e8feb8u);
    }
  };

  static StringId AsText(uint64_t arg) { return static_cast<StringId>(arg); }
  static uint32_t AsU32(uint64_t arg) { return static_cast<uint32_t>(arg); }

  // One function per kind of event, of the task in `row`, which is not kNone.
  void Submit(uint32_t row, int64_t time_ns, uint64_t order, uint64_t iteration,
              uint64_t subiteration, uint64_t priority, uint64_t type);
  void Pop(uint32_t row, int64_t time_ns);
  void Details(uint32_t row, uint64_t size_bytes, uint64_t footprint, uint64_t tag, uint64_t flops);
  void Start(WorkOfRank& rank, uint32_t row, int64_t time_ns, uint64_t worker, uint64_t node,
             uint64_t ctx);
  // The task continues: its previous end was a pause.
  void Resume(WorkOfRank& rank, uint32_t row, int64_t time_ns, uint64_t worker);
  void End(WorkOfRank& rank, uint32_t row, int64_t time_ns, uint64_t worker, uint64_t size_bytes,
           uint64_t footprint, uint64_t arch);
  void AddDep(WorkOfRank& rank, uint64_t pred_job, uint64_t succ_job, uint64_t type,
              uint64_t label);

  // Whether `succ` did not have this dependency just before.
  bool IsNewDep(uint32_t pred, uint32_t succ);
  uint32_t NewRow(WorkOfRank& rank, uint64_t job);
  // The row of `sites`, made at its first mention.
  uint32_t SiteRow(uint64_t line, uint64_t file, uint64_t function);
  // The index in workers_ of worker `id`.
  uint32_t WorkerOf(WorkOfRank& rank, uint64_t id);
  void OnDevice(uint32_t row, uint64_t began_ns);
  void Tag(WorkOfRank& rank, const Event& event);
  void Estimate(uint32_t row, const Event& event);

  void EndOpenStretches(const std::vector<RankData>& ranks);
  void FinishStretches(const Clocks& clocks);
  void CountOn();
  void FinishTimes(const std::vector<RankData>& ranks, const Clocks& clocks, Diagnostics& diags);
  void FinishWorkers(const std::vector<RankData>& ranks, const Machine& machine);
  void FinishTags(const Clocks& clocks);
  void FinishAbilities(const std::vector<RankData>& ranks, const Machine& machine);
  void SortByJob();

  struct Worker {
    uint32_t rank_index, id;
  };
  struct Stretch {
    uint32_t task, worker;  // worker: index in workers_
    int64_t start_ns, end_ns;
  };

  TraceModel& model_;
  const uint32_t parts_;
  BlockStore* const columns_;
  std::vector<Worker> workers_;  // workers that ran tasks
  Deps deps_;
  // The last predecessors of the latest successor: traces record most dependencies twice, and a
  // duplicate that is not kept need not be removed.
  static constexpr size_t kRecentPreds = 16;
  uint32_t recent_succ_ = kNone;
  std::vector<uint32_t> recent_preds_;
  RepeatedRuns runs_;
  std::vector<Stretch> stretches_;                       // of tasks that paused
  std::unordered_map<uint32_t, size_t> latest_stretch_;  // by task: its latest row in stretches_
  std::map<std::pair<uint32_t, StringId>, uint32_t> codelets_;  // archs by rank and name
  struct Binding {
    uint32_t task, worker_id;
  };
  std::vector<Binding> bindings_;
  uint64_t self_deps_ = 0, first_self_dep_ = 0;  // their number; the job of the first one
  std::unordered_map<SiteKey, uint32_t, SiteHash> sites_;
  SiteKey last_site_{};
  uint32_t last_site_row_ = kNone;
};

template <class Kind>
inline void Tasks::OnTaskEvent(Kind kind, WorkOfRank& rank, uint32_t row, const Event& event) {
  if (row == kNone) return;
  TaskTable& tasks = model_.tasks;
  const auto args = event.args;
  switch (EventKind{kind}) {
    case EventKind::kTaskSubmit:
      return Submit(row, event.time_ns, args[1], args[2], args[3], args[4], args[5]);
    case EventKind::kTaskSite: return tasks.site.Set(row, SiteRow(args[1], args[2], args[3]));
    case EventKind::kTaskName: return tasks.name.Set(row, AsText(args[1]));
    case EventKind::kTaskModel: return tasks.model.Set(row, AsText(args[1]));
    case EventKind::kTaskColor: return tasks.rgb.Set(row, AsU32(args[1]) & 0xffffff);
    case EventKind::kTaskHidden: return tasks.hidden.Set(row, args[1] != 0);
    case EventKind::kTaskParent:
      if (args[1] != 0) tasks.is_recursive.Set(row, 1);
      if (args[2] != 0 && args[2] != args[0]) tasks.parent.Set(row, RowOf(rank, args[2]));
      return;
    case EventKind::kTaskLevel: return tasks.level.Set(row, AsU32(args[1]));
    case EventKind::kTaskReady: {
      const int64_t before_ns = tasks.ready_ns[row];
      runs_.Note(tasks, row, RepeatedRuns::What::kReady, before_ns, event.time_ns);
      if (before_ns == kNever) tasks.ready_ns.Set(row, event.time_ns);
      return;
    }
    case EventKind::kTaskBound: bindings_.push_back({row, AsU32(args[1])}); return;
    case EventKind::kTaskPop: return Pop(row, event.time_ns);
    case EventKind::kTaskDone: return tasks.done_ns.Set(row, event.time_ns);
    case EventKind::kTaskOnDevice: return OnDevice(row, args[1]);
    case EventKind::kTaskDetails: return Details(row, args[1], args[2], args[3], args[4]);
    case EventKind::kTaskEstimate: return Estimate(row, event);
    case EventKind::kTaskStart: return Start(rank, row, event.time_ns, args[1], args[2], args[3]);
    case EventKind::kTaskResume: return Resume(rank, row, event.time_ns, args[1]);
    case EventKind::kTaskEnd:
      return End(rank, row, event.time_ns, args[1], args[2], args[3], args[4]);
    case EventKind::kTaskPapi:
      if (!(parts_ & kPartTaskExtras)) return;
      model_.papi.task.push_back(row);
      model_.papi.code.push_back(static_cast<int64_t>(args[1]));
      model_.papi.value.push_back(static_cast<int64_t>(args[2]));
      return;
    default: return;
  }
}

}  // namespace tasklens::build
