// SPDX-License-Identifier: Apache-2.0
// What is stored in a scratch file comes back, takes no memory once forgotten, and leaves no file.
#include "trace/support/scratch_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <vector>

namespace tasklens {
namespace {

namespace fs = std::filesystem;

class ScratchFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

// Of files that are mapped, in this process's memory.
size_t MappedFileBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssFile:")) return std::stoul(line.substr(8)) * 1024;
  return 0;
}

TEST_F(ScratchFileTest, GivesBackWhatWasStoredInAnyStream) {
  ScratchFile file(folder_.string(), /*heap_bytes=*/0);
  BlockStream* streams[] = {file.NewStream(), file.NewStream(), file.NewStream()};
  std::vector<std::pair<const std::byte*, std::string>> stored;
  for (uint32_t i = 0; i < 3000; ++i) {
    const std::string text(1 + i * 37 % 9000, static_cast<char>('a' + i % 26));
    const std::byte* data = streams[i % 3]->Store(text.data(), text.size());
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 8, 0u);
    stored.emplace_back(data, text);
  }
  file.Forget();
  for (const auto& [data, text] : stored) ASSERT_EQ(std::memcmp(data, text.data(), text.size()), 0);
}

TEST_F(ScratchFileTest, WhatIsStoredCanBeReplacedAndWrittenTo) {
  ScratchFile file(folder_.string(), /*heap_bytes=*/0);
  BlockStream* stream = file.NewStream();
  std::byte* first = stream->Store("old text", 8);
  std::byte* second = stream->Store("left as it is", 13);
  ASSERT_TRUE(stream->Replace(first, "new text", 8));
  second[0] = std::byte{'k'};
  file.Forget();
  EXPECT_EQ(std::memcmp(first, "new text", 8), 0);
  EXPECT_EQ(std::memcmp(second, "keft as it is", 13), 0);
}

TEST_F(ScratchFileTest, ForgetsWhileOthersStore) {
  ScratchFile file(folder_.string(), /*heap_bytes=*/0);
  constexpr size_t kPieces = 3000;
  const auto store = [&](char first) {
    BlockStream* stream = file.NewStream();
    std::vector<const std::byte*> stored;
    for (size_t i = 0; i < kPieces; ++i) {
      const std::string text(1 + i * 31 % 5000, static_cast<char>(first + i % 13));
      stored.push_back(stream->Store(text.data(), text.size()));
    }
    for (size_t i = 0; i < kPieces; ++i) {
      const std::string text(1 + i * 31 % 5000, static_cast<char>(first + i % 13));
      if (std::memcmp(stored[i], text.data(), text.size()) != 0) return false;
    }
    return true;
  };
  std::future<bool> lower = std::async(std::launch::async, store, 'a');
  std::future<bool> upper = std::async(std::launch::async, store, 'A');
  for (int i = 0; i < 200; ++i) file.Forget();
  EXPECT_TRUE(lower.get());
  EXPECT_TRUE(upper.get());
}

TEST_F(ScratchFileTest, ForgettingTakesItsPagesOutOfMemory) {
  constexpr size_t kPieces = 16'000, kPieceBytes = 4096;
  ScratchFile file(folder_.string(), /*heap_bytes=*/0);
  BlockStream* stream = file.NewStream();
  const std::string piece(kPieceBytes, 'x');
  std::vector<const std::byte*> pieces;
  for (size_t i = 0; i < kPieces; ++i) pieces.push_back(stream->Store(piece.data(), kPieceBytes));
  size_t sum = 0;
  for (const std::byte* data : pieces) sum += static_cast<size_t>(data[100]);
  EXPECT_EQ(sum, kPieces * 'x');
  const size_t before = MappedFileBytes();
  EXPECT_GE(before, kPieces * kPieceBytes);
  file.Forget();
  EXPECT_LE(MappedFileBytes() + kPieces * kPieceBytes * 9 / 10, before);
}

TEST_F(ScratchFileTest, NoFolderEverShowsIt) {
  ScratchFile file(folder_.string(), /*heap_bytes=*/0);
  ASSERT_NE(file.NewStream()->Store("text", 4), nullptr);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(ScratchFileTest, LiesAboveAFolderThatIsNotThereYet) {
  ScratchFile file((folder_ / "not" / "yet").string(), /*heap_bytes=*/0);
  EXPECT_NE(file.NewStream()->Store("text", 4), nullptr);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(ScratchFileTest, LeavesTheFirstBytesToOtherMemory) {
  ScratchFile file(folder_.string(), /*heap_bytes=*/1000);
  BlockStream* stream = file.NewStream();
  EXPECT_EQ(stream->Store(std::string(600, 'x').data(), 600), nullptr);
  EXPECT_NE(stream->Store(std::string(600, 'x').data(), 600), nullptr);
}

TEST_F(ScratchFileTest, WhereThereCanBeNoFileNothingIsStored) {
  ScratchFile file("/proc", /*heap_bytes=*/0);
  EXPECT_EQ(file.NewStream()->Store("text", 4), nullptr);
}

// A limit on the size of files stands in for a full disk.
TEST_F(ScratchFileTest, OnAFullDiskNothingIsStored) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100'000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  ScratchFile file(folder_.string(), /*heap_bytes=*/0);
  EXPECT_EQ(file.NewStream()->Store("text", 4), nullptr);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
}

}  // namespace
}  // namespace tasklens
