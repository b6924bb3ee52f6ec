// SPDX-License-Identifier: Apache-2.0
// What LiveProgress adds up piece by piece is what a reading of the whole says.
#include "server/traces/live_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

#include "analysis/sites.h"
#include "converters/formats.h"
#include "tests/testing/tlt_file.h"

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TempFolder;

// A rank of a program with two workers, which records what it is told.
class Program {
 public:
  // `clock_ns`: instead of the machine's.
  Program(const TempFolder& folder, int32_t rank, uint64_t (*clock_ns)() = nullptr) {
    tlt::WriterOptions options;
    options.path = folder.File("trace_" + std::to_string(rank) + ".tlt");
    options.rank = rank;
    options.clock_ns = clock_ns;
    options.steady_ticks = options.steady_ticks && !clock_ns;
    EXPECT_TRUE(writer_.Open(options).ok());
    Text(1, "chol.c"), Text(2, "main"), Text(3, "potrf"), Text(4, "gemm"), Text(5, "_starpu_own");
    for (uint64_t worker = 0; worker < 2; ++worker)
      Add(threads_[worker], EventKind::kWorkerNew, {worker, 0, worker, 0, worker, 1, 0});
  }
  ~Program() {
    EXPECT_TRUE(writer_.Close().ok());
    writer_.Leave(main_);
    for (tlt::ThreadBuffer& thread : threads_) writer_.Leave(thread);
  }

  void Submit(uint64_t job, uint64_t line, uint64_t name, uint64_t type = 0) {
    if (name != 0) Add(main_, EventKind::kTaskName, {job, name});
    if (line != 0) Add(main_, EventKind::kTaskSite, {job, line, 1, 2});
    Add(main_, EventKind::kTaskSubmit, {job, job, 0, 0, 0, type});
  }
  void Start(uint64_t job, uint64_t worker) {
    Add(threads_[worker], EventKind::kTaskStart, {job, worker, 0, 0});
  }
  void End(uint64_t job, uint64_t worker) {
    Add(threads_[worker], EventKind::kTaskEnd, {job, worker, 0, 0, 0});
  }
  void Run(uint64_t job, uint64_t line, uint64_t name, uint64_t worker) {
    Submit(job, line, name);
    Start(job, worker);
    End(job, worker);
  }

 private:
  void Text(uint32_t id, std::string_view text) {
    EXPECT_TRUE(writer_.AppendString(main_, id, text, writer_.Now()));
  }
  void Add(tlt::ThreadBuffer& buffer, EventKind kind, const std::vector<uint64_t>& args) {
    EXPECT_TRUE(writer_.AppendEvent(buffer, kind, writer_.Now(), args));
  }

  tlt::Writer writer_;
  tlt::ThreadBuffer main_, threads_[2];
};

TraceModel Read(const TempFolder& folder) {
  Diagnostics diags;
  const std::vector<std::string> paths = {folder.path()};
  Result<TraceModel> model = LoadPaths(paths, diags);
  EXPECT_TRUE(model.ok()) << model.status().message();
  return std::move(*model);
}

// Until so many tasks have run: what was recorded a moment ago comes the next time.
RunProgress LookUntil(LiveProgress& progress, const TraceModel& model, uint64_t ran,
                      int64_t from_ns = 0) {
  for (;;) {
    Result<RunProgress> now = progress.Look(model, from_ns);
    EXPECT_TRUE(now.ok()) << now.status().message();
    if (!now.ok() || now->ran >= ran) return std::move(*now);
  }
}

uint64_t TasksOf(const RunProgress::Worker& worker) {
  uint64_t tasks = 0;
  for (const RunProgress::Stretch& stretch : worker.stretches) tasks += stretch.count;
  return tasks;
}

// Clocks are known the better the longer they were watched.
constexpr double kRelativeError = 1e-2;

TEST(LiveProgress, SaysOfARunWhatAReadingOfTheWholeSays) {
  const TempFolder folder;
  Program program(folder, -1);
  program.Run(1, 10, 3, 0);
  LiveProgress progress({folder.path()});
  LookUntil(progress, Read(folder), 1);
  for (uint64_t job = 2; job < 40; ++job) program.Run(job, 10 + job % 2, 3 + job % 2, job % 2);
  program.Run(40, 0, 5, 0);                 // the runtime's own
  program.Submit(41, 12, 3);                // it waits
  program.Submit(42, 0, 3, kTaskInternal);  // nobody's
  // One task of two workers, of which neither is there all the time; its submission is told last.
  const auto work = [] {
    using Clock = std::chrono::steady_clock;
    for (const auto begin = Clock::now(); Clock::now() - begin < std::chrono::microseconds(200);) {
    }
  };
  program.Start(43, 0), work(), program.Start(43, 1), work();
  program.End(43, 0), work(), program.End(43, 1);
  program.Submit(43, 13, 4);
  program.Start(2, 0), work(), program.End(2, 0);  // it runs once more
  program.Run(44, 13, 4, 0);                       // when it has come, everything has
  const TraceModel model = Read(folder);
  const RunSummary whole = Summarize(model);
  const RunProgress now = LookUntil(progress, model, whole.ran);
  EXPECT_EQ(now.tasks, whole.tasks);
  EXPECT_EQ(now.ran, whole.ran);
  // Tasks this short lose a nanosecond at either end to whole numbers.
  const double rounding_ns = 2. * static_cast<double>(whole.ran);
  EXPECT_NEAR(now.busy_ns, whole.busy_ns, whole.busy_ns * kRelativeError + rounding_ns);
  EXPECT_NEAR(now.span_ns, whole.span_ns, whole.span_ns * kRelativeError);
  EXPECT_FALSE(now.is_behind);
  const std::vector<SiteCost> costs = CostBySite(model);
  ASSERT_EQ(now.lines.size(), costs.size());
  for (const RunProgress::Line& line : now.lines) {
    const auto cost = std::find_if(costs.begin(), costs.end(), [&](const SiteCost& one) {
      return model.sites.line[one.site] == line.line;
    });
    ASSERT_NE(cost, costs.end());
    EXPECT_EQ(line.file, "chol.c");
    EXPECT_EQ(line.function, "main");
    EXPECT_EQ(line.tasks, cost->tasks) << line.line;
    EXPECT_NEAR(line.total_ns, cost->total_ns, cost->total_ns * kRelativeError + rounding_ns);
  }
}

TEST(LiveProgress, TimesOfRanksAreThoseOfTheModel) {
  const TempFolder folder;
  Program zero(folder, 0), one(folder, 1);
  zero.Run(1, 10, 3, 0);
  one.Run(1, 11, 4, 1);
  const TraceModel model = Read(folder);
  ASSERT_EQ(model.ranks.size(), 2u);
  LiveProgress progress({folder.path()});
  const RunProgress now = LookUntil(progress, model, 2);
  EXPECT_EQ(now.tasks, 2u);
  std::vector<uint32_t> ranks;
  for (const RunProgress::Worker& worker : now.workers) {
    if (worker.stretches.empty()) continue;
    const uint32_t rank = model.workers.rank_index[worker.worker];
    ranks.push_back(rank);
    EXPECT_EQ(model.workers.id[worker.worker], rank);
    ASSERT_EQ(worker.stretches.size(), 1u);
    const uint32_t task = model.FindTask(rank, 1);
    EXPECT_EQ(now.names[worker.stretches[0].name], model.TaskNameOf(task));
    EXPECT_NEAR(worker.stretches[0].start_ns, model.tasks.start_ns[task],
                model.duration_ns * kRelativeError);
  }
  EXPECT_THAT(ranks, ElementsAre(0, 1));
}

TEST(LiveProgress, ShortTasksShareAStretchAndAreForgottenWhenTheModelHasThem) {
  const TempFolder folder;
  Program program(folder, -1);
  program.Run(1, 10, 3, 0);
  program.Run(2, 10, 3, 1);
  const TraceModel early = Read(folder);
  LiveProgress progress({folder.path()});
  constexpr uint64_t kTasks = 50'000;
  for (uint64_t job = 3; job <= kTasks; ++job) program.Run(job, 10, 3 + job % 2, 0);
  const RunProgress now = LookUntil(progress, early, kTasks);
  ASSERT_EQ(now.workers.size(), 2u);
  EXPECT_EQ(TasksOf(now.workers[0]), kTasks - 1);
  EXPECT_EQ(TasksOf(now.workers[1]), 1u);
  EXPECT_LT(now.workers[0].stretches.size(), 5'000u);
  int64_t end_ns = 0, busy_ns = 0;
  for (const RunProgress::Stretch& stretch : now.workers[0].stretches) {
    EXPECT_GE(stretch.start_ns, end_ns);
    EXPECT_GE(stretch.end_ns, stretch.start_ns);
    EXPECT_GE(stretch.busy_ns, 0);
    EXPECT_LE(stretch.busy_ns, stretch.end_ns - stretch.start_ns);
    end_ns = stretch.end_ns;
    busy_ns += stretch.busy_ns;
  }
  // All tasks but the first of either worker, which the model had.
  EXPECT_LE(busy_ns, now.busy_ns);
  EXPECT_GE(static_cast<double>(busy_ns), 0.99 * static_cast<double>(now.busy_ns));
  const TraceModel late = Read(folder);
  const RunProgress later = LookUntil(progress, late, kTasks, late.duration_ns + 1'000'000'000);
  EXPECT_EQ(later.ran, kTasks);
  for (const RunProgress::Worker& worker : later.workers) EXPECT_THAT(worker.stretches, IsEmpty());
}

TEST(LiveProgress, AViewerThatIsBehindAnotherMissesNothing) {
  constexpr uint64_t kApart_ns = 20'000'000;
  static uint64_t now_ns;
  now_ns = 1'000'000'000;
  const TempFolder folder;
  Program program(folder, -1, [] { return now_ns += 1000; });
  program.Run(1, 10, 3, 0);
  const TraceModel early = Read(folder);
  now_ns += kApart_ns;
  program.Run(2, 10, 3, 0);
  const TraceModel late = Read(folder);
  now_ns += kApart_ns;
  program.Run(3, 10, 3, 0);
  LiveProgress progress({folder.path()});
  const auto tasks_since = [&](const TraceModel& model) {
    constexpr int64_t kHalf_ns = kApart_ns / 2;
    return TasksOf(LookUntil(progress, model, 3, model.duration_ns + kHalf_ns).workers[0]);
  };
  EXPECT_EQ(tasks_since(early), 2u);
  EXPECT_EQ(tasks_since(late), 1u);
  EXPECT_EQ(tasks_since(early), 2u);
}

TEST(LiveProgress, WhatIsSaidOfATaskAfterItsEndIsToldOfItAllTheSame) {
  const TempFolder folder;
  Program program(folder, -1);
  program.Start(1, 0);
  program.End(1, 0);
  program.Submit(1, 13, 4);
  program.Run(2, 13, 4, 1);
  const TraceModel model = Read(folder);
  LiveProgress progress({folder.path()});
  const RunProgress now = LookUntil(progress, model, 2);
  EXPECT_THAT(now.names, ElementsAre("gemm"));
  ASSERT_EQ(now.lines.size(), 1u);
  EXPECT_EQ(now.lines[0].tasks, 2u);
  EXPECT_EQ(now.lines[0].total_ns, now.busy_ns);
}

TEST(LiveProgress, AFolderWithoutATraceIsAnError) {
  const TempFolder folder;
  Program* program = new Program(folder, -1);
  program->Run(1, 10, 3, 0);
  const TraceModel model = Read(folder);
  delete program;
  LiveProgress progress({folder.File("missing")});
  EXPECT_FALSE(progress.Look(model, 0).ok());
}

}  // namespace
}  // namespace tasklens
