// SPDX-License-Identifier: Apache-2.0
// Events as lines of text, and the page that lists them all.
#include "trace/events/text_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TestTrace;

std::vector<std::string> Dump(const TestTrace& trace) {
  std::vector<std::string> lines;
  TextDump dump([&lines](std::string_view line) { lines.emplace_back(line); });
  trace.Replay(dump);
  return lines;
}

TEST(TextDump, SaysEachEventInEnglish) {
  EXPECT_THAT(
      Dump(TestTrace(/*event_at_zero=*/false)
               .Event(1'000, EventKind::kTaskStart, {17, 2, 0, 1}, 4711)
               .Event(1'500, EventKind::kTaskSite, {17, 42, "chol.c", "main"}, 4711)
               .Event(2'000'001'000, EventKind::kDataCoordinates, {0xabc, 1, -2, 3}, 4711)
               .Rank(3)
               .Event(2'000'001'001, EventKind::kStatePush, {StateKind::kFetchingInput}, 1)
               .Event(2'000'001'002, EventKind::kWorkerStop, {}, 1)),
      ElementsAre("0.000000000 0/4711 task_start: worker 2 starts task 17 (node=0 ctx=1)\n",
                  "0.000000500 0/4711 task_site: task 17 was submitted at chol.c:42 in main\n",
                  "2.000000000 0/4711 data_coordinates: handle 0xabc has coordinates 1 -2 3\n",
                  "2.000000001 3/1 state_push: this thread enters FetchingInput for a while\n",
                  "2.000000002 3/1 worker_stop: the workers of this thread begin to stop\n"));
}

TEST(TextDump, AnEventIsAlwaysOneLine) {
  EXPECT_THAT(Dump(TestTrace(false).Event(0, EventKind::kMessage, {"two\nlines \x01 grün"})),
              ElementsAre("0.000000000 0/1 message: two\\nlines \\x01 grün\n"));
}

TEST(TextDump, ValuesOutOfRangeAreNumbers) {
  const auto lines = Dump(TestTrace(false)
                              .Event(5, EventKind::kStateSet, {4000})
                              .Event(6, EventKind::kUserEvent, {~uint64_t{0}}));
  EXPECT_THAT(lines[0], HasSubstr("this thread enters 4000"));
  EXPECT_THAT(lines[1], HasSubstr("user event 18446744073709551615"));
}

TEST(TextDump, TimesBeforeTheFirstHaveASign) {
  std::string line;
  TextDump dump([&line](std::string_view text) { line = text; });
  dump.OnEvent({100, EventKind::kStatePop, 0, 1, {}});
  dump.OnEvent({INT64_MIN, EventKind::kStatePop, 0, 1, {}});
  EXPECT_EQ(line, "-9223372036.854775908 0/1 state_pop: this thread returns to the state before\n");
}

TEST(EventReferencePage, EqualsTheCommittedPage) {
  const std::string page = EventReferencePage();
  const char* update = std::getenv("UPDATE_PAGES");
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (update != nullptr && workspace != nullptr) {
    std::ofstream(std::string(workspace) + "/trace/events/events.md") << page;
    return;
  }
  std::ifstream file("trace/events/events.md");
  ASSERT_TRUE(file) << "trace/events/events.md is missing";
  const std::string committed{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(committed, page) << "run: UPDATE_PAGES=1 bazel run //tests/trace/events:text_dump_test";
}

}  // namespace
}  // namespace tasklens
