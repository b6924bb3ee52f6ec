// SPDX-License-Identifier: Apache-2.0
// The contents of a .prv: records by thread, in its own units of time. For code that computes with
// Paraver's notions; other code reads events (converters/readers/prv_decoder.h).
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
    uint32_t from_cpu, to_cpu;  // as in records: counted from 1 over all nodes, 0 none
    int64_t logical_send, physical_send, logical_receive, physical_receive, size, tag;
  };
  struct Task {
    uint32_t application, task;
    uint32_t first_thread, thread_count;
  };

  int64_t end = 0;  // of the trace: from its header, or its last record if later
  int64_t ns_per_unit = 1;
  std::vector<Thread> threads;
  std::vector<Task> tasks;
  uint32_t applications = 0;
  std::vector<uint32_t> cpus_of_node;
  std::vector<Communication> communications;
};

// Counts records that Paraver drops in `diags`. kCorrupt: no header; kUnsupported: the header names
// more threads, tasks or CPUs than a machine has.
Result<ParaverRecords> ReadParaverRecords(const Source& source, Diagnostics& diags);

}  // namespace tasklens
