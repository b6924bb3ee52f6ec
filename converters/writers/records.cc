// SPDX-License-Identifier: Apache-2.0
// Makes any text a valid value of a recutils field.
#include "converters/writers/records.h"

#include <algorithm>

#include "converters/starpu_versions.h"

namespace tasklens {

void PutRecordText(TextBuffer& out, std::string_view field, std::string_view text) {
  out.Put(field, ": ");
  if (IsCleanText(text) && !text.ends_with('\\')) {
    out.Put(text);
  } else {
    char before = 0;
    for (const char c : CleanText(text, /*keep_newlines=*/true)) {
      if (c == '\n') {
        out.Put(before == '\\' ? " \n+ " : "\n+ ");
      } else {
        out.Put(c);
      }
      before = c;
    }
    if (before == '\\') out.Put(' ');
  }
  out.Put('\n');
}

bool IsOfStarpuAfter14(const TraceModel& model) {
  return std::any_of(model.info.begin(), model.info.end(), [&](const auto& info) {
    return model.str(info.first) == "runtime" && model.str(info.second) == kStarpuAfter14;
  });
}

bool HasRecursiveTasks(const TraceModel& model) {
  // TASK_RECURSIVE and TASK_RECURSIVE_SUBMIT of FxT.
  return std::any_of(
      model.source_event_counts.begin(), model.source_event_counts.end(),
      [](const auto& count) { return count.first == 0x5189 || count.first == 0x518c; });
}

}  // namespace tasklens
