// SPDX-License-Identifier: Apache-2.0
// Every rule of advice on recorded runs of real programs: tests/analysis/programs has one for each
// rule, which runs here with its fault and without. Faults that our runtime cannot have (of
// devices, their memory and performance models) come from programs that play such a machine, see
// programs/player.h; StarPU's own traces stand beside them. The rates of both kinds of error are
// printed: a fault that is missed, and a program without fault about which any rule says anything.
//
// Programs sleep, so other programs of the machine change what they do only by waking them late.
// While one runs, a thread on each processor measures that. A run that is judged wrongly counts,
// unless a wake-up came late by kLateNs: then the trace truly has pauses that the program does not,
// and the run is repeated. A machine that is always busy does not excuse a rule: so many runs must
// be right. One wrong judgement is forgiven: a virtual machine's processor may be taken away
// between two naps. The test runs alone (see BUILD).
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "analysis/advice.h"
#include "analysis/sites.h"
#include "converters/formats.h"

namespace tasklens {
namespace {

constexpr const char* kFolder = "tests/analysis/programs/";
constexpr int kRuns = 5;           // must be right
constexpr int kMostAttempts = 15;  // to have them
constexpr int kForgiven = 1;       // wrong ones among them
constexpr int64_t kLateNs = 1'000'000;

// Measures how late this machine wakes those who sleep, on each of its processors.
class LateWakeUps {
 public:
  LateWakeUps() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof(allowed), &allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &allowed)) threads_.emplace_back([this, cpu] { Measure(cpu); });
  }
  ~LateWakeUps() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  bool IsDisturbed() const { return worst_ns_ >= kLateNs; }

 private:
  void Measure(int cpu) {
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(cpu, &own);
    sched_setaffinity(0, sizeof(own), &own);  // of this thread; elsewhere it measures as well
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kNap(1);
    while (!done_) {
      const Clock::time_point begin = Clock::now();
      std::this_thread::sleep_for(kNap);
      const int64_t late_ns = std::chrono::nanoseconds(Clock::now() - begin - kNap).count();
      int64_t worst_ns = worst_ns_;
      while (late_ns > worst_ns && !worst_ns_.compare_exchange_weak(worst_ns, late_ns)) {
      }
    }
  }

  std::atomic<bool> done_{false};
  std::atomic<int64_t> worst_ns_{0};
  std::vector<std::thread> threads_;
};

TraceModel Loaded(const std::string& path) {
  Diagnostics diags;
  Result<TraceModel> model = LoadPaths({&path, 1}, diags);
  if (!model.ok()) {
    ADD_FAILURE() << model.status().message();
    std::abort();
  }
  return std::move(*model);
}

// Runs `program variant` recorded and reads its trace.
TraceModel Recorded(const std::string& program, const std::string& variant) {
  const std::string directory = ::testing::TempDir(), path = kFolder + program;
  const pid_t child = fork();
  if (child == 0) {
    setenv("STARPU_FXT_TRACE", "1", 1);
    setenv("STARPU_FXT_PREFIX", directory.c_str(), 1);
    setenv("STARPU_FXT_SUFFIX", program.c_str(), 1);
    setenv("STARPU_WORKERS_NOBIND", "1", 1);
    execl(path.c_str(), path.c_str(), variant.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << path << ' ' << variant;
  return Loaded(directory + "/" + program + "_0.tlt");
}

// The source of a program; "" where there is none.
std::string SourceOf(const std::string& program) {
  for (const char* ending : {".c", ".cc"})
    if (std::filesystem::exists(kFolder + program + ending)) return kFolder + program + ending;
  return "";
}

// The line of the program with the mark; 0: it has none, the fault is the whole run's.
uint32_t MarkedLine(const std::string& program) {
  std::ifstream source(SourceOf(program));
  uint32_t number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (line.find("/* FAULT */") != line.npos) return number;
  }
  return 0;
}

const Finding* FindRule(const std::vector<Finding>& findings, const std::string& rule) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) { return finding.rule == rule; });
  return found == findings.end() ? nullptr : &*found;
}

// How often a judgement on a program's runs was wrong.
struct Errors {
  int right = 0, wrong = 0, disturbed = 0;  // of wrong ones only `wrong` count
  std::string example;                      // of a wrong one

  std::string Text() const {
    std::string text = std::to_string(wrong) + " of " + std::to_string(right + wrong);
    if (disturbed > 0) text += " (and " + std::to_string(disturbed) + " disturbed)";
    return text;
  }
};

// Runs the program until kRuns were right; `what_is_wrong(trace, findings)` says "" for these.
template <class Judge>
Errors Judged(const std::string& program, const std::string& variant, const Judge& what_is_wrong) {
  Errors errors;
  for (int attempt = 0; attempt < kMostAttempts && errors.right < kRuns; ++attempt) {
    const LateWakeUps late;
    const TraceModel trace = Recorded(program, variant);
    const bool is_disturbed = late.IsDisturbed();
    const std::string wrong = what_is_wrong(trace, Advise(trace));
    if (wrong.empty()) {
      ++errors.right;
      continue;
    }
    errors.example = wrong;
    ++(is_disturbed ? errors.disturbed : errors.wrong);
  }
  return errors;
}

class AdviceProgramTest : public ::testing::TestWithParam<AdviceRule> {};

TEST_P(AdviceProgramTest, FaultIsFoundAtItsLineAndNothingWhereNoneIs) {
  const std::string rule(GetParam().id);
  ASSERT_NE(SourceOf(rule), "") << "a rule without a program";
  const uint32_t line = MarkedLine(rule);
  const Errors missed =
      Judged(rule, "faulty", [&](const TraceModel& trace, const std::vector<Finding>& findings) {
        const Finding* finding = FindRule(findings, rule);
        if (!finding) return std::string("not found");
        const uint32_t found_line =
            finding->site < trace.sites.size() ? trace.sites.line[finding->site] : 0;
        return found_line == line ? "" : "found at line " + std::to_string(found_line);
      });
  const Errors invented =
      Judged(rule, "clean", [](const TraceModel&, const std::vector<Finding>& findings) {
        std::string all;
        for (const Finding& finding : findings)
          all += std::string(finding.rule) + ": " + finding.message + "\n";
        return all;
      });
  std::printf("%-24s missed %s, invented %s\n", rule.c_str(), missed.Text().c_str(),
              invented.Text().c_str());
  EXPECT_LE(missed.wrong, kForgiven) << missed.example;
  EXPECT_EQ(missed.right, kRuns) << missed.example;
  EXPECT_LE(invented.wrong, kForgiven) << invented.example;
  EXPECT_EQ(invented.right, kRuns) << invented.example;
}

INSTANTIATE_TEST_SUITE_P(All, AdviceProgramTest,
                         ::testing::ValuesIn(AdviceRules().begin(), AdviceRules().end()),
                         [](const auto& info) { return std::string(info.param.id); });

struct RecordedByStarpu {
  const char* trace;
  const char* rule;
  bool has_it;
};

class StarpuTraceTest : public ::testing::TestWithParam<RecordedByStarpu> {};

TEST_P(StarpuTraceTest, SaysWhatIsWrong) {
  const TraceModel model = Loaded(std::string("tests/data/starpu/") + GetParam().trace);
  EXPECT_EQ(FindRule(Advise(model), GetParam().rule) != nullptr, GetParam().has_it);
}

TEST_P(StarpuTraceTest, CostsNoMoreThanTheRunTook) {
  const TraceModel model = Loaded(std::string("tests/data/starpu/") + GetParam().trace);
  for (const Finding& finding : Advise(model))
    EXPECT_LE(finding.cost_ns, Summarize(model).span_ns) << finding.message;
}

// Four workers on two processors: while one runs, another looks free.
TEST(StarpuTrace, NoSchedulerIsBlamedBeforeWorkersThatShareAProcessor) {
  const TraceModel model = Loaded("tests/data/starpu/cholesky_lws");
  const std::vector<Finding> findings = Advise(model);
  const Finding* keeps = FindRule(findings, "scheduler_keeps_tasks");
  ASSERT_NE(keeps, nullptr);
  EXPECT_NE(keeps->message.find("one worker on each processor first"), std::string::npos);
}

// Writing back within reclaiming takes no time of its own. The row of the timeline has 60.50 ms of
// them, of which 0.27 ms lie after the last task.
TEST(StarpuTrace, StatesWithinOthersCountOnce) {
  const TraceModel model = Loaded("tests/data/starpu/mem_reclaim");
  const std::vector<Finding> findings = Advise(model);
  const Finding* full = FindRule(findings, "memory_full");
  ASSERT_NE(full, nullptr);
  EXPECT_NEAR(static_cast<double>(full->cost_ns) / 1e6, 60.23, 0.01);
}

INSTANTIATE_TEST_SUITE_P(
    All, StarpuTraceTest,
    ::testing::Values(RecordedByStarpu{"mem_reclaim", "memory_full", true},
                      RecordedByStarpu{"mem_reclaim", "allocation_churn", false},
                      RecordedByStarpu{"mem_reclaim", "transfer_wait", true},
                      RecordedByStarpu{"disk_compute", "transfer_wait", true},
                      RecordedByStarpu{"mpi2", "transfer_wait", true},
                      RecordedByStarpu{"cholesky_lws", "scheduler_keeps_tasks", true},
                      // What is not ready waits for a ready task that nobody takes.
                      RecordedByStarpu{"cholesky_lws", "too_little_parallelism", false},
                      RecordedByStarpu{"cholesky_dmdas", "too_little_parallelism", false},
                      RecordedByStarpu{"stencil", "too_little_parallelism", false},
                      // It waits for tags, which leaves no state.
                      RecordedByStarpu{"tags", "submission_too_slow", false},
                      // 183 us of the runtime for tasks of 1.5 us: four workers, two processors.
                      RecordedByStarpu{"two_ctx", "runtime_holds_workers", true},
                      RecordedByStarpu{"cholesky_dmdas", "runtime_holds_workers", false},
                      RecordedByStarpu{"cholesky_lws", "shared_processors", true},
                      RecordedByStarpu{"hello", "shared_processors", false},
                      RecordedByStarpu{"mpi2", "shared_processors", false},
                      RecordedByStarpu{"cholesky_lws", "memory_full", false},
                      RecordedByStarpu{"cholesky_lws", "allocation_churn", false},
                      RecordedByStarpu{"cholesky_lws", "transfer_wait", false},
                      RecordedByStarpu{"cholesky_lws", "unpinned_copies", false},
                      RecordedByStarpu{"cholesky_dmdas", "no_perfmodel", false},
                      RecordedByStarpu{"cholesky_lws", "wrong_perfmodel", false}),
    [](const auto& info) {
      return std::string(info.param.trace) + "_" + info.param.rule +
             (info.param.has_it ? "_is_found" : "_is_not_invented");
    });

}  // namespace
}  // namespace tasklens
