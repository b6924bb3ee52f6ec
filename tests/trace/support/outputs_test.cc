// SPDX-License-Identifier: Apache-2.0
// Outputs appear whole or not at all.
#include "trace/support/outputs.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <string>

namespace tasklens {
namespace {

namespace fs = std::filesystem;

class DiskOutputs : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Text(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t Files() const {
    if (!fs::exists(folder_)) return 0;
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(DiskOutputs, AppearWithCommitAndNotBefore) {
  auto out = DirectoryOutputs((folder_ / "deep" / "er").string());
  auto file = out->Open("a.txt");
  ASSERT_TRUE(file.ok()) << file.status().message();
  (*file)->Append("hello ");
  (*file)->Append("world");
  ASSERT_TRUE((*file)->Close().ok());
  EXPECT_FALSE(fs::exists(folder_ / "deep" / "er" / "a.txt"));
  ASSERT_TRUE(out->Commit().ok());
  EXPECT_EQ(Text("deep/er/a.txt"), "hello world");
}

TEST_F(DiskOutputs, ReplaceOlderFiles) {
  for (const char* text : {"a long older text", "new"}) {
    auto out = DirectoryOutputs(folder_.string());
    auto file = out->Open("a.txt");
    ASSERT_TRUE(file.ok());
    (*file)->Append(text);
    ASSERT_TRUE((*file)->Close().ok());
    ASSERT_TRUE(out->Commit().ok());
  }
  EXPECT_EQ(Text("a.txt"), "new");
  EXPECT_EQ(Files(), 1u);
}

TEST_F(DiskOutputs, LeaveNothingWhenNotCommitted) {
  {
    auto out = DirectoryOutputs(folder_.string());
    auto file = out->Open("a.txt");
    ASSERT_TRUE(file.ok());
    (*file)->Append(std::string(1'000'000, 'x'));
  }
  EXPECT_EQ(Files(), 0u);
}

// Dies as a killed program does, with `nameless` outputs that are half written.
[[noreturn]] void DieWhileWriting(const std::string& folder, bool nameless) {
  auto out = DirectoryOutputs(folder, nameless);
  auto file = out->Open("a.txt");
  if (file.ok()) (*file)->Append(std::string(1'000'000, 'x'));
  std::raise(SIGKILL);
  std::abort();
}

TEST_F(DiskOutputs, LeaveNothingWhenTheProcessIsKilled) {
  EXPECT_EXIT(DieWhileWriting(folder_.string(), true), ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(Files(), 0u);
}

TEST_F(DiskOutputs, WithNamesFromTheStartGoWithTheNextOnesInTheFolder) {
  EXPECT_EXIT(DieWhileWriting(folder_.string(), false), ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(Files(), 1u);
  std::ofstream(folder_ / ".mine.part") << "no file of ours";
  auto out = DirectoryOutputs(folder_.string());
  ASSERT_TRUE(out->Open("b.txt").ok());
  EXPECT_EQ(Files(), 1u);
  EXPECT_EQ(Text(".mine.part"), "no file of ours");
}

TEST_F(DiskOutputs, OfAnotherProcessThatIsWritingAreLeftAlone) {
  for (const bool nameless : {false, true}) {
    auto first = DirectoryOutputs(folder_.string(), nameless);
    auto file = first->Open("a.txt");
    ASSERT_TRUE(file.ok());
    (*file)->Append("whole");
    auto second = DirectoryOutputs(folder_.string(), nameless);
    ASSERT_TRUE(second->Open("b.txt").ok());
    ASSERT_TRUE((*file)->Close().ok());
    ASSERT_TRUE(first->Commit().ok());
    second.reset();
    EXPECT_EQ(Text("a.txt"), "whole");
    EXPECT_EQ(Files(), 1u);
  }
}

TEST_F(DiskOutputs, WithNamesFromTheStartAppearWithCommitToo) {
  for (const char* text : {"older text", "new"}) {
    auto out = DirectoryOutputs(folder_.string(), /*nameless=*/false);
    auto file = out->Open("a.txt");
    ASSERT_TRUE(file.ok());
    (*file)->Append(text);
    ASSERT_TRUE((*file)->Close().ok());
    EXPECT_NE(Text("a.txt"), text);
    ASSERT_TRUE(out->Commit().ok());
    EXPECT_EQ(Text("a.txt"), text);
    EXPECT_EQ(Files(), 1u);
  }
}

TEST_F(DiskOutputs, OfSeveralNamesAppearTogether) {
  auto out = DirectoryOutputs(folder_.string());
  for (const char* name : {"a", "b", "c"}) {
    auto file = out->Open(name);
    ASSERT_TRUE(file.ok());
    (*file)->Append(name);
    ASSERT_TRUE((*file)->Close().ok());
  }
  ASSERT_TRUE(out->Commit().ok());
  EXPECT_EQ(Files(), 3u);
  EXPECT_EQ(Text("b"), "b");
}

// A folder that holds `text` in the file deep/file.
void FillFolder(Outputs& out, const std::string& name, const std::string& text) {
  const auto path = out.OpenFolder(name);
  ASSERT_TRUE(path.ok()) << path.status().message();
  ASSERT_TRUE(fs::is_empty(*path));
  fs::create_directory(fs::path(*path) / "deep");
  std::ofstream(fs::path(*path) / "deep" / "file") << text;
}

TEST_F(DiskOutputs, OfAFolderAppearWithCommitAndNotBefore) {
  auto out = DirectoryOutputs(folder_.string());
  FillFolder(*out, "archive", "text");
  EXPECT_FALSE(fs::exists(folder_ / "archive"));
  ASSERT_TRUE(out->Commit().ok());
  EXPECT_EQ(Text("archive/deep/file"), "text");
  EXPECT_EQ(Files(), 1u);
}

TEST_F(DiskOutputs, OfAFolderReplaceOlderFilesAndLeaveOthersAlone) {
  fs::create_directories(folder_ / "archive" / "deep");
  std::ofstream(folder_ / "archive" / "deep" / "file") << "older";
  std::ofstream(folder_ / "archive" / "mine") << "somebody's";
  auto out = DirectoryOutputs(folder_.string());
  FillFolder(*out, "archive", "new");
  ASSERT_TRUE(out->Commit().ok());
  out.reset();
  EXPECT_EQ(Text("archive/deep/file"), "new");
  EXPECT_EQ(Text("archive/mine"), "somebody's");
  EXPECT_EQ(Files(), 1u);
}

TEST_F(DiskOutputs, OfAFolderLeaveNothingWhenNotCommitted) {
  FillFolder(*DirectoryOutputs(folder_.string()), "archive", "text");
  EXPECT_EQ(Files(), 0u);
}

TEST_F(DiskOutputs, OfAFolderSayWhenAFileHasItsName) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "archive") << "a file";
  auto out = DirectoryOutputs(folder_.string());
  FillFolder(*out, "archive", "text");
  const Status status = out->Commit();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("archive/deep"), std::string::npos) << status.message();
  EXPECT_EQ(Text("archive"), "a file");
}

[[noreturn]] void DieWhileFilling(const std::string& folder) {
  FillFolder(*DirectoryOutputs(folder).release(), "archive", "text");
  std::raise(SIGKILL);
  std::abort();
}

TEST_F(DiskOutputs, OfAFolderOfAKilledProcessGoWithTheNextOnes) {
  EXPECT_EXIT(DieWhileFilling(folder_.string()), ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(Files(), 1u);
  auto out = DirectoryOutputs(folder_.string());
  FillFolder(*out, "other", "text");
  ASSERT_TRUE(out->Commit().ok());
  EXPECT_EQ(Files(), 1u);
  EXPECT_EQ(Text("other/deep/file"), "text");
}

TEST_F(DiskOutputs, LargerThanTheBufferKeepTheirOrder) {
  auto out = DirectoryOutputs(folder_.string());
  auto file = out->Open("a");
  ASSERT_TRUE(file.ok());
  std::string expected;
  for (int i = 0; i < 40; ++i) {
    const std::string piece(static_cast<size_t>(i) * 20'000, static_cast<char>('a' + i % 26));
    (*file)->Append(piece);
    expected += piece;
  }
  ASSERT_TRUE((*file)->Close().ok());
  ASSERT_TRUE(out->Commit().ok());
  EXPECT_TRUE(Text("a") == expected);
}

// For the time of a block, the process may have so many files open.
class FewFiles {
 public:
  explicit FewFiles(rlim_t most) {
    EXPECT_EQ(0, getrlimit(RLIMIT_NOFILE, &before_));
    const rlimit few = {most, before_.rlim_max};
    EXPECT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
  }
  ~FewFiles() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_;
};

TEST_F(DiskOutputs, MayBeMoreThanAProcessMayHaveOpen) {
  for (const bool nameless : {true, false}) {
    SCOPED_TRACE(nameless);
    const FewFiles few(200);
    auto out = DirectoryOutputs(folder_.string(), nameless);
    auto open = out->Open("open to the end");
    ASSERT_TRUE(open.ok());
    (*open)->Append("begun");
    const auto text = [](int i) { return std::string(static_cast<size_t>(i % 7) * 20'000, 'x'); };
    for (int i = 0; i < 1000; ++i) {
      auto file = out->Open(std::to_string(i));
      ASSERT_TRUE(file.ok()) << file.status().message();
      (*file)->Append(std::to_string(i) + text(i));
      ASSERT_TRUE((*file)->Close().ok());
    }
    (*open)->Append(" and ended");
    ASSERT_TRUE((*open)->Close().ok());
    EXPECT_FALSE(fs::exists(folder_ / "5"));
    ASSERT_TRUE(out->Commit().ok());
    out.reset();
    EXPECT_EQ(1001u, Files());
    EXPECT_EQ("begun and ended", Text("open to the end"));
    for (int i = 0; i < 1000; ++i)
      ASSERT_TRUE(std::to_string(i) + text(i) == Text(std::to_string(i)));
    fs::remove_all(folder_);
    // Those that are not committed leave nothing.
    auto lost = DirectoryOutputs(folder_.string(), nameless);
    for (int i = 0; i < 300; ++i) {
      auto file = lost->Open(std::to_string(i));
      ASSERT_TRUE(file.ok());
      ASSERT_TRUE((*file)->Close().ok());
    }
    lost.reset();
    EXPECT_EQ(0u, Files());
  }
}

TEST_F(DiskOutputs, ReplaceWhatALinkLeadsTo) {
  fs::create_directories(folder_ / "kept");
  std::ofstream(folder_ / "kept" / "old") << "older";
  fs::create_symlink("kept/old", folder_ / "link");
  auto out = DirectoryOutputs(folder_.string());
  auto file = out->Open("link");
  ASSERT_TRUE(file.ok());
  (*file)->Append("new");
  ASSERT_TRUE((*file)->Close().ok());
  ASSERT_TRUE(out->Commit().ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(Text("kept/old"), "new");
}

TEST_F(DiskOutputs, GoIntoAPipeThatStaysOne) {
  fs::create_directories(folder_);
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  auto read = std::async(std::launch::async, [&] { return Text("pipe"); });
  auto out = DirectoryOutputs(folder_.string());
  auto file = out->Open("pipe");
  ASSERT_TRUE(file.ok());
  const std::string text(1'000'000, 'x');
  (*file)->Append(text);
  ASSERT_TRUE((*file)->Close().ok());
  ASSERT_TRUE(out->Commit().ok());
  EXPECT_EQ(read.get(), text);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(DiskOutputs, ToADeviceFailAsItSays) {
  fs::create_directories(folder_);
  fs::create_symlink("/dev/full", folder_ / "full");
  auto out = DirectoryOutputs(folder_.string());
  auto file = out->Open("full");
  ASSERT_TRUE(file.ok());
  (*file)->Append("x");
  EXPECT_EQ((*file)->Close().message(), "/dev/full: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(DiskOutputs, RefuseANameThatIsAPath) {
  auto out = DirectoryOutputs(folder_.string());
  EXPECT_EQ(out->Open("../a").status().message(), "'../a' is not a plain file name");
  EXPECT_FALSE(out->Open("").ok());
}

TEST_F(DiskOutputs, AFolderThatCannotBeMadeIsAnErrorThatNamesIt) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "file") << "x";
  auto out = DirectoryOutputs((folder_ / "file" / "below").string());
  const auto file = out->Open("a");
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.status().message().find("file/below: "), std::string::npos);
}

// A limit on the size of files stands in for a full disk: writes beyond it fail. Exits with 0 and
// the message on standard error when Close() told it.
[[noreturn]] void WriteMoreThanFits(const std::string& folder) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{1000, 1000};
  setrlimit(RLIMIT_FSIZE, &limit);
  auto out = DirectoryOutputs(folder);
  auto file = out->Open("a.txt");
  (*file)->Append(std::string(1'000'000, 'x'));
  const Status status = (*file)->Close();
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(status.ok() ? 1 : 0);
}

TEST_F(DiskOutputs, AFullDiskIsAnErrorOfCloseThatNamesTheFile) {
  EXPECT_EXIT(WriteMoreThanFits(folder_.string()), ::testing::ExitedWithCode(0),
              "a.txt: File too large");
}

TEST(MemoryOutputs, KeepTheFilesOfAFolderWithCommit) {
  MemoryOutputs out;
  FillFolder(out, "archive", "text");
  ASSERT_TRUE(out.Commit().ok());
  EXPECT_EQ(out.Text("archive/deep/file"), "text");
}

TEST(MemoryOutputs, KeepEveryTextByItsName) {
  MemoryOutputs out;
  auto file = out.Open("a");
  ASSERT_TRUE(file.ok());
  (*file)->Append("x");
  (*file)->Append("y");
  EXPECT_TRUE((*file)->Close().ok());
  EXPECT_EQ(out.Text("a"), "xy");
  EXPECT_EQ(out.Text("b"), "");
  EXPECT_EQ(out.Names(), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace tasklens
