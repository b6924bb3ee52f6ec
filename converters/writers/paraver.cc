// SPDX-License-Identifier: Apache-2.0
// trace.prv, trace.pcf and trace.row, and views: the run for Paraver.
//
// Read by Paraver (wxparaver, paramedir) 4. The formats: "Paraver: Parallel Program Visualization
// and Analysis tool, Tracefile Description" (Barcelona Supercomputing Center, 2001), which the
// option `paraver=2001` follows to the letter; else what Paraver and Extrae write today, which
// differs in this: nanoseconds (`_ns`), years of four digits, several types and values in one
// record of events, another table of states. Either way
// - records are in the document's order: by time, then communications, events, states;
// - states do not overlap, neither on a thread nor on a CPU; of nested states the innermost is
//   written; times without a known state have no record;
// - a state or event of a worker is on its CPU, which is on the node of its rank; all others are on
//   CPU 0, which means none;
// - ranks are the tasks of one application, in order of their numbers; runs are applications of one
//   task each;
// - times are those of the trace from its first event, dates are UTC (1970 where none is known).
//
// In 2001 times are whole microseconds, rounded down: states that end where they begin are left
// out. Sizes and tags of communications are at least 1, and a '#' in a label, where it would begin
// a comment, is a wide one.
//
// Dependencies and handles are not written: Paraver has no place for them.
#include <algorithm>
#include <ctime>

#include "converters/formats.h"
#include "converters/writers/paraver_records.h"
#include "converters/writers/paraver_views.h"

namespace tasklens {
namespace {

std::string Date(int64_t wall_clock_ns, ParaverDialect dialect) {
  const auto seconds =
      static_cast<std::time_t>(std::max<int64_t>(0, wall_clock_ns) / 1'000'000'000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[80];
  const bool today = dialect == ParaverDialect::kToday;
  const size_t size =
      std::strftime(text, sizeof text, today ? "%d/%m/%Y at %H:%M" : "%d/%m/%y at %H:%M", &utc);
  return {text, size};
}

Status Write(const TraceModel& model, const WriteOptions& options, Outputs& outputs) {
  const std::string_view version = options.Get("paraver", "today");
  if (version != "today" && version != "2001")
    return {ErrorCode::kInvalidArgument,
            "the option paraver is 2001 or today, not '" + std::string(version) + "'"};
  const auto dialect = version == "2001" ? ParaverDialect::k2001 : ParaverDialect::kToday;
  const ParaverObjects objects(model);
  const ParaverNames names(model, dialect, options.Get("directory"));

  Status status = WriteText(outputs, "trace.prv", [&](TextBuffer& out) {
    const ParaverContext context{model, objects, names, dialect, out};
    const int64_t duration = context.Time(model.duration_ns);
    out.Put("#Paraver (", Date(model.wall_clock_ns, dialect), "):", duration,
            dialect == ParaverDialect::kToday ? "_ns:" : ":", objects.Structure(), '\n');
    MergeStreams(ParaverRecords(context, duration));
  });
  if (status.ok())
    status = WriteText(outputs, "trace.pcf", [&](TextBuffer& out) { names.WriteLabels(out); });
  if (status.ok())
    status =
        WriteText(outputs, "trace.row", [&](TextBuffer& out) { objects.WriteNames(out, dialect); });
  return status.ok() ? WriteParaverViews(dialect, outputs) : status;
}

constexpr std::string_view kOptions[] = {"paraver", "directory"};

}  // namespace

extern const WriterSpec kParaverWriter;
const WriterSpec kParaverWriter = {
    "paraver",
    "trace.prv, trace.pcf, trace.row and paraver_*.cfg, the timeline for Paraver",
    "Paraver (wxparaver, paramedir)",
    /*in_starpu_set=*/false,
    kOptions,
    kPartStates | kPartTransfers | kPartCounters | kPartMessages | kPartTaskExtras |
        kPartMemoryPoints | kPartPoints,
    &Write};

}  // namespace tasklens
