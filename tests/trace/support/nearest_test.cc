// SPDX-License-Identifier: Apache-2.0
// Suggestions for names that do not exist.
#include "trace/support/nearest.h"

#include <gtest/gtest.h>

namespace tasklens {
namespace {

constexpr std::string_view kNames[] = {"paje", "dot", "tasks", "convert"};

TEST(NearestName, FindsAMisspeltName) {
  EXPECT_EQ(NearestName("pajé", kNames), "");  // two bytes differ of four
  EXPECT_EQ(NearestName("paj", kNames), "paje");
  EXPECT_EQ(NearestName("dto", kNames), "");
  EXPECT_EQ(NearestName("convret", kNames), "convert");
  EXPECT_EQ(DidYouMean("task", kNames), " (did you mean 'tasks'?)");
}

TEST(NearestName, SuggestsNothingFarFetched) {
  EXPECT_EQ(NearestName("perfetto", kNames), "");
  EXPECT_EQ(DidYouMean("", kNames), "");
  EXPECT_EQ(NearestName(std::string(100000, 'x'), kNames), "");
}

}  // namespace
}  // namespace tasklens
