// SPDX-License-Identifier: Apache-2.0
// Lines are found again after edits, and never on a wrong line.
#include "server/sources/line_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace tasklens {
namespace {

using ::testing::ElementsAre;
constexpr uint32_t kRewritten = LineMap::kRewritten;

std::vector<uint32_t> AfterOf(const LineMap& map, uint32_t lines) {
  std::vector<uint32_t> after;
  for (uint32_t line = 0; line < lines; ++line) after.push_back(map.After(line));
  return after;
}

std::string Join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(LineMap, TheSameTextIsTheIdentity) {
  const LineMap map = LineMap::Between("a\nb\n", "a\nb\n");
  EXPECT_TRUE(map.is_identity());
  EXPECT_THAT(AfterOf(map, 2), ElementsAre(0, 1));
}

TEST(LineMap, LinesInsertedAboveShiftTheRest) {
  const LineMap map = LineMap::Between("a\nb\nc", "new\nnewer\na\nb\nc");
  EXPECT_FALSE(map.is_identity());
  EXPECT_THAT(AfterOf(map, 3), ElementsAre(2, 3, 4));
  EXPECT_EQ(map.Before(0), kRewritten);
  EXPECT_EQ(map.Before(3), 1u);
}

TEST(LineMap, ARemovedLineIsNotFoundAndTheOthersAre) {
  const LineMap map = LineMap::Between("a\nb\nc", "a\nc");
  EXPECT_THAT(AfterOf(map, 3), ElementsAre(0, kRewritten, 1));
  EXPECT_EQ(map.Near(1), 0u);
}

TEST(LineMap, ARewrittenLineHasTheNewOneAsItsPlace) {
  const LineMap map = LineMap::Between("a\nsubmit(x);\nc", "a\nsubmit(y);\nc");
  EXPECT_EQ(map.After(1), kRewritten);
  EXPECT_EQ(map.Near(1), 1u);
}

TEST(LineMap, AnIndentedLineIsTheSame) {
  const LineMap map = LineMap::Between("a\nb\nc\n", "if (x) {\n\ta\r\n  b\n}\nc\n");
  EXPECT_THAT(AfterOf(map, 3), ElementsAre(1, 2, 4));
}

TEST(LineMap, LinesEndAsInEditors) {
  const LineMap map = LineMap::Between("a\nb\r\nc", "a\rx\r\nb\nc");
  EXPECT_THAT(AfterOf(map, 3), ElementsAre(0, 2, 3));
}

TEST(LineMap, EqualLinesKeepTheirOrder) {
  const LineMap map = LineMap::Between("f\n}\ng\n}\n", "f\n}\nh\n}\ng\n}\n");
  EXPECT_EQ(map.After(0), 0u);
  EXPECT_EQ(map.After(2), 4u);
}

TEST(LineMap, EmptyTextsHaveOneEmptyLine) {
  EXPECT_EQ(LineMap::Between("", "").After(0), 0u);
  EXPECT_EQ(LineMap::Between("a", "").After(0), kRewritten);
  EXPECT_EQ(LineMap::Between("a", "").Near(0), 0u);
  EXPECT_EQ(LineMap::Between("", "a\nb").Near(7), 0u);
}

std::string Text(const char* letters) {
  std::string text;
  for (; *letters; ++letters) text += std::string(1, *letters) + (letters[1] ? "\n" : "");
  return text;
}

TEST(LineMap, FollowedEditsTellEqualLinesApart) {
  // Of three equal lines a fourth was put above the second.
  LineMap edits = LineMap::Identity(4);
  edits.Replace(1, 1, 1);
  EXPECT_THAT(AfterOf(LineMap::Between(Text("fffx"), Text("ffffx"), edits), 4),
              ElementsAre(0, 2, 3, 4));
  // The second was removed.
  edits = LineMap::Identity(4);
  edits.Replace(1, 2, 0);
  EXPECT_THAT(AfterOf(LineMap::Between(Text("fffx"), Text("ffx"), edits), 4),
              ElementsAre(0, kRewritten, 1, 2));
}

TEST(LineMap, ALineThatWasEditedAndPutBackIsItselfAgain) {
  LineMap edits = LineMap::Identity(3);
  EXPECT_EQ(LineMap::Between(Text("abc"), Text("axc"), edits).After(1), kRewritten);
  EXPECT_EQ(LineMap::Between(Text("abc"), Text("axc"), edits).Near(1), 1u);
  EXPECT_EQ(LineMap::Between(Text("abc"), Text("abc"), edits).After(1), 1u);
  // Cut, and pasted again: the edits say it is new, the text says it is not.
  edits.Replace(1, 2, 0);
  edits.Replace(1, 1, 1);
  EXPECT_THAT(AfterOf(LineMap::Between(Text("abc"), Text("abc"), edits), 3), ElementsAre(0, 1, 2));
}

TEST(LineMap, ARewrittenLineIsWhereItsEditsLeftIt) {
  LineMap edits = LineMap::Identity(4);
  edits.Replace(1, 1, 2);  // two above it
  const LineMap map = LineMap::Between(Text("abcd"), Text("anmBcd"), edits);
  EXPECT_EQ(map.After(1), kRewritten);
  EXPECT_EQ(map.Near(1), 3u);
}

TEST(LineMap, MapsFollowEachOther) {
  const LineMap map =
      LineMap::Between(Text("abc"), Text("xabc")).Then(LineMap::Between(Text("xabc"), Text("xac")));
  EXPECT_THAT(AfterOf(map, 3), ElementsAre(1, kRewritten, 2));
  EXPECT_EQ(map.Before(2), 2u);
}

TEST(LineMap, RandomEditsAreFollowedExactly) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> before(1 + random() % 30), after;
    for (std::string& line : before) line = std::string(1, static_cast<char>('a' + random() % 3));
    std::vector<uint32_t> origin(before.size());  // of the lines of `after`
    for (uint32_t i = 0; i < origin.size(); ++i) origin[i] = i;
    after = before;
    LineMap edits = LineMap::Identity(static_cast<uint32_t>(before.size()));
    for (int edit = 0; edit < 5; ++edit) {
      const auto begin = static_cast<uint32_t>(random() % (after.size() + 1));
      const auto end =
          std::min<uint32_t>(begin + random() % 3, static_cast<uint32_t>(after.size()));
      const uint32_t count = random() % 3;
      after.erase(after.begin() + begin, after.begin() + end);
      origin.erase(origin.begin() + begin, origin.begin() + end);
      after.insert(after.begin() + begin, count, "new");
      origin.insert(origin.begin() + begin, count, kRewritten);
      edits.Replace(begin, end, count);
    }
    after.push_back("");
    origin.push_back(kRewritten);
    edits.Replace(static_cast<uint32_t>(after.size()) - 1, static_cast<uint32_t>(after.size()) - 1,
                  1);
    std::string text;
    for (const std::string& line : after) text += line + "\n";
    const LineMap map = LineMap::Between(Join(before), text, edits);
    for (uint32_t line = 0; line < after.size(); ++line)
      if (origin[line] != kRewritten) {
        ASSERT_EQ(map.After(origin[line]), line) << round;
      }
  }
}

// A large text whose every line is unique, edited in many places: too large for the table of pairs.
TEST(LineMap, ManyEditsInALargeTextShiftExactly) {
  std::mt19937 random(7);
  std::vector<std::string> before, after;
  std::vector<uint32_t> truth;
  for (uint32_t line = 0; line < 20000; ++line) {
    before.push_back("line " + std::to_string(line));
    if (random() % 10 == 0) after.push_back("inserted " + std::to_string(line));
    if (random() % 10 == 0) {
      truth.push_back(kRewritten);
      continue;
    }
    truth.push_back(static_cast<uint32_t>(after.size()));
    after.push_back(before.back());
  }
  const LineMap map = LineMap::Between(Join(before), Join(after));
  for (uint32_t line = 0; line < 20000; ++line) ASSERT_EQ(map.After(line), truth[line]) << line;
}

TEST(LineMap, OnRandomTextsPairsAreEqualAscendingAndAgreeBothWays) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const auto make = [&] {
      std::vector<std::string> lines(random() % 60);
      for (std::string& line : lines) line = std::string(1, static_cast<char>('a' + random() % 6));
      return lines;
    };
    const auto before = make(), after = make();
    const LineMap map = LineMap::Between(Join(before), Join(after));
    uint32_t next = 0;
    for (uint32_t line = 0; line < before.size(); ++line) {
      EXPECT_LE(map.Near(line), after.size());
      const uint32_t found = map.After(line);
      if (found == kRewritten) continue;
      ASSERT_LT(found, after.size());
      EXPECT_EQ(before[line], after[found]);
      EXPECT_EQ(map.Before(found), line);
      EXPECT_GE(found, next);
      next = found + 1;
    }
  }
}

// No unique line anywhere, so nothing to split at: it ends, and what it pairs is right.
TEST(LineMap, ALargeTextOfEqualLinesCostsLittle) {
  std::vector<std::string> before(200000, "x"), after(150000, "x");
  before[100000] = after[100] = "y";
  const LineMap map = LineMap::Between(Join(before), Join(after));
  EXPECT_EQ(map.After(0), 0u);
}

}  // namespace
}  // namespace tasklens
