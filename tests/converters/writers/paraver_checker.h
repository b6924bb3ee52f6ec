// SPDX-License-Identifier: Apache-2.0
// A strict reader of Paraver's files, made from the document of 2001 and from what Paraver 4
// accepts: what either of them rejects, drops or misunderstands is a violation here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tasklens::testing {

struct PrvThread {
  uint32_t application, task, thread;
  auto operator<=>(const PrvThread&) const = default;
};
struct PrvState {
  uint32_t cpu;
  PrvThread thread;
  int64_t begin, end;
  uint32_t state;
};
struct PrvEvent {
  uint32_t cpu;
  PrvThread thread;
  int64_t time;
  std::vector<std::pair<uint32_t, int64_t>> pairs;  // (type, value)
};
struct PrvCommunication {
  PrvThread sender, receiver;
  int64_t logical_send, physical_send, logical_receive, physical_receive;
  int64_t size, tag;
};

struct PrvFile {
  std::vector<std::string> violations;  // "line 12: ...", at most 50
  int64_t duration = 0;
  std::string unit;            // "_ns", "_us", "" (microseconds)
  std::vector<uint32_t> cpus;  // of each node; empty: the trace has no resources
  struct Task {
    uint32_t threads, node;
  };
  std::vector<std::vector<Task>> applications;
  std::vector<PrvState> states;
  std::vector<PrvEvent> events;
  std::vector<PrvCommunication> communications;
};

// Rules of a .prv: the header's grammar, every count at least 1, tasks on nodes that exist; lines
// that end in LF alone, a body; records with all their fields, of threads and CPUs that exist, the
// CPU on the node of the task; times within the trace, none before another; states that last and
// overlap neither on a thread nor on a CPU; nothing received before it was wanted, or sent before;
// the order by time, then communications, events, states.
// `in_2001`: years of two digits, no unit, one type and value in a record, sizes and tags above 0.
PrvFile CheckPrv(std::string_view text, bool in_2001);

struct PcfFile {
  std::vector<std::string> violations;
  std::map<std::string, std::string> options;
  std::map<int64_t, std::string> states;
  std::map<int64_t, uint32_t> colours;  // 0xRRGGBB
  struct Type {
    std::string label;
    std::map<int64_t, std::string> values;
  };
  std::map<int64_t, Type> types;
};
// Rules of a .pcf: sections of known names, DEFAULT_OPTIONS first; no line of blanks alone; numbers
// of labels below 2^31; each state, colour, type and value once; colours from 0 to 255; every state
// that has a label has a colour below the number of colours. `in_2001`: no '#' in a line, sections
// of gradient colours 0 to 14.
PcfFile CheckPcf(std::string_view text, bool in_2001);

// Rules of a .row: `LEVEL name SIZE n`, then n names, none empty; known levels, each once, of the
// size that `prv` says. `in_2001`: all seven in the document's order, no '#'.
struct RowFile {
  std::vector<std::string> violations;
  std::map<std::string, std::vector<std::string>> levels;
};
RowFile CheckRow(std::string_view text, const PrvFile& prv, bool in_2001);

}  // namespace tasklens::testing
