// SPDX-License-Identifier: Apache-2.0
// distrib.data: a line for each execution that ended: name of the task, worker, bytes, footprint
// and length in ms, separated by tabs, in order of the ends.
//
// Read by starpu_codelet_profile and starpu_codelet_histo_profile of StarPU 1.3 and later. The
// length is StarPU's, so that these give the same numbers: with the gap before the task if that was
// short (counted_start.h), or of the task alone with `no-smooth`. Deliberate differences from
// StarPU's tool: several ranks are in one order; tabs and other control characters of a name become
// blanks.
#include "converters/formats.h"
#include "converters/writers/counted_start.h"
#include "converters/writers/task_graph.h"
#include "converters/writers/text.h"
#include "trace/model/executions.h"

namespace tasklens {
namespace {

// The task that ended last on a worker.
struct Last {
  int64_t start_ns = kNever, end_ns = kNever;
};

Status Write(const TraceModel& model, const WriteOptions& options, Outputs& outputs) {
  return WriteText(outputs, "distrib.data", [&](TextBuffer& out) {
    const std::vector<std::string> prefixes = RankPrefixes(model);
    const TaskTable& tasks = model.tasks;
    const bool smooth = !options.Has("no-smooth");
    std::vector<Last> last_of_worker(model.workers.size());
    for (const uint32_t id : EndedExecutions(model)) {
      const Execution execution = ExecutionOf(model, id);
      const uint32_t task = execution.task;
      const std::string_view name = model.TaskNameOf(task);
      if (IsCleanText(name)) {
        out.Put(name);
      } else {
        out.Put(CleanText(name));
      }
      out.Put('\t', prefixes[tasks.rank_index[task]], model.workers.id[execution.worker], '\t',
              tasks.size_bytes[task], '\t', Hex{tasks.footprint[task]}, '\t');
      Last& last = last_of_worker[execution.worker];
      const int64_t start_ns = execution.start_ns;
      const int64_t gap_ns =
          smooth ? start_ns - CountedStart(start_ns, last.start_ns, last.end_ns) : 0;
      last = {start_ns, execution.end_ns};
      out.Put(Ms{execution.length_ns() + gap_ns}, "000\n");
    }
  });
}

constexpr std::string_view kOptions[] = {"no-smooth"};

}  // namespace

extern const WriterSpec kDistribWriter;
const WriterSpec kDistribWriter = {"distrib",
                                   "distrib.data, the length and data of each execution",
                                   "starpu_codelet_profile, starpu_codelet_histo_profile, gnuplot",
                                   /*in_starpu_set=*/true,
                                   kOptions,
                                   0,
                                   &Write};

}  // namespace tasklens
