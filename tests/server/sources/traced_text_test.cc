// SPDX-License-Identifier: Apache-2.0
// Which text a program was made from, and when that is not certain.
#include "server/sources/traced_text.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tasklens {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// Unix time in nanoseconds; seconds count from a moment of 2001.
constexpr int64_t kBegin = 1'000'000'000;
constexpr int64_t At(int64_t second) { return (kBegin + second) * 1'000'000'000; }

// A source saved, a program linked and a run begun, each at a second of its own.
class TracedTextTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::path(::testing::TempDir()) / "texts.XXXXXX";
    top_ = fs::canonical(mkdtemp(name.data()));
    run_.started_ns = At(300);
  }
  void TearDown() override { fs::remove_all(top_); }

  std::string Write(const std::string& name, const std::string& text, int64_t second) {
    fs::create_directories((top_ / name).parent_path());
    const std::string path = (top_ / name).string();
    std::ofstream(path) << text;
    const timespec times[2] = {{kBegin + second, 0}, {kBegin + second, 0}};
    EXPECT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    return path;
  }
  void Git(const std::string& words, int64_t second) {
    const std::string date = "'@" + std::to_string(kBegin + second) + " +0000'";
    const std::string command = "cd " + top_.string() + " && GIT_AUTHOR_DATE=" + date +
                                " GIT_COMMITTER_DATE=" + date + " HOME=" + top_.string() +
                                " git -c user.name=n -c user.email=e@example.org " + words;
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  // "disk", "history?" where it is not certain, or "none"; with its text.
  std::string Find(const std::string& path) {
    const TracedTexts texts = FindTracedTexts({path}, run_);
    if (texts.empty()) return "none";
    const TracedText& text = texts.at(path);
    const std::string origin = text.origin == TextOrigin::kSaved  ? "saved"
                               : text.origin == TextOrigin::kDisk ? "disk"
                                                                  : "history";
    return origin + (text.is_certain ? "" : "?") + ": " + *text.text;
  }

  fs::path top_;
  TracedRunFacts run_;
};

TEST_F(TracedTextTest, ASourceOlderThanItsProgramIsCertain) {
  const std::string source = Write("a.c", "one", 100);
  run_.program = Write("a", "", 200);
  EXPECT_EQ(Find(source), "disk: one");
}

TEST_F(TracedTextTest, ASourceYoungerThanItsProgramIsNot) {
  const std::string source = Write("a.c", "two", 250);
  run_.program = Write("a", "", 200);
  EXPECT_EQ(Find(source), "disk?: two");
}

TEST_F(TracedTextTest, ASourceYoungerThanTheRunIsNotKnown) {
  const std::string source = Write("a.c", "two", 350);
  run_.program = Write("a", "", 200);
  EXPECT_EQ(Find(source), "none");
}

TEST_F(TracedTextTest, WithoutTheProgramThatRanTheRunCounts) {
  const std::string source = Write("a.c", "one", 250);
  EXPECT_EQ(Find(source), "disk: one");
  run_.program = Write("a", "", 400);  // linked anew since
  EXPECT_EQ(Find(source), "disk: one");
}

TEST_F(TracedTextTest, ABuildRightBeforeTheRunSaysThatNothingChanged) {
  const std::string source = Write("a.c", "one", 250);
  run_.program = Write("a", "", 200);
  run_.built_ns = At(260);
  EXPECT_EQ(Find(source), "disk: one");
  run_.built_ns = At(240);  // edited while it was built
  EXPECT_EQ(Find(source), "disk?: one");
}

TEST_F(TracedTextTest, ACheckoutOfWhatWasThereBeforeIsCertain) {
  const std::string source = Write("a.c", "one", 250);
  run_.program = Write("a", "", 200);
  Git("init -q", 100);
  Git("add a.c", 100);
  Git("commit -q -m m", 100);
  EXPECT_EQ(Find(source), "disk: one");
  Write("a.c", "second", 250);
  EXPECT_EQ(Find(source), "history?: one");
  Git("commit -q -a -m m", 250);  // after the program was linked
  EXPECT_EQ(Find(source), "history?: one");
  run_.may_run_git = false;
  EXPECT_EQ(Find(source), "disk?: second");
}

TEST_F(TracedTextTest, WhatIsNotCertainIsKeptAsSuch) {
  const std::string a = Write("a.c", "one", 100), b = Write("b.c", "two", 250);
  run_.program = Write("a", "", 200);
  ASSERT_TRUE(SaveTracedTexts(FindTracedTexts({a, b}, run_), top_.string()).ok());
  run_.folder = top_.string();
  EXPECT_EQ(Find(a), "saved: one");
  EXPECT_EQ(Find(b), "saved?: two");
}

TEST_F(TracedTextTest, TextsAreFoundWhenTheTreeWasMoved) {
  const std::string a = Write("old/src/a.c", "one", 100), b = Write("old/lib/a.c", "two", 100);
  ASSERT_TRUE(SaveTracedTexts(FindTracedTexts({a, b}, run_), (top_ / "old").string()).ok());
  fs::rename(top_ / "old", top_ / "new");
  run_.folder = (top_ / "new").string();
  const std::string moved = (top_ / "new/src/a.c").string(),
                    other = (top_ / "new/lib/a.c").string();
  Write("new/src/a.c", "edited since", 400);
  const TracedTexts texts = FindTracedTexts({moved, other}, run_);
  EXPECT_EQ(*texts.at(moved).text, "one");
  EXPECT_EQ(*texts.at(other).text, "two");
}

TEST(MovedPaths, ArePairedWhereEachFitsTheOtherBest) {
  EXPECT_THAT(PairMovedPaths({"/a/x.c", "/a/y.c"}, {"/b/x.c", "/b/z.c"}),
              UnorderedElementsAre(Pair("/a/x.c", "/b/x.c")));
  EXPECT_THAT(PairMovedPaths({"/a/one/x.c"}, {"/b/one/x.c", "/b/two/x.c"}),
              UnorderedElementsAre(Pair("/a/one/x.c", "/b/one/x.c")));
  // Of two that fit alike none is taken, and what is there still is itself.
  EXPECT_THAT(PairMovedPaths({"/a/x.c"}, {"/b/x.c", "/c/x.c"}), IsEmpty());
  EXPECT_THAT(PairMovedPaths({"/a/x.c"}, {"/a/x.c", "/c/x.c"}),
              UnorderedElementsAre(Pair("/a/x.c", "/a/x.c")));
}

}  // namespace
}  // namespace tasklens
