// SPDX-License-Identifier: Apache-2.0
// Random traces of a runtime whose tasks pause, go on elsewhere, nest and have one type in a row:
// every table, view and file of one trace says the same of them.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <vector>

#include "analysis/bounds.h"
#include "analysis/critical_path.h"
#include "analysis/idle.h"
#include "analysis/sites.h"
#include "analysis/statistics.h"
#include "analysis/task_stretches.h"
#include "converters/formats.h"
#include "tests/testing/model_check.h"

namespace tasklens {
namespace {

constexpr int kThreads = 3;
constexpr int64_t kEnd = 10'000;

// What is written, as a runtime does that writes only what changes, and what is true of it.
struct Random {
  std::string prv;
  std::map<int64_t, int64_t> ran_ns;    // by task
  std::map<int, int64_t> of_thread_ns;  // what each ran
  int64_t all_ns = 0;
};

Random Make(uint32_t seed) {
  std::mt19937 random(seed);
  Random made;
  std::ostringstream out;
  out << "#Paraver (19/01/38 at 03:14):" << kEnd << "_ns:0:1:1(" << kThreads << ":1)\n";
  struct Now {
    int64_t id = 0, type = 0, since_ns = 0;
  };
  std::vector<Now> now(kThreads);
  std::map<int64_t, int64_t> type_of, paused;  // by task; those that may go on
  int64_t next_id = 1;
  const auto change = [&](int thread, int64_t time_ns, int64_t id, int64_t type) {
    Now& of = now[static_cast<size_t>(thread)];
    if (of.id != 0) {
      made.ran_ns[of.id] += time_ns - of.since_ns;
      made.of_thread_ns[thread] += time_ns - of.since_ns;
      made.all_ns += time_ns - of.since_ns;
    }
    const bool id_first = random() % 2 != 0;
    const auto event = [&](int64_t number, int64_t value) {
      out << "2:0:1:1:" << thread + 1 << ':' << time_ns << ':' << number << ':' << value << '\n';
    };
    if (id_first && of.id != id) event(10, id);
    if (of.type != type) event(11, type);
    if (!id_first && of.id != id) event(10, id);
    of = {id, type, time_ns};
  };
  for (int64_t time_ns = 1; time_ns < kEnd; time_ns += 1 + static_cast<int64_t>(random() % 40)) {
    const int thread = static_cast<int>(random() % kThreads);
    const Now before = now[static_cast<size_t>(thread)];
    if (before.id != 0 && random() % 2 != 0) paused[before.id] = before.type;  // it may go on
    switch (random() % 3) {
      case 0: change(thread, time_ns, 0, 0); break;
      case 1:
        if (!paused.empty() && paused.begin()->first != before.id) {
          const auto [id, type] = *paused.begin();
          paused.erase(paused.begin());
          change(thread, time_ns, id, type);
          break;
        }
        [[fallthrough]];
      default: {
        const int64_t id = next_id++;
        change(thread, time_ns, id, type_of[id] = 700 + static_cast<int64_t>(random() % 3));
      }
    }
  }
  for (int thread = 0; thread < kThreads; ++thread) change(thread, kEnd, 0, 0);
  made.prv = out.str();
  return made;
}

// As in LEVEL THREAD of ovni's files.
constexpr std::string_view kLabels =
    "EVENT_TYPE\n0 10 Thread: nOS-V task ID of the RUNNING thread\n\n"
    "EVENT_TYPE\n0 11 Thread: nOS-V task type of the RUNNING thread\nVALUES\n"
    "700 a\n701 b\n702 c\n";

int64_t Total(const TraceModel& model, StatisticsBy by) {
  int64_t sum_ns = 0;
  for (const StatisticsRow& row : Statistics(model, by)) sum_ns += row.total_ns;
  return sum_ns;
}

class Pauses : public ::testing::TestWithParam<uint32_t> {};

TEST_P(Pauses, AreTheSameInEveryTableViewAndFile) {
  const Random made = Make(GetParam());
  const std::string base = ::testing::TempDir() + "pauses_" + std::to_string(GetParam());
  std::ofstream(base + ".prv") << made.prv;
  std::ofstream(base + ".pcf") << kLabels;
  Diagnostics diags;
  const std::string path = base + ".prv";
  const auto loaded = LoadPaths({&path, 1}, diags);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const TraceModel& model = *loaded;
  EXPECT_EQ(testing::BrokenPromise(model), "");
  EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();

  // Tasks, by what the trace was made of.
  ASSERT_EQ(model.tasks.size(), made.ran_ns.size());
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    const auto job = static_cast<int64_t>(model.tasks.job[task]);
    EXPECT_EQ(model.tasks.RunNs(task), made.ran_ns.at(job)) << job;
    int64_t stretches_ns = 0;
    ForEachStretch(model, task, [&](uint32_t, int64_t start_ns, int64_t end_ns) {
      stretches_ns += end_ns - start_ns;
    });
    EXPECT_EQ(stretches_ns, made.ran_ns.at(job)) << job;
  }
  // Tables.
  for (const StatisticsBy by :
       {StatisticsBy::kCodelet, StatisticsBy::kSite, StatisticsBy::kWorker, StatisticsBy::kKind})
    EXPECT_EQ(Total(model, by), made.all_ns) << StatisticsByName(by);
  for (const StatisticsRow& row : Statistics(model, StatisticsBy::kWorker))
    EXPECT_EQ(row.total_ns, made.of_thread_ns.at(static_cast<int>(model.workers.id[row.key])));
  EXPECT_EQ(Summarize(model).worked_ns, made.all_ns);
  // The timeline.
  int64_t states_ns = 0;
  for (uint32_t state = 0; state < model.states.size(); ++state)
    if (model.states.kind[state] == StateKind::kTask)
      states_ns += model.states.end_ns[state] - model.states.start_ns[state];
  EXPECT_EQ(states_ns, made.all_ns);
  // What workers were busy with, and what the run hung on.
  int64_t busy_ns = 0;
  for (const WorkerTime& time : ExplainIdleness(model).workers) busy_ns += time.busy_ns;
  EXPECT_EQ(busy_ns, made.all_ns);
  const CriticalPath critical = ObservedCriticalPath(model);
  const uint32_t last = critical.steps.back().task;
  int64_t first_ns = kEnd;
  for (uint32_t task = 0; task < model.tasks.size(); ++task)
    first_ns = std::min(first_ns, model.tasks.start_ns[task]);
  EXPECT_EQ(critical.work_ns + critical.wait_ns, model.tasks.end_ns[last] - first_ns);
  // Our own files.
  MemoryOutputs outputs;
  ASSERT_TRUE(FindWriter("paraver")->write(model, {}, outputs).ok());
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(MemorySource("trace.prv", outputs.Text("trace.prv")));
  Diagnostics of_again;
  const auto again = Load(sources, of_again);
  ASSERT_TRUE(again.ok());
  ASSERT_EQ(again->tasks.size(), model.tasks.size());
  for (uint32_t task = 0; task < again->tasks.size(); ++task) {
    const auto job = static_cast<int64_t>(again->tasks.job[task]);
    EXPECT_EQ(again->tasks.RunNs(task), made.ran_ns.at(job)) << job;
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, Pauses, ::testing::Range(1u, 21u));

}  // namespace
}  // namespace tasklens
