// SPDX-License-Identifier: Apache-2.0
// Every rule of advice on recorded runs of real programs: tests/analysis/programs has one for each
// rule, which runs here with its fault and without. Faults that our runtime cannot have (of
// devices, their memory and performance models) come from programs that play such a machine, see
// programs/player.h; StarPU's own traces stand beside them. The rates of both kinds of error are
// printed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "analysis/advice.h"
#include "analysis/sites.h"
#include "converters/formats.h"

namespace tasklens {
namespace {

constexpr const char* kFolder = "tests/analysis/programs/";
constexpr int kRuns = 5;

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
  const std::string traces[] = {directory + "/" + program + "_0.tlt"};
  Diagnostics diags;
  Result<TraceModel> model = LoadPaths(traces, diags);
  if (!model.ok()) {
    ADD_FAILURE() << model.status().message();
    std::abort();
  }
  return std::move(*model);
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

TEST_P(AdviceProgramTest, FaultIsFoundAtItsLineAndNotWhereItIsNot) {
  const std::string rule(GetParam().id);
  ASSERT_NE(SourceOf(rule), "") << "a rule without a program";
  const uint32_t line = MarkedLine(rule);
  int missed = 0, invented = 0;
  for (int run = 0; run < kRuns; ++run) {
    const TraceModel faulty = Recorded(rule, "faulty");
    const std::vector<Finding> findings = Advise(faulty);
    const Finding* finding = FindRule(findings, rule);
    // At another line it is missed as well.
    const uint32_t found_line = !finding ? UINT32_MAX
                                : finding->site < faulty.sites.size()
                                    ? faulty.sites.line[finding->site]
                                    : 0;
    missed += found_line != line;
    invented += FindRule(Advise(Recorded(rule, "clean")), rule) != nullptr;
  }
  std::printf("%-24s missed %d of %d, invented %d of %d\n", rule.c_str(), missed, kRuns, invented,
              kRuns);
  // Other programs of the machine may spoil a run, but not most of them.
  EXPECT_LT(missed, kRuns / 2 + 1);
  EXPECT_LT(invented, kRuns / 2 + 1);
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
  const std::string paths[] = {std::string("tests/data/starpu/") + GetParam().trace};
  Diagnostics diags;
  const Result<TraceModel> model = LoadPaths(paths, diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(FindRule(Advise(*model), GetParam().rule) != nullptr, GetParam().has_it);
}

TEST_P(StarpuTraceTest, CostsNoMoreThanTheRunTook) {
  const std::string paths[] = {std::string("tests/data/starpu/") + GetParam().trace};
  Diagnostics diags;
  const Result<TraceModel> model = LoadPaths(paths, diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  for (const Finding& finding : Advise(*model))
    EXPECT_LE(finding.cost_ns, Summarize(*model).span_ns) << finding.message;
}

// Writing back within reclaiming takes no time of its own. The row of the timeline has 60.50 ms of
// them, of which 0.27 ms lie after the last task.
TEST(StarpuTrace, StatesWithinOthersCountOnce) {
  const std::string paths[] = {"tests/data/starpu/mem_reclaim"};
  Diagnostics diags;
  const Result<TraceModel> model = LoadPaths(paths, diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  const std::vector<Finding> findings = Advise(*model);
  const Finding* full = FindRule(findings, "memory_full");
  ASSERT_NE(full, nullptr);
  EXPECT_NEAR(static_cast<double>(full->cost_ns) / 1e6, 60.23, 0.01);
}

INSTANTIATE_TEST_SUITE_P(
    All, StarpuTraceTest,
    ::testing::Values(RecordedByStarpu{"mem_reclaim", "memory_full", true},
                      RecordedByStarpu{"mem_reclaim", "allocation_churn", true},
                      RecordedByStarpu{"mem_reclaim", "transfer_wait", true},
                      RecordedByStarpu{"disk_compute", "transfer_wait", true},
                      RecordedByStarpu{"mpi2", "transfer_wait", true},
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
