// SPDX-License-Identifier: Apache-2.0
// What a configuration asks for, computed: the rows of a window over time, and a histogram.
//
// Where Paraver's rules are not written down, ours are: before its first record a thread has the
// value 0; the Maximum and Minimum of rows are those of all their values; a division by 0 gives 0.
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

// The rows of `window` over the whole trace. kUnsupported: a function that is not known, by its
// line and name, or windows of different levels in one; the message lacks the file's name.
Result<std::vector<ViewRow>> EvaluateWindow(const ParaverRecords& records,
                                            const ViewConfiguration& configuration,
                                            const ViewWindow& window);

struct ViewTable {
  std::vector<double> columns;  // the smallest value of each
  double delta = 1;             // the width of a column
  struct Row {
    std::string name;
    std::vector<double> cells;
  };
  std::vector<Row> rows;
};
// The same failures; also an unknown statistic.
Result<ViewTable> EvaluateHistogram(const ParaverRecords& records,
                                    const ViewConfiguration& configuration,
                                    const ViewHistogram& histogram);

// The window called so by its number. REQUIRES: there is one.
const ViewWindow& WindowOf(const ViewConfiguration& configuration, uint32_t id);

// The part of the trace's time that `window` shows.
struct ViewSpan {
  int64_t begin, end;
};
ViewSpan SpanOf(const ParaverRecords& records, const ViewWindow& window);

}  // namespace tasklens
