// SPDX-License-Identifier: Apache-2.0
// Workers, memory nodes and tracks in their final order, with their states.
#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>
#include <tuple>

#include "trace/model/build/machine.h"

namespace tasklens::build {
namespace {

// Order of the lanes of a rank: workers by id, each after the thread that drives it, then other
// threads, communication threads, memory nodes.
using LaneKey = std::tuple<uint32_t, int, uint64_t, int>;

std::vector<Pause> PausesOf(const RankData& rank) {
  std::vector<Recording> changes = rank.recording;
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Recording& a, const Recording& b) { return a.local_ns < b.local_ns; });
  std::vector<Pause> pauses;
  bool on = true;
  for (const Recording& change : changes) {
    if (change.on == on) continue;
    on = change.on;
    if (on)
      pauses.back().end_ns = change.local_ns;
    else
      pauses.push_back({change.local_ns, kMaxTime});
  }
  return pauses;
}

void ReportPause(const Pause& pause, const RankData& rank, const Clocks& clocks,
                 Diagnostics& diags) {
  if (pause.begin_ns >= rank.last_ns) return;  // at the end of a run: no event follows
  const Clock& clock = clocks.of_rank[rank.index];
  const auto text = [&](int64_t local_ns) {
    char ms[32];
    const double value = static_cast<double>(clock(local_ns)) * 1e-6;
    char* const end = std::to_chars(ms, std::end(ms), value, std::chars_format::fixed, 3).ptr;
    return std::string(ms, end) + " ms";
  };
  const bool goes_on = pause.end_ns < rank.last_ns;
  diags.Skip("model_recording_off", "rank " + std::to_string(rank.rank) + ": from " +
                                        text(pause.begin_ns) + " to " +
                                        (goes_on ? text(pause.end_ns) : "the end"));
}

}  // namespace

std::vector<uint32_t> Machine::LanesInOrder() const {
  // The lowest worker of each thread, so that a driver's row comes before the rows of its workers.
  std::vector<uint64_t> first_worker(threads_.size(), kNone);
  for (const Worker& worker : workers_)
    if (worker.last_thread != kNone)
      first_worker[worker.last_thread] =
          std::min<uint64_t>(first_worker[worker.last_thread], worker.id);

  std::vector<LaneKey> keys(lanes_.size());
  for (uint32_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[i];
    switch (lane.kind) {
      case TrackKind::kWorker: keys[i] = {lane.rank_index, 0, lane.id, 1}; break;
      case TrackKind::kThread:
        if (first_worker[lane.thread] != kNone)
          keys[i] = {lane.rank_index, 0, first_worker[lane.thread], 0};
        else
          keys[i] = {lane.rank_index, 1, i, 0};
        break;
      case TrackKind::kComm: keys[i] = {lane.rank_index, 2, i, 0}; break;
      case TrackKind::kMemoryNode: keys[i] = {lane.rank_index, 3, lane.id, 0}; break;
    }
  }
  std::vector<uint32_t> order(lanes_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
  return order;
}

StringId Machine::TrackName(const Lane& lane, StringPool& strings) const {
  const std::string id = std::to_string(lane.id);
  if (!strings.Get(lane.name).empty()) return lane.name;
  switch (lane.kind) {
    case TrackKind::kWorker: return strings.Intern("worker " + id);
    case TrackKind::kMemoryNode: return strings.Intern("memory node " + id);
    case TrackKind::kComm:
    case TrackKind::kThread: break;
  }
  const Thread& thread = threads_[lane.thread];
  if (!strings.Get(thread.name).empty()) return thread.name;
  if (lane.kind == TrackKind::kComm) return strings.Intern("MPI");
  return strings.Intern("thread " + id);
}

void Machine::AddTrack(Lane& lane, const RankData& rank, const Clock& clock,
                       TraceModel& model) const {
  if (!lane.log.empty()) lane.start_ns = std::min(lane.start_ns, lane.log.min_time_ns());
  lane.end_ns = lane.closed_ns;
  if (lane.end_ns == kNever || (!lane.log.empty() && lane.log.max_time_ns() > lane.end_ns))
    lane.end_ns = rank.last_ns;
  lane.end_ns = std::max(lane.end_ns, lane.start_ns);
  TrackTable& tracks = model.tracks;
  tracks.kind.push_back(lane.kind);
  tracks.rank_index.push_back(lane.rank_index);
  tracks.id.push_back(lane.id);
  tracks.name.push_back(TrackName(lane, model.strings));
  tracks.start_ns.push_back(clock(lane.start_ns));
  tracks.end_ns.push_back(clock(lane.end_ns));
}

void Machine::RenameStrings(const StringIds& new_id) {
  for (Thread& thread : threads_) thread.name = new_id[thread.name];
  for (Worker& worker : workers_) worker.name = new_id[worker.name];
  for (Node& node : nodes_) node.name = new_id[node.name];
  for (StringId& name : state_names_) name = new_id[name];
}

void Machine::FinishTracks(const std::vector<RankData>& ranks, const Clocks& clocks,
                           TraceModel& model) {
  for (Worker& worker : workers_) {
    ShowTask(worker);
    lanes_[worker.lane].name = worker.name;
  }
  for (const Node& node : nodes_) lanes_[node.lane].name = node.name;
  track_of_lane_.resize(lanes_.size());
  lane_of_track_ = LanesInOrder();
  for (uint32_t track = 0; track < lane_of_track_.size(); ++track) {
    Lane& lane = lanes_[lane_of_track_[track]];
    track_of_lane_[lane_of_track_[track]] = track;
    AddTrack(lane, ranks[lane.rank_index], clocks.of_rank[lane.rank_index], model);
  }
  FinishWorkers(clocks, model);
  FinishNodes(clocks, model);
}

void Machine::FinishStates(const std::vector<RankData>& ranks, const std::vector<WorkOfRank>& work,
                           const Clocks& clocks, TraceModel& model, Diagnostics& diags) {
  std::vector<std::vector<Pause>> pauses;  // by rank
  for (const RankData& rank : ranks) {
    pauses.push_back(PausesOf(rank));
    for (const Pause& pause : pauses.back()) ReportPause(pause, rank, clocks, diags);
  }
  StateRows rows(model.states);
  for (uint32_t track = 0; track < lane_of_track_.size(); ++track) {
    Lane& lane = lanes_[lane_of_track_[track]];
    if (keep_states_) {
      StateOddities odd;
      AppendStates(lane, lane.end_ns, pauses[lane.rank_index], work[lane.rank_index].jobs,
                   state_names_, clocks.of_rank[lane.rank_index], rows, odd);
      const std::string_view name = model.str(model.tracks.name[track]);
      diags.Skip("model_unmatched_end", name, odd.unmatched_pops);
      diags.Skip("model_states_too_deep", name, odd.too_deep);
      diags.Skip("model_state_never_ended", name, odd.never_ended);
    }
    model.states.first_of_track.push_back(static_cast<uint32_t>(rows.size()));
  }
  rows.Finish();
}

void Machine::FinishWorkers(const Clocks& clocks, TraceModel& model) {
  std::vector<uint32_t> order(workers_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const Worker &x = workers_[a], &y = workers_[b];
    return std::tie(x.rank_index, x.id, a) < std::tie(y.rank_index, y.id, b);
  });
  row_of_worker_.resize(workers_.size());
  WorkerTable& table = model.workers;
  for (uint32_t index : order) {
    const Worker& worker = workers_[index];
    const Clock& clock = clocks.of_rank[worker.rank_index];
    row_of_worker_[index] = static_cast<uint32_t>(table.size());
    const uint32_t track = track_of_lane_[worker.lane];
    table.rank_index.push_back(worker.rank_index);
    table.id.push_back(worker.id);
    table.arch.push_back(worker.arch);
    table.device.push_back(worker.device);
    table.memory_node.push_back(worker.node);
    table.cpu.push_back(worker.cpu);
    table.tid.push_back(worker.tid);
    table.name.push_back(model.tracks.name[track]);
    table.track.push_back(track);
    table.start_ns.push_back(clock(worker.start_ns));
    table.ready_ns.push_back(clock(worker.ready_ns));
    table.stop_ns.push_back(clock(worker.stop_ns));
    table.end_ns.push_back(clock(worker.end_ns));
  }
}

void Machine::FinishNodes(const Clocks& clocks, TraceModel& model) {
  std::vector<const Node*> order;
  for (const Node& node : nodes_) order.push_back(&node);
  std::sort(order.begin(), order.end(), [](const Node* a, const Node* b) {
    return std::tie(a->rank_index, a->id, a) < std::tie(b->rank_index, b->id, b);
  });
  MemoryNodeTable& table = model.memory_nodes;
  for (const Node* node : order) {
    table.rank_index.push_back(node->rank_index);
    table.id.push_back(node->id);
    table.name.push_back(node->name);
    table.track.push_back(track_of_lane_[node->lane]);
    table.start_ns.push_back(clocks.of_rank[node->rank_index](node->start_ns));
  }
}

}  // namespace tasklens::build
