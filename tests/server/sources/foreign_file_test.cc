// SPDX-License-Identifier: Apache-2.0
// Whatever a path leads to, reading it ends, takes no more memory than allowed, and says what was
// wrong.
#include "server/sources/foreign_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "server/sources/elf_file.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

class ForeignFiles : public testing::Test {
 protected:
  ForeignFiles() : folder_(testing::TempDir() + "/foreign") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::string Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }

  const std::string folder_;
};

TEST_F(ForeignFiles, AreReadWholeUpToTheLimit) {
  const std::string bytes(10'000, 'x'), path = Write("file", bytes);
  EXPECT_EQ(*ReadForeignFile(path, bytes.size()), bytes);
  EXPECT_EQ(*ReadForeignFile(Write("empty", ""), 0), "");

  const auto too_large = ReadForeignFile(path, 4096);
  EXPECT_EQ(too_large.status().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(too_large.status().message(), path + ": is larger than 4 KiB");
}

TEST_F(ForeignFiles, ThatAreMissingAreNotFound) {
  for (const std::string& path : {Path("none"), Write("file", "") + "/below"})
    EXPECT_EQ(ReadForeignFile(path, 1).status().code(), ErrorCode::kNotFound) << path;
}

TEST_F(ForeignFiles, ThatAreNoFilesAreNotWaitedFor) {
  const std::string pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", Path("link"));
  for (const std::string& path : {pipe, Path("link"), folder_, std::string("/dev/tty0")}) {
    const auto read = ReadForeignFile(path, 1 << 20);
    ASSERT_FALSE(read.ok()) << path;
    EXPECT_TRUE(read.status().message().starts_with(path + ": ")) << read.status().message();
  }
  EXPECT_EQ(ReadForeignFile(pipe, 1).status().message(), pipe + ": is not a regular file");
}

TEST_F(ForeignFiles, AreNotReadOnWhenSomebodyAskedToStop) {
  const std::atomic<bool> stop = true;
  EXPECT_EQ(ReadForeignFile(Write("file", "text"), 4, &stop).status().code(),
            ErrorCode::kCancelled);
}

TEST_F(ForeignFiles, GiveWhatLiesAtAPlaceAndNothingBeyondTheirEnd) {
  std::mt19937 random(1);
  std::string bytes(100, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  const auto file = ForeignFile::Open(Write("file", bytes));
  ASSERT_TRUE(file.ok());
  for (int i = 0; i < 1000; ++i) {
    const uint64_t at = random() % 120, count = random() % 120;
    EXPECT_EQ(file->ReadBytes(at, count),
              at <= 100 && count <= 100 - at ? bytes.substr(at, count) : "");
    uint32_t value = 0;
    EXPECT_EQ(file->ReadValue(at, value), at <= 96);
    if (at <= 96) {
      EXPECT_EQ(std::memcmp(&value, bytes.data() + at, 4), 0);
    }
  }
  uint32_t value = 0;
  for (const uint64_t at : {uint64_t{1} << 62, uint64_t{1} << 63, UINT64_MAX}) {
    EXPECT_FALSE(file->ReadValue(at, value));
    EXPECT_EQ(file->ReadBytes(at, 1), "");
    EXPECT_EQ(file->ReadBytes(1, at), "");
  }
}

// This test is a program itself.
TEST_F(ForeignFiles, ThatAreProgramsSayWhatTheyLoad) {
  const auto program = ElfFile::Open("/proc/self/exe");
  ASSERT_TRUE(program);
  EXPECT_NE(program->Loader().find("ld-linux"), std::string::npos) << program->Loader();
  EXPECT_TRUE(program->NeedsLibrary("libc.so"));
  EXPECT_FALSE(program->NeedsLibrary("libnobody"));
  EXPECT_FALSE(program->Section(".dynstr").empty());
  EXPECT_EQ(program->Section(".nobody"), "");
  EXPECT_FALSE(ElfFile::Open(Write("script", "#!/bin/sh\n")));
}

TEST_F(ForeignFiles, ThatAreDamagedProgramsSayAnythingButEnd) {
  std::string bytes;
  {
    const auto whole = ReadForeignFile("/proc/self/exe", uint64_t{1} << 30);
    ASSERT_TRUE(whole.ok());
    bytes = whole->substr(0, 1 << 20);
  }
  std::mt19937 random(2);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = bytes.substr(0, i % 3 == 0 ? random() % bytes.size() : bytes.size());
    for (int k = 0; k < 8 && damaged.size() > 16; ++k)
      damaged[16 + random() % std::min<size_t>(damaged.size() - 16, 1000)] =
          static_cast<char>(random());
    const auto program = ElfFile::Open(Write("damaged", damaged));
    if (!program) continue;
    program->Loader();
    program->NeedsLibrary("x");
    program->Section(".dynstr");
    program->OffsetOf(random());
  }
}

}  // namespace
}  // namespace tasklens
