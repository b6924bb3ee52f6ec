// SPDX-License-Identifier: Apache-2.0
// Finding tasks and lines by a few letters or a number.
#include "analysis/search/search.h"

#include <gtest/gtest.h>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;
using Rows = std::vector<uint32_t>;

TraceModel Model() {
  TestTrace trace;
  trace.Task("Gemm", 0, 10, {.submit_ns = 0, .file = "src/chol.c", .line = 7});
  trace.Task("trsm", 10, 20, {.submit_ns = 0, .file = "src/chol.c", .line = 8});
  trace.Task("gemm_small", 20, 30, {.submit_ns = 0, .file = "src/lu.c", .line = 8});
  return trace.Build();
}

TEST(Search, FindsAPartOfANameWhateverTheCase) {
  const TraceModel model = Model();
  EXPECT_EQ(Search(model, "gemm", 10).tasks, (Rows{0, 2}));
  EXPECT_EQ(Search(model, " GEMM_ ", 10).tasks, (Rows{2}));
  EXPECT_EQ(Search(model, "potrf", 10).count, 0u);
}

TEST(Search, FindsTheTasksOfALine) {
  const TraceModel model = Model();
  const SearchResult found = Search(model, "chol.c:8", 10);
  EXPECT_EQ(found.tasks, (Rows{1}));
  ASSERT_EQ(found.sites.size(), 1u);
  EXPECT_EQ(model.sites.line[found.sites[0]], 8u);
}

TEST(Search, TakesANumberForAJobAsAWholeAndPutsItFirst) {
  const TraceModel model = Model();
  const std::string job = std::to_string(model.tasks.job[1]);
  const SearchResult found = Search(model, job, 10);
  ASSERT_FALSE(found.tasks.empty());
  EXPECT_EQ(found.tasks[0], 1u);
  EXPECT_EQ(Search(model, "99999", 10).count, 0u);
}

TEST(Search, CountsWhatItDoesNotList) {
  const SearchResult found = Search(Model(), "gemm", 1);
  EXPECT_EQ(found.count, 2u);
  EXPECT_EQ(found.tasks.size(), 1u);
}

TEST(Search, FindsNothingForNothing) {
  EXPECT_EQ(Search(Model(), "   ", 10).count, 0u);
  EXPECT_EQ(Search(TraceModel(), "gemm", 10).count, 0u);
}

}  // namespace
}  // namespace tasklens
