// SPDX-License-Identifier: Apache-2.0
// Evaluates a configuration: the rows of a window over time, and a histogram. The rules and numbers
// are those of Paraver's kernel, except where its results are meaningless:
// - the smallest of several rows ("Minimum") is that also where the first of them is 0;
// - idleness after the last state lasts to the end of the trace, not from its beginning;
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

// Returns the visible rows of `window` over the whole trace. kUnsupported: an unknown function,
// with its line and name, or operands whose levels do not fit together; the message lacks the
// file's name.
Result<std::vector<ViewRow>> EvaluateWindow(const ParaverRecords& records,
                                            const ViewConfiguration& configuration,
                                            const ViewWindow& window);
// The same, including the hidden rows.
Result<std::vector<ViewRow>> EvaluateAllRows(const ParaverRecords& records,
                                             const ViewConfiguration& configuration,
                                             const ViewWindow& window);

struct ViewTable {
  // In a histogram of three dimensions, one plane per range of the third window's values; else one
  // plane.
  struct Plane {
    double begin = 0, end = 0;
    std::vector<std::vector<double>> rows;  // of `row_names`, cells of `columns`
  };
  // The values from `begin` to `end`, or (for messages) the partner `name`.
  struct Column {
    std::string name;
    double begin = 0, end = 0;
  };
  std::vector<Column> columns;
  std::vector<std::string> row_names;
  std::vector<Plane> planes;
  bool has_planes = false;
};
// Fails as EvaluateWindow(); also for an unknown statistic.
Result<ViewTable> EvaluateHistogram(const ParaverRecords& records,
                                    const ViewConfiguration& configuration,
                                    const ViewHistogram& histogram);

// Returns the event types, each once, that filters ask for ("=") but no event of the trace has: a
// window of them is empty.
std::vector<uint32_t> MissingEventTypes(const ParaverRecords& records,
                                        const ViewConfiguration& configuration);

// Returns the window with this id. REQUIRES: there is one.
const ViewWindow& WindowOf(const ViewConfiguration& configuration, uint32_t id);

// The part of the trace's time that `window` shows.
struct ViewSpan {
  int64_t begin, end;
};
ViewSpan SpanOf(const ParaverRecords& records, const ViewWindow& window);

}  // namespace tasklens
