// SPDX-License-Identifier: Apache-2.0
// The builder's data of each process while events arrive, and how its clock maps to the
// trace's.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/events/event_sink.h"
#include "trace/model/build/id_map.h"
#include "trace/model/trace_model.h"
#include "trace/support/diagnostics.h"

namespace tasklens::build {

struct Barrier {
  int64_t local_ns;
  uint64_t run;
};

// Recording was switched on or off.
struct Recording {
  int64_t local_ns;
  bool on;
};

// A time in which only the beginnings and ends of workers are known. Local.
struct Pause {
  int64_t begin_ns, end_ns;
};

struct RankData {
  uint32_t rank = 0;   // as MPI numbers it
  uint32_t index = 0;  // row of TraceModel::ranks
  int64_t first_ns = kMaxTime, last_ns = -kMaxTime;
  uint32_t world_size = 0;
  bool counts_tasks = false;  // a task_count event was seen
  std::vector<Barrier> barriers;
  std::vector<Recording> recording;
  int64_t wall_local_ns = 0, wall_unix_ns = -1;
  IdMap threads, workers, nodes;
  std::unordered_map<uint64_t, uint32_t> device_jobs;  // running jobs; each one's worker

  void Saw(int64_t time_ns) {
    first_ns = time_ns < first_ns ? time_ns : first_ns;
    last_ns = time_ns > last_ns ? time_ns : last_ns;
  }
  // A time before an event of this rank, but not before its first event.
  int64_t Before(int64_t time_ns, uint64_t ago_ns) const {
    return ago_ns < static_cast<uint64_t>(time_ns - first_ns)
               ? time_ns - static_cast<int64_t>(ago_ns)
               : first_ns;
  }
};

// Maps a process's own names to the rows of its tasks, handles and so on. Separate from RankData
// because another thread may fill it, see Work.
struct WorkOfRank {
  uint32_t index = 0;  // that of its RankData
  IdMap jobs, workers, addresses, tags, copies;
};

// From a rank's own clock to nanoseconds since the first event of the trace. Monotone.
class Clock {
 public:
  // Adds `offset_ns`.
  static Clock Shift(int64_t offset_ns);
  // Adds `from_offset_ns` up to local time `from_ns`, `to_offset_ns` from `to_ns` on, and a linear
  // interpolation in between. REQUIRES: from_ns < to_ns.
  static Clock Drift(int64_t from_ns, int64_t from_offset_ns, int64_t to_ns, int64_t to_offset_ns);

  // Never negative. kNever stays kNever.
  int64_t operator()(int64_t local_ns) const;
  // Makes `zero_ns`, a time that this clock returned, the new zero.
  void MoveZero(int64_t zero_ns);
  int64_t offset_ns() const { return from_offset_ns_; }
  bool is_shift() const { return drift_ns_ == 0; }

 private:
  int64_t Offset(int64_t local_ns) const;

  int64_t from_ns_ = 0, from_offset_ns_ = 0;
  int64_t span_ns_ = 0;  // 0: no drift
  int64_t drift_ns_ = 0;
};

// One clock per rank from their barriers, and the rows of `table`. Also says whether all ranks
// belong to one run (messages between them can be matched).
struct Clocks {
  std::vector<Clock> of_rank;
  bool same_run = true;

  // Converts local times to times of the trace; rank_of(row) returns the row of `ranks`.
  template <class RankOf>
  void Align(Column<int64_t>& times, RankOf rank_of) const {
    if (of_rank.size() == 1 && of_rank[0].is_shift()) return times.AddToAll(of_rank[0].offset_ns());
    times.Transform([&](size_t row, int64_t local_ns) { return of_rank[rank_of(row)](local_ns); });
  }
};
Clocks AlignClocks(const std::vector<RankData>& ranks, RankTable& table, Diagnostics& diags);

}  // namespace tasklens::build
