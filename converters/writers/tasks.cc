// SPDX-License-Identifier: Apache-2.0
// tasks.rec: one record per task, with all of its data.
//
// For a trace of StarPU after 1.4 the fields are those of its tool: ReadyTime, and for recursive
// tasks RecursiveTask, Level and ParentRecursiveTask instead of Bubble and ParentBubble.
//
// Read by GNU recutils 1.9 (recinf, recsel, rec2csv), StarVZ 0.8, starpu_replay and
// starpu_tasks_rec_complete of StarPU 1.4; their fields, in their order.
//
// Deliberate differences from StarPU's tool:
// - records are in the order in which the tasks were first mentioned, after those of data that
//   will not be used (StarPU: the order of a hash table);
// - a record with EndDependencies ends with a blank line like all others, so that it does not
//   merge with the next;
// - any name and file is a valid value, see PutRecordText;
// - all data of a task are listed, however many (StarPU after 1.4 describes none in the first place
//   and leaves out the last one);
// - a bubble of StarPU 1.4 has no execution: the trace has worker 0 for each of them, whichever
//   thread turned it into tasks (StarPU: WorkerId 0, StartTime, EndTime);
// - a task that was never pushed to a scheduler has no ReadyTime (StarPU after 1.4: that of
//   another).
#include <algorithm>

#include "converters/formats.h"
#include "converters/writers/records.h"
#include "converters/writers/task_graph.h"

namespace tasklens {
namespace {

std::string ModeText(uint32_t mode) {
  std::string text;
  if (mode & kAccessRead) text += 'R';
  if (mode & kAccessWrite) text += 'W';
  if (mode & kAccessScratch) text += 'S';
  if (mode & kAccessRedux) text += 'X';
  if (mode & kAccessMpiRedux) text += "X-mpi";
  if (mode & kAccessCommute) text += 'C';
  return text;
}

class TasksWriter {
 public:
  TasksWriter(const TraceModel& model, TextBuffer& out)
      : model_(model),
        tasks_(model.tasks),
        out_(out),
        prefixes_(RankPrefixes(model)),
        is_after_14_(IsOfStarpuAfter14(model)),
        has_recursion_(HasRecursiveTasks(model)) {
    end_deps_ = model.end_deps;
    std::stable_sort(end_deps_.begin(), end_deps_.end(),
                     [](const auto& a, const auto& b) { return a.second < b.second; });
  }

  void Write() {
    for (uint32_t i = 0; i < model_.points.size(); ++i) {
      if (model_.points.kind[i] == EventKind::kDataWontUse) WriteWontUse(i);
    }
    for (uint32_t task = 0; task < tasks_.size(); ++task) {
      if (!tasks_.hidden[task]) WriteTask(task);
    }
  }

 private:
  void WriteWontUse(uint32_t point) {
    const auto args = model_.points.Args(point);
    const uint32_t rank = model_.points.rank_index[point];
    out_.Put("Control: WontUse\nJobId: ", prefixes_[rank], args[2], '\n');
    PutRecordInteger(out_, "SubmitOrder", args[1]);
    PutRecordMs(out_, "SubmitTime", model_.points.time_ns[point]);
    PutRecordHex(out_, "Handles", args[0]);
    EndRecord(rank);
  }

  void WriteTask(uint32_t task) {
    if (tasks_.name[task]) PutRecordText(out_, "Name", model_.str(tasks_.name[task]));
    if (tasks_.model[task]) PutRecordText(out_, "Model", model_.str(tasks_.model[task]));
    const uint32_t site = tasks_.site[task];
    if (site != kNone) {
      PutRecordText(out_, "File", model_.str(model_.sites.file[site]));
      PutRecordInteger(out_, "Line", model_.sites.line[site]);
    }
    out_.Put("JobId: ");
    PutJob(task);
    out_.Put('\n');
    if (tasks_.submit_order[task]) PutRecordInteger(out_, "SubmitOrder", tasks_.submit_order[task]);
    PutRecordInteger(out_, "Priority", tasks_.priority[task]);
    WriteDependencies(task);
    PutRecordHex(out_, "Tag", tasks_.tag[task]);
    WriteRun(task);
    WriteData(task);
    WriteEnd(task);
  }

  void PutJob(uint32_t task) { out_.Put(prefixes_[tasks_.rank_index[task]], tasks_.job[task]); }

  void WriteDependencies(uint32_t task) {
    const auto deps = model_.predecessors[task];
    if (deps.empty()) return;
    out_.Put("DependsOn:");
    for (const DepEnd& dep : deps) {
      out_.Put(' ');
      PutJob(dep.task);
    }
    out_.Put("\nDepLabels:");
    for (const DepEnd& dep : deps) {
      out_.Put(' ');
      // The list is separated by blanks, so labels must not contain any.
      for (const char c : CleanText(model_.str(dep.label))) out_.Put(c == ' ' ? '_' : c);
    }
    out_.Put('\n');
  }

  // Writes where and when the task ran.
  void WriteRun(uint32_t task) {
    const uint32_t worker = tasks_.LastWorker(task);
    if (worker < model_.workers.size()) {
      out_.Put("WorkerId: ", model_.workers.id[worker], '\n');
      if (tasks_.memory_node[task] != kNone)
        PutRecordInteger(out_, "MemoryNode", tasks_.memory_node[task]);
    }
    const auto time = [&](std::string_view field, int64_t time_ns) {
      if (time_ns != kNever) PutRecordMs(out_, field, time_ns);
    };
    time("SubmitTime", tasks_.submit_ns[task]);
    if (is_after_14_) time("ReadyTime", tasks_.ready_ns[task]);
    time("StartTime", tasks_.LastStartNs(task));
    time("EndTime", tasks_.end_ns[task]);
    if (tasks_.paused_ns[task] != 0) time("PausedTime", tasks_.paused_ns[task]);
    PutRecordHex(out_, "Footprint", tasks_.footprint[task]);
    if (tasks_.flops[task] != 0) {
      out_.Put("GFlop: ", Fixed{tasks_.flops[task] / 1e9, 6}, '\n');
    }
    if (tasks_.iteration[task] != -1) {
      out_.Put("Iteration: ", tasks_.iteration[task]);
      if (tasks_.subiteration[task] != -1) {
        out_.Put(' ', tasks_.subiteration[task]);
      }
      out_.Put('\n');
    }
  }

  void WriteData(uint32_t task) {
    const auto parameters = model_.parameters[task];
    if (!parameters.empty()) {
      std::string text;
      for (const StringId parameter : parameters) {
        if (!text.empty()) text += ' ';
        text += model_.str(parameter);
      }
      PutRecordText(out_, "Parameters", text);
    } else if (tasks_.start_ns[task] != kNever) {
      out_.Put("Parameters: nodata\n");
    }
    const auto accesses = model_.accesses[task];
    if (accesses.empty()) return;
    const auto list = [&](std::string_view field, auto put) {
      out_.Put(field);
      for (const TaskAccess& access : accesses) {
        out_.Put(' ');
        put(access);
      }
      out_.Put('\n');
    };
    list("Handles:", [&](const TaskAccess& access) {
      const bool known = access.handle < model_.handles.size();
      out_.PutHex(known ? model_.handles.address[access.handle] : 0);
    });
    list("Modes:", [&](const TaskAccess& access) { out_.Put(ModeText(access.mode)); });
    list("Sizes:", [&](const TaskAccess& access) { out_.PutInteger(access.size_bytes); });
    list("NumaNodes:", [&](const TaskAccess& access) { PutNumaNodes(out_, access.numa_nodes); });
  }

  void WriteEnd(uint32_t task) {
    if (!is_after_14_) WriteBubble(task);
    PutRank(tasks_.rank_index[task]);
    if (is_after_14_) WriteRecursion(task);
    auto dep = std::lower_bound(end_deps_.begin(), end_deps_.end(), task,
                                [](const auto& d, uint32_t t) { return d.second < t; });
    for (bool first = true; dep != end_deps_.end() && dep->second == task; ++dep, first = false) {
      out_.Put(first ? "EndDependencies: " : ", ");
      PutJob(dep->first);
      if (std::next(dep) == end_deps_.end() || std::next(dep)->second != task) out_.Put('\n');
    }
    out_.Put('\n');
  }

  // Recursive tasks, with StarPU 1.4's fields. Nothing if the trace has none.
  void WriteBubble(uint32_t task) {
    const uint32_t parent = tasks_.parent[task];
    if (!tasks_.is_recursive[task] && parent == kNone) return;
    PutRecordInteger(out_, "Bubble", static_cast<int>(tasks_.is_recursive[task]));
    if (parent == kNone) return;
    out_.Put("ParentBubble: ");
    PutJob(parent);
    out_.Put('\n');
  }

  // Recursive tasks, with the fields of StarPU after 1.4.
  void WriteRecursion(uint32_t task) {
    if (!has_recursion_) return;
    const uint32_t parent = tasks_.parent[task];
    PutRecordInteger(out_, "RecursiveTask", static_cast<int>(tasks_.is_recursive[task]));
    PutRecordInteger(out_, "Level", tasks_.level[task]);
    out_.Put("ParentRecursiveTask: ");
    if (parent != kNone)
      PutJob(parent);
    else
      out_.Put('0');
    out_.Put('\n');
  }

  void PutRank(uint32_t rank_index) {
    const int64_t rank = model_.ranks.size() <= 1 ? -1 : int64_t{model_.ranks.rank[rank_index]};
    PutRecordInteger(out_, "MPIRank", rank);
  }
  void EndRecord(uint32_t rank_index) {
    PutRank(rank_index);
    out_.Put('\n');
  }

  const TraceModel& model_;
  const TaskTable& tasks_;
  TextBuffer& out_;
  std::vector<std::string> prefixes_;
  std::vector<std::pair<uint32_t, uint32_t>> end_deps_;  // by the task whose end waits
  const bool is_after_14_;
  const bool has_recursion_;
};

Status Write(const TraceModel& model, const WriteOptions&, Outputs& outputs) {
  return WriteText(outputs, "tasks.rec", [&](TextBuffer& out) { TasksWriter(model, out).Write(); });
}

}  // namespace

extern const WriterSpec kTasksWriter;
const WriterSpec kTasksWriter = {"tasks",
                                 "tasks.rec, one record for each task",
                                 "GNU recutils, StarVZ, starpu_replay",
                                 /*in_starpu_set=*/true,
                                 {},
                                 kPartPredecessors | kPartData | kPartPoints,
                                 &Write};

}  // namespace tasklens
