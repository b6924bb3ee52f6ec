// SPDX-License-Identifier: Apache-2.0
// Opening inputs.
#include "trace/support/source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tasklens {
namespace {

namespace fs = std::filesystem;

std::string_view Text(const Source& source) {
  return {reinterpret_cast<const char*>(source.bytes().data()), source.bytes().size()};
}

std::string File(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "/source_test_" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(Source, HasTheBytesAndThePathOfAFile) {
  const std::string path = File("small", std::string("a\0b", 3));
  const auto source = OpenSource(path);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(Text(**source), std::string_view("a\0b", 3));
  EXPECT_EQ((*source)->path(), path);
}

TEST(Source, ALargeFileThatIsBeingRecordedMayBeCutOffWhileItIsRead) {
  const std::string path = File("recorded", "");
  constexpr off_t kBytes = 65 << 20;
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(ftruncate(fd, kBytes), 0);
  ASSERT_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
  const auto source = OpenSource(path);
  ASSERT_TRUE(source.ok());
  ASSERT_EQ(ftruncate(fd, 0), 0);
  EXPECT_EQ(std::count((*source)->bytes().begin(), (*source)->bytes().end(), std::byte{0}), kBytes);
  close(fd);
}

// 65 MiB, each 8 bytes of which are their own number.
std::string LargeFile(const std::string& name) {
  constexpr size_t kWords = (size_t{65} << 20) / 8;
  std::vector<uint64_t> words(kWords);
  std::iota(words.begin(), words.end(), 0);
  return File(name, {reinterpret_cast<const char*>(words.data()), kWords * sizeof words[0]});
}

TEST(Source, PiecesOfALargeFileAreCopiesOfItsBytes) {
  const auto source = OpenSource(LargeFile("pieces"));
  ASSERT_TRUE(source.ok());
  const auto bytes = (*source)->bytes();
  std::vector<std::byte> room(1000);
  for (const size_t begin :
       {size_t{0}, size_t{4095}, bytes.size() - 1000, bytes.size() - 3, bytes.size()}) {
    const auto piece = (*source)->Read(begin, room);
    ASSERT_TRUE(piece.ok());
    EXPECT_EQ(piece->data(), room.data());
    EXPECT_TRUE(std::ranges::equal(
        *piece, bytes.subspan(begin, std::min<size_t>(1000, bytes.size() - begin))))
        << begin;
  }
}

TEST(Source, APieceEndsWhereALargeFileHasBeenCut) {
  const std::string path = LargeFile("cut");
  const auto source = OpenSource(path);
  ASSERT_TRUE(source.ok());
  ASSERT_EQ(truncate(path.c_str(), 5000), 0);
  std::vector<std::byte> room(1000);
  EXPECT_EQ((*source)->Read(4096, room)->size(), 904u);
  EXPECT_EQ((*source)->Read(6000, room)->size(), 0u);
}

TEST(Source, PiecesOfWhatIsInMemoryAreNotCopied) {
  const auto source = MemorySource("x", "abcdef");
  std::vector<std::byte> room(4);
  const auto piece = source->Read(1, room), last = source->Read(4, room);
  ASSERT_TRUE(piece.ok() && last.ok());
  EXPECT_EQ(piece->data(), source->bytes().data() + 1);
  EXPECT_EQ(piece->size(), 4u);
  EXPECT_EQ(last->size(), 2u);
}

TEST(Source, AnEmptyFileHasNoBytesAndIsNoError) {
  const auto source = OpenSource(File("empty", ""));
  ASSERT_TRUE(source.ok());
  EXPECT_TRUE((*source)->bytes().empty());
}

TEST(Source, AMissingFileIsNotFound) {
  const auto source = OpenSource("/no/such/file");
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.status().code(), ErrorCode::kNotFound);
  EXPECT_EQ(source.status().message(), "/no/such/file: No such file or directory");
}

TEST(Source, AFolderIsAnError) {
  const auto source = OpenSource("/");
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.status().message(), "/: Is a directory");
}

TEST(Source, ADeviceIsAnErrorBecauseItMayHaveNoEnd) {
  for (const std::string path : {"/dev/zero", "/dev/null"}) {
    const auto source = OpenSource(path);
    ASSERT_FALSE(source.ok());
    EXPECT_EQ(source.status().message(), path + ": a device, not a file with a trace");
  }
}

TEST(Source, APipeIsReadToItsEnd) {
  const std::string path = ::testing::TempDir() + "/source_test_pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << "bytes"; });
  const auto source = OpenSource(path);
  writer.join();
  unlink(path.c_str());
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(Text(**source), "bytes");
}

TEST(Source, ALargeFileIsReadToo) {
  const std::string path = ::testing::TempDir() + "/source_test_large";
  const uint64_t size = uint64_t{65} << 20;
  std::ofstream(path).put('x');
  fs::resize_file(path, size);  // sparse: takes no room
  const auto source = OpenSource(path);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)->bytes().size(), size);
  EXPECT_EQ((*source)->bytes().front(), std::byte{'x'});
  EXPECT_EQ((*source)->bytes().back(), std::byte{0});
  for (const auto& [begin, end] :
       {std::pair<size_t, size_t>{0, size}, {5, 7}, {1, size + 1000}, {9, 3}})
    (*source)->Forget(begin, end);
  EXPECT_EQ((*source)->bytes().front(), std::byte{'x'}) << "what was forgotten stays valid";
  fs::remove(path);
}

TEST(Source, InMemoryOwnsItsBytes) {
  const auto source = MemorySource("name", std::string(100, 'y'));
  EXPECT_EQ(Text(*source), std::string(100, 'y'));
  EXPECT_EQ(source->path(), "name");
}

}  // namespace
}  // namespace tasklens
