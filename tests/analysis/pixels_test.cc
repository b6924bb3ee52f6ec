// SPDX-License-Identifier: Apache-2.0
// Finding what lies beneath a pixel.
#include "analysis/pixels.h"

#include <gtest/gtest.h>

namespace tasklens {
namespace {

TEST(FirstNot, IsFoundWhereverTheSearchBeginsAndWhateverIsGuessed) {
  for (const size_t size : {0u, 1u, 2u, 7u, 40u})
    for (size_t answer = 0; answer <= size; ++answer)
      for (size_t from = 0; from <= answer; ++from)
        for (size_t guess = 0; guess <= size + 2; ++guess) {
          const auto holds = [&](size_t i) {
            EXPECT_GE(i, from);
            EXPECT_LT(i, size);
            return i < answer;
          };
          ASSERT_EQ(FirstNot(from, size, holds, guess), answer)
              << "from " << from << " of " << size << ", guess " << guess;
        }
}

TEST(FirstNot, LooksAtFewWhereTheGuessIsNear) {
  for (const int off : {-3, 0, 3}) {
    int looks = 0;
    const auto holds = [&](size_t i) {
      ++looks;
      return i < 500'000;
    };
    EXPECT_EQ(FirstNot(400'000, 1'000'000, holds, static_cast<size_t>(100'000 + off)), 500'000u);
    EXPECT_LE(looks, 6);
  }
}

TEST(Pixels, BeginAndEndWithTheView) {
  const Pixels view{-5, 1'000'000'007, 1600};
  EXPECT_EQ(view.Start(0), -5);
  EXPECT_EQ(view.Start(1600), 1'000'000'007);
}

}  // namespace
}  // namespace tasklens
