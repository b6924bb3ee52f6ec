// SPDX-License-Identifier: Apache-2.0
// What the readers of other tools' files tell of rows, workers, states and copies: shared by those
// of Paje and of Paraver, which decode into events of the runtime what these files show.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/events/event_sink.h"
#include "trace/support/diagnostics.h"

namespace tasklens {

// A row of the timeline: a thread of its rank, or a worker.
struct EventRow {
  uint64_t tid = 0;
  uint32_t rank = 0;
  bool is_worker = false;
  uint64_t worker = 0;  // id, if it is one
};

class RowEvents {
 protected:
  // `sink` and `diags` must outlive this.
  RowEvents(std::string_view path, EventSink& sink, Diagnostics& diags)
      : path_(path), sink_(sink), diags_(diags) {}

  template <class... Args>
  void Tell(int64_t time_ns, EventKind kind, uint32_t rank, uint64_t tid, Args... args) {
    const std::array<uint64_t, sizeof...(Args)> values{static_cast<uint64_t>(args)...};
    last_ns_ = std::max(last_ns_, time_ns);
    sink_.OnEvent({time_ns, kind, rank, tid, values});
  }
  // Counts a part of the file that cannot be used.
  void Skip(std::string_view kind, uint64_t offset) {
    diags_.Skip(kind, path_ + ": byte " + std::to_string(offset));
  }
  void TellOfRun(uint32_t rank, int64_t time_ns, std::string_view key, std::string_view value);
  // Tells that all ranks, or runs, share one clock.
  void TellClock(uint32_t rank, size_t ranks, bool are_runs);
  // Tells of a new worker, which has no state until the file gives one: by default it would be
  // initializing. Its kind follows from its name.
  void TellWorker(const EventRow& row, int64_t time_ns, std::string_view name, int64_t node,
                  int64_t cpu);
  // `name`: of a state that is not one of ours; else 0.
  void SetState(const EventRow& row, int64_t time_ns, StateKind kind, StringId name = 0);
  void PushState(const EventRow& row, int64_t time_ns, StateKind kind, StringId name);
  void TellCopy(uint32_t rank, int64_t source, int64_t target, int64_t start_ns, int64_t end_ns,
                uint64_t size_bytes, int64_t reason);

  const std::string path_;
  EventSink& sink_;
  Diagnostics& diags_;
  int64_t last_ns_ = 0;  // the latest time that was told

 private:
  uint64_t copies_ = 0;
};

}  // namespace tasklens
