// SPDX-License-Identifier: Apache-2.0
// TestTrace: a small trace in one expression. It sends events through the real ModelBuilder, so a
// test of an analysis or a writer sees what a reader would have made.
//
//   TraceModel model = TestTrace()
//                          .Worker("CPU0")
//                          .Task("potrf", 0, 10, {.file = "chol.c", .line = 42})
//                          .Task("trsm", 10, 30, {.worker = 0, .priority = 2})
//                          .Dep(1, 2)
//                          .Build();
//
// Times are nanoseconds and come out of the model as given: every trace has an event at 0. Jobs are
// numbered from 1 in the order of Task(), workers and memory nodes from 0, each rank for itself.
// Threads: 1000 + worker id for workers, 1 (kMain) for everything else.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trace/model/model_builder.h"
#include "trace/model/trace_model.h"

namespace tasklens::testing {

// An argument of an event: a number of any kind, or a text that will be interned.
class Arg {
 public:
  Arg(int value) : value_(static_cast<uint64_t>(static_cast<int64_t>(value))) {}
  Arg(int64_t value) : value_(static_cast<uint64_t>(value)) {}
  Arg(uint32_t value) : value_(uint64_t{value}) {}
  Arg(uint64_t value) : value_(value) {}
  Arg(double value) : value_(FromDouble(value)) {}
  Arg(const char* text) : value_(std::string(text)) {}
  Arg(std::string_view text) : value_(std::string(text)) {}
  Arg(std::string text) : value_(std::move(text)) {}
  template <class Enum>
  requires std::is_enum_v<Enum> Arg(Enum value) : value_(static_cast<uint64_t>(value)) {}

  uint64_t Bits(EventSink& sink) const {
    if (const uint64_t* number = std::get_if<uint64_t>(&value_)) return *number;
    return sink.Intern(std::get<std::string>(value_));
  }

 private:
  std::variant<uint64_t, std::string> value_;
};

inline constexpr uint64_t kMain = 1;  // the thread of main()

class TestTrace {
 public:
  struct TaskOptions {
    uint64_t job = 0;  // 0: the next number
    uint32_t worker = 0;
    int64_t submit_ns = -1;  // -1: no task_submit event; has no effect on the start
    std::string_view file = "";
    uint32_t line = 0;
    std::string_view function = "";
    std::string_view model = "";
    int32_t priority = 0;
    int32_t iteration = -1, subiteration = -1;
    uint32_t type = 0;  // TaskTypeBits
    uint64_t tag = 0;   // 0: none
    uint64_t size_bytes = 0;
    double flops = 0;
    uint32_t footprint = 0;
    uint32_t rgb = kNone;
    uint32_t node = 0;
  };

  explicit TestTrace(bool event_at_zero = true);

  // What follows belongs to rank `rank`; at first 0.
  TestTrace& Rank(uint32_t rank);
  // A worker for CPUs, for CUDA where the name begins so, on memory node `node`, with a thread of its
  // own, from time 0.
  TestTrace& Worker(std::string_view name, uint32_t node = 0);
  TestTrace& MemoryNode(std::string_view name);
  // The first Task() without any Worker() before it makes Worker("CPU0").
  TestTrace& Task(std::string_view name, int64_t start_ns, int64_t end_ns);
  TestTrace& Task(std::string_view name, int64_t start_ns, int64_t end_ns, TaskOptions options);
  // Task `succ` waits for task `pred`; both are job ids.
  TestTrace& Dep(uint64_t pred, uint64_t succ, std::string_view label = "task");
  // Any event. REQUIRES: as many arguments as Decl(kind) says.
  TestTrace& Event(int64_t time_ns, EventKind kind, std::vector<Arg> args = {},
                   uint64_t tid = kMain);
  // A state of worker `worker`: from start on it is in `state`.
  TestTrace& State(int64_t start_ns, StateKind state, uint32_t worker = 0);

  // Calls sink.OnEvent() for everything, in time order (in order of the calls at equal times).
  void Replay(EventSink& sink) const;
  // The model; what the builder had to say is added to `diags` when given.
  // Aborts when the trace has no event at all.
  TraceModel Build(Diagnostics* diags = nullptr) const;

 private:
  struct Item {
    int64_t time_ns;
    EventKind kind;
    uint32_t rank;
    uint64_t tid;
    std::vector<Arg> args;
  };
  struct RankState {
    uint32_t workers = 0, nodes = 0;
    uint64_t next_job = 1;
  };

  uint32_t rank_ = 0;
  std::map<uint32_t, RankState> ranks_;
  std::vector<Item> items_;
};

// A worker that is idle, from 100 to 500 busy with the runtime, within that from 200 to 400
// scheduling, within that from 250 to 300 in a callback; and user event 7 at 500.
TestTrace NestedStates();

}  // namespace tasklens::testing
