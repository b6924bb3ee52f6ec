// SPDX-License-Identifier: Apache-2.0
// A program traced by our runtime tells the same as its twin traced by StarPU, where the facts do
// not hang on time, addresses or the choice of a worker.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "converters/formats.h"
#include "tests/testing/starpu_traces.h"
#include "tests/testing/tlt_file.h"
#include "tests/testing/tools.h"

namespace tasklens {
namespace {

using Lines = std::vector<std::string>;

struct Twin {
  std::string program, starpu_trace;
};

TraceModel LoadOrFail(const std::vector<std::string>& paths) {
  Diagnostics diags;
  auto model = LoadPaths(paths, diags);
  EXPECT_TRUE(model.ok()) << model.status().message();
  EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();
  return model.ok() ? std::move(*model) : TraceModel();
}

TraceModel Ours(const Twin& twin) {
  const testing::TempFolder folder;
  const auto run = testing::RunTool(
      "ASAN_OPTIONS=detect_leaks=0 STARPU_FXT_TRACE=1 STARPU_NCPU=2 STARPU_FXT_SUFFIX=trace " +
      ("STARPU_FXT_PREFIX=" + folder.path()) + " tests/runtime/" + twin.program + "_traced");
  EXPECT_EQ(run.status, 0) << run.output;
  return LoadOrFail({folder.path()});
}

TraceModel Starpus(const Twin& twin) {
  return LoadOrFail(testing::StarpuTraceFiles(twin.starpu_trace));
}

std::string FileName(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// The program's own tasks, which have a place in its source, in the order of their submission.
std::vector<uint32_t> ProgramTasks(const TraceModel& model) {
  std::vector<uint32_t> tasks;
  for (uint32_t task = 0; task < model.tasks.size(); ++task)
    if (model.tasks.has_submit[task] && model.tasks.site[task] != kNone &&
        !(model.tasks.type[task] & (kTaskInternal | kTaskDataAcquire)))
      tasks.push_back(task);
  std::stable_sort(tasks.begin(), tasks.end(), [&](uint32_t a, uint32_t b) {
    return model.tasks.submit_ns[a] < model.tasks.submit_ns[b];
  });
  return tasks;
}

Lines TaskFacts(const TraceModel& model) {
  constexpr uint32_t kModes = kAccessRead | kAccessWrite | kAccessScratch | kAccessRedux;
  Lines lines;
  for (const uint32_t task : ProgramTasks(model)) {
    const TaskTable& tasks = model.tasks;
    // StarPU calls a task as its performance model, ours as its codelet; both say both.
    const StringId name = tasks.model[task] != 0 ? tasks.model[task] : tasks.name[task];
    std::string line(model.str(name));
    const auto add = [&](const char* name, auto value) {
      line += std::string(" ") + name + "=" + std::to_string(value);
    };
    line += " " + FileName(model.str(model.sites.file[tasks.site[task]])) + ":" +
            std::to_string(model.sites.line[tasks.site[task]]);
    add("priority", tasks.priority[task]);
    add("iteration", tasks.iteration[task]);
    add("subiteration", tasks.subiteration[task]);
    add("tag", tasks.has_tag[task] ? tasks.tag[task] : 0);
    add("bytes", tasks.size_bytes[task]);
    add("kflops", static_cast<uint64_t>(tasks.flops[task] / 1000));  // StarPU keeps no more
    add("ran", tasks.start_ns[task] != kNever && tasks.end_ns[task] >= tasks.start_ns[task]);
    for (const StringId parameter : model.parameters[task])
      line += " " + std::string(model.str(parameter));
    for (const TaskAccess& access : model.accesses[task]) {
      add("mode", access.mode & kModes);
      add("size", access.size_bytes);
    }
    lines.push_back(line);
  }
  return lines;
}

// "3 -> 7": the program's 4th task is waited for by its 8th. What is implied by others may be
// recorded or not, depending on which tasks had ended, so a dependency stands for all behind it.
std::set<std::pair<size_t, size_t>> OrderFacts(const TraceModel& model) {
  const std::vector<uint32_t> tasks = ProgramTasks(model);
  std::map<uint32_t, size_t> number;
  for (const uint32_t task : tasks) number.emplace(task, number.size());
  std::vector<std::set<size_t>> before(tasks.size());
  for (size_t i = 0; i < tasks.size(); ++i) {
    for (const DepEnd& dep : model.predecessors[tasks[i]]) {
      const auto pred = number.find(dep.task);
      if (pred == number.end() || pred->second >= i) continue;
      before[i].insert(pred->second);
      before[i].insert(before[pred->second].begin(), before[pred->second].end());
    }
  }
  std::set<std::pair<size_t, size_t>> order;
  for (size_t i = 0; i < before.size(); ++i)
    for (const size_t pred : before[i]) order.insert({pred, i});
  return order;
}

Lines Sorted(Lines lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Each kind once: of data that is reduced there is a copy for each worker that took part.
std::set<std::string> DataFacts(const TraceModel& model) {
  std::set<std::string> lines;
  const HandleTable& handles = model.handles;
  for (uint32_t row = 0; row < handles.size(); ++row) {
    std::string line = std::string(model.str(handles.description[row])) + " " +
                       std::to_string(handles.size_bytes[row]) + " bytes";
    for (const int32_t at : handles.coordinates[row]) line += " " + std::to_string(at);
    lines.insert(line);
  }
  return lines;
}

Lines TagFacts(const TraceModel& model) {
  Lines lines;
  const auto name = [&](uint32_t row) { return std::to_string(model.tags.tag[row]); };
  for (const auto& [father, child] : model.tags.deps)
    lines.push_back(name(father) + " before " + name(child));
  for (const auto& [tag, task] : model.tags.owners)
    lines.push_back(name(tag) + " of " + std::string(model.str(model.tasks.name[task])));
  for (uint32_t row = 0; row < model.tags.size(); ++row)
    if (model.tags.done_ns[row] != kNever) lines.push_back(name(row) + " done");
  return Sorted(lines);
}

Lines MessageFacts(const TraceModel& model) {
  Lines lines;
  for (uint32_t row = 0; row < model.points.size(); ++row)
    if (model.points.kind[row] == EventKind::kMessage)
      lines.emplace_back(model.str(static_cast<StringId>(model.points.Args(row)[0])));
  return Sorted(lines);
}

class SameFacts : public ::testing::TestWithParam<Twin> {
 protected:
  SameFacts() : ours_(Ours(GetParam())), starpus_(Starpus(GetParam())) {}
  TraceModel ours_, starpus_;
};

TEST_P(SameFacts, OfTasks) {
  EXPECT_EQ(TaskFacts(ours_), TaskFacts(starpus_));
  EXPECT_FALSE(TaskFacts(ours_).empty());
}
TEST_P(SameFacts, OfTheOrderOfTasks) { EXPECT_EQ(OrderFacts(ours_), OrderFacts(starpus_)); }
TEST_P(SameFacts, OfData) { EXPECT_EQ(DataFacts(ours_), DataFacts(starpus_)); }
TEST_P(SameFacts, OfTags) { EXPECT_EQ(TagFacts(ours_), TagFacts(starpus_)); }
TEST_P(SameFacts, OfMessagesOfTheProgram) {
  EXPECT_EQ(MessageFacts(ours_), MessageFacts(starpus_));
}

INSTANTIATE_TEST_SUITE_P(Programs, SameFacts,
                         ::testing::Values(Twin{"hello", "hello"}, Twin{"cholesky", "cholesky_lws"},
                                           Twin{"tags", "tags"}, Twin{"stencil", "stencil"}),
                         [](const auto& test) { return test.param.program; });

}  // namespace
}  // namespace tasklens
