// SPDX-License-Identifier: Apache-2.0
// Folders of runs and the traces found in them.
#include "server/runs/traced_run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tasklens {
namespace {

namespace fs = std::filesystem;

class TracedRun : public testing::Test {
 protected:
  TracedRun() : directory_(testing::TempDir() + "/traced run") { fs::remove_all(directory_); }
  void Touch(const std::string& name) { std::ofstream(directory_ + "/" + name) << "x"; }
  const std::string directory_;
};

TEST_F(TracedRun, FindsTheTracesByRankWhoeverWroteThem) {
  fs::create_directories(directory_);
  for (const char* name : {"trace_10.tlt", "trace_2", "trace_0.tlt", "trace_x", "trace", "other_1"})
    Touch(name);
  const auto traces = FindTraces(directory_);
  ASSERT_TRUE(traces.ok()) << traces.status().message();
  EXPECT_EQ(*traces, (std::vector<std::string>{directory_ + "/trace_0.tlt", directory_ + "/trace_2",
                                               directory_ + "/trace_10.tlt"}));
}

TEST_F(TracedRun, SaysWhatToDoWhenTheProgramLeftNone) {
  fs::create_directories(directory_);
  const auto traces = FindTraces(directory_);
  ASSERT_FALSE(traces.ok());
  EXPECT_EQ(traces.status().code(), ErrorCode::kNotFound);
  EXPECT_NE(traces.status().message().find("left no trace in " + directory_), std::string::npos);
}

TEST_F(TracedRun, GivesEachRunAFolderOfItsOwn) {
  const auto first = NewRunDirectory(directory_, "/usr/bin/my prog");
  const auto second = NewRunDirectory(directory_, "/usr/bin/my prog");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(*first, *second);
  EXPECT_TRUE(fs::is_empty(*first) && fs::is_empty(*second));
  EXPECT_NE(first->find("/my prog-"), std::string::npos);
}

TEST_F(TracedRun, RemovesOldTracesAndNothingElseFromAGivenFolder) {
  fs::create_directories(directory_);
  Touch("trace_0.tlt");
  Touch("notes.txt");
  ASSERT_TRUE(EmptyRunDirectory(directory_).ok());
  EXPECT_FALSE(fs::exists(directory_ + "/trace_0.tlt"));
  EXPECT_TRUE(fs::exists(directory_ + "/notes.txt"));
}

TEST_F(TracedRun, SaysWhyAFolderCannotBeMade) {
  fs::create_directories(directory_);
  Touch("file");
  const auto made = NewRunDirectory(directory_ + "/file", "p");
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.status().message().find(directory_ + "/file: "), std::string::npos);
}

TEST_F(TracedRun, RemovesAFolderThatStayedEmptyOnly) {
  const auto empty = NewRunDirectory(directory_, "p");
  ASSERT_TRUE(empty.ok());
  RemoveIfEmpty(*empty);
  EXPECT_FALSE(fs::exists(*empty));
  Touch("kept");
  RemoveIfEmpty(directory_);
  EXPECT_TRUE(fs::exists(directory_ + "/kept"));
}

}  // namespace
}  // namespace tasklens
