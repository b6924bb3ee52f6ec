// SPDX-License-Identifier: Apache-2.0
// Records of GNU recutils: "Field: value" lines, a blank line after each record.
#pragma once

#include <string_view>

#include "converters/writers/text.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Writes a whole field with any text as its value. A line break continues the value on a line that
// begins with "+ "; a backslash at the end of a line, which would escape the line break, is
// followed by a blank; other control characters and invalid UTF-8 are replaced.
void PutRecordText(TextBuffer& out, std::string_view field, std::string_view text);

template <class T>
void PutRecordInteger(TextBuffer& out, std::string_view field, T value) {
  out.Put(field, ": ", value, '\n');
}

inline void PutRecordHex(TextBuffer& out, std::string_view field, uint64_t value) {
  out.Put(field, ": ", Hex{value}, '\n');
}

// Milliseconds with 6 decimals.
inline void PutRecordMs(TextBuffer& out, std::string_view field, int64_t time_ns) {
  out.Put(field, ": ", Ms{time_ns}, '\n');
}

// Whether the trace is of StarPU after 1.4; its tool writes more fields.
bool IsOfStarpuAfter14(const TraceModel& model);
// Whether a trace of StarPU says which tasks are recursive: only a StarPU that was built with
// recursive tasks does, for every task.
bool HasRecursiveTasks(const TraceModel& model);

}  // namespace tasklens
