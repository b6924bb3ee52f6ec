// SPDX-License-Identifier: Apache-2.0
// The output of StarPU 1.3's starpu_fxt_data_trace: for each task name a file of that name with a
// line "MS BYTES WORKER" for each execution that ended, in order of the ends, and codelet_list with
// the names of these files; for gnuplot (`plot "NAME" using 2:1`).
//
// Deliberate differences: characters that a file name cannot have (slashes, control characters, a
// leading point) become '_', where StarPU's program fails; lengths above 4.29 s do not wrap; the
// bytes are the task's, where StarPU shows those of the last task with data on that worker.
#include <map>
#include <vector>

#include "converters/formats.h"
#include "converters/writers/task_graph.h"
#include "converters/writers/text.h"
#include "trace/model/executions.h"

namespace tasklens {
namespace {

constexpr char kList[] = "codelet_list";

std::string FileNameFor(std::string_view task_name) {
  constexpr size_t kLongest = 200;  // the system's limit is 255
  std::string name = CleanText(task_name.substr(0, kLongest));
  for (char& c : name) {
    if (c == '/' || static_cast<unsigned char>(c) < 0x20) c = '_';
  }
  if (name.empty() || name == kList) return name + "_";
  if (name[0] == '.') name[0] = '_';
  return name;
}

void WriteTasks(const TraceModel& model, const std::vector<uint32_t>& executions, TextBuffer& out) {
  const std::vector<std::string> prefixes = RankPrefixes(model);
  for (const uint32_t id : executions) {
    const Execution execution = ExecutionOf(model, id);
    const uint32_t task = execution.task;
    out.Put(Ms{execution.length_ns()}, ' ', model.tasks.size_bytes[task], ' ',
            prefixes[model.tasks.rank_index[task]], model.workers.id[execution.worker], '\n');
  }
}

Status Write(const TraceModel& model, const WriteOptions&, Outputs& outputs) {
  std::map<std::string, std::vector<uint32_t>> by_file;  // executions
  for (const uint32_t id : EndedExecutions(model))
    by_file[FileNameFor(model.TaskNameOf(ExecutionOf(model, id).task))].push_back(id);
  for (const auto& [name, of_name] : by_file) {
    const Status status =
        WriteText(outputs, name, [&](TextBuffer& out) { WriteTasks(model, of_name, out); });
    if (!status.ok()) return status;
  }
  return WriteText(outputs, kList, [&](TextBuffer& out) {
    for (const auto& [name, of_name] : by_file) out.Put(name, '\n');
  });
}

}  // namespace

extern const WriterSpec kDataTraceWriter;
const WriterSpec kDataTraceWriter = {
    "data-trace",
    "a file for each task name, and codelet_list: the length and data of each execution",
    "gnuplot; what starpu_fxt_write_data_trace() writes",
    /*in_starpu_set=*/false,
    {},
    0,
    &Write};

}  // namespace tasklens
