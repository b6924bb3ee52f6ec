// SPDX-License-Identifier: Apache-2.0
// From records of a .prv to events.
//
// Each task of Paraver's is a rank. A thread is a worker when its first record names a CPU, or when
// the trace has no CPUs, or when it runs a task; else a thread.
//
// A task of ours runs while an event of the types that name tasks has a value: 60000023, those of
// OmpSs, and types whose label speaks of a "task type" (ovni); its number is that of 92000001, or
// of a "task ID", else we count. A value that does not change is not written again, so that a
// number may change alone; they come in any order at one time. A number that comes again, once its
// task has ended, goes on with that task: it was paused. A number without a type is a task, too.
// Without numbers, a value that follows on another of 60000023 is a task within that task, which
// goes on when 0 ends the inner one, as Extrae writes them. Its submission site is the place that
// the label of 60000124 names, else of 60000123.
//
// Functions of Extrae's 60000019 are states of their rows, in each other, called as the .pcf says,
// as are states. What else the .pcf has labels for are texts; all other numbers are curves of their
// rows. Communications within a task of which one end is on no CPU are transfers between memory
// nodes; all others are messages between the two threads. A memory node is called as its thread and
// numbered as that; of ours, it is one whose row says so, with its number.
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
#include "trace/events/event_sink.h"
#include "trace/support/diagnostics.h"

namespace tasklens {

class PrvDecoder {
 public:
  // `first_rank`: of the header's first task. All must outlive this.
  PrvDecoder(const PrvHeader& header, const PrvLabels& labels, uint32_t first_rank,
             std::string_view path, EventSink& sink, Diagnostics& diags);

  // One line after the header, without its end. `offset`: where it begins, for messages.
  void Line(std::string_view line, uint64_t offset);
  void Finish();

 private:
  struct Thread {
    size_t task;  // Paraver's, from 0
    uint32_t rank;
    uint32_t number;  // in its rank, from 1
    bool is_worker = false;
    bool is_known = false;  // the sink was told of it
    int64_t node = -1;      // the memory node that its row says it is; -1: none
    StringId name = 0;
    // The state it is in, and how the sink was told.
    enum class Shown : uint8_t { kNothing, kHidden, kSet, kPushed } shown = Shown::kNothing;
    StateKind kind = StateKind::kNone;
    StringId state_name = 0;  // 0: that of its kind
    int64_t state_end_ns = 0;
    // Those around it, outermost first, which the sink has as open; and how many our own files say
    // they are.
    struct Around {
      Shown shown;
      StateKind kind;
      StringId name;
    };
    std::vector<Around> around;
    int64_t depth = 0, depth_ns = 0;  // since when
    int64_t restored_ns = -1;         // when what lay in the state was over, and it may go on
    uint64_t job = 0;                 // the task it runs; 0: none
    int64_t start_ns = -1;            // of a task that is still to be told; -1: none
    bool is_typed = false;            // that task, by an event of its type
    int64_t task_type = 0;            // its value; 0: none
    const PrvType* task_labels = nullptr;
    int64_t task_id = 0;              // as the file says; 0: none
    std::vector<StringId> functions;  // that it is in, outermost first
    uint64_t ended_job = 0;           // the last one
    int64_t ended_ns = -1;
    struct Latest {  // value of an event, other than 0
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
    StringId label = 0;     // what its values are called
    double unit = 1;        // of its values
  };
  // A task whose number the file gives.
  struct NamedTask {
    int64_t type;
    uint32_t workers;  // that run it now
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
  void Skip(std::string_view kind, uint64_t offset);

  void Pair(Thread& thread, int64_t time_ns, uint32_t number, int64_t value);
  void TaskType(Thread& thread, int64_t time_ns, const Type& type, int64_t value);
  void TaskId(Thread& thread, int64_t time_ns, int64_t value);
  void UserFunction(Thread& thread, int64_t time_ns, const Type& type, int64_t value);
  void HardwareCounter(const Thread& thread, int64_t time_ns, uint32_t number, const Type& type,
                       int64_t value);
  void Other(const Thread& thread, int64_t time_ns, uint32_t number, const Type& type,
             int64_t value);
  void Counter(const Thread& thread, int64_t time_ns, const Type& type, int64_t value);
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
  void SetState(const Thread& thread, int64_t time_ns, StateKind kind, StringId name = 0);
  void PushState(const Thread& thread, int64_t time_ns, StateKind kind, StringId name);
  void ShowFunctions(const Thread& thread, int64_t time_ns, size_t from);
  void ShowStateAgain(Thread& thread, int64_t time_ns);
  bool IsWithin(const Thread& thread) const { return thread.job != 0 || !thread.functions.empty(); }
  State StateOf(int64_t state);
  void MakeMemoryNode(Thread& thread, int64_t time_ns);
  uint32_t MemoryNode(const Thread& thread, int64_t time_ns);
  void NumberRanks();
  uint32_t RankOf(size_t task) const;
  std::string NameOf(const Thread& thread) const;
  template <class... Args>
  void Tell(int64_t time_ns, EventKind kind, uint32_t rank, uint64_t tid, Args... args) {
    const std::array<uint64_t, sizeof...(Args)> values{static_cast<uint64_t>(args)...};
    sink_.OnEvent({time_ns, kind, rank, tid, values});
  }

  const PrvHeader& header_;
  const PrvLabels& labels_;
  const uint32_t first_rank_;
  std::vector<uint32_t> rank_of_task_;  // where the file says it; else empty, and they are counted
  const std::string path_;
  EventSink& sink_;
  Diagnostics& diags_;

  std::vector<int64_t> fields_;
  std::deque<Thread> threads_;
  std::unordered_map<uint64_t, Thread*> thread_of_;  // by task << 32 | number
  // Those asked for last, by some of the key's bits: nearly every record asks.
  struct Known {
    uint64_t key = 0;
    Thread* thread = nullptr;
  };
  std::array<Known, 256> known_;
  std::unordered_map<uint32_t, Type> types_;
  std::unordered_map<int64_t, State> states_;
  std::unordered_map<uint32_t, std::unordered_map<int64_t, StringId>> texts_;  // of (type, value)
  std::unordered_set<uint64_t> nodes_;  // the sink was told of: rank << 32 | number
  std::unordered_set<uint32_t> ranks_;
  std::unordered_map<uint32_t, uint64_t> last_job_;  // of those we counted, by rank
  std::unordered_map<uint32_t, std::unordered_map<int64_t, NamedTask>> named_;  // by rank, number
  uint64_t communicators_left_, copies_ = 0;
  bool has_tasks_ = false, is_ours_ = false;
};

}  // namespace tasklens
