// SPDX-License-Identifier: Apache-2.0
// Places in texts as programs write them.
#include "server/sources/output_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace tasklens {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A folder with a.c and b.c.
class OutputLinksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::path(::testing::TempDir()) / "output.XXXXXX";
    top_ = fs::canonical(mkdtemp(name.data()));
    std::ofstream(top_ / "a.c") << "\n";
    std::ofstream(top_ / "b.c") << "\n";
    SourceRoots roots;
    roots.Add(top_.string());
    links_ = std::make_unique<OutputLinks>(top_.string(), roots);
  }
  void TearDown() override { fs::remove_all(top_); }

  // "text|file:line:column" of each link, in columns of UTF-8, which are bytes.
  std::vector<std::string> Find(const std::string& text) {
    std::vector<std::string> found;
    for (const OutputLink& link : links_->Find(text, PositionEncoding::kUtf8, line_))
      found.push_back(text.substr(link.begin, link.end - link.begin) + "|" +
                      link.path.substr(link.path.rfind('/') + 1) + ":" + std::to_string(link.line) +
                      ":" + std::to_string(link.column));
    return found;
  }

  fs::path top_;
  std::unique_ptr<OutputLinks> links_;
  std::string line_;
};

TEST_F(OutputLinksTest, APlaceIsANameALineAndAColumn) {
  EXPECT_THAT(Find("in a.c:12: bad\n(b.c:3:4) c.c:1 12:34:56\n"),
              ElementsAre("a.c:12|a.c:12:0", "b.c:3:4|b.c:3:4"));
}

TEST_F(OutputLinksTest, ColoursArePassedOver) {
  EXPECT_THAT(Find("\x1b[01m\x1b[Ka.c:12:5:\x1b[m\x1b[K bad\n"), ElementsAre("a.c:12:5|a.c:12:5"));
  // As grep writes it: in the middle as well.
  EXPECT_THAT(Find("\x1b[35mb.c\x1b[m\x1b[36m:\x1b[m\x1b[32m7\x1b[m\x1b[36m:\x1b[m x\n"),
              ElementsAre("b.c\x1b[m\x1b[36m:\x1b[m\x1b[32m7|b.c:7:0"));
  EXPECT_THAT(Find("\x1b]8;;file:///x\x1b\\a.c:1\x1b]8;;\a b.c:2"),
              ElementsAre("a.c:1|a.c:1:0", "b.c:2|b.c:2:0"));
  EXPECT_THAT(Find("\n\x1b"), IsEmpty());
}

TEST_F(OutputLinksTest, ALineMayComeInPieces) {
  EXPECT_THAT(Find("first\na.c"), IsEmpty());
  EXPECT_THAT(Find(":1"), ElementsAre(":1|a.c:1:0"));
  EXPECT_THAT(Find("3: split, b.c:4\n"), ElementsAre("3|a.c:13:0", "b.c:4|b.c:4:0"));
  EXPECT_THAT(Find(":5\n"), IsEmpty());
}

TEST_F(OutputLinksTest, ColumnsAreThoseOfTheEncoding) {
  std::string line;
  const auto links =
      links_->Find("\xc3\xa9 a.c:1\n\xf0\x9d\x92\x9c b.c:2", PositionEncoding::kUtf16, line);
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links[0].begin, 2u);
  EXPECT_EQ(links[0].end, 7u);
  EXPECT_EQ(links[1].begin, 11u);
  EXPECT_EQ(links[1].end, 16u);
}

TEST_F(OutputLinksTest, EightTimesTheTextTakesAboutEightTimesTheTime) {
  // Memory that was freed is kept: fresh pages may cost more than all else.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  const auto seconds = [this](int lines) {
    std::string text;
    for (int line = 1; line <= lines; ++line) text += "a.c:" + std::to_string(line) + ": step\n";
    double least = 1e9;
    for (int run = 0; run < 5; ++run) {
      timespec begin, end;
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
      std::string line;
      EXPECT_EQ(links_->Find(text, PositionEncoding::kUtf16, line).size(), size_t(lines));
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
      least = std::min(
          least, double(end.tv_sec - begin.tv_sec) + 1e-9 * double(end.tv_nsec - begin.tv_nsec));
    }
    return least;
  };
  EXPECT_LT(seconds(16000) / seconds(2000), 24);
}

}  // namespace
}  // namespace tasklens
