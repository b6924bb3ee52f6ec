// SPDX-License-Identifier: Apache-2.0
// Sorts the tracks into rows.
#include "analysis/timeline_rows.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "trace/model/questions.h"

namespace tasklens {
namespace {

bool IsSubmission(StateKind kind) {
  switch (kind) {
    case StateKind::kBuildingTask:
    case StateKind::kSubmittingTask:
    case StateKind::kThrottling:
    case StateKind::kWaitingTask:
    case StateKind::kWaitingAllTasks: return true;
    default: return false;
  }
}

bool Submits(const StateTable& states, uint32_t track) {
  return std::ranges::any_of(StatesOf(states, track),
                             [&](uint32_t row) { return IsSubmission(states.kind[row]); });
}

// The position of a row: its rank, then these fields.
struct Place {
  TimelineRow row;
  uint32_t section;  // scheduler, nodes with their workers, drivers, communication, ...
  uint64_t node;     // memory node of the row, if any
  bool is_worker;    // below its node
  uint64_t id;

  auto Key() const { return std::tie(row.rank_index, section, node, is_worker, id); }
};

constexpr uint32_t kNodes = 1;

uint32_t SectionOf(TimelineRowKind kind) {
  switch (kind) {
    case TimelineRowKind::kScheduler: return 0;
    case TimelineRowKind::kMemoryNode:
    case TimelineRowKind::kWorker: return kNodes;
    case TimelineRowKind::kDriver: return 2;
    case TimelineRowKind::kComm: return 3;
    case TimelineRowKind::kSubmitter: return 4;
    case TimelineRowKind::kThread: return 5;
  }
  return 5;
}

// Returns all rows, in order.
std::vector<Place> PlacesOf(const TraceModel& model) {
  using IdInRank = std::pair<uint32_t, uint64_t>;
  const TrackTable& tracks = model.tracks;
  const WorkerTable& workers = model.workers;
  std::vector<uint32_t> worker_of_track(tracks.size(), kNone);
  std::set<IdInRank> driving;  // threads that drive workers
  for (uint32_t w = 0; w < workers.size(); ++w) {
    if (workers.track[w] < tracks.size()) worker_of_track[workers.track[w]] = w;
    driving.insert({workers.rank_index[w], workers.tid[w]});
  }

  std::vector<Place> places;
  const auto add = [&](TimelineRow row, uint64_t node, uint64_t id) {
    const uint32_t section = SectionOf(row.kind);
    const bool is_worker = row.kind == TimelineRowKind::kWorker;
    places.push_back({std::move(row), section, node, is_worker, id});
  };
  for (uint32_t rank = 0; rank < model.ranks.size(); ++rank)
    add({TimelineRowKind::kScheduler, rank, kNone, kNone, "scheduler"}, 0, 0);
  std::set<IdInRank> nodes;
  for (uint32_t t = 0; t < tracks.size(); ++t) {
    TimelineRow row{TimelineRowKind::kThread, tracks.rank_index[t], t, worker_of_track[t],
                    std::string(model.str(tracks.name[t]))};
    uint64_t node = 0;
    switch (tracks.kind[t]) {
      case TrackKind::kWorker:
        row.kind = TimelineRowKind::kWorker;
        if (row.worker != kNone) node = workers.memory_node[row.worker];
        break;
      case TrackKind::kMemoryNode:
        row.kind = TimelineRowKind::kMemoryNode;
        node = tracks.id[t];
        nodes.insert({row.rank_index, node});
        break;
      case TrackKind::kComm: row.kind = TimelineRowKind::kComm; break;
      case TrackKind::kThread:
        if (driving.contains({row.rank_index, tracks.id[t]}))
          row.kind = TimelineRowKind::kDriver;
        else if (Submits(model.states, t))
          row.kind = TimelineRowKind::kSubmitter;
        break;
    }
    add(std::move(row), node, tracks.id[t]);
  }
  // A node may occur only as the source of copies.
  const TransferTable& transfers = model.transfers;
  for (uint32_t i = 0; i < transfers.size(); ++i) {
    const IdInRank key{transfers.rank_index[i], transfers.source_node[i]};
    if (!nodes.insert(key).second) continue;
    add({TimelineRowKind::kMemoryNode, key.first, kNone, kNone,
         "memory node " + std::to_string(key.second)},
        key.second, key.second);
  }

  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.Key() < b.Key(); });
  return places;
}

}  // namespace

std::string_view TimelineRowKindName(TimelineRowKind kind) {
  switch (kind) {
    case TimelineRowKind::kScheduler: return "scheduler";
    case TimelineRowKind::kMemoryNode: return "memory_node";
    case TimelineRowKind::kWorker: return "worker";
    case TimelineRowKind::kDriver: return "driver";
    case TimelineRowKind::kComm: return "comm";
    case TimelineRowKind::kSubmitter: return "submitter";
    case TimelineRowKind::kThread: return "thread";
  }
  return "thread";
}

std::string NameWithRank(const TraceModel& model, const TimelineRow& row) {
  if (model.ranks.size() < 2) return row.name;
  return std::to_string(model.ranks.rank[row.rank_index]) + ": " + row.name;
}

TimelineRows::TimelineRows(const TraceModel& model)
    : of_track(model.tracks.size(), kNone),
      of_worker(model.workers.size(), kNone),
      scheduler(model.ranks.size(), kNone),
      messages(model.ranks.size(), kNone) {
  for (Place& place : PlacesOf(model)) {
    const auto index = static_cast<uint32_t>(rows.size());
    TimelineRow& row = place.row;
    if (row.track != kNone) of_track[row.track] = index;
    switch (row.kind) {
      case TimelineRowKind::kScheduler:
        scheduler[row.rank_index] = messages[row.rank_index] = index;
        break;
      case TimelineRowKind::kMemoryNode:
        row_of_node_.try_emplace({row.rank_index, place.node}, index);
        break;
      case TimelineRowKind::kWorker:
        if (row.worker == kNone) break;
        of_worker[row.worker] = index;
        row_of_worker_id_.try_emplace({row.rank_index, model.workers.id[row.worker]}, index);
        break;
      case TimelineRowKind::kComm:
        if (messages[row.rank_index] == scheduler[row.rank_index]) messages[row.rank_index] = index;
        break;
      default: break;
    }
    rows.push_back(std::move(row));
  }
}

uint32_t TimelineRows::OfMemoryNode(uint32_t rank_index, uint32_t node) const {
  const auto found = row_of_node_.find({rank_index, node});
  return found == row_of_node_.end() ? kNone : found->second;
}

uint32_t TimelineRows::OfWorkerId(uint32_t rank_index, uint32_t id) const {
  const auto found = row_of_worker_id_.find({rank_index, id});
  return found == row_of_worker_id_.end() ? kNone : found->second;
}

}  // namespace tasklens
