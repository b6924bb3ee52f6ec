// SPDX-License-Identifier: Apache-2.0
// What Paraver's files say to people: labels (*.pcf) and records (*.prv). What a .pcf names as a
// whole is read by converters/readers/prv_labels.h.
//
// The formats are those that Paraver 4.11 reads; "Paraver: Parallel Program Visualization and
// Analysis tool, Tracefile Description" (Barcelona Supercomputing Center, 2001) has the beginnings.
// Sources are named by labels of values, as Extrae writes them: "42 (chol.c, /path/chol.c)", or
// anywhere in a label as "chol.c:42".
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "converters/readers/prv_labels.h"

namespace tasklens {

// "42 label of it": the number and what follows the blanks behind it; nothing for other lines.
struct ParaverLabel {
  int64_t number = 0;
  std::string_view label;
};
std::optional<ParaverLabel> ParseParaverLabel(std::string_view line);

// Whether the line is the title of a section of a .pcf: "STATES", "EVENT_TYPE".
bool IsParaverSection(std::string_view line);

// The line of a source that a label names. `begin` and `end`: bytes of the label, or of the record
// where the type and the value stand.
struct ParaverPlace {
  std::string file;
  uint32_t line = 0;  // from 1
  size_t begin = 0, end = 0;
};
std::optional<ParaverPlace> PlaceInLabel(std::string_view label);

// The first place that the events of a record name; nothing for other lines.
std::optional<ParaverPlace> PlaceInRecord(std::string_view record, const PrvLabels& labels);

// A line of a .prv as Markdown: its header, a state, an event or a message; "" for any other.
// `header`: the file's first line, which says the unit of times.
std::string ParaverText(std::string_view line, std::string_view header, const PrvLabels& labels);

}  // namespace tasklens
