// SPDX-License-Identifier: Apache-2.0
// Counting what was wrong in an input.
#include "trace/support/diagnostics.h"

#include <gtest/gtest.h>

namespace tasklens {
namespace {

TEST(Diagnostics, CountsAKindAndRemembersItsFirstPlace) {
  Diagnostics diags;
  EXPECT_TRUE(diags.empty());
  EXPECT_EQ(diags.Summary(), "");
  diags.Skip("fxt_short_event", "x.fxt: byte 10");
  diags.Skip("fxt_short_event", "x.fxt: byte 99", 2);
  EXPECT_EQ(diags.Count("fxt_short_event"), 3u);
  EXPECT_EQ(diags.Count("fxt_truncated"), 0u);
  const std::string summary = diags.Summary();
  EXPECT_TRUE(summary.starts_with("lost: 3 x fxt_short_event (first at x.fxt: byte 10): "))
      << summary;
  EXPECT_EQ(summary.back(), '\n');
}

TEST(Diagnostics, NothingSkippedIsNothingCounted) {
  Diagnostics diags;
  diags.Skip("fxt_short_event", "x", 0);
  EXPECT_TRUE(diags.empty());
}

TEST(Diagnostics, ALossIsTold) {
  Diagnostics diags;
  diags.Skip("model_time_inversion", "");
  EXPECT_FALSE(diags.HasDataLoss());
  diags.Skip("tlt_dropped", "");
  EXPECT_TRUE(diags.HasDataLoss());
}

TEST(Diagnostics, AKindThatNobodyListedIsALoss) {
  Diagnostics diags;
  diags.Skip("something_new", "here");
  EXPECT_TRUE(diags.HasDataLoss());
  EXPECT_EQ(diags.Summary(), "warning: 1 x something_new (first at here)\n");
}

TEST(Diagnostics, MergeAddsCountsAndKeepsTheFirstPlace) {
  Diagnostics a, b;
  a.Skip("fxt_truncated", "a");
  b.Skip("fxt_truncated", "b");
  b.Skip("tlt_dropped", "b");
  a.Merge(b);
  EXPECT_EQ(a.Count("fxt_truncated"), 2u);
  EXPECT_EQ(a.counts().at("fxt_truncated").first_where, "a");
  EXPECT_EQ(a.Count("tlt_dropped"), 1u);
}

TEST(Diagnostics, EveryKindOfTheModelHasItsAdvice) {
  for (const char* kind :
       {"model_bad_event", "model_clocks_by_time_of_day", "model_clocks_not_aligned",
        "model_different_runs", "model_self_dependency", "model_state_never_ended",
        "model_states_too_deep", "model_task_never_ended", "model_time_inversion",
        "model_unmatched_end"}) {
    ASSERT_NE(FindDiagnosticKind(kind), nullptr) << kind;
    EXPECT_FALSE(FindDiagnosticKind(kind)->text.empty()) << kind;
  }
}

}  // namespace
}  // namespace tasklens
