// SPDX-License-Identifier: Apache-2.0
// Our Markdown for clients that show plain text.
#include "server/handlers/fitting.h"

#include <gtest/gtest.h>

#include "server/handlers/markdown.h"

namespace tasklens {
namespace {

TEST(PlainText, LeavesTheMarksOut) {
  EXPECT_EQ(PlainText("**gemm**: 3 tasks · `▁█`\n"), "gemm: 3 tasks · ▁█\n");
  EXPECT_EQ(PlainText("see [the line](file:///a.c#L3) and [that](x)"), "see the line and that\n");
}

TEST(PlainText, ShowsNamesAsTheyAre) {
  for (const char* name : {"a*b*c", "[x](y)", "`", "\\", "a_b", "<b>", "|", "x]", "**", "é𝕏 1.5"})
    EXPECT_EQ(PlainText("**" + Escaped(name) + "**"), std::string(name) + "\n");
}

TEST(PlainText, SetsTablesInColumns) {
  EXPECT_EQ(
      PlainText("before\n\n| name | tasks |\n|:--|--:|\n| é | 7 |\n| a\\|b, longer | 12 |\nafter"),
      "before\n\n"
      "name         tasks\n"
      "é                7\n"
      "a|b, longer     12\n"
      "after\n");
}

TEST(PlainText, OfWhatIsHardlyMarkdownIsText) {
  EXPECT_EQ(PlainText(""), "");
  EXPECT_EQ(PlainText("|"), "\n");
  EXPECT_EQ(PlainText("| a"), "\n");
  EXPECT_EQ(PlainText("[a](b"), "a\n");
  EXPECT_EQ(PlainText("`a"), "a\n");
}

}  // namespace
}  // namespace tasklens
