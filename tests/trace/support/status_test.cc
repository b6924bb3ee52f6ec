// SPDX-License-Identifier: Apache-2.0
// Status and Result.
#include "trace/support/status.h"

#include <gtest/gtest.h>

#include <memory>

namespace tasklens {
namespace {

TEST(Status, IsOkUnlessItHasAnErrorCode) {
  EXPECT_TRUE(Status().ok());
  EXPECT_TRUE(Status::Ok().ok());
  const Status error(ErrorCode::kIo, "disk full");
  EXPECT_FALSE(error.ok());
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_EQ(error.message(), "disk full");
}

TEST(Status, APrefixSaysWhereFromAndKeepsTheCode) {
  const Status error = Status(ErrorCode::kCorrupt, "bad length").WithPrefix("x.fxt");
  EXPECT_EQ(error.message(), "x.fxt: bad length");
  EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
  EXPECT_TRUE(Status::Ok().WithPrefix("x").ok());
}

TEST(Result, HoldsAValueOrTheReasonWhyThereIsNone) {
  Result<int> value = 7;
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, 7);
  EXPECT_TRUE(value.status().ok());
  const Result<int> error(ErrorCode::kNotFound, "no such task");
  ASSERT_FALSE(error.ok());
  EXPECT_EQ(error.status().message(), "no such task");
}

TEST(Result, GivesUpAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  std::unique_ptr<int> taken = std::move(*result);
  EXPECT_EQ(*taken, 3);
}

TEST(ResultDeathTest, AbortsWhenAnAbsentValueIsUsed) {
  Result<int> error(ErrorCode::kNotFound, "nothing");
  EXPECT_DEATH((void)*error, "");
}

TEST(ResultDeathTest, AbortsWhenMadeOfAnOkStatus) { EXPECT_DEATH(Result<int>{Status::Ok()}, ""); }

}  // namespace
}  // namespace tasklens
