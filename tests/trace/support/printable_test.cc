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
  EXPECT_EQ(Printable("\xc2\xa0\xc2"), "\xc2\xa0\xc2");
}

}  // namespace
}  // namespace tasklens
