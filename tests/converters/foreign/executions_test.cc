// SPDX-License-Identifier: Apache-2.0
// Random runs whose tasks pause, go on elsewhere, are executed again, have several workers or no
// length: written and read again they have the same tasks, executions, stretches and lengths, and
// runs stay runs; what has no reader of ours has as many of them.
#include "trace/model/executions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "converters/rank_word.h"
#include "tests/converters/out_and_in.h"
#include "tests/testing/model_check.h"
#include "tests/testing/paje_checker.h"
#include "tests/testing/random_executions.h"
#include "tests/testing/recutils.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

// A line for each execution and each stretch.
std::string FactsOf(const TraceModel& model) {
  EXPECT_EQ(testing::BrokenPromise(model), "");
  std::vector<std::string> lines;
  const TaskTable& tasks = model.tasks;
  const auto add = [&](uint32_t task, const std::string& what, uint32_t worker, int64_t start_ns,
                       int64_t end_ns) {
    std::ostringstream line;
    line << RankWord(model) << ' ' << model.ranks.rank[tasks.rank_index[task]] << " task "
         << tasks.job[task] << ' ' << model.TaskNameOf(task) << what << " on "
         << (worker == kNone ? "none" : model.str(model.workers.name[worker])) << ' ' << start_ns
         << " to " << end_ns << '\n';
    lines.push_back(line.str());
  };
  ForEachExecution(model, [&](const Execution& run) {
    const uint32_t before = run.id < tasks.size() ? 0 : model.executions.run[run.id - tasks.size()];
    add(run.task,
        ": run " + std::to_string(before) + " of " + std::to_string(run.length_ns()) + " ns",
        run.worker, run.start_ns, run.end_ns);
  });
  const StretchTable& stretches = model.stretches;
  for (uint32_t i = 0; i < stretches.size(); ++i)
    add(stretches.task[i], ": stretch", stretches.worker[i], stretches.start_ns[i],
        stretches.end_ns[i]);
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

size_t ExecutionsOf(const TraceModel& model) {
  size_t executions = 0;
  ForEachExecution(model, [&](const Execution&) { ++executions; });
  return executions;
}

// Written as `format`, and read again. "paraver2001": in the dialect of Paraver's document.
TraceModel Again(const TraceModel& model, const std::string& format, const std::string& folder) {
  MemoryOutputs outputs;
  WriteOptions options;
  if (format == "paraver2001") options.values["paraver"] = "2001";
  const Status status =
      FindWriter(format.substr(0, format.find('2')))->write(model, options, outputs);
  EXPECT_TRUE(status.ok()) << status.message();
  if (format == "paje") {
    EXPECT_THAT(testing::CheckPaje(outputs.Text("paje.trace")).violations, ::testing::IsEmpty());
  }
  std::string path;
  for (const std::string& name : outputs.Names()) {
    const std::string written = testing::TestFile(folder + "/" + name, outputs.Text(name));
    if (name.ends_with(".trace") || name.ends_with(".prv")) path = written;
  }
  Diagnostics diags;
  TraceModel again = testing::Loaded(path, diags);
  EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();
  return again;
}

size_t CountOf(std::string_view text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

using Random = std::mt19937;
using testing::RandomExecutions;

class Executions : public ::testing::TestWithParam<uint32_t> {
 protected:
  Random random_{GetParam()};
  const bool are_runs_ = GetParam() % 2 == 0;
  const uint32_t ranks_ = 1 + GetParam() % 3;
  const RandomExecutions made_ = testing::MakeRandomExecutions(random_, ranks_, are_runs_);
  const TraceModel model_ = made_.trace.Build();
};

TEST_P(Executions, AreInTheModelAsTheyHappened) {
  EXPECT_EQ(model_.tasks.size(), made_.tasks);
  EXPECT_EQ(ExecutionsOf(model_), made_.executions);
  size_t pieces = 0;
  int64_t ran_ns = 0;
  for (uint32_t i = 0; i < model_.states.size(); ++i) {
    if (model_.states.kind[i] != StateKind::kTask) continue;
    ++pieces;
    ran_ns += model_.states.end_ns[i] - model_.states.start_ns[i];
  }
  EXPECT_EQ(pieces, made_.pieces);
  EXPECT_EQ(ran_ns, made_.ran_ns);
  EXPECT_EQ(RankWord(model_), ranks_ > 1 && are_runs_ ? "run" : "rank");
}

TEST_P(Executions, AreTheSameWrittenAndReadAgain) {
  const std::string facts = FactsOf(model_);
  const std::string folder = "executions_" + std::to_string(GetParam()) + "_";
  for (const std::string first : {"paje", "paraver", "paraver2001"}) {
    const TraceModel once = Again(model_, first, folder + first);
    EXPECT_EQ(FactsOf(once), facts) << "as " << first;
    EXPECT_EQ(once.ranks.size(), model_.ranks.size());
    for (const std::string second : {"paje", "paraver"})
      EXPECT_EQ(FactsOf(Again(once, second, folder + first + "_" + second)), facts)
          << "as " << first << ", then as " << second;
  }
}

TEST_P(Executions, AreAllInFilesThatNobodyReadsBack) {
  const std::string chrome = testing::Written("chrome-json", "trace.json", model_);
  EXPECT_EQ(CountOf(chrome, "\"cat\":\"task\""), made_.pieces);
  const std::string states = testing::Written("states", "trace.rec", model_);
  EXPECT_EQ(CountOf(states, "\nC: Task\n"), made_.pieces);
  const std::string lengths = testing::Written("distrib", "distrib.data", model_);
  EXPECT_EQ(CountOf(lengths, "\n"), made_.executions);
  const std::string paje = testing::Written("paje", "paje.trace", model_);
  EXPECT_EQ(CountOf(paje, "\n20\t") + CountOf(paje, "\n30\t"), made_.pieces);
  std::set<std::string> jobs;
  for (const auto& record : testing::ParseRecords(testing::Written("tasks", "tasks.rec", model_)))
    jobs.insert(std::string(record.Get("JobId")));
  EXPECT_EQ(jobs.size(), made_.tasks);
}

// A row of a context shows its tasks as long as they ran, and nothing of their pauses.
TEST_P(Executions, LastAsLongInTheRowsOfContexts) {
  std::istringstream lines(testing::Written("paje", "paje.trace", model_));
  std::map<std::string, int64_t> since_ns;  // by row
  int64_t ran_ns = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, time, worker, type;
    words >> number >> time >> worker >> type;
    if ((number != "10" && number != "21") || !type.starts_with("Ctx")) continue;
    const auto now_ns = std::llround(std::stod(time) * 1e6);
    if (number == "21")
      since_ns[worker + type] = now_ns;
    else
      ran_ns += now_ns - since_ns.at(worker + type);
  }
  EXPECT_EQ(ran_ns, made_.in_contexts_ns);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Executions, ::testing::Range(0u, 60u));

}  // namespace
}  // namespace tasklens
