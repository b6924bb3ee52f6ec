// SPDX-License-Identifier: Apache-2.0
// Linear programs whose answer is known, and those that have none.
#include "analysis/solver/linear_program.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <random>

namespace tasklens {
namespace {

// Two machines, 10 tasks of a and 4 of b; a takes 2 and 1, b takes 1 and 8. All b on the first, a
// on both so that both end together: 4 + 2 a = 10 - a, so a = 2 and the end is 8.
TEST(LinearProgram, IsSolvedToItsMinimum) {
  LinearProgram program;
  program.cost = {0, 0, 0, 0, 1};  // a on 0, a on 1, b on 0, b on 1, end
  program.low = {10, 4, -kUnbounded, -kUnbounded};
  program.high = {10, 4, 0, 0};
  program.entries = {{0, 0, 1}, {0, 1, 1},  {1, 2, 1}, {1, 3, 1}, {2, 0, 2},
                     {2, 2, 1}, {2, 4, -1}, {3, 1, 1}, {3, 3, 8}, {3, 4, -1}};
  ::testing::internal::CaptureStdout();
  const LinearSolution solution = Solve(program);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  ASSERT_EQ(solution.status, SolveStatus::kOptimal);
  EXPECT_NEAR(solution.value, 8, 1e-9);
  ASSERT_EQ(solution.x.size(), 5u);
  EXPECT_NEAR(solution.x[0], 2, 1e-9);
  EXPECT_NEAR(solution.x[2], 4, 1e-9);
}

TEST(LinearProgram, SaysThatNothingFits) {
  LinearProgram program;
  program.cost = {1};
  program.low = {2, -kUnbounded};
  program.high = {kUnbounded, 1};
  program.entries = {{0, 0, 1}, {1, 0, 1}};
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(Solve(program).status, SolveStatus::kInfeasible);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST(LinearProgram, SaysThatThereIsNoMinimum) {
  LinearProgram program;
  program.cost = {-1};
  program.low = {0};
  program.high = {kUnbounded};
  program.entries = {{0, 0, 1}};
  EXPECT_EQ(Solve(program).status, SolveStatus::kUnboundedBelow);
}

// The area bound of many codelets on some kinds of workers: row k is kind k, then a row a codelet.
LinearProgram AreaProgram(uint32_t codelets, uint32_t kinds, bool backwards = false) {
  std::mt19937 random(1);
  LinearProgram program;
  program.cost = {1};
  program.low.assign(kinds, -kUnbounded);
  program.high.assign(kinds, 0);
  for (uint32_t kind = 0; kind < kinds; ++kind) program.entries.push_back({kind, 0, -1});
  for (uint32_t i = 0; i < codelets; ++i) {
    const uint32_t codelet = backwards ? codelets - 1 - i : i;
    for (uint32_t kind = 0; kind < kinds; ++kind) {
      const auto column = static_cast<uint32_t>(program.cost.size());
      program.cost.push_back(0);
      program.entries.push_back({kind, column, 1 + static_cast<double>(random() % 1000)});
      program.entries.push_back({kinds + codelet, column, 1});
    }
    program.low.push_back(100);
    program.high.push_back(100);
  }
  return program;
}

// More iterations than a slice has; with its rows in another order, others.
TEST(LinearProgram, LargerThanASliceIsSolvedToTheSameMinimum) {
  constexpr uint32_t kCodelets = 3000, kKinds = 4;
  const LinearProgram program = AreaProgram(kCodelets, kKinds);
  const LinearSolution solution = Solve(program);
  ASSERT_EQ(solution.status, SolveStatus::kOptimal);
  const LinearSolution other = Solve(AreaProgram(kCodelets, kKinds, /*backwards=*/true));
  ASSERT_EQ(other.status, SolveStatus::kOptimal);
  EXPECT_NEAR(solution.value, other.value, 1e-9 * other.value);
  std::vector<double> sums(program.low.size());
  for (const LinearProgram::Entry& entry : program.entries)
    sums[entry.row] += entry.value * solution.x[entry.column];
  for (size_t row = 0; row < sums.size(); ++row) {
    EXPECT_GE(sums[row], program.low[row] - 1e-6) << row;
    EXPECT_LE(sums[row], program.high[row] + 1e-6 * solution.value) << row;
  }
}

// It takes some seconds.
LinearProgram Large() { return AreaProgram(4000, 40); }

TEST(LinearProgram, EndsWhenNobodyWaitsAnyMore) {
  const LinearProgram program = Large();
  std::atomic<bool> stop{false};
  auto solution = std::async(std::launch::async, [&] { return Solve(program, &stop, 1000); });
  stop = true;
  EXPECT_EQ(solution.get().status, SolveStatus::kGaveUp);
}

TEST(LinearProgram, EndsWhenTheTimeIsOver) {
  EXPECT_EQ(Solve(Large(), nullptr, 0.05).status, SolveStatus::kGaveUp);
}

TEST(LinearProgram, OfNothingIsZero) {
  const LinearSolution solution = Solve({});
  EXPECT_EQ(solution.status, SolveStatus::kOptimal);
  EXPECT_EQ(solution.value, 0);
}

}  // namespace
}  // namespace tasklens
