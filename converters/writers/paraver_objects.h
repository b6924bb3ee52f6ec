// SPDX-License-Identifier: Apache-2.0
// Maps a run to Paraver's two models: its processes and threads, its nodes and processors.
//
// One application; a task for each rank; in it a thread for each row of the timeline: workers,
// threads that submit, drive or communicate, and memory nodes, between which data are transferred.
// A node for each rank; on it a CPU for each worker of any kind. A worker's thread is on its CPU,
// all other threads are on none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converters/paraver_numbers.h"
#include "converters/writers/text.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// `text` as a label: one line, never empty; in 2001 a '#' began a comment anywhere.
std::string ParaverLabel(std::string_view text, ParaverDialect dialect);

class ParaverObjects {
 public:
  // `model` must outlive this.
  explicit ParaverObjects(const TraceModel& model);

  struct Thread {
    uint32_t track;  // row of tracks; kNone: the only thread of a rank without rows
    uint32_t rank_index;
    uint32_t application, task, number, cpu;  // from 1; cpu 0: none
    std::string id;                           // "cpu:application:task:thread", as records begin
  };
  const std::vector<Thread>& threads() const { return threads_; }  // in the order of Paraver

  const Thread& OfTrack(uint32_t track) const { return threads_[of_track_[track]]; }
  // The thread that shows events without a thread.
  const Thread& FirstOf(uint32_t rank_index) const { return threads_[first_of_rank_[rank_index]]; }
  // The thread where messages leave and arrive.
  const Thread& CommOf(uint32_t rank_index) const { return threads_[comm_of_rank_[rank_index]]; }
  // The thread where transfers of a memory node begin and end.
  const Thread& OfMemory(uint32_t rank_index, uint32_t node) const;

  // "2(4,5):1:2(7:1,8:2)", as in the header; for runs, "2(4,5):2:1(7:1):1(8:2)".
  std::string Structure() const;
  // Writes a whole .row.
  void WriteNames(TextBuffer& out, ParaverDialect dialect) const;

 private:
  void AddThread(uint32_t rank_index, uint32_t place, uint32_t track, uint32_t cpu);

  const TraceModel& model_;
  std::vector<uint32_t> order_;  // rows of ranks in the order of their numbers, which is Paraver's
  const bool are_runs_;  // each rank is an application of one task, else all are tasks of one
                         // application
  std::vector<Thread> threads_;
  std::vector<uint32_t> of_track_, first_of_rank_, comm_of_rank_;  // into threads_
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> of_memory_;    // (rank, node), into threads_
  std::vector<std::vector<uint32_t>> workers_of_rank_;             // in order of their CPUs
};

}  // namespace tasklens
