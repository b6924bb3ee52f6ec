// SPDX-License-Identifier: Apache-2.0
// sched_tasks.rec: one record for each push of a task to the scheduler and each pop from it.
//
// Read by GNU recutils 1.9 and by scripts made for StarPU's file; the same fields, in order of
// time. Priorities are signed.
#include "converters/formats.h"
#include "converters/writers/records.h"
#include "converters/writers/task_graph.h"

namespace tasklens {
namespace {

Status Write(const TraceModel& model, const WriteOptions&, Outputs& outputs) {
  return WriteText(outputs, "sched_tasks.rec", [&](TextBuffer& out) {
    const std::vector<std::string> prefixes = RankPrefixes(model);
    const PointTable& points = model.points;
    for (size_t i = 0; i < points.size(); ++i) {
      const bool push = points.kind[i] == EventKind::kTaskReady;
      if (!push && points.kind[i] != EventKind::kTaskPop) continue;
      const auto args = points.Args(i);
      out.Put(push ? "Type: push\nTime: " : "Type: pop\nTime: ", Ms{points.time_ns[i]}, "000\n");
      PutRecordInteger(out, "Priority", static_cast<int32_t>(args[1]));
      out.Put("JobId: ", prefixes[points.rank_index[i]], args[0], "\n\n");
    }
  });
}

}  // namespace

extern const WriterSpec kSchedTasksWriter;
const WriterSpec kSchedTasksWriter = {
    "sched-tasks",
    "sched_tasks.rec, one record for each push to and pop from the scheduler",
    "GNU recutils",
    /*in_starpu_set=*/true,
    {},
    kPartSchedulerPoints,
    &Write};

}  // namespace tasklens
