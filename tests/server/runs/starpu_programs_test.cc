// SPDX-License-Identifier: Apache-2.0
// Programs that load StarPU are told from all else that lies in a folder.
#include "server/runs/starpu_programs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace tasklens {
namespace {

namespace fs = std::filesystem;
constexpr size_t kAll = 1000;

class StarpuPrograms : public testing::Test {
 protected:
  StarpuPrograms() : folder_(testing::TempDir() + "/a folder") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ostringstream text;
    text << std::ifstream("examples/cholesky", std::ios::binary).rdbuf();
    program_ = text.str();
    // It has the runtime within it. One that loads it instead has another name at the same place.
    const std::string from = "libstdc++.so.6", to = "libstarpu.so.1";
    for (size_t at = 0; (at = program_.find(from, at)) != std::string::npos; at += to.size())
      program_.replace(at, to.size(), to);
  }

  std::string Write(const std::string& name, const std::string& bytes, bool executable = true) {
    const std::string path = folder_ + "/" + name;
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    fs::permissions(path, executable ? fs::perms::owner_all : fs::perms::owner_read);
    return path;
  }

  std::vector<std::string> Found(size_t most_entries = kAll) {
    std::vector<std::string> paths;
    for (const StarpuProgram& one : FindStarpuPrograms(folder_, most_entries, nullptr).found)
      paths.push_back(one.path);
    return paths;
  }

  const std::string folder_;
  std::string program_;
};

TEST_F(StarpuPrograms, AreThoseThatNameALibraryOfIts) {
  ASSERT_GT(program_.size(), 1000u);
  EXPECT_TRUE(LoadsStarpu(Write("cholesky", program_)));
  EXPECT_FALSE(LoadsStarpu("examples/cholesky")) << "a program that loads none";
  EXPECT_FALSE(LoadsStarpu("runtime/libstarpu.so")) << "no program";
  EXPECT_FALSE(LoadsStarpu(folder_)) << "a folder";
  EXPECT_FALSE(LoadsStarpu(folder_ + "/none"));
  EXPECT_FALSE(LoadsStarpu(Write("libstarpu.sh", "#!/bin/sh\nlibstarpu.so\n")));
}

TEST_F(StarpuPrograms, AreFoundInAFolder) {
  const auto at = [](const std::string& path, int64_t seconds) {
    fs::last_write_time(path, fs::file_time_type() + std::chrono::seconds(seconds));
  };
  at(Write("old", program_), 1);
  at(Write("build/deep/er/new", program_), 3);
  at(Write("middle one", program_), 2);
  Write("not executable", program_, false);
  Write(".hidden/one", program_);
  Write("text", "words");
  fs::create_directory_symlink(folder_, folder_ + "/round and round");
  ASSERT_EQ(mkfifo((folder_ + "/pipe").c_str(), 0700), 0) << "it is not opened";
  EXPECT_EQ(Found(), (std::vector<std::string>{"build/deep/er/new", "middle one", "old"}));
  EXPECT_TRUE(FindStarpuPrograms(folder_, kAll, nullptr).is_all);
}

TEST_F(StarpuPrograms, AreLookedForAmongSoManyFilesAndUntilTold) {
  for (int i = 0; i < 20; ++i) Write("deep/" + std::to_string(i), "");
  Write("top", program_);
  const auto some = FindStarpuPrograms(folder_, 10, nullptr);
  EXPECT_FALSE(some.is_all);
  EXPECT_EQ(Found(10), std::vector<std::string>{"top"}) << "what is near the top comes first";
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(FindStarpuPrograms(folder_, kAll, &stop).is_all);
  EXPECT_TRUE(FindStarpuPrograms(folder_ + "/none", kAll, nullptr).found.empty());
}

TEST_F(StarpuPrograms, MayBeDamaged) {
  for (size_t bytes = 0; bytes < 4096; bytes += 97)
    LoadsStarpu(Write("cut", program_.substr(0, bytes)));
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    std::string damaged = program_;
    for (int k = 0; k < 4; ++k) damaged[random() % 1024] = static_cast<char>(random());
    LoadsStarpu(Write("damaged", damaged));
  }
  EXPECT_TRUE(LoadsStarpu(Write("whole", program_)));
}

}  // namespace
}  // namespace tasklens
