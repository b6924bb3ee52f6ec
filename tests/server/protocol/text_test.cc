// SPDX-License-Identifier: Apache-2.0
// Columns in three encodings, edits at odd places, and bytes that are no UTF-8; URIs.
#include "server/protocol/text.h"

#include <gtest/gtest.h>

#include <random>

#include "server/protocol/uri.h"

namespace tasklens {
namespace {

constexpr auto kUtf8 = PositionEncoding::kUtf8;
constexpr auto kUtf16 = PositionEncoding::kUtf16;
constexpr auto kUtf32 = PositionEncoding::kUtf32;

// a, e with acute, euro sign, rocket, b: 1, 2, 3, 4 and 1 bytes.
const std::string kLine = "a\u00e9\u20ac\U0001F680b";

TEST(Columns, CountInTheUnitsOfTheEncoding) {
  EXPECT_EQ(ColumnsOf(kLine, kUtf8), 11u);
  EXPECT_EQ(ColumnsOf(kLine, kUtf16), 6u);
  EXPECT_EQ(ColumnsOf(kLine, kUtf32), 5u);
}

TEST(Columns, LeadToTheByteOfTheCharacter) {
  const size_t kB = kLine.size() - 1, kRocket = 6;
  EXPECT_EQ(ByteOfColumn(kLine, 5, kUtf16), kB);
  EXPECT_EQ(ByteOfColumn(kLine, 4, kUtf32), kB);
  EXPECT_EQ(ByteOfColumn(kLine, 10, kUtf8), kB);
  // Within a character: its beginning. Behind the end: the end.
  EXPECT_EQ(ByteOfColumn(kLine, 4, kUtf16), kRocket);
  EXPECT_EQ(ByteOfColumn(kLine, 8, kUtf8), kRocket);
  EXPECT_EQ(ByteOfColumn(kLine, 4'000'000'000u, kUtf16), kLine.size());
}

TEST(Text, FindsLinesWhateverTheyEndIn) {
  const Text text("one\ntwo\r\nthree\rfour");
  ASSERT_EQ(text.line_count(), 4u);
  EXPECT_EQ(text.Line(0), "one");
  EXPECT_EQ(text.Line(1), "two");
  EXPECT_EQ(text.Line(2), "three");
  EXPECT_EQ(text.Line(3), "four");
  EXPECT_EQ(text.Line(4), "");
  EXPECT_EQ(Text("").line_count(), 1u);
  EXPECT_EQ(Text("a\n").line_count(), 2u);
}

TEST(Text, ReplacesRangesInEveryEncoding) {
  for (const auto& [encoding, start, end] :
       {std::tuple(kUtf8, 6, 10), std::tuple(kUtf16, 3, 5), std::tuple(kUtf32, 3, 4)}) {
    Text text("x\n" + kLine + "\ny");
    ASSERT_TRUE(text.Replace({{1, static_cast<uint32_t>(start)}, {1, static_cast<uint32_t>(end)}},
                             "#\n#", encoding)
                    .ok());
    EXPECT_EQ(text.text(), "x\na\u00e9\u20ac#\n#b\ny") << NameOf(encoding);
    EXPECT_EQ(text.Line(2), "#b");
  }
}

TEST(Text, ClampsPositionsAndRefusesARangeThatEndsBeforeItStarts) {
  Text text("ab\ncd");
  ASSERT_TRUE(text.Replace({{1, 99}, {99, 0}}, "!", kUtf16).ok());
  EXPECT_EQ(text.text(), "ab\ncd!");
  EXPECT_FALSE(text.Replace({{1, 1}, {0, 1}}, "", kUtf16).ok());
  EXPECT_EQ(text.text(), "ab\ncd!");
}

TEST(TakeUtf8, KeepsACharacterTogetherThatComesInPieces) {
  std::string bytes = "a\xf0\x9f";
  EXPECT_EQ(TakeUtf8(bytes, false), "a");
  bytes += "\x9a\x80z";
  EXPECT_EQ(TakeUtf8(bytes, false), "\U0001F680z");
  EXPECT_EQ(bytes, "");
}

TEST(TakeUtf8, ReplacesWhatIsNoUtf8) {
  const std::string bad = "\xef\xbf\xbd";
  for (const std::string wrong : {"\xff", "\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    std::string bytes = "<" + wrong + ">";
    const std::string taken = TakeUtf8(bytes, false);
    EXPECT_EQ(taken.front(), '<');
    EXPECT_EQ(taken.back(), '>');
    EXPECT_NE(taken.find(bad), std::string::npos);
  }
  std::string half = "\xf0\x9f";
  EXPECT_EQ(TakeUtf8(half, true), bad + bad);
}

TEST(TakeUtf8, GivesTheSameHoweverTheBytesAreCut) {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 20; ++i)
      bytes += random() % 3 ? std::string(1, static_cast<char>(random())) : kLine;
    std::string whole = bytes, taken, rest;
    const std::string expected = TakeUtf8(whole, true);
    for (const char byte : bytes) {
      rest += byte;
      taken += TakeUtf8(rest, false);
    }
    ASSERT_EQ(taken + TakeUtf8(rest, true), expected);
  }
}

// "begin-end+count" of replacing a range of "a\n  b\n\nd".
std::string Replaced(Position start, Position end, std::string_view with) {
  const auto lines =
      Text("a\n  b\n\nd").LinesReplacedBy({start, end}, with, PositionEncoding::kUtf8);
  return std::to_string(lines.begin) + "-" + std::to_string(lines.end) + "+" +
         std::to_string(lines.count);
}

TEST(TextEdits, LinesThatStayInPartAreThemselves) {
  EXPECT_EQ(Replaced({0, 1}, {0, 1}, "x"), "1-1+0");
  EXPECT_EQ(Replaced({0, 1}, {0, 1}, "\nnew"), "1-1+1");    // a new line below
  EXPECT_EQ(Replaced({1, 0}, {1, 0}, "new\n"), "1-1+1");    // and above
  EXPECT_EQ(Replaced({1, 2}, {1, 2}, "new\n  "), "1-1+1");  // and from its indentation
  EXPECT_EQ(Replaced({0, 0}, {1, 0}, ""), "0-1+0");
  EXPECT_EQ(Replaced({0, 1}, {1, 3}, ""), "1-2+0");
  EXPECT_EQ(Replaced({0, 1}, {1, 2}, ""), "1-2+0");  // joined: it is the first
  EXPECT_EQ(Replaced({2, 0}, {3, 0}, ""), "2-3+0");  // joined with an empty line: the other
  EXPECT_EQ(Replaced({0, 0}, {2, 0}, "x\ny\n"), "0-2+2");
  EXPECT_EQ(Replaced({0, 1}, {3, 0}, "\nx\n"), "1-3+1");
  EXPECT_EQ(Replaced({0, 0}, {9, 9}, "x"), "0-4+1");
  EXPECT_EQ(Replaced({9, 9}, {9, 9}, "\nx"), "4-4+1");
  EXPECT_EQ(Replaced({1, 0}, {0, 0}, "x\ny"), "0-0+0");
}

TEST(TextEdits, AgreeWithWhatReplacingDoes) {
  std::mt19937 random(9);
  for (int round = 0; round < 2000; ++round) {
    const auto make = [&](size_t most) {
      std::string text(random() % most, ' ');
      for (char& c : text) c = "ab \n"[random() % 4];
      return text;
    };
    Text text(make(20));
    const auto place = [&] { return Position{uint32_t(random() % 6), uint32_t(random() % 5)}; };
    const Range range = {place(), place()};
    const std::string with = make(5);
    const auto lines = text.LinesReplacedBy(range, with, PositionEncoding::kUtf16);
    const uint32_t before = text.line_count();
    if (!text.Replace(range, with, PositionEncoding::kUtf16).ok()) continue;
    ASSERT_LE(lines.begin, lines.end);
    ASSERT_LE(lines.end, before);
    EXPECT_EQ(text.line_count(), before - (lines.end - lines.begin) + lines.count);
  }
}

TEST(Uri, GoesThereAndBack) {
  for (const std::string path : {"/", "/a/b c.c", "/\u00e9/\U0001F680%#?&", "/a:b@[1].c"}) {
    const std::string uri = UriOfPath(path);
    EXPECT_EQ(uri.find(' '), std::string::npos);
    EXPECT_EQ(PathOfUri(uri).value(), path);
  }
}

TEST(Uri, TakesTheFormsThatClientsUse) {
  EXPECT_EQ(PathOfUri("/a/b").value(), "/a/b");
  EXPECT_EQ(PathOfUri("file:/a/b").value(), "/a/b");
  EXPECT_EQ(PathOfUri("file://localhost/a").value(), "/a");
  EXPECT_EQ(PathOfUri("file:///a%2bB%C3%A9").value(), "/a+B\u00e9");
  EXPECT_EQ(PathOfUri("file:///a#3").value(), "/a");
}

TEST(Uri, RefusesWhatNamesNoFileHere) {
  for (const char* uri : {"", "a.c", "http://x/a", "file://host/a", "file:a", "file:///%",
                          "file:///%4", "file:///%zz", "file:///a%00b", "untitled:1"})
    EXPECT_FALSE(PathOfUri(uri).ok()) << uri;
}

}  // namespace
}  // namespace tasklens
