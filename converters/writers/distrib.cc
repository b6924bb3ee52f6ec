// SPDX-License-Identifier: Apache-2.0
// distrib.data: for each task that ended its name, worker, bytes, footprint and length in ms,
// separated by tabs, in order of the ends.
//
// Read by starpu_codelet_profile and starpu_codelet_histo_profile of StarPU 1.4. Deliberate
// differences from StarPU's tool: the length is that of the task alone (StarPU adds the gap before
// it when that was short); tabs and other control characters of a name become blanks.
#include <algorithm>

#include "converters/formats.h"
#include "converters/writers/task_graph.h"
#include "converters/writers/text.h"

namespace tasklens {
namespace {

Status Write(const TraceModel& model, const WriteOptions&, Outputs& outputs) {
  auto file = outputs.Open("distrib.data");
  if (!file.ok()) return file.status();
  TextBuffer out(*file);
  const std::vector<std::string> prefixes = RankPrefixes(model);
  const TaskTable& tasks = model.tasks;
  std::vector<uint32_t> ended;
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    const bool ran = tasks.start_ns[task] != kNever && tasks.end_ns[task] != kNever;
    if (ran && tasks.LastWorker(task) < model.workers.size() && !tasks.cut[task])
      ended.push_back(task);
  }
  std::stable_sort(ended.begin(), ended.end(),
                   [&](uint32_t a, uint32_t b) { return tasks.end_ns[a] < tasks.end_ns[b]; });
  for (const uint32_t task : ended) {
    const std::string_view name = model.TaskNameOf(task);
    if (IsCleanText(name)) {
      out.Put(name);
    } else {
      out.Put(CleanText(name));
    }
    out.Put('\t');
    out.Put(prefixes[tasks.rank_index[task]]);
    out.PutInteger(model.workers.id[tasks.LastWorker(task)]);
    out.Put('\t');
    out.PutInteger(tasks.size_bytes[task]);
    out.Put('\t');
    out.PutHex(tasks.footprint[task]);
    out.Put('\t');
    out.PutMs(tasks.LastRunNs(task));
    out.Put("000\n");
  }
  out.Flush();
  return (*file)->Close();
}

}  // namespace

extern const WriterSpec kDistribWriter;
const WriterSpec kDistribWriter = {"distrib",
                                   "distrib.data, the length and data of each task",
                                   "starpu_codelet_profile, starpu_codelet_histo_profile, gnuplot",
                                   /*in_starpu_set=*/true,
                                   {},
                                   0,
                                   &Write};

}  // namespace tasklens
