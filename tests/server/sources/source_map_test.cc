// SPDX-License-Identifier: Apache-2.0
// Which file stands behind the name in a trace, and which is never opened.
#include "server/sources/source_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::TestTrace;

class SourceMapTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::path(::testing::TempDir()) / "sources.XXXXXX";
    top_ = fs::canonical(mkdtemp(name.data()));
    roots_.Add(Folder("workspace"));
  }
  void TearDown() override { fs::remove_all(top_); }

  std::string Folder(const std::string& name) {
    fs::create_directories(top_ / name);
    return (top_ / name).string();
  }
  std::string File(const std::string& name) {
    fs::create_directories((top_ / name).parent_path());
    std::ofstream(top_ / name) << "text\n";
    return (top_ / name).string();
  }
  // The path behind `name`, or "error: ...".
  std::string Find(const std::string& name) {
    const TraceModel model = TestTrace().Task("t", 0, 1, {.file = name, .line = 1}).Build();
    const Result<std::string> path = SourceMap::Make(model, directory_, roots_).PathOf(model, 0);
    return path.ok() ? *path : "error: " + path.status().message();
  }

  fs::path top_;
  std::string directory_;
  SourceRoots roots_;
};

TEST_F(SourceMapTest, TakesAnAbsoluteNameInsideTheWorkspace) {
  const std::string file = File("workspace/src/a.c");
  EXPECT_EQ(Find(file), file);
  EXPECT_EQ(Find((top_ / "workspace/./src/../src/a.c").string()), file);
}

TEST_F(SourceMapTest, OpensNothingOutsideTheWorkspace) {
  const std::string secret = File("elsewhere/secret.c");
  EXPECT_EQ(Find(secret), "error: " + secret +
                              " lies outside the workspace; add its folder to the setting "
                              "sourceRoots, or with --source-root");
  EXPECT_THAT(Find("../elsewhere/secret.c"), HasSubstr("error: "));
  fs::create_symlink(secret, top_ / "workspace/link.c");
  EXPECT_THAT(Find((top_ / "workspace/link.c").string()), HasSubstr("lies outside"));
  File("workspace2/b.c");
  EXPECT_THAT(Find((top_ / "workspace2/b.c").string()), HasSubstr("lies outside"));
}

TEST_F(SourceMapTest, OpensAFolderThatTheUserNamed) {
  const std::string file = File("elsewhere/a.c");
  roots_.Add(Folder("elsewhere"));
  EXPECT_EQ(Find(file), file);
}

TEST_F(SourceMapTest, TakesARelativeNameFromWhereTheProgramRan) {
  const std::string file = File("workspace/build/a.c");
  File("workspace/a.c");
  directory_ = (top_ / "workspace/build").string();
  EXPECT_EQ(Find("a.c"), file);
}

TEST_F(SourceMapTest, TakesARelativeNameFromTheWorkspace) {
  const std::string file = File("workspace/examples/a.c");
  EXPECT_EQ(Find("examples/a.c"), file);
}

TEST_F(SourceMapTest, FindsAMovedFileByTheEndOfItsName) {
  File("workspace/one/a.c");
  const std::string file = File("workspace/lib/two/a.c");
  EXPECT_EQ(Find("/gone/build/two/a.c"), file);
  EXPECT_EQ(Find("two/a.c"), file);
}

TEST_F(SourceMapTest, TakesACopyOfAFileOutsideButNotAnotherOfItsName) {
  const std::string outside = File("elsewhere/main.c"), inside = File("workspace/main.c");
  EXPECT_EQ(Find(outside), inside);
  std::ofstream(inside) << "quite different\n";
  EXPECT_THAT(Find(outside), HasSubstr("lies outside the workspace"));
}

TEST_F(SourceMapTest, TakesNoneOfSeveralThatFitAlike) {
  File("workspace/one/a.c");
  File("workspace/two/a.c");
  EXPECT_THAT(Find("/gone/a.c"), HasSubstr("could be "));
}

TEST_F(SourceMapTest, OfFilesThatFitAlikeTakesThatOfTheFolderThatTheUserNamed) {
  File("workspace/one/a.c");
  const std::string file = File("workspace/two/a.c");
  SourceRoots roots;
  roots.Add((top_ / "workspace/two").string());
  roots.named = 1;
  for (const std::string& folder : roots_.folders) roots.Add(folder);
  roots_ = roots;
  EXPECT_EQ(Find("/gone/a.c"), file);
  File("workspace/a.c");
  EXPECT_EQ(Find("a.c"), file);
}

TEST_F(SourceMapTest, SaysWhereATreeWasMovedTo) {
  const std::string file = File("workspace/lib/two/a.c"), near = File("workspace/b.c");
  const TraceModel model = TestTrace()
                               .Task("t", 0, 1, {.file = "/gone/build/two/a.c", .line = 1})
                               .Task("t", 1, 2, {.file = near, .line = 1})
                               .Build();
  const auto files = SourceMap::Make(model, "", roots_).Files();
  ASSERT_EQ(files.size(), 2u);
  const SourceMap::File &guess = files[files[0].name == near],
                        &exact = files[files[0].name != near];
  EXPECT_EQ(guess.found_by, SourceMap::FoundBy::kEnd);
  EXPECT_EQ(MovedRootOf(guess).from, "/gone/build");
  EXPECT_EQ(MovedRootOf(guess).to, (top_ / "workspace/lib").string());
  EXPECT_EQ(exact.found_by, SourceMap::FoundBy::kName);
  EXPECT_EQ(MovedRootOf(exact).to, "");
}

TEST_F(SourceMapTest, SaysWhatToDoAboutAMissingFile) {
  EXPECT_EQ(Find("/gone/a.c"),
            "error: /gone/a.c: no such file in the workspace; name the folder of the sources in "
            "the setting sourceRoots, or with --source-root");
  EXPECT_EQ(Find("/etc/"), "error: the trace names no source file");
}

TEST_F(SourceMapTest, NoticesThatAFileHasGone) {
  const std::string file = File("workspace/a.c");
  const TraceModel model = TestTrace().Task("t", 0, 1, {.file = file, .line = 1}).Build();
  const SourceMap map = SourceMap::Make(model, "", roots_);
  fs::remove(file);
  EXPECT_EQ(map.PathOf(model, 0).status().message(), file + ": the file does not exist any more");
}

TEST_F(SourceMapTest, ListsTheSitesOfAFileByLine) {
  const std::string file = File("workspace/a.c");
  const TraceModel model = TestTrace()
                               .Task("t", 0, 1, {.file = file, .line = 9})
                               .Task("t", 1, 2, {.file = file, .line = 3})
                               .Task("t", 2, 3, {.file = "other.c", .line = 1})
                               .Build();
  const SourceMap map = SourceMap::Make(model, "", roots_);
  ASSERT_EQ(map.SitesIn(file).size(), 2u);
  EXPECT_EQ(model.sites.line[map.SitesIn(file)[0]], 3u);
  EXPECT_TRUE(map.SitesIn("/nowhere").empty());
}

}  // namespace
}  // namespace tasklens
