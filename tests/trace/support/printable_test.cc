// SPDX-License-Identifier: Apache-2.0
#include "trace/support/printable.h"

#include <gtest/gtest.h>

namespace tasklens {
namespace {

TEST(Printable, LeavesTextInAnyLanguageAsItIs) {
  EXPECT_EQ(Printable("naïve gemm — µ \"q\" \\ 核 \xf0\x9f\x9a\x80"),
            "naïve gemm — µ \"q\" \\ 核 \xf0\x9f\x9a\x80");
}

TEST(Printable, WritesControlCharactersOut) {
  EXPECT_EQ(Printable("a\nb\tc\rd\x1b[31m\x7f"), "a\\nb\\x09c\\x0dd\\x1b[31m\\x7f");
  EXPECT_EQ(Printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, KnowsTheControlCharactersOfUnicode) {
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");
  EXPECT_EQ(Printable("\xc2\xa0"), "\xc2\xa0");
}

TEST(Printable, WritesOutWhatIsNoUtf8) {
  EXPECT_EQ(Printable("a\xff\xc2"), "a\\xff\\xc2");
  EXPECT_EQ(Printable("\xe2\x80"), "\\xe2\\x80");           // cut off
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf");           // longer than need be
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
}

TEST(Printable, WritesOutWhatTurnsTheDirectionOfWritingOrBreaksLines) {
  EXPECT_EQ(Printable("gemm\u202Ecod"), "gemm\\u202ecod");
  EXPECT_EQ(Printable("\u200F\u2067\u2028"), "\\u200f\\u2067\\u2028");
  EXPECT_EQ(Printable("שלום"), "שלום");
}

}  // namespace
}  // namespace tasklens
