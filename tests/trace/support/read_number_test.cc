// SPDX-License-Identifier: Apache-2.0
#include "trace/support/read_number.h"

#include <gtest/gtest.h>

#include <string_view>

namespace tasklens {
namespace {

TEST(ReadNumberTest, AWholeTextIsANumber) {
  uint32_t number = 0;
  EXPECT_TRUE(ReadNumber("4294967295", number));
  EXPECT_EQ(number, UINT32_MAX);
  EXPECT_TRUE(ReadNumber("fF", number, 16));
  EXPECT_EQ(number, 255u);
  int64_t below = 0;
  EXPECT_TRUE(ReadNumber("-12", below));
  EXPECT_EQ(below, -12);
  for (const std::string_view text : {"", " 12", "12 ", "12a", "1.5", "+12", "-12", "4294967296"})
    EXPECT_FALSE(ReadNumber(text, number)) << text;
}

TEST(ReadNumberTest, WhatATextBeginsWithIsThereAlsoWhereMoreFollows) {
  uint32_t number = 7;
  EXPECT_FALSE(ReadNumber("12a", number));
  EXPECT_EQ(number, 12u);
  EXPECT_FALSE(ReadNumber("a", number));
  EXPECT_EQ(number, 12u);
}

TEST(ReadNumberTest, DecimalsAreFinite) {
  double number = 0;
  EXPECT_TRUE(ReadNumber("-1.5e3", number));
  EXPECT_EQ(number, -1500);
  for (const std::string_view text : {"", "inf", "nan", "1e999", "1,5", "1.5 "})
    EXPECT_FALSE(ReadNumber(text, number)) << text;
}

TEST(ReadNumberTest, HexadecimalBehindItsSign) {
  uint64_t number = 0;
  EXPECT_TRUE(ReadNumberOrHex("12", number));
  EXPECT_EQ(number, 12u);
  EXPECT_TRUE(ReadNumberOrHex("0x103", number));
  EXPECT_EQ(number, 0x103u);
  EXPECT_TRUE(ReadNumberOrHex("0Xc", number));
  EXPECT_EQ(number, 12u);
  for (const std::string_view text : {"", "0x", "c", "0xg", "x1", "0x10000000000000000"})
    EXPECT_FALSE(ReadNumberOrHex(text, number)) << text;
}

}  // namespace
}  // namespace tasklens
