// SPDX-License-Identifier: Apache-2.0
// Parses the parts of Paraver files that hovers and links show: labels (*.pcf) and records (*.prv).
// converters/readers/prv_labels.h reads the labels of a whole .pcf.
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

// Parses "42 label of it": the number, and the text after the blanks. nullopt for other lines.
struct ParaverLabel {
  int64_t number = 0;
  std::string_view label;
};
std::optional<ParaverLabel> ParseParaverLabel(std::string_view line);

// True if the line is the title of a section of a .pcf: "STATES", "EVENT_TYPE".
bool IsParaverSection(std::string_view line);

// The source line that a label mentions. `begin` and `end` are bytes of the label, or in a record
// the bytes of the type and the value.
struct ParaverPlace {
  std::string file;
  uint32_t line = 0;  // from 1
  size_t begin = 0, end = 0;
};
std::optional<ParaverPlace> PlaceInLabel(std::string_view label);

// The first source line that an event of a record mentions; nullopt for other lines.
std::optional<ParaverPlace> PlaceInRecord(std::string_view record, const PrvLabels& labels);

// Describes a line of a .prv in Markdown: its header, a state, an event or a message; "" for any
// other. `header`: the first line of the file, which has the unit of times.
std::string ParaverText(std::string_view line, std::string_view header, const PrvLabels& labels);

}  // namespace tasklens
