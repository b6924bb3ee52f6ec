// SPDX-License-Identifier: Apache-2.0
// Interned strings.
#include "trace/support/string_pool.h"

#include <gtest/gtest.h>

#include <string>

namespace tasklens {
namespace {

TEST(StringPool, GivesEqualStringsTheSameId) {
  StringPool pool;
  const StringId a = pool.Intern("a"), b = pool.Intern("b");
  EXPECT_NE(a, b);
  EXPECT_EQ(pool.Intern("a"), a);
  EXPECT_EQ(pool.Get(a), "a");
  EXPECT_EQ(pool.Find("b"), b);
}

TEST(StringPool, IdZeroIsTheEmptyString) {
  StringPool pool;
  EXPECT_EQ(pool.Intern(""), 0u);
  EXPECT_EQ(pool.Get(0), "");
  EXPECT_EQ(pool.Find("never seen"), 0u);
}

TEST(StringPool, AnIdItNeverGaveIsTheEmptyString) {
  StringPool pool;
  EXPECT_EQ(pool.Get(1), "");
  EXPECT_EQ(pool.Get(0xffffffff), "");
}

TEST(StringPool, KeepsBytesOfAnyValue) {
  StringPool pool;
  const std::string odd("\0\xff\n\"", 4);
  EXPECT_EQ(pool.Get(pool.Intern(odd)), odd);
  EXPECT_NE(pool.Intern(std::string("\0", 1)), pool.Intern(std::string("\0\0", 2)));
}

TEST(StringPool, HoldsManyAndLongStrings) {
  StringPool pool;
  const std::string long_text(1'000'000, 'x');
  const StringId long_id = pool.Intern(long_text);
  std::vector<StringId> ids;
  for (int i = 0; i < 100'000; ++i) ids.push_back(pool.Intern("string " + std::to_string(i)));
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(pool.Get(ids[i]), "string " + std::to_string(i));
  EXPECT_EQ(pool.Get(long_id), long_text);
  EXPECT_EQ(pool.size(), 100'002u);
}

TEST(StringPool, ViewsStayValidWhenThePoolMoves) {
  StringPool pool;
  const std::string_view view = pool.Get(pool.Intern("stays"));
  const StringPool moved = std::move(pool);
  EXPECT_EQ(view, "stays");
  EXPECT_EQ(moved.Get(1).data(), view.data());
}

}  // namespace
}  // namespace tasklens
