// SPDX-License-Identifier: Apache-2.0
// Names of strangers stay text.
#include "server/handlers/markdown.h"

#include <gtest/gtest.h>

namespace tasklens {
namespace {

TEST(Escaped, LeavesNoMarkInForce) {
  EXPECT_EQ(Escaped("gemm<float>*"), "gemm\\<float\\>\\*");
  EXPECT_EQ(Escaped("[x](http://y)"), "\\[x\\]\\(http\\://y\\)");
  EXPECT_EQ(Escaped("a|b\nc\td"), "a\\|b c d");
  EXPECT_EQ(Escaped("`&lt;`"), "\\`\\&lt;\\`");
}

TEST(Escaped, CutsBetweenCharacters) {
  std::string name;
  while (name.size() < 10000) name += "é";
  const std::string escaped = Escaped(name);
  EXPECT_LT(escaped.size(), 210u);
  EXPECT_TRUE(escaped.ends_with("é…"));
  EXPECT_EQ(Escaped("a\xff"), "a\uFFFD");
}

TEST(Sparkline, ShowsEvenOneAmongMany) {
  EXPECT_EQ(Sparkline({{0, 1, 1000000}, {1, 2, 0}, {2, 3, 1}}), "█ ▁");
  EXPECT_EQ(Sparkline({}), "");
}

}  // namespace
}  // namespace tasklens
