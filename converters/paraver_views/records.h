// SPDX-License-Identifier: Apache-2.0
// A .prv as it stands: records by thread, in its own units of time. For what computes with
// Paraver's own notions; everything else reads events (converters/readers/prv_decoder.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/support/diagnostics.h"
#include "trace/support/source.h"
#include "trace/support/status.h"

namespace tasklens {

struct ParaverRecords {
  struct State {
    int64_t begin, end;
    uint32_t state, cpu;
  };
  struct Event {
    int64_t time;
    uint32_t type, cpu;
    int64_t value;
  };
  struct Thread {
    uint32_t application, task, thread;     // from 1
    uint32_t task_row;                      // of `tasks`
    std::vector<State> states;              // in order of their begin
    std::vector<Event> events;              // in order of time
    std::vector<uint32_t> sends, receives;  // rows of communications
  };
  struct Communication {
    uint32_t from, to;          // rows of threads
    uint32_t from_cpu, to_cpu;  // as in records: from 1 through all nodes, 0 none
    int64_t logical_send, physical_send, logical_receive, physical_receive, size, tag;
  };
  struct Task {
    uint32_t application, task;
    uint32_t first_thread, thread_count;
  };

  int64_t end = 0;  // of the trace: as its header says, or its last record
  int64_t ns_per_unit = 1;
  std::vector<Thread> threads;
  std::vector<Task> tasks;
  uint32_t applications = 0;
  std::vector<uint32_t> cpus_of_node;
  std::vector<Communication> communications;
};

// Records that Paraver would drop are counted in `diags`. kCorrupt: no header; kUnsupported: the
// header names more threads, tasks or CPUs than a machine has.
Result<ParaverRecords> ReadParaverRecords(const Source& source, Diagnostics& diags);

}  // namespace tasklens
