// SPDX-License-Identifier: Apache-2.0
// Every rule of advice on recorded runs of real programs: tests/analysis/programs has one for each
// rule, which runs here with its fault and without: the one finds the fault at its line, and of the
// other no rule says anything. Faults that our runtime cannot have (of devices, their memory and
// performance models) come from programs that play such a machine, see programs/player.h; StarPU's
// own traces stand beside them.
//
// The programs run on simulated machines, where what they do takes as long as they say, so that
// what else this machine does changes nothing. Two faults are of a real machine alone, see
// kRealFaults. How often rules are wrong on real runs of all of them, //bench:advice_rates
// measures.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice.h"
#include "analysis/sites.h"
#include "converters/formats.h"

namespace tasklens {
namespace {

constexpr const char* kFolder = "tests/analysis/programs/";
// What a task costs the runtime, and processors that workers share, are not simulated.
constexpr std::string_view kRealFaults[] = {"tasks_too_short", "shared_processors"};

TraceModel Loaded(const std::vector<std::string>& paths) {
  Diagnostics diags;
  Result<TraceModel> model = LoadPaths(paths, diags);
  if (!model.ok()) {
    ADD_FAILURE() << model.status().message();
    std::abort();
  }
  return std::move(*model);
}

// Runs `program variant` recorded and reads its trace.
TraceModel Recorded(const std::string& program, const std::string& variant, bool is_simulated) {
  const std::string directory = ::testing::TempDir(), path = kFolder + program;
  const pid_t child = fork();
  if (child == 0) {
    setenv("STARPU_FXT_TRACE", "1", 1);
    setenv("STARPU_FXT_PREFIX", directory.c_str(), 1);
    setenv("STARPU_FXT_SUFFIX", program.c_str(), 1);
    setenv("STARPU_WORKERS_NOBIND", "1", 1);
    setenv("STARPU_PERF_MODEL_DIR", directory.c_str(), 1);
    if (is_simulated) setenv("STARPU_NSIM_CUDA", "0", 1);
    execl(path.c_str(), path.c_str(), variant.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << path << ' ' << variant;
  std::vector<std::string> traces;  // of its ranks
  for (int rank = 0; rank == 0 || std::filesystem::exists(traces.back()); ++rank)
    traces.push_back(directory + "/" + program + "_" + std::to_string(rank) + ".tlt");
  if (traces.size() > 1) traces.pop_back();
  return Loaded(traces);
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

class AdviceProgramTest : public ::testing::TestWithParam<AdviceRule> {};

TEST_P(AdviceProgramTest, FindsTheFaultAtItsLine) {
  const std::string rule(GetParam().id);
  ASSERT_NE(SourceOf(rule), "") << "a rule without a program";
  const bool is_simulated = std::ranges::find(kRealFaults, rule) == std::end(kRealFaults);
  const TraceModel trace = Recorded(rule, "faulty", is_simulated);
  const std::vector<Finding> findings = Advise(trace);
  const Finding* finding = FindRule(findings, rule);
  ASSERT_NE(finding, nullptr);
  const uint32_t site = finding->site;
  EXPECT_EQ(site < trace.sites.size() ? trace.sites.line[site] : 0, MarkedLine(rule));
}

TEST_P(AdviceProgramTest, SaysNothingWhereNoFaultIs) {
  for (const Finding& finding : Advise(Recorded(std::string(GetParam().id), "clean", true)))
    ADD_FAILURE() << finding.rule << ": " << finding.message;
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
  const TraceModel model = Loaded({std::string("tests/data/starpu/") + GetParam().trace});
  EXPECT_EQ(FindRule(Advise(model), GetParam().rule) != nullptr, GetParam().has_it);
}

TEST_P(StarpuTraceTest, CostsNoMoreThanTheRunTook) {
  const TraceModel model = Loaded({std::string("tests/data/starpu/") + GetParam().trace});
  for (const Finding& finding : Advise(model))
    EXPECT_LE(finding.cost_ns, Summarize(model).span_ns) << finding.message;
}

// Four workers on two processors: while one runs, another looks free.
TEST(StarpuTrace, NoSchedulerIsBlamedBeforeWorkersThatShareAProcessor) {
  const TraceModel model = Loaded({"tests/data/starpu/cholesky_lws"});
  const std::vector<Finding> findings = Advise(model);
  const Finding* keeps = FindRule(findings, "scheduler_keeps_tasks");
  ASSERT_NE(keeps, nullptr);
  EXPECT_NE(keeps->message.find("one worker per processor first"), std::string::npos);
}

// Writing back within reclaiming takes no time of its own. The row of the timeline has 60.50 ms of
// them, of which 0.27 ms lie after the last task.
TEST(StarpuTrace, StatesWithinOthersCountOnce) {
  const TraceModel model = Loaded({"tests/data/starpu/mem_reclaim"});
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
                      RecordedByStarpu{"mpi2", "message_wait", true},
                      // Its ranks have memory of their own: nothing was copied.
                      RecordedByStarpu{"mpi2", "transfer_wait", false},
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
