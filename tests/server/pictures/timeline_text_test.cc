// SPDX-License-Identifier: Apache-2.0
// The timeline as text says what its rows hold.
#include "server/pictures/timeline_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/pixels.h"
#include "analysis/text.h"
#include "tests/testing/random_rows.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::RandomRows;
using testing::RowSums;
using testing::SumsOf;
using testing::TestTrace;

std::vector<std::string> Lines(const TraceModel& model, int64_t from_ns, int64_t to_ns,
                               uint32_t columns) {
  const TimelineIndex index(model);
  const TimelineRows rows(model);
  std::istringstream text(TimelineText({model, rows, index, from_ns, to_ns, columns}));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// Behind its name.
std::string RowOf(const std::vector<std::string>& lines, const std::string& name) {
  for (const std::string& line : lines)
    if (line.starts_with(name)) return line.substr(line.find('|'));
  return "there is none";
}

TEST(TimelineText, ShowsWorkersThatMostlySleepAsAsleep) {
  TestTrace trace;
  trace.Worker("CPU0");
  for (int64_t at_ns = 0; at_ns < 1000; at_ns += 100)
    trace.State(at_ns, StateKind::kSleeping).Task("tiny", at_ns + 98, at_ns + 100);
  const TraceModel model = trace.Event(1000, EventKind::kMessage, {"end"}).Build();
  const std::vector<std::string> lines = Lines(model, 0, 1000, 10);
  EXPECT_EQ(RowOf(lines, "CPU0"), "|::::::::::|  2.0 %");
  EXPECT_EQ(lines.back(), ":  for less");
}

TEST(TimelineText, HasASignForHalfForATenthForLessAndForNone) {
  TestTrace trace;
  trace.Worker("CPU0").Task("half", 0, 50).State(50, StateKind::kScheduling);
  trace.Task("tenth", 100, 110).State(110, StateKind::kIdle).Task("less", 200, 205);
  trace.State(205, StateKind::kIdle).State(300, StateKind::kScheduling);
  const TraceModel model = trace.Event(400, EventKind::kMessage, {"end"}).Build();
  const std::vector<std::string> lines = Lines(model, 0, 400, 4);
  EXPECT_EQ(RowOf(lines, "CPU0"), "|#+:s|  16 %");
  EXPECT_EQ(lines.back(),
            "#  in tasks for half of the column or more   +  for a tenth or more   :  for less   "
            "s  Scheduling");
}

TEST(TimelineText, HasAnAxisWhoseMarksStandWhereTheirTimesAre) {
  const TraceModel model = TestTrace().Worker("CPU0").Task("gemm", 0, 80'000'000).Build();
  const std::vector<std::string> lines = Lines(model, 0, 80'000'000, 80);
  const std::string gap(15, ' ');
  EXPECT_EQ(lines[0], "      |0 ms" + gap + "|20 ms" + gap.substr(1) + "|40 ms" + gap.substr(1) +
                          "|60 ms" + gap.substr(1) + "   in tasks");
  EXPECT_EQ(lines[1], "CPU0 |" + std::string(80, '#') + "|  100 %");
}

TEST(TimelineText, NamesTheRanksOfRowsThatAreCalledAlike) {
  TestTrace trace;
  trace.Worker("CPU0").Task("a", 0, 50).Rank(1).Worker("CPU0").Task("b", 50, 100);
  const std::vector<std::string> lines = Lines(trace.Build(), 0, 100, 2);
  EXPECT_EQ(RowOf(lines, "0: CPU0"), "|# |  50 %");
  EXPECT_EQ(RowOf(lines, "1: CPU0"), "|.#|  50 %");
}

TEST(TimelineText, AgreesWithTheSumsOfItsStatesAtRandomZoomsOfRandomTraces) {
  std::mt19937 random(23);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const TraceModel model = RandomRows(random);
    const int64_t from_ns =
        static_cast<int64_t>(random() % static_cast<uint64_t>(model.duration_ns + 1));
    const int64_t to_ns =
        from_ns + 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(model.duration_ns + 1));
    const auto columns = static_cast<uint32_t>(1 + random() % 100);
    const std::vector<std::string> lines = Lines(model, from_ns, to_ns, columns);
    for (size_t line = 1; line + 1 < lines.size(); ++line) {
      const size_t bar = lines[line].find('|');
      const std::string name =
          lines[line].substr(0, lines[line].find_last_not_of(' ', bar - 1) + 1);
      uint32_t track = kNone;
      for (uint32_t one = 0; one < model.tracks.size(); ++one)
        if (model.str(model.tracks.name[one]) == name) track = one;
      ASSERT_NE(track, kNone) << name;
      int64_t in_tasks_ns = 0;
      for (uint32_t column = 0; column < columns; ++column) {
        const Pixels view{from_ns, to_ns, columns};
        const int64_t begin_ns = view.Start(column), end_ns = view.Start(column + 1);
        const RowSums sums = SumsOf(model, track, begin_ns, end_ns);
        const int64_t tasks_ns = sums.TimeIn(StateKind::kTask);
        const auto length_ns = static_cast<double>(end_ns - begin_ns);
        in_tasks_ns += tasks_ns;
        const char sign = lines[line][bar + 1 + column];
        if (sums.tasks == 0) {
          EXPECT_TRUE(std::string("#+:").find(sign) == std::string::npos) << sign;
        } else {
          const double share = static_cast<double>(tasks_ns) / length_ns;
          EXPECT_EQ(sign, share >= 0.5 ? '#' : share >= 0.1 ? '+' : ':') << share;
        }
      }
      if (lines[line].ends_with("|")) continue;
      EXPECT_TRUE(lines[line].ends_with(
          ShareText(static_cast<double>(in_tasks_ns) / static_cast<double>(to_ns - from_ns))))
          << lines[line];
    }
  }
}

}  // namespace
}  // namespace tasklens
