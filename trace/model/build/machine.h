// SPDX-License-Identifier: Apache-2.0
// Threads, workers and memory nodes of every rank, and the states of their rows of the timeline.
//
// A thread that runs exactly one sync worker is that worker: its states appear on the worker's row.
// Every other thread has a row of its own, beside the rows of the workers it drives.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/events/event_sink.h"
#include "trace/model/build/ranks.h"
#include "trace/model/build/state_log.h"
#include "trace/model/build/state_rows.h"
#include "trace/model/trace_model.h"

namespace tasklens::build {

// A row of the timeline under construction.
struct Lane {
  TrackKind kind;
  uint32_t rank_index;
  uint64_t id;  // worker id, OS thread id, node id
  StringId name = 0;
  int64_t start_ns;
  int64_t closed_ns = kNever;  // when its worker or thread ended
  int64_t end_ns = kNever;     // end of its track, from FinishTracks() on
  uint32_t thread = kNone;     // kThread, kComm: index of the thread
  StateLog log{};
};

struct Thread {
  uint64_t tid;
  int64_t last_ns;
  uint32_t own_lane = kNone;
  uint32_t sync_lane = kNone;       // lane of the only sync worker it runs
  std::vector<uint32_t> workers{};  // workers it drives now
  size_t stopping = 0;              // number of them that have begun to stop
  bool is_comm = false;
  bool skip_execution_end = false;  // the end of kExecuting on a sync worker is still to come
  StringId name = 0;
};

struct Worker {
  uint32_t rank_index;
  uint32_t id;
  WorkerArch arch = WorkerArch::kUnknown;
  int32_t device = -1;
  uint32_t node = 0;
  int32_t cpu = -1;
  bool sync = true;
  uint64_t tid = 0;
  StringId name = 0;
  uint32_t lane = kNone;
  int64_t start_ns = kNever, ready_ns = kNever, stop_ns = kNever, end_ns = kNever;
  uint32_t thread = kNone;       // thread that drives it now
  uint32_t last_thread = kNone;  // thread that drove it last
  // A worker that shares its thread may drive a device, which reports the times of a task only at
  // its end: until then the task is not on the lane.
  uint64_t job = 0;
  int64_t task_start_ns = kNever, task_end_ns = kNever, last_task_end_ns = kNever;
};

struct Node {
  uint32_t rank_index;
  uint32_t id;
  StringId name = 0;
  uint32_t lane;
  int64_t start_ns;
  bool has_thread = false;  // its row shows only that thread's states
};

class Machine {
 public:
  // `keep_states` false: tables of workers, nodes and tracks, but no states. `scratch` may be
  // nullptr, see StateLog.
  Machine(bool keep_states, BlockStore* scratch) : keep_states_(keep_states), scratch_(scratch) {}

  // Rows are created at their first mention. Both functions return indices.
  uint32_t ThreadOf(RankData& rank, uint64_t tid, int64_t time_ns);
  uint32_t WorkerOf(RankData& rank, uint64_t id_arg, int64_t time_ns);
  uint32_t NodeOf(RankData& rank, uint64_t id_arg, int64_t time_ns);
  // Returns the lane that shows the states of `thread`; kNone for kNone.
  uint32_t LaneOf(const RankData& rank, uint32_t thread, int64_t time_ns) {
    return thread == kNone ? kNone : LaneOf(rank.index, thread, time_ns);
  }

  // The same for the row of a rank. REQUIRES: thread != kNone.
  uint32_t LaneOf(uint32_t rank_index, uint32_t thread, int64_t time_ns) {
    const Thread& t = threads_[thread];
    if (t.sync_lane != kNone) return t.sync_lane;
    return t.own_lane != kNone ? t.own_lane : NewLaneOf(rank_index, thread, time_ns);
  }

  Thread& thread(uint32_t index) { return threads_[index]; }
  const Worker& worker(uint32_t index) const { return workers_[index]; }
  const Node& node(uint32_t index) const { return nodes_[index]; }
  size_t lane_count() const { return lanes_.size(); }

  void Set(uint32_t lane, int64_t time_ns, StateKind state, uint64_t job = 0) {
    if (keep_states_) lanes_[lane].log.Append({time_ns, StateOpKind::kSet, state, job});
  }
  void Push(uint32_t lane, int64_t time_ns, StateKind state, uint64_t name = 0) {
    if (keep_states_) lanes_[lane].log.Append({time_ns, StateOpKind::kPush, state, name});
  }
  void Pop(uint32_t lane, int64_t time_ns) {
    if (keep_states_) lanes_[lane].log.Append({time_ns, StateOpKind::kPop, StateKind::kNone, 0});
  }

  // Begins a task on the lane of its worker. If the device reports its own times, they follow
  // before the end.
  void BeginTask(RankData& rank, uint64_t worker, int64_t time_ns, uint64_t job);
  // Returns when the task began: no earlier than the end of the task before, which clocks may
  // report less exactly.
  int64_t TaskOnDevice(const RankData& rank, uint64_t job, int64_t began_ns, int64_t ended_ns);
  // Returns when the task ended.
  int64_t EndTask(RankData& rank, uint64_t worker, int64_t time_ns, uint64_t job);

  // The events of these names. `thread`: the thread of the event; kNone if unknown.
  void WorkerNew(RankData& rank, uint32_t thread, const Event& event);
  void WorkerReady(RankData& rank, uint32_t thread, const Event& event);
  void WorkerStop(const RankData& rank, uint32_t thread, int64_t time_ns);
  void WorkerGone(uint32_t thread, int64_t time_ns);
  void MemoryNodeNew(RankData& rank, const Event& event);
  void MemoryNodeThread(RankData& rank, uint32_t thread, const Event& event);
  void ThreadName(uint32_t thread, StringId name) {
    if (thread != kNone) threads_[thread].name = name;
  }
  void MpiStart(const RankData& rank, uint32_t thread, int64_t time_ns);
  void MpiStop(uint32_t thread, int64_t time_ns);
  // Applies a state_set event to the thread.
  void SetThreadState(const RankData& rank, uint32_t thread, int64_t time_ns, StateKind state);
  void WorkerState(RankData& rank, const Event& event);
  void NamedState(const RankData& rank, uint32_t thread, const Event& event);

  // Replaces all string ids. REQUIRES: FinishTracks() was not called.
  void RenameStrings(const StringIds& new_id);
  // Fills workers, memory_nodes and tracks of `model`. From then on track_of_lane() and
  // RowOfWorker() return the rows of lanes and workers.
  void FinishTracks(const std::vector<RankData>& ranks, const Clocks& clocks, TraceModel& model);
  // Fills states of `model`; reads only its tracks and strings. `work`: the ranks' tasks by their
  // jobs. REQUIRES: FinishTracks() was called.
  void FinishStates(const std::vector<RankData>& ranks, const std::vector<WorkOfRank>& work,
                    const Clocks& clocks, TraceModel& model, Diagnostics& diags);
  const std::vector<uint32_t>& track_of_lane() const { return track_of_lane_; }
  // The row of a worker that a task was seen on.
  uint32_t RowOfWorker(const RankData& rank, uint32_t id) const {
    return row_of_worker_[rank.workers.Find(id)];
  }

 private:
  uint32_t NewLaneOf(uint32_t rank_index, uint32_t thread, int64_t time_ns);
  uint32_t NewLane(TrackKind kind, uint32_t rank_index, uint64_t id, int64_t time_ns);
  void JoinThread(uint32_t worker, uint32_t thread);
  void ShowTask(Worker& worker);
  std::vector<uint32_t> LanesInOrder() const;
  StringId TrackName(const Lane& lane, StringPool& strings) const;
  void AddTrack(Lane& lane, const RankData& rank, const Clock& clock, TraceModel& model) const;
  void FinishWorkers(const Clocks& clocks, TraceModel& model);
  void FinishNodes(const Clocks& clocks, TraceModel& model);

  const bool keep_states_;
  BlockStore* const scratch_;
  std::vector<Lane> lanes_;
  std::vector<Thread> threads_;
  std::vector<Worker> workers_;
  std::vector<Node> nodes_;
  // Names of states, which operations number from 1, and the index of each name.
  std::vector<StringId> state_names_;
  IdMap index_of_state_name_;
  std::vector<uint32_t> track_of_lane_, row_of_worker_;
  std::vector<uint32_t> lane_of_track_;
};

// Turns the operations of one lane into rows of `states`, ending at `end_ns` (local); pauses
// (sorted, disjoint) show no state. `jobs`: the rows of tasks; `names`: of states. Counts oddities.
struct StateOddities {
  uint64_t unmatched_pops = 0, never_ended = 0, too_deep = 0;
};
void AppendStates(Lane& lane, int64_t end_ns, const std::vector<Pause>& pauses, const IdMap& jobs,
                  std::span<const StringId> names, const Clock& clock, StateRows& states,
                  StateOddities& oddities);

}  // namespace tasklens::build
