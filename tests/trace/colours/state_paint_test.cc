// SPDX-License-Identifier: Apache-2.0
// States that share a colour are told apart.
#include "trace/colours/state_paint.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace tasklens {
namespace {

TEST(StatePaint, IsTheColourOfTheStateEverywhere) {
  for (const StateDecl& decl : AllStates())
    EXPECT_EQ(StatePaint(decl.kind).rgb, StateRgb(decl.kind)) << decl.name;
}

TEST(StatePaint, TellsStatesOfOneColourApart) {
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (const StateDecl& decl : AllStates()) {
    if (decl.group == StateGroup::kTask) continue;
    const Paint paint = StatePaint(decl.kind);
    EXPECT_LE(paint.stripes, kMostStripes);
    EXPECT_TRUE(seen.emplace(paint.rgb, paint.stripes).second) << decl.name;
  }
}

TEST(StatePaint, TellsDarkOnesApartThatLookTheSame) {
  EXPECT_NE(StatePaint(StateKind::kWritingBack).stripes,
            StatePaint(StateKind::kReclaiming).stripes);
  EXPECT_NE(StatePaint(StateKind::kWritingBack).stripes,
            StatePaint(StateKind::kWritingBackAsync).stripes);
}

TEST(StatePaint, GivesTasksNoStripes) {
  EXPECT_EQ(StatePaint(StateKind::kTask).stripes, 0u);
  EXPECT_EQ(StatePaint(StateKind::kExecuting).stripes, 0u);
}

}  // namespace
}  // namespace tasklens
