// SPDX-License-Identifier: Apache-2.0
// A codelet's colour is its name's, whatever ran beside it; the program's choice comes before it.
#include "trace/colours/colours.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

StringId NameOf(const TraceModel& model, uint32_t task) { return model.tasks.name[task]; }

TEST(NameColours, AreFunctionsOfTheNameAlone) {
  const TraceModel alone = TestTrace().Worker("CPU0").Task("gemm", 0, 1).Build();
  TestTrace trace;
  trace.Worker("CPU0");
  for (int i = 0; i < 100; ++i) trace.Task("t" + std::to_string(i), i, i + 1);
  const TraceModel among = trace.Task("gemm", 100, 10'000).Build();
  EXPECT_EQ(NameColours(alone).OfTask(0).rgb, NameRgb("gemm"));
  EXPECT_EQ(NameColours(among).OfTask(100).rgb, NameRgb("gemm"));
}

TEST(NameColours, TellTheKernelsOfFactorisationsApart) {
  for (const auto& family : {std::vector{"potrf", "trsm", "syrk", "gemm"},
                             {"POTRF", "TRSM", "SYRK", "GEMM"},
                             {"getrf", "trsm_ll", "trsm_ru", "gemm"}}) {
    std::set<uint32_t> colours;
    for (const char* name : family) colours.insert(NameRgb(name));
    EXPECT_EQ(colours.size(), family.size()) << family.front();
  }
}

TEST(NameColours, OfNamesThatShareAColourBearStripes) {
  TestTrace trace;
  trace.Worker("CPU0");
  for (char c = 'a'; c <= 'z'; ++c) trace.Task(std::string("kernel ") + c, c, c + 1);
  const TraceModel model = trace.Build();
  const NameColours colours(model);
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    const Paint paint = colours.OfTask(task);
    ASSERT_LE(paint.stripes, kMostStripes);
    // Names come in their order.
    for (uint32_t fewer = 0; fewer < paint.stripes; ++fewer)
      EXPECT_TRUE(seen.contains({paint.rgb, fewer})) << task;
    seen.insert({paint.rgb, paint.stripes});
  }
  EXPECT_GT(seen.size(), Palette().size());
}

TEST(NameColours, KeepWhatTheProgramChose) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("red", 0, 1, {.rgb = 0xFF0102})
                               .Task("red", 1, 2)
                               .Task("two", 2, 3, {.rgb = 0x000001})
                               .Task("two", 3, 4, {.rgb = 0x000002})
                               .Task("two", 4, 5)
                               .Task("none", 5, 6)
                               .Build();
  const NameColours colours(model);
  EXPECT_TRUE(colours.has_own());
  EXPECT_TRUE(colours.IsOwn(NameOf(model, 0)));
  EXPECT_EQ(colours.OfTask(0).rgb, 0xFF0102u);
  EXPECT_EQ(colours.OfTask(1).rgb, 0xFF0102u) << "as the others of its name";
  EXPECT_FALSE(colours.IsOwn(NameOf(model, 2)));
  EXPECT_EQ(colours.OfTask(2).rgb, 0x000001u);
  EXPECT_EQ(colours.OfTask(3).rgb, 0x000002u);
  EXPECT_EQ(colours.OfTask(4).rgb, NameRgb("two"));
  EXPECT_EQ(colours.OfName(NameOf(model, 2)).rgb, NameRgb("two"));
  EXPECT_FALSE(colours.IsOwn(NameOf(model, 5)));
}

TEST(NameColours, OfTasksWithoutANameAreThoseOfTheWordForThem) {
  const TraceModel model = TestTrace().Worker("CPU0").Task("", 0, 1).Build();
  EXPECT_EQ(NameColours(model).OfTask(0).rgb, NameRgb("unknown"));
}

TEST(StateRgb, IsPaleWhereNothingIsDone) {
  for (const StateDecl& decl : AllStates()) {
    const uint32_t rgb = StateRgb(decl.kind);
    if (decl.group != StateGroup::kOther) {
      EXPECT_EQ(rgb, decl.rgb) << decl.name;
      continue;
    }
    for (const int shift : {16, 8, 0}) EXPECT_GE(rgb >> shift & 255, 191u) << decl.name;
  }
}

}  // namespace
}  // namespace tasklens
