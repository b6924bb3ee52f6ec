// SPDX-License-Identifier: Apache-2.0
// Threads, workers and memory nodes as their events arrive.
#include "trace/model/build/machine.h"

#include <algorithm>

namespace tasklens::build {

uint32_t Machine::NewLane(TrackKind kind, uint32_t rank_index, uint64_t id, int64_t time_ns) {
  lanes_.push_back({.kind = kind,
                    .rank_index = rank_index,
                    .id = id,
                    .start_ns = time_ns,
                    .log = StateLog(scratch_ ? scratch_->NewStream() : nullptr)});
  return static_cast<uint32_t>(lanes_.size() - 1);
}

uint32_t Machine::ThreadOf(RankData& rank, uint64_t tid, int64_t time_ns) {
  return rank.threads.FindOrAdd(tid, threads_.size(),
                                [&] { threads_.push_back({.tid = tid, .last_ns = time_ns}); });
}

uint32_t Machine::WorkerOf(RankData& rank, uint64_t id_arg, int64_t time_ns) {
  const uint32_t id = static_cast<uint32_t>(id_arg);
  return rank.workers.FindOrAdd(id, workers_.size(), [&] {
    workers_.push_back({.rank_index = rank.index, .id = id});
    workers_.back().lane = NewLane(TrackKind::kWorker, rank.index, id, time_ns);
  });
}

uint32_t Machine::NodeOf(RankData& rank, uint64_t id_arg, int64_t time_ns) {
  const uint32_t id = static_cast<uint32_t>(id_arg);
  return rank.nodes.FindOrAdd(id, nodes_.size(), [&] {
    const uint32_t lane = NewLane(TrackKind::kMemoryNode, rank.index, id, time_ns);
    nodes_.push_back({.rank_index = rank.index, .id = id, .lane = lane, .start_ns = time_ns});
  });
}

uint32_t Machine::NewLaneOf(uint32_t rank_index, uint32_t thread, int64_t time_ns) {
  Thread& t = threads_[thread];
  t.own_lane =
      NewLane(t.is_comm ? TrackKind::kComm : TrackKind::kThread, rank_index, t.tid, time_ns);
  lanes_[t.own_lane].thread = thread;
  return t.own_lane;
}

void Machine::JoinThread(uint32_t worker, uint32_t thread) {
  Worker& w = workers_[worker];
  if (w.thread == thread) return;
  w.thread = w.last_thread = thread;
  if (thread == kNone) return;
  Thread& t = threads_[thread];
  t.sync_lane = t.workers.empty() && w.sync ? w.lane : kNone;
  t.workers.push_back(worker);
}

void Machine::WorkerNew(RankData& rank, uint32_t thread, const Event& event) {
  const uint32_t index = WorkerOf(rank, event.args[0], event.time_ns);
  Worker& w = workers_[index];
  w.arch = event.args[1] < 255 ? static_cast<WorkerArch>(event.args[1]) : WorkerArch::kUnknown;
  w.device = static_cast<int32_t>(event.args[2]);
  w.node = static_cast<uint32_t>(event.args[3]);
  w.cpu = static_cast<int32_t>(event.args[4]);
  w.sync = event.args[5] != 0;
  w.name = static_cast<StringId>(event.args[6]);
  w.tid = event.tid;
  if (w.start_ns == kNever) w.start_ns = event.time_ns;
  w.stop_ns = w.end_ns = kNever;
  lanes_[w.lane].closed_ns = kNever;
  JoinThread(index, thread);
  Set(w.lane, event.time_ns, StateKind::kInitializing);
  const uint32_t lane = LaneOf(rank, thread, event.time_ns);
  if (lane != kNone && lane != workers_[index].lane)
    Set(lane, event.time_ns, StateKind::kInitializing);
}

void Machine::ShowTask(Worker& worker) {
  if (worker.task_start_ns == kNever) return;
  Set(worker.lane, worker.task_start_ns, StateKind::kTask, worker.job);
  worker.job = 0;
  worker.task_start_ns = worker.task_end_ns = kNever;
}

void Machine::BeginTask(RankData& rank, uint64_t worker, int64_t time_ns, uint64_t job) {
  const uint32_t index = WorkerOf(rank, worker, time_ns);
  Worker& w = workers_[index];
  if (w.sync) return Set(w.lane, time_ns, StateKind::kTask, job);
  ShowTask(w);
  w.job = job;
  w.task_start_ns = time_ns;
  rank.device_jobs[job] = index;
}

int64_t Machine::TaskOnDevice(const RankData& rank, uint64_t job, int64_t began_ns,
                              int64_t ended_ns) {
  const auto worker = rank.device_jobs.find(job);
  if (worker == rank.device_jobs.end()) return began_ns;
  Worker& w = workers_[worker->second];
  if (w.task_start_ns == kNever || w.job != job) return began_ns;
  w.task_start_ns = std::max(began_ns, w.last_task_end_ns);
  w.task_end_ns = w.last_task_end_ns = std::max(ended_ns, w.task_start_ns);
  return w.task_start_ns;
}

int64_t Machine::EndTask(RankData& rank, uint64_t worker, int64_t time_ns, uint64_t job) {
  Worker& w = workers_[WorkerOf(rank, worker, time_ns)];
  if (w.job == job && w.task_end_ns != kNever) time_ns = w.task_end_ns;
  ShowTask(w);
  Set(w.lane, time_ns, w.sync ? StateKind::kOverhead : StateKind::kIdle);
  if (!w.sync) rank.device_jobs.erase(job);
  return time_ns;
}

void Machine::WorkerReady(RankData& rank, uint32_t thread, const Event& event) {
  const uint32_t index = WorkerOf(rank, event.args[0], event.time_ns);
  // The worker may have stopped and started again, on another thread.
  if (workers_[index].ready_ns == kNever) workers_[index].ready_ns = event.time_ns;
  const uint32_t lane = LaneOf(rank, thread, event.time_ns);
  if (lane != kNone && lane != workers_[index].lane) Set(lane, event.time_ns, StateKind::kOverhead);
  Set(workers_[index].lane, event.time_ns, StateKind::kIdle);
}

void Machine::WorkerStop(const RankData& rank, uint32_t thread, int64_t time_ns) {
  if (thread == kNone) return;
  const uint32_t lane = LaneOf(rank, thread, time_ns);
  Set(lane, time_ns, StateKind::kDeinitializing);
  Thread& t = threads_[thread];
  for (; t.stopping < t.workers.size(); ++t.stopping) {
    Worker& worker = workers_[t.workers[t.stopping]];
    if (worker.thread != thread) continue;  // another thread drives it now
    worker.stop_ns = time_ns;
    if (worker.lane != lane) Set(worker.lane, time_ns, StateKind::kDeinitializing);
  }
}

void Machine::WorkerGone(uint32_t thread, int64_t time_ns) {
  if (thread == kNone) return;
  Thread& t = threads_[thread];
  for (uint32_t index : t.workers) {
    Worker& worker = workers_[index];
    if (worker.thread != thread) continue;
    worker.thread = kNone;
    worker.end_ns = time_ns;
    lanes_[worker.lane].closed_ns = time_ns;
  }
  if (t.own_lane != kNone) lanes_[t.own_lane].closed_ns = time_ns;
  t.workers.clear();
  t.stopping = 0;
  t.sync_lane = kNone;
}

void Machine::MemoryNodeNew(RankData& rank, const Event& event) {
  Node& node = nodes_[NodeOf(rank, event.args[0], event.time_ns)];
  node.name = static_cast<StringId>(event.args[1]);
}

void Machine::MemoryNodeThread(RankData& rank, uint32_t thread, const Event& event) {
  if (thread == kNone) return;
  Node& node = nodes_[NodeOf(rank, event.args[0], event.time_ns)];
  node.has_thread = true;
  threads_[thread].own_lane = node.lane;
}

void Machine::MpiStart(const RankData& rank, uint32_t thread, int64_t time_ns) {
  if (thread == kNone) return;
  Thread& t = threads_[thread];
  if (!t.is_comm) t.own_lane = kNone;  // its earlier states stay on a row of their own
  t.is_comm = true;
  t.sync_lane = kNone;
  Set(LaneOf(rank, thread, time_ns), time_ns, StateKind::kSleeping);
}

void Machine::MpiStop(uint32_t thread, int64_t time_ns) {
  if (thread == kNone) return;
  Thread& t = threads_[thread];
  if (t.is_comm && t.own_lane != kNone) lanes_[t.own_lane].closed_ns = time_ns;
}

void Machine::SetThreadState(const RankData& rank, uint32_t thread, int64_t time_ns,
                             StateKind state) {
  if (thread == kNone) return;
  const uint32_t lane = LaneOf(rank, thread, time_ns);
  Thread& t = threads_[thread];
  // A sync worker shows its task instead of kExecuting, until task_end.
  if (t.sync_lane != kNone && state == StateKind::kExecuting) {
    t.skip_execution_end = true;
    return;
  }
  const bool ends_execution = t.skip_execution_end && state == StateKind::kOverhead;
  t.skip_execution_end = false;
  if (!ends_execution) Set(lane, time_ns, state);
}

void Machine::WorkerState(RankData& rank, const Event& event) {
  const uint32_t worker = WorkerOf(rank, event.args[0], event.time_ns);
  Set(workers_[worker].lane, event.time_ns, static_cast<StateKind>(event.args[1]));
}

// Shown at once, also on the row of a sync worker.
void Machine::NamedState(const RankData& rank, uint32_t thread, const Event& event) {
  if (thread == kNone) return;
  const auto state = static_cast<StateKind>(event.args[0]);
  const auto name = static_cast<StringId>(event.args[1]);
  uint32_t index = 0;
  if (name != 0 && state != StateKind::kTask) {
    index = index_of_state_name_.Find(name);
    if (index == IdMap::kAbsent) {
      state_names_.push_back(name);
      index = static_cast<uint32_t>(state_names_.size());
      index_of_state_name_.Insert(name, index);
    }
  }
  const uint32_t lane = LaneOf(rank, thread, event.time_ns);
  if (event.args[2] != 0) return Push(lane, event.time_ns, state, index);
  Set(lane, event.time_ns, state, index);
}

}  // namespace tasklens::build
