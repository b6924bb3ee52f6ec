// SPDX-License-Identifier: Apache-2.0
// The records of a .prv as streams in order of time.
#pragma once

#include "converters/writers/line_streams.h"
#include "converters/writers/paraver_names.h"
#include "converters/writers/paraver_objects.h"

namespace tasklens {

struct ParaverContext {
  const TraceModel& model;
  const ParaverObjects& objects;
  const ParaverNames& names;
  const ParaverDialect dialect;
  TextBuffer& out;

  // Converts a time of the model to the unit of the file: nanoseconds, or whole microseconds.
  int64_t Time(int64_t time_ns) const {
    const int64_t since_begin_ns = time_ns > 0 ? time_ns : 0;
    return dialect == ParaverDialect::kToday ? since_begin_ns : since_begin_ns / 1000;
  }
};

// Returns streams of all records, with times of the file. Their order is the one that the document
// requires for records of one time: communications, events, states. `duration`: of the trace, in
// the unit of the file.
LineStreams ParaverRecords(const ParaverContext& context, int64_t duration);

}  // namespace tasklens
