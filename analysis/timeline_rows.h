// SPDX-License-Identifier: Apache-2.0
// The rows of a timeline from top to bottom, in the order that StarPU's users know from ViTE: for
// each rank its scheduler, each memory node with the workers on it, the threads that drive workers,
// communication, the threads that submit tasks, and other threads.
//
// Pure; any thread. O(tracks + workers + transfers); of the states of a thread, only those before
// its first submission are read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

enum class TimelineRowKind : uint8_t {
  kScheduler,   // no states: for the counters and flags of all workers of a rank
  kMemoryNode,  // copies, allocations
  kWorker,      // of any kind; a stream of a GPU is a worker of its own
  kDriver,      // a thread that drives workers which have rows of their own
  kComm,        // the MPI thread
  kSubmitter,   // a thread that submits tasks or waits for them
  kThread,      // any other
};
// "scheduler", "memory_node", "worker", "driver", "comm", "submitter", "thread".
std::string_view TimelineRowKindName(TimelineRowKind kind);

struct TimelineRow {
  TimelineRowKind kind;
  uint32_t rank_index;
  uint32_t track = kNone;   // row of model.tracks with its states; kNone: no states
  uint32_t worker = kNone;  // row of model.workers
  std::string name;         // "scheduler", "CPU 0", "NUMA 0", "main"
};

// The name of a row, after its rank if the trace has several: "CPU 0", "1: CPU 0".
std::string NameWithRank(const TraceModel& model, const TimelineRow& row);

struct TimelineRows {
  explicit TimelineRows(const TraceModel& model);

  std::vector<TimelineRow> rows;
  std::vector<uint32_t> of_track;   // by row of model.tracks
  std::vector<uint32_t> of_worker;  // by row of model.workers; kNone: its track is missing in the
                                    // trace
  std::vector<uint32_t> scheduler;  // by row of model.ranks
  std::vector<uint32_t> messages;   // by row of model.ranks: the ends of messages, on the first
                                    // communication row, else the scheduler

  // kNone for ids that are not in the trace.
  uint32_t OfMemoryNode(uint32_t rank_index, uint32_t node) const;
  uint32_t OfWorkerId(uint32_t rank_index, uint32_t id) const;

 private:
  using Key = std::pair<uint32_t, uint64_t>;  // rank_index, id within the rank
  std::map<Key, uint32_t> row_of_node_, row_of_worker_id_;
};

}  // namespace tasklens
