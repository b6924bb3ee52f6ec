// SPDX-License-Identifier: Apache-2.0
// Programs run in the foreground: how they end is told.
#include "server/command_line/child.h"

#include <gtest/gtest.h>

namespace tasklens {
namespace {

Result<ChildEnd> Shell(const std::string& script) { return RunChild({"sh", "-c", script}, {}); }

TEST(RunChild, PassesArgumentsEnvironmentAndDirectory) {
  const auto end =
      RunChild({"sh", "-c", "test \"$1$V\" = 'a b/c' && test \"$PWD\" = /", "sh", "a b"},
               {{"V", "/c"}}, "/");
  ASSERT_TRUE(end.ok()) << end.status().message();
  EXPECT_EQ(Describe(*end), "");
}

TEST(RunChild, TellsTheExitStatus) {
  const auto end = Shell("exit 3");
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(Describe(*end), "exited with status 3");
}

TEST(RunChild, NamesTheSignalThatKilledTheProgram) {
  const auto end = Shell("kill -SEGV $$");
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(Describe(*end), "was killed by SIGSEGV (Segmentation fault)");
}

TEST(RunChild, SaysThatAProgramIsNotThere) {
  const auto end = RunChild({"/no/such/program"}, {});
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.status().code(), ErrorCode::kNotFound);
  EXPECT_EQ(end.status().message(), "/no/such/program: cannot be run: No such file or directory");
}

TEST(RunChild, SaysThatAFolderIsNoProgram) {
  const auto end = RunChild({"/tmp"}, {});
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.status().message(), "/tmp: cannot be run: Permission denied");
}

TEST(RunChild, SaysThatTheWorkingDirectoryIsNotThere) {
  const auto end = RunChild({"true"}, {}, "/no/such/folder");
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.status().message(),
            "true: cannot be run in /no/such/folder: No such file or directory");
}

}  // namespace
}  // namespace tasklens
