// SPDX-License-Identifier: Apache-2.0
// distrib.data: a line for each execution that ended: name of the task, worker, bytes, footprint
// and length in ms, separated by tabs, in order of the ends.
//
// Read by starpu_codelet_profile and starpu_codelet_histo_profile of StarPU 1.4. Deliberate
// differences from StarPU's tool: the length is that of the task alone (StarPU adds the gap before
// it when that was short); tabs and other control characters of a name become blanks.
#include "converters/formats.h"
#include "converters/writers/task_graph.h"
#include "converters/writers/text.h"
#include "trace/model/executions.h"

namespace tasklens {
namespace {

Status Write(const TraceModel& model, const WriteOptions&, Outputs& outputs) {
  auto file = outputs.Open("distrib.data");
  if (!file.ok()) return file.status();
  TextBuffer out(*file);
  const std::vector<std::string> prefixes = RankPrefixes(model);
  const TaskTable& tasks = model.tasks;
  for (const uint32_t id : EndedExecutions(model)) {
    const Execution execution = ExecutionOf(model, id);
    const uint32_t task = execution.task;
    const std::string_view name = model.TaskNameOf(task);
    if (IsCleanText(name)) {
      out.Put(name);
    } else {
      out.Put(CleanText(name));
    }
    out.Put('\t');
    out.Put(prefixes[tasks.rank_index[task]]);
    out.PutInteger(model.workers.id[execution.worker]);
    out.Put('\t');
    out.PutInteger(tasks.size_bytes[task]);
    out.Put('\t');
    out.PutHex(tasks.footprint[task]);
    out.Put('\t');
    out.PutMs(execution.length_ns());
    out.Put("000\n");
  }
  out.Flush();
  return (*file)->Close();
}

}  // namespace

extern const WriterSpec kDistribWriter;
const WriterSpec kDistribWriter = {"distrib",
                                   "distrib.data, the length and data of each execution",
                                   "starpu_codelet_profile, starpu_codelet_histo_profile, gnuplot",
                                   /*in_starpu_set=*/true,
                                   {},
                                   0,
                                   &Write};

}  // namespace tasklens
