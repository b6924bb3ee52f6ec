// SPDX-License-Identifier: Apache-2.0
// What a configuration asks for, computed: the rows of a window over time, and a histogram. The
// rules and numbers are those of Paraver's kernel, but for what is no number of its own:
// - the smallest of several rows ("Minimum") is that also where the first of them is 0;
// - idleness behind the last state lasts to the end of the trace, not since its begin;
// - bandwidths do not wrap around where the window counts in seconds;
// - what would be 0 / 0 is 0.
//
// Before its first record a thread has the value 0.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "converters/paraver_views/configuration.h"
#include "converters/paraver_views/records.h"
#include "converters/paraver_views/steps.h"
#include "trace/support/status.h"

namespace tasklens {

struct ViewRow {
  std::string name;  // "1.2.3": application, task, thread; "2" and "2.1": node, its CPU
  Steps steps;
};

// The rows of `window` that it shows, over the whole trace. kUnsupported: a function that is not
// known, by its line and name, or windows in one whose levels do not go together; the message lacks
// the file's name.
Result<std::vector<ViewRow>> EvaluateWindow(const ParaverRecords& records,
                                            const ViewConfiguration& configuration,
                                            const ViewWindow& window);
// The same with the rows that it hides.
Result<std::vector<ViewRow>> EvaluateAllRows(const ParaverRecords& records,
                                             const ViewConfiguration& configuration,
                                             const ViewWindow& window);

struct ViewTable {
  // Of a histogram of three dimensions one a range of the third window's values, else one.
  struct Plane {
    double begin = 0, end = 0;
    std::vector<std::vector<double>> rows;  // of `row_names`, cells of `columns`
  };
  // The values from `begin` to `end`, or (of messages) the partner called `name`.
  struct Column {
    std::string name;
    double begin = 0, end = 0;
  };
  std::vector<Column> columns;
  std::vector<std::string> row_names;
  std::vector<Plane> planes;
  bool has_planes = false;
};
// The same failures; also an unknown statistic.
Result<ViewTable> EvaluateHistogram(const ParaverRecords& records,
                                    const ViewConfiguration& configuration,
                                    const ViewHistogram& histogram);

// The types that filters ask for ("=") and no event of the trace has, each once: a window of them
// shows nothing.
std::vector<uint32_t> MissingEventTypes(const ParaverRecords& records,
                                        const ViewConfiguration& configuration);

// The window called so by its number. REQUIRES: there is one.
const ViewWindow& WindowOf(const ViewConfiguration& configuration, uint32_t id);

// The part of the trace's time that `window` shows.
struct ViewSpan {
  int64_t begin, end;
};
ViewSpan SpanOf(const ParaverRecords& records, const ViewWindow& window);

}  // namespace tasklens
