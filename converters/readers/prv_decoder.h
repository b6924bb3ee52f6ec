// SPDX-License-Identifier: Apache-2.0
// Turns the records of a .prv into events.
//
// Each task of Paraver's is a rank. A thread is a worker when its first record names a CPU, or when
// the trace has no CPUs, or when it runs a task; else a thread.
//
// A task of ours runs while an event of a type that names tasks has a value: 60000023, those of
// OmpSs, and types whose label contains "task type" (ovni). Its number is the value of 92000001 or
// of a "task ID"; without these, tasks are counted. An unchanged value is not written again, so
// that a number may change alone; events of one time come in any order. A number that returns after
// its task has ended continues that task: it was paused. A number without a type is a task, too.
// Without numbers, a value of 60000023 that follows another is a task within that task; the outer
// task continues when 0 ends the inner one, as Extrae writes it. The submission site is the place
// in the label of 60000124, else of 60000123.
//
// Functions of Extrae's 60000019 are nested states of their rows, named by the .pcf, as are states.
// Other events with labels in the .pcf are texts; all other numbers are curves of their rows.
// Communications within a task with one end on no CPU are transfers between memory nodes; all
// others are messages between the two threads. A memory node has the name and number of its thread;
// in our own files, a row says that it is a memory node, with its number.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "converters/readers/prv_header.h"
#include "converters/readers/prv_labels.h"
#include "converters/readers/row_events.h"

namespace tasklens {

class PrvDecoder : RowEvents {
 public:
  // `first_rank`: the rank of the header's first task. All must outlive this.
  PrvDecoder(const PrvHeader& header, const PrvLabels& labels, uint32_t first_rank,
             std::string_view path, EventSink& sink, Diagnostics& diags);

  // Decodes one line after the header, without its newline. `offset`: its beginning, for messages.
  void Line(std::string_view line, uint64_t offset);
  void Finish();

 private:
  struct Thread : EventRow {  // tid: its number in its rank, from 1
    size_t task = 0;          // Paraver's, from 0
    bool is_known = false;    // the sink was told of it
    int64_t node = -1;        // the memory node of its row; -1: none
    StringId name = 0;
    // Its current state, and how that was delivered.
    enum class Shown : uint8_t { kNothing, kHidden, kSet, kPushed } shown = Shown::kNothing;
    StateKind kind = StateKind::kNone;
    StringId state_name = 0;  // 0: the name of its kind
    int64_t state_end_ns = 0;
    // The states around it that are open in the sink, outermost first; and their number according
    // to our own files.
    struct Around {
      Shown shown;
      StateKind kind;
      StringId name;
    };
    std::vector<Around> around;
    int64_t depth = 0, depth_ns = 0;  // since when
    int64_t restored_ns = -1;  // end of the states within this one, after which it may continue;
                               // -1: none
    uint64_t job = 0;          // the task it runs; 0: none
    int64_t start_ns = -1;     // of a task that is not delivered yet; -1: none
    bool is_typed = false;     // the task has an event of its type
    int64_t task_type = 0;     // its value; 0: none
    const PrvType* task_labels = nullptr;
    int64_t task_id = 0;              // number in the file; 0: none
    std::vector<StringId> functions;  // functions that it is in, outermost first
    uint64_t ended_job = 0;           // the last one
    int64_t ended_ns = -1;
    struct Latest {  // value of an event, if not 0
      int64_t time_ns = -1, value = 0;
    } line{}, task_line{}, function{}, iteration{}, subiteration{}, submitted{}, repeated{};
  };

  enum class Role : uint8_t {
    kIgnored,
    kTaskType,
    kTaskId,
    kIteration,
    kSubiteration,
    kSubmitted,
    kRepeated,
    kDepth,
    kSiteLine,
    kTaskLine,
    kSiteFunction,
    kMemoryUsed,
    kUserEvent,
    kUserFunction,
    kHardwareCounter,
    kOther,
  };
  struct Type {
    Role role;
    const PrvType* labels;  // nullptr: none
    StringId label = 0;     // name of its values
    double unit = 1;        // of its values
  };
  // A task with a number from the file.
  struct NamedTask {
    int64_t type;
    uint32_t workers;  // workers that run it now
  };
  struct State {
    StateKind kind;
    StringId name;
  };

  void BeginAt(int64_t time_ns);
  void StateRecord(uint64_t offset);
  void Event(uint64_t offset);
  void Communication(uint64_t offset);
  Thread* ThreadAt(size_t field, int64_t time_ns);
  bool Time(int64_t units, int64_t& time_ns) const;

  void Pair(Thread& thread, int64_t time_ns, uint32_t number, int64_t value);
  void TaskType(Thread& thread, int64_t time_ns, const Type& type, int64_t value);
  void TaskId(Thread& thread, int64_t time_ns, int64_t value);
  void UserFunction(Thread& thread, int64_t time_ns, const Type& type, int64_t value);
  void HardwareCounter(Thread& thread, int64_t time_ns, uint32_t number, const Type& type,
                       int64_t value);
  void Other(Thread& thread, int64_t time_ns, uint32_t number, const Type& type, int64_t value);
  void Counter(Thread& thread, int64_t time_ns, const Type& type, int64_t value);
  const Type& TypeOf(uint32_t number);
  Role RoleOf(uint32_t number, const PrvType* labels) const;

  void AddRank(uint32_t rank);
  void Announce(Thread& thread, int64_t time_ns);
  void MakeWorker(Thread& thread, int64_t time_ns, int64_t cpu);
  void StartTask(Thread& thread);
  uint64_t JobOf(const Thread& thread, EventKind& kind);
  void EndTask(Thread& thread, int64_t time_ns);
  void TellSite(const Thread& thread);
  void TellSubmission(const Thread& thread);
  void CloseState(Thread& thread, int64_t now_ns);
  void CloseAround(Thread& thread, int64_t time_ns);
  void Nest(Thread& thread, int64_t time_ns, int64_t depth);
  void ShowFunctions(const Thread& thread, int64_t time_ns, size_t from);
  void ShowStateAgain(Thread& thread, int64_t time_ns);
  bool IsWithin(const Thread& thread) const { return thread.job != 0 || !thread.functions.empty(); }
  State StateOf(int64_t state);
  void MakeMemoryNode(Thread& thread, int64_t time_ns);
  uint32_t MemoryNode(const Thread& thread, int64_t time_ns);
  void NumberRanks();
  uint32_t RankOf(size_t task) const;
  std::string NameOf(const Thread& thread) const;

  const PrvHeader& header_;
  const PrvLabels& labels_;
  const uint32_t first_rank_;
  std::vector<uint32_t> rank_of_task_;  // if the file says so; else empty, and ranks are counted

  std::vector<int64_t> fields_;
  std::deque<Thread> threads_;
  std::unordered_map<uint64_t, Thread*> thread_of_;  // by task << 32 | number
  // The latest look-ups, by some bits of the key: nearly every record needs one.
  struct Known {
    uint64_t key = 0;
    Thread* thread = nullptr;
  };
  std::array<Known, 256> known_;
  std::unordered_map<uint32_t, Type> types_;
  std::unordered_map<int64_t, State> states_;
  std::unordered_map<uint32_t, std::unordered_map<int64_t, StringId>> texts_;  // of (type, value)
  std::unordered_set<uint64_t> nodes_;  // nodes that were delivered: rank << 32 | number
  std::unordered_set<uint32_t> ranks_;
  std::unordered_map<uint32_t, uint64_t> last_job_;  // counted jobs, by rank
  std::unordered_map<uint32_t, std::unordered_map<int64_t, NamedTask>> named_;  // by rank, number
  uint64_t communicators_left_;
  bool has_tasks_ = false, is_ours_ = false;
};

}  // namespace tasklens
