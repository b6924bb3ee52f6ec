// SPDX-License-Identifier: Apache-2.0
// A trace in memory: immutable tables in columns. Readers fill it through ModelBuilder; writers,
// analyses and the server read it and nothing else.
//
// Conventions. An index into a table is a uint32_t; kNone means "no such row". Times are int64_t
// nanoseconds since the first event of the whole trace, on one clock for all ranks; kNever means
// that it did not happen (or was not recorded). Strings are ids into `strings`. Rows of `tasks` are
// in the order in which tasks were first mentioned; everything with a time is sorted by time.
//
// Large tables are packed (see Column): values are read by index, not by reference.
//
// Threads: const, so any number of readers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/events/events.h"
#include "trace/model/column.h"
#include "trace/support/string_pool.h"

namespace tasklens {

inline constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
inline constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

// A process of the run. rank == its index for one file; MPI ranks may have gaps.
struct RankTable {
  std::vector<uint32_t> rank;            // as MPI numbers it
  std::vector<int64_t> clock_offset_ns;  // added to its first sync point's local time, see builder
  std::vector<bool> aligned;             // false: no common sync point, starts at its own zero
  Column<uint32_t> world_size;           // 0: not an MPI program
  size_t size() const { return rank.size(); }
};

struct WorkerTable {
  std::vector<uint32_t> rank_index;
  std::vector<uint32_t> id;  // StarPU's worker id, unique in its rank
  std::vector<WorkerArch> arch;
  std::vector<int32_t> device;
  std::vector<uint32_t> memory_node;  // node id within the rank
  std::vector<int32_t> cpu;           // the CPU it is bound to, -1 unknown
  std::vector<uint64_t> tid;
  std::vector<StringId> name;   // "CPU0", "CUDA0_1"
  std::vector<uint32_t> track;  // its row of the timeline
  std::vector<int64_t> start_ns, ready_ns, stop_ns, end_ns;
  size_t size() const { return id.size(); }
};

struct MemoryNodeTable {
  std::vector<uint32_t> rank_index;
  std::vector<uint32_t> id;
  std::vector<StringId> name;  // "NUMA 0"; "" when the trace has none
  std::vector<uint32_t> track;
  std::vector<int64_t> start_ns;
  size_t size() const { return id.size(); }
};

// The rows of a timeline.
enum class TrackKind : uint8_t { kWorker, kThread, kMemoryNode, kComm };
struct TrackTable {
  std::vector<TrackKind> kind;
  std::vector<uint32_t> rank_index;
  std::vector<uint64_t> id;    // worker id, OS thread id, or node id
  std::vector<StringId> name;  // for people: "CPU 0", "main", "NUMA 0"
  std::vector<int64_t> start_ns, end_ns;
  size_t size() const { return kind.size(); }
};

// States, grouped by track and sorted by start within it: track t has rows
// [first_of_track[t], first_of_track[t + 1]). depth 0 tiles the track; a state of depth d > 0 was
// pushed onto one of depth d - 1 and lies within it. Equal neighbours of depth 0 are merged, unless
// they are executions or stretches of a task. A tile of depth 0 without length is always a task.
struct StateTable {
  Column<int64_t> start_ns, end_ns;
  Column<StateKind> kind;
  Column<uint8_t> depth;
  Column<uint32_t> task{kNone};  // for kTask (and where known), else kNone
  // The name of the state in another tool's file, if no StateKind fits; 0: the name of its kind.
  Column<StringId> name;
  std::vector<uint32_t> first_of_track{0};
  size_t size() const { return kind.size(); }
};

struct TaskTable {
  Column<uint64_t> job;  // StarPU's job id, unique in its rank
  Column<uint32_t> rank_index;
  Column<StringId> name, model, arch;
  Column<uint32_t> site{kNone};  // row of `sites`
  Column<int64_t> submit_ns{kNever}, ready_ns{kNever}, pop_ns{kNever};
  // A parallel task has several workers, each with a state of its own: the task runs from the start
  // of the first of them, which is `worker`, to the end of the last. For a task that was submitted
  // and ran several times, these are the times of the last run, from submit_ns on; see `executions`
  // for all.
  Column<int64_t> start_ns{kNever}, end_ns{kNever}, done_ns{kNever};
  // Length of the pauses between start and end: see `stretches`.
  Column<int64_t> paused_ns;
  Column<uint32_t> worker{kNone};  // row of `workers`; kNone: it never ran (or has no codelet)
  // For a parallel task, the worker that started last; else kNever and kNone. See LastStartNs().
  Column<int64_t> last_start_ns{kNever};
  Column<uint32_t> last_worker{kNone};
  Column<uint32_t> memory_node{kNone};  // node id within the rank, of the worker that started last
  Column<uint32_t> ctx;
  Column<int32_t> priority;
  Column<int32_t> iteration{-1}, subiteration{-1};
  Column<uint64_t> submit_order;  // 0: none
  Column<uint64_t> tag;           // REQUIRES has_tag
  Column<uint8_t> has_tag;
  Column<uint32_t> footprint;
  Column<uint8_t> has_footprint;  // task_details or task_end gave one
  Column<uint64_t> size_bytes;    // of all its data
  Column<double> flops;
  Column<uint32_t> rgb{kNone};     // 0xRRGGBB chosen by the program, kNone: none
  Column<uint32_t> type;           // TaskTypeBits
  Column<uint8_t> hidden;          // excluded from graphs by the runtime
  Column<uint8_t> has_submit;      // task_submit was seen (not only mentioned by others)
  Column<uint32_t> resubmissions;  // number of further submissions
  Column<uint8_t> cut;             // started, and the trace ended before its end
  Column<uint32_t> parent{kNone};  // recursive task that contains it
  Column<uint8_t> is_recursive;
  Column<uint32_t> level;  // number of recursive tasks that contain it, where the trace says so
  size_t size() const { return job.size(); }

  // The time that the task ran. REQUIRES: it started and ended.
  int64_t RunNs(uint32_t task) const { return end_ns[task] - start_ns[task] - paused_ns[task]; }

  // The same for the worker that started last, see LastStartNs().
  int64_t LastRunNs(uint32_t task) const {
    return std::max<int64_t>(end_ns[task] - LastStartNs(task) - paused_ns[task], 0);
  }

  // The start that StarPU's files give a task: that of the worker that started it last.
  int64_t LastStartNs(uint32_t task) const {
    const int64_t last_ns = last_start_ns[task];
    return last_ns == kNever ? start_ns[task] : last_ns;
  }
  uint32_t LastWorker(uint32_t task) const {
    const uint32_t last = last_worker[task];
    return last == kNone ? worker[task] : last;
  }
};

// When and where tasks ran that paused and continued, on the same worker or another: all stretches
// of each such task, by task and start. For all other tasks, start, end and worker say the same.
struct StretchTable {
  std::vector<uint32_t> task, worker;  // rows
  std::vector<int64_t> start_ns, end_ns;
  size_t size() const { return task.size(); }
};

// The kinds of workers that have a function for the tasks of a name, where the trace tells: one row
// per rank and name, sorted.
struct CodeletTable {
  std::vector<uint32_t> rank_index;
  std::vector<StringId> name;
  std::vector<uint32_t> archs;  // bits 1 << WorkerArch
  size_t size() const { return name.size(); }
};

// The workers of tasks that may run only on these workers, by task, then by worker.
struct BindingTable {
  std::vector<uint32_t> task, worker;  // rows
  size_t size() const { return task.size(); }
};

// Executions of tasks with more than one: a parallel task has one on each of its workers, a task
// that was submitted again has one per submission. A task with a single execution has it in its row
// of TaskTable; executions.h iterates over both. Sorted by task, then by start.
struct ExecutionTable {
  Column<uint32_t> task, worker{kNone};  // rows of `tasks` and `workers`
  Column<int64_t> start_ns, end_ns{kNever};
  Column<uint32_t> run;  // run of its task, from 0; executions of the same run are parallel
  // The submission that led to the execution; kNever and 0: none.
  Column<int64_t> submit_ns{kNever};
  Column<uint64_t> submit_order;
  Column<uint8_t> cut;  // the trace ended before the execution did
  size_t size() const { return start_ns.size(); }
};

// A dependency seen from one of its ends.
struct DepEnd {
  uint32_t task;   // row of the other end
  StringId label;  // "task", "ghost", "tag", ...
  bool operator==(const DepEnd&) const = default;
};
using DepLists = PackedLists<Records<DepEnd, &DepEnd::task, &DepEnd::label>>;

struct TaskAccess {
  uint32_t handle;  // row of `handles`
  uint32_t mode;    // AccessModeBits
  uint64_t size_bytes;
  int64_t numa_nodes = -1;  // a bit per node; -1 unknown
};
using AccessLists = PackedLists<Records<TaskAccess, &TaskAccess::handle, &TaskAccess::mode,
                                        &TaskAccess::size_bytes, &TaskAccess::numa_nodes>>;

// A registered piece of data; the same address registered again is another row.
struct HandleTable {
  std::vector<uint64_t> address;
  std::vector<uint32_t> rank_index;
  Column<uint64_t> size_bytes;
  Column<int64_t> max_size_bytes{-1};
  Column<int32_t> home_node{-1};
  Column<uint64_t> parent;  // address, 0 none
  Column<StringId> name, description;
  Lists<int32_t> coordinates;
  Column<int64_t> register_ns{kNever}, unregister_ns{kNever};
  Column<int32_t> mpi_owner{-1};
  Column<int64_t> mpi_tag{-1};
  size_t size() const { return address.size(); }
};

// Where tasks are submitted, and where the program waits or declares tags: one row for each
// distinct (file, line, function).
struct SiteTable {
  std::vector<StringId> file;  // as the compiler was given it; may be relative
  std::vector<uint32_t> line;  // from 1
  std::vector<StringId> function;
  size_t size() const { return file.size(); }
};

struct TagTable {
  std::vector<uint32_t> rank_index;
  std::vector<uint64_t> tag;
  Column<StringId> name;
  Column<int64_t> done_ns{kNever};
  Column<uint32_t> site{kNone};  // row of `sites`: where its dependencies were declared last
  std::vector<std::pair<uint32_t, uint32_t>> deps;    // rows of this table: (father, child)
  std::vector<std::pair<uint32_t, uint32_t>> owners;  // (row of this table, task)
  size_t size() const { return tag.size(); }
};

struct TransferTable {
  std::vector<int64_t> start_ns, end_ns;  // end kNever: still running when the trace ended
  std::vector<uint32_t> rank_index, source_node, target_node;
  std::vector<uint64_t> size_bytes, copy_id;
  std::vector<CopyReason> reason;
  std::vector<uint64_t> handle;  // address, 0 unknown
  size_t size() const { return start_ns.size(); }
};

struct StealTable {
  std::vector<int64_t> time_ns;
  std::vector<uint32_t> rank_index, thief, victim;  // worker ids within the rank
  size_t size() const { return time_ns.size(); }
};

// A message matched between its sender and receiver; an unmatched side is kNone / kNever.
struct MessageTable {
  std::vector<int64_t> send_ns, receive_ns;
  // Only if the file has these times, else kNever: when the message left the sender, after the call
  // at send_ns; and from when on the receiver waited for, or asked for, the message that arrived at
  // receive_ns.
  std::vector<int64_t> left_ns, asked_ns;
  std::vector<uint32_t> source_track, target_track;  // row of the message; kNone: the rank's row
  std::vector<uint32_t> source, target;              // rows of `ranks`
  std::vector<int64_t> tag;
  std::vector<uint64_t> size_bytes;
  std::vector<MessageType> type;
  std::vector<int32_t> priority;
  // Jobs; 0: none. The task that the sender waited for, and the task that waited for the receiver.
  // Where the trace says so: the task that waited for the sender, and the task that the receiver
  // waited for.
  std::vector<uint64_t> send_job, receive_job, after_send_job, before_receive_job;
  std::vector<uint64_t> send_handle, receive_handle;
  std::vector<int64_t> send_numa, receive_numa;
  size_t size() const { return send_ns.size(); }
};

// All other events of a moment, with their arguments as recorded. ModelBuilder has the list of
// kinds (user events, messages, memory operations, data states, scheduler pushes and pops, ...).
// Sorted by time. For the arguments see Decl(kind[i]).
struct PointTable {
  // A copy of the arguments of one point.
  class ArgValues {
   public:
    uint64_t operator[](size_t i) const { return values_[i]; }
    const uint64_t* data() const { return values_.data(); }
    size_t size() const { return size_; }
    const uint64_t* begin() const { return data(); }
    const uint64_t* end() const { return data() + size_; }

   private:
    friend PointTable;
    std::array<uint64_t, kMaxArgs> values_;
    size_t size_ = 0;
  };

  Column<int64_t> time_ns;
  Column<EventKind> kind;
  Column<uint32_t> track{kNone};  // row of `tracks`: the emitting thread or its worker, or kNone
  Column<uint32_t> rank_index;
  PackedLists<Column<uint64_t>> args;
  ArgValues Args(size_t i) const {
    ArgValues result;
    for (const uint64_t arg : args[i]) result.values_[result.size_++] = arg;
    return result;
  }
  size_t size() const { return kind.size(); }
};

// A value that changes in steps: it stays constant from one sample to the next. kOfFile: a counter
// of another tool's file.
enum class CounterKind : uint8_t { kSubmittedTasks, kReadyTasks, kMemoryUsedBytes, kOfFile };
struct CounterSeries {
  CounterKind kind;
  uint32_t rank_index;
  uint32_t track;     // kMemoryUsedBytes: row of the memory node; kOfFile: any row; else kNone
  StringId name = 0;  // kOfFile: the name in the file; else 0
  Column<int64_t> time_ns;
  Column<double> value;
};

struct PapiTable {
  std::vector<uint32_t> task;
  std::vector<int64_t> code, value;
};

struct EstimateTable {
  std::vector<uint32_t> task;
  std::vector<int32_t> worker;  // id within the rank, -1 any
  std::vector<double> length_ns, transfer_ns;
};

// The parts of a trace that the caller wants: other parts cost neither memory nor time, and their
// tables are empty. Tasks with their times and sites, workers, memory nodes, tracks, ranks and tags
// are always there.
enum ModelParts : uint32_t {
  kPartStates = 1 << 0,
  kPartPredecessors = 1 << 1,     // predecessors
  kPartData = 1 << 2,             // handles, accesses, parameters
  kPartTransfers = 1 << 3,        // transfers
  kPartCounters = 1 << 4,         // counters
  kPartMessages = 1 << 5,         // messages
  kPartTaskExtras = 1 << 6,       // papi, estimates
  kPartSchedulerPoints = 1 << 7,  // points: task_ready, task_pop, component_*
  kPartMemoryPoints = 1 << 8,     // points: memory operations, data states, requests, loads, copies
  kPartPoints = 1 << 9,           // all other points; steals
  kPartSuccessors = 1 << 10,      // successors, if kPartPredecessors as well
  kPartDeps = kPartPredecessors | kPartSuccessors,
  kAllParts = 0xffffffff,
  // The parts that analyses and pictures need: half of the points of a trace are for writers only.
  kAnalysisParts = kAllParts & ~kPartMemoryPoints,
};

struct TraceModel {
  StringPool strings;
  std::string_view str(StringId id) const { return strings.Get(id); }

  int64_t duration_ns = 0;     // from the first event to the last
  int64_t wall_clock_ns = -1;  // Unix time of the first event, -1 unknown
  uint64_t event_count = 0;

  RankTable ranks;
  WorkerTable workers;
  MemoryNodeTable memory_nodes;
  TrackTable tracks;
  StateTable states;
  TaskTable tasks;
  ExecutionTable executions;
  CodeletTable codelets;
  BindingTable bindings;
  DepLists predecessors;  // row i: tasks that task i waits for, as recorded, no duplicates
  DepLists successors;    // the same edges from the other end, by successor's row
  std::vector<std::pair<uint32_t, uint32_t>> end_deps;  // (releaser, delayed), rows of tasks
  AccessLists accesses;                      // row i: the data of task i, in parameter order
  PackedLists<Column<StringId>> parameters;  // row i: descriptions of the data of task i
  HandleTable handles;
  SiteTable sites;
  TagTable tags;
  TransferTable transfers;
  StealTable steals;
  StretchTable stretches;
  MessageTable messages;
  PointTable points;
  std::vector<CounterSeries> counters;
  PapiTable papi;
  EstimateTable estimates;
  std::vector<std::pair<StringId, StringId>> info;                 // program_info, in order
  std::vector<std::pair<uint64_t, uint64_t>> source_event_counts;  // (code, count), all ranks

  // The task's name, or "unknown" as StarPU says; never "".
  std::string_view TaskNameOf(uint32_t task) const {
    const std::string_view name = strings.Get(tasks.name[task]);
    return name.empty() ? "unknown" : name;
  }
  // The name of a state: the file's, if it has one, else that of its kind.
  std::string_view StateNameOf(size_t state) const {
    const StringId name = states.name[state];
    return name != 0 ? strings.Get(name) : Decl(states.kind[state]).name;
  }
  // The row of task `job` of rank row `rank_index`, or kNone. Binary search.
  uint32_t FindTask(uint32_t rank_index, uint64_t job) const;
  Column<uint32_t> tasks_by_job;  // rows of tasks sorted by (rank, job), for FindTask

  std::shared_ptr<const void> storage;  // keeps the memory of the columns, or nullptr
};

}  // namespace tasklens
