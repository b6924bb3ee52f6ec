// SPDX-License-Identifier: Apache-2.0
// The sums that clang leaves in a program are those of the files that it read.
#include "server/sources/compiled_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QByteArray>
#include <QCryptographicHash>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace tasklens {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

class CompiledSourcesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::path(::testing::TempDir()) / "compiled.XXXXXX";
    top_ = fs::canonical(mkdtemp(name.data()));
    std::ofstream(top_ / "a.c") << "#include \"b.h\"\nint main(void) { return f(); }\n";
    std::ofstream(top_ / "b.h") << "static int f(void) { return 0; }\n";
  }
  void TearDown() override { fs::remove_all(top_); }

  bool Run(const std::string& command) {
    return std::system(("cd " + top_.string() + " && " + command).c_str()) == 0;
  }
  std::string Program() { return (top_ / "a").string(); }
  // Of the file, as `path = sum` in hexadecimal digits.
  static std::string SumOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    return path.string() + " = " +
           QCryptographicHash::hash(QByteArray::fromStdString(text), QCryptographicHash::Md5)
               .toHex()
               .toStdString();
  }
  std::vector<std::string> Found() {
    std::vector<std::string> found;
    for (const CompiledSource& source : ReadCompiledSources(Program()))
      found.push_back(source.path + " = " +
                      QByteArray::fromStdString(source.md5).toHex().toStdString());
    return found;
  }

  fs::path top_;
};

TEST_F(CompiledSourcesTest, AreThoseThatClangRead) {
  ASSERT_TRUE(Run("clang -g a.c -o a"));
  EXPECT_THAT(Found(), ::testing::UnorderedElementsAre(SumOf(top_ / "a.c"), SumOf(top_ / "b.h")));
}

TEST_F(CompiledSourcesTest, AreNoneWhereTheProgramDoesNotSay) {
  ASSERT_TRUE(Run("gcc -g a.c -o a"));
  EXPECT_THAT(Found(), IsEmpty());
  for (const char* text : {"", "#!/bin/sh\n", "\x7f\x45LF"}) {
    std::ofstream(Program()) << text;
    EXPECT_THAT(Found(), IsEmpty());
  }
  EXPECT_THAT(ReadCompiledSources("/nowhere"), IsEmpty());
  EXPECT_THAT(ReadCompiledSources("/dev/zero"), IsEmpty());
}

TEST_F(CompiledSourcesTest, DamagedProgramsAreReadToTheirEnd) {
  ASSERT_TRUE(Run("clang -g a.c -o whole"));
  std::ifstream file(top_ / "whole", std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = whole.substr(0, round % 3 ? whole.size() : random() % whole.size());
    for (uint32_t i = random() % 100; i > 0 && !damaged.empty(); --i)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    std::ofstream(Program(), std::ios::binary) << damaged;
    Found();
  }
}

}  // namespace
}  // namespace tasklens
