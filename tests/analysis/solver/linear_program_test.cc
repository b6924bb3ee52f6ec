// SPDX-License-Identifier: Apache-2.0
// Linear programs whose answer is known, and those that have none.
#include "analysis/solver/linear_program.h"

#include <gtest/gtest.h>

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

TEST(LinearProgram, OfNothingIsZero) {
  const LinearSolution solution = Solve({});
  EXPECT_EQ(solution.status, SolveStatus::kOptimal);
  EXPECT_EQ(solution.value, 0);
}

}  // namespace
}  // namespace tasklens
