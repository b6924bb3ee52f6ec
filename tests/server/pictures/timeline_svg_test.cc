// SPDX-License-Identifier: Apache-2.0
// The timeline as SVG: nothing lies over what is to be read.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/pixels.h"
#include "analysis/task_estimates.h"
#include "server/pictures/svg.h"
#include "tests/testing/random_rows.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

std::string Svg(const TraceModel& model, bool with_arrows, int64_t from_ns, int64_t to_ns) {
  const TimelineIndex index(model);
  const TimelineRows rows(model);
  TimelineScene scene{model, rows, index, from_ns, to_ns, 1000};
  std::vector<TimelineScene::Arrows> arrows;
  if (with_arrows)
    arrows.push_back(
        {ArrowKind::kDependency,
         TimelineArrows(model, rows, ArrowKind::kDependency).View(from_ns, to_ns, 1000)});
  scene.arrows = arrows;
  return TimelineSvg(scene, TaskColours(model, ColourBy::kCodelet));
}

// The groups of each match, as numbers.
std::vector<std::vector<double>> Numbers(const std::string& text, const char* pattern) {
  std::vector<std::vector<double>> all;
  const std::regex regex(pattern);
  for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i) {
    all.emplace_back();
    for (size_t group = 1; group < i->size(); ++group) all.back().push_back(std::stod((*i)[group]));
  }
  return all;
}

constexpr char kLabel[] = R"re(<text class="label" x="[\d.]+" y="([\d.]+)")re";

TEST(TimelineSvg, WritesLabelsAboveWhatLiesOnATask) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("gemm", 100, 900)
                               .Event(300, EventKind::kStatePush, {StateKind::kCallback}, 1000)
                               .Event(800, EventKind::kStatePop, {}, 1000)
                               .Build();
  const std::string svg = Svg(model, false, 0, 1000);
  const auto labels = Numbers(svg, kLabel);
  const auto above = Numbers(svg, R"re(<rect x="[\d.]+" y="([\d.]+)" [^>]*><title>Callback)re");
  ASSERT_EQ(labels.size(), 1u) << svg;
  ASSERT_EQ(above.size(), 1u) << svg;
  EXPECT_LT(labels[0][0], above[0][0]);
}

TEST(TimelineSvg, LeadsArrowsFromEdgeToEdgeBeneathTheLabels) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Worker("CPU1")
                               .Task("first", 0, 300, {.worker = 0})
                               .Task("same row", 400, 700, {.worker = 0})
                               .Task("below", 700, 900, {.worker = 1})
                               .Dep(1, 2)
                               .Dep(2, 3)
                               .Build();
  const std::string svg = Svg(model, true, 0, 1000);
  const auto tasks = Numbers(
      svg,
      R"re(<rect x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"[^>]*><title>[^<]*, job)re");
  const auto arrows = Numbers(svg, R"re(class="arrow"[^>]* d="M[\d.]+,([\d.]+)C[^"]*,([\d.]+)")re");
  ASSERT_EQ(tasks.size(), 3u) << svg;
  ASSERT_EQ(arrows.size(), 2u) << svg;
  for (const auto& arrow : arrows)
    for (const double y : arrow)
      for (const auto& task : tasks)
        EXPECT_TRUE(y <= task[0] + 0.05 || y >= task[0] + task[1] - 0.05) << y;
  EXPECT_GT(svg.find("class=\"label\""), svg.rfind("class=\"arrow\""));
  EXPECT_EQ(Numbers(svg, kLabel).size(), 3u);
}

TEST(TimelineSvg, DrawsWhatWasExpectedBeneathATask) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("early", 0, 200)
                               .Task("late", 200, 600)
                               .Task("beyond", 600, 1000)
                               .Task("unknown", 1000, 1100)
                               .Event(0, EventKind::kTaskEstimate, {1, 0, 300.0, 0.0})
                               .Event(0, EventKind::kTaskEstimate, {2, 0, 100.0, 0.0})
                               .Event(0, EventKind::kTaskEstimate, {3, 0, 4000.0, 0.0})
                               .Build();
  const TimelineIndex index(model);
  const TimelineRows rows(model);
  const std::vector<double> estimates = EstimatesOfTasks(model);
  TimelineScene scene{model, rows, index, 0, 2000, 1000};
  const TaskColours colours(model, ColourBy::kCodelet);
  EXPECT_EQ(TimelineSvg(scene, colours).find("expected length"), std::string::npos);
  scene.estimates = &estimates;
  const std::string svg = TimelineSvg(scene, colours);
  // From where to where, and whether a tick says that it ends there. The row begins at 162.
  std::vector<std::string> lines;
  const std::regex line(R"re(class="expected" d="M([\d.]+),[\d.]+H([\d.]+)(v-5)?")re");
  for (std::sregex_iterator i(svg.begin(), svg.end(), line), end; i != end; ++i)
    lines.push_back((*i)[1].str() + " " + (*i)[2].str() + " " + (*i)[3].str());
  EXPECT_EQ((std::vector<std::string>{"162.00 312.00 v-5", "262.00 312.00 v-5", "462.00 1162.00 "}),
            lines);
  EXPECT_NE(svg.find("expected of late, job 2: 100 ns"), std::string::npos);
  EXPECT_NE(svg.find("line beneath a task: its expected length"), std::string::npos);
}

constexpr int64_t kFirstX = 162;  // where rows begin

TEST(TimelineSvg, PaintsAWorkerThatMostlySleepsAsAsleepAndSaysHowManyStatesThereAre) {
  TestTrace trace;
  trace.Worker("CPU0");
  for (int64_t at_ns = 0; at_ns < 1'000'000; at_ns += 100)
    trace.State(at_ns, StateKind::kSleeping).Task("tiny", at_ns + 98, at_ns + 100);
  const TraceModel model = trace.Event(1'000'000, EventKind::kMessage, {"end"}).Build();
  const std::string svg = Svg(model, false, 0, 1'000'000);
  EXPECT_NE(svg.find("20 states in 1.00 \xC2\xB5s: Sleeping 98 %, 10 tasks 2.0 %"),
            std::string::npos);
  EXPECT_NE(svg.find("class=\"several\""), std::string::npos);
  EXPECT_NE(svg.find("dotted: several states a pixel"), std::string::npos);
}

TEST(TimelineSvg, PaintsTheTasksOfAPixelInTheColoursOfTheirCodeletsEachAsHighAsItsShare) {
  TestTrace trace;
  for (int64_t at_ns = 0; at_ns < 1'000'000; at_ns += 100)
    trace.Task("gemm", at_ns, at_ns + 70).Task("potrf", at_ns + 70, at_ns + 100);
  const TraceModel model = trace.Build();
  const std::string svg = Svg(model, false, 0, 1'000'000);
  std::map<std::string, double> high;
  const std::regex rect(
      R"re(<rect x="[\d.]+" y="[\d.]+" width="1.00" height="([\d.]+)" fill="#(\w+)"/>)re");
  for (auto r = std::sregex_iterator(svg.begin(), svg.end(), rect); r != std::sregex_iterator();
       ++r)
    high[(*r)[2]] += std::stod((*r)[1]);
  const auto colour = [](std::string_view name) {
    char text[8];
    std::snprintf(text, sizeof text, "%06x", NameRgb(name));
    return std::string(text);
  };
  ASSERT_EQ(high.size(), 2u);
  EXPECT_NEAR(high[colour("gemm")], 1000 * 0.7 * 20, 5);
  EXPECT_NEAR(high[colour("potrf")], 1000 * 0.3 * 20, 5);
}

// Of each row and pixel, how high the states of each colour are painted, as shares of the row.
TEST(TimelineSvg, PaintsEachPixelAsTheSumsOfItsStatesAtRandomZoomsOfRandomTraces) {
  std::mt19937 random(31);
  constexpr double kFull = 20;
  for (int round = 0; round < 12; ++round) {
    SCOPED_TRACE(round);
    const TraceModel model = testing::RandomRows(random);
    const int64_t to_ns =
        1 + static_cast<int64_t>(random() % static_cast<uint64_t>(2 * model.duration_ns + 1));
    const std::string svg = Svg(model, false, 0, to_ns);
    const std::regex mixed(R"re(<g class="mixed"><title>[^<]*</title>(.*?)</g>)re");
    const std::regex rect(
        R"re(<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="(#\w+)"/>)re");
    const TimelineRows rows(model);
    for (auto g = std::sregex_iterator(svg.begin(), svg.end(), mixed); g != std::sregex_iterator();
         ++g) {
      const std::string inside = (*g)[1];
      double high = 0, x = 0, foot = 0, width = 0;
      for (auto r = std::sregex_iterator(inside.begin(), inside.end(), rect);
           r != std::sregex_iterator(); ++r) {
        x = std::stod((*r)[1]), width = std::stod((*r)[3]);
        if (high == 0) foot = std::stod((*r)[2]) + std::stod((*r)[4]);
        high += std::stod((*r)[4]);
      }
      if (high == 0 || width < 0.99) continue;
      // The pixel, and the row whose lower edge is `foot`.
      const auto pixel = static_cast<uint64_t>(std::lround(x - kFirstX));
      const auto number = static_cast<size_t>(std::lround((foot - 12 - 22 - 21) / 22));
      ASSERT_LT(number, rows.rows.size());
      const Pixels view{0, to_ns, 1000};
      const int64_t from_ns = view.Start(pixel), until_ns = view.Start(pixel + 1);
      const testing::RowSums sums =
          testing::SumsOf(model, rows.rows[number].track, from_ns, until_ns);
      int64_t held_ns = 0;
      size_t kinds = 0;
      for (const auto& [kind, time_ns] : sums.times_ns) {
        if (kind == StateKind::kNone) continue;
        held_ns += time_ns;
        ++kinds;
      }
      // Tasks without length are a hairline as well.
      if (sums.tasks > 0 && sums.TimeIn(StateKind::kTask) == 0) ++kinds;
      const double share = static_cast<double>(held_ns) / static_cast<double>(until_ns - from_ns);
      // What lies on one long state has the height of that only; a hairline is more than its share.
      if (high <= 8.01 && share > 0.5) continue;
      EXPECT_NEAR(high, share * kFull, 0.8 * static_cast<double>(kinds) + 0.1)
          << "pixel " << pixel << " of row " << number;
    }
  }
}

TEST(TimelineSvg, CountsArrowsAndFlagsThatWouldCoverTheRows) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  for (int i = 0; i < 600; ++i) {
    trace.Task("t", 10 * i, 10 * i + 9, {.worker = static_cast<uint32_t>(i % 2)});
    if (i > 0) trace.Dep(static_cast<uint64_t>(i), static_cast<uint64_t>(i) + 1);
  }
  const TraceModel model = trace.Build();
  const std::string svg = Svg(model, true, 0, 6000);
  EXPECT_EQ(svg.find("class=\"arrow\""), std::string::npos);
  EXPECT_NE(svg.find("too many to be drawn one by one"), std::string::npos);
  EXPECT_NE(Svg(model, true, 0, 500).find("class=\"arrow\""), std::string::npos);
}

TEST(TimelineSvg, WritesNoTwoTicksAlike) {
  const TraceModel model = TestTrace().Worker("CPU0").Task("gemm", 0, 50'000'000).Build();
  const std::string svg = Svg(model, false, 40'200'000, 40'400'000);
  std::set<std::string> texts;
  size_t ticks = 0;
  const std::regex regex(R"re(<text class="tick"[^>]*>([^<]*)<)re");
  for (std::sregex_iterator i(svg.begin(), svg.end(), regex), end; i != end; ++i, ++ticks)
    texts.insert((*i)[1]);
  EXPECT_GT(ticks, 5u);
  EXPECT_EQ(texts.size(), ticks);
  EXPECT_TRUE(texts.contains("40.22 ms")) << svg;
}

}  // namespace
}  // namespace tasklens
