// SPDX-License-Identifier: Apache-2.0
// Saved traces: the same as what was read, used only while true, and never trusted.
#include "converters/saved_trace.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "converters/formats.h"
#include "tests/testing/model_check.h"
#include "trace/model/check_model.h"
#include "trace/model/saved_model.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTraces[] = {"cholesky_dmdas", "stencil_2k", "tags",           "mem_reclaim",
                                   "disk_compute",   "mpi2",       "parallel_small", "two_ctx"};

std::string Bytes(const TraceModel& model, const Diagnostics& diags) {
  std::string bytes;
  SaveModel(model, diags, [&](std::string_view text) { bytes += text; });
  return bytes;
}

std::string Read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void Write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// A folder with a copy of a real trace, and an empty one for what is saved.
class SavedTraceTest : public ::testing::Test {
 protected:
  SavedTraceTest() {
    const std::string root = ::testing::TempDir() + "/" +
                             ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root);
    fs::create_directories(root);
    options_.directory = root + "/saved";
    options_.least_bytes = 0;
    path_ = root + "/prof_file_0";
    fs::copy_file("tests/data/starpu/cholesky_lws/prof_file_0", path_);
    fs::permissions(path_, fs::perms::owner_all);
  }

  SavedTrace Of(const std::string& path) { return SavedTrace({&path, 1}, options_); }
  SavedTrace Saved() { return Of(path_); }

  // Reads the trace and saves it.
  Result<TraceModel> ReadAndStore() {
    const SavedTrace saved = Saved();
    Diagnostics diags;
    Result<TraceModel> model = LoadPaths({&path_, 1}, diags);
    EXPECT_TRUE(saved.Store(*model, diags).ok());
    return model;
  }
  bool IsThere() {
    Diagnostics diags;
    return Saved().Load(diags).has_value();
  }

  SavedTraceOptions options_;
  std::string path_;
};

TEST_F(SavedTraceTest, IsNotUsedWhenWhatStandsBesideThePrvHasChanged) {
  path_ = path_.substr(0, path_.rfind('/')) + "/run.prv";
  Write(path_, "#Paraver (01/01/2026 at 00:00):100_ns:0:1:1(1:0)\n1:0:1:1:1:0:10:7\n");
  ASSERT_TRUE(ReadAndStore().ok());
  EXPECT_TRUE(IsThere());
  const std::string beside = path_.substr(0, path_.size() - 4);
  for (const char* extension : {".pcf", ".row"}) {
    Write(beside + extension, "STATES\n7 Idle\n");
    EXPECT_FALSE(IsThere()) << extension;
    ASSERT_TRUE(ReadAndStore().ok());
    EXPECT_TRUE(IsThere()) << extension;
    fs::remove(beside + extension);
    EXPECT_FALSE(IsThere()) << extension;
    ASSERT_TRUE(ReadAndStore().ok());
  }
}

TEST_F(SavedTraceTest, HoldsExactlyWhatWasRead) {
  for (const char* name : kTraces) {
    SCOPED_TRACE(name);
    const std::string path = std::string("tests/data/starpu/") + name;
    const SavedTrace saved = Of(path);
    Diagnostics read_diags, diags;
    const Result<TraceModel> read = LoadPaths({&path, 1}, read_diags);
    ASSERT_TRUE(read.ok());
    EXPECT_FALSE(saved.Load(diags).has_value());
    ASSERT_TRUE(saved.Store(*read, read_diags).ok());
    const std::optional<SavedTrace::Kept> loaded = Of(path).Load(diags);
    ASSERT_TRUE(loaded.has_value());
    EXPECT_TRUE(Bytes(loaded->model, diags) == Bytes(*read, read_diags));
    EXPECT_EQ(testing::BrokenPromise(loaded->model), "");
    EXPECT_TRUE(loaded->beside.empty());
    EXPECT_EQ(diags.Summary(), read_diags.Summary());
  }
}

TEST_F(SavedTraceTest, HoldsWhatIsWrittenBesideTheModel) {
  const SavedTrace saved = Saved();
  Diagnostics diags;
  const Result<TraceModel> model = LoadPaths({&path_, 1}, diags);
  const std::string beside(3 << 20, 'b');
  ASSERT_TRUE(saved
                  .Store(*model, diags,
                         [&](const auto& write) {
                           write("begins ");
                           write(beside);
                         })
                  .ok());
  const std::optional<SavedTrace::Kept> kept = Saved().Load(diags);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(kept->beside.data()) % 8, 0u);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(kept->beside.data()), kept->beside.size()),
            "begins " + beside);
  EXPECT_EQ(Bytes(kept->model, {}), Bytes(*model, {}));
}

TEST_F(SavedTraceTest, OfAnotherBuildOfTheProgramIsNotUsed) {
  EXPECT_TRUE(ReadAndStore().ok());
  ASSERT_TRUE(IsThere());
  std::string bytes = Read(Saved().path());
  bytes[8] = static_cast<char>(bytes[8] ^ 1);
  Write(Saved().path(), bytes);
  EXPECT_FALSE(IsThere());
}

TEST_F(SavedTraceTest, IsNotUsedWhenTheTraceHasChanged) {
  EXPECT_TRUE(ReadAndStore().ok());
  ASSERT_TRUE(IsThere());
  const std::string bytes = Read(path_);

  Write(path_, bytes + "x");
  EXPECT_FALSE(IsThere()) << "longer";
  Write(path_, bytes);
  EXPECT_FALSE(IsThere()) << "written again";
  EXPECT_TRUE(ReadAndStore().ok());
  fs::last_write_time(path_, fs::last_write_time(path_) + std::chrono::hours(1));
  EXPECT_FALSE(IsThere()) << "touched";

  // The same size and time, another first byte.
  EXPECT_TRUE(ReadAndStore().ok());
  const auto time = fs::last_write_time(path_);
  std::string other = bytes;
  other[0] = static_cast<char>(other[0] ^ 1);
  Write(path_, other);
  fs::last_write_time(path_, time);
  EXPECT_FALSE(IsThere()) << "another first byte";
}

TEST_F(SavedTraceTest, DamagedOneIsNotUsedAndIsReplaced) {
  EXPECT_TRUE(ReadAndStore().ok());
  const std::string saved_path = Saved().path();
  const std::string bytes = Read(saved_path);
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = bytes;
    if (round % 3 == 0) {
      damaged.resize(random() % bytes.size());
    } else {
      const size_t at = round % 3 == 1 ? random() % 64 : random() % bytes.size();
      // Two words of the header mean nothing.
      if (at >= 48 && at < 64) continue;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 + random() % 255));
    }
    Write(saved_path, damaged);
    EXPECT_FALSE(IsThere()) << "round " << round;
  }
  EXPECT_TRUE(ReadAndStore().ok());
  EXPECT_TRUE(IsThere());
}

TEST_F(SavedTraceTest, IsForThisUserAloneAndLeavesNothingElseBehind) {
  EXPECT_TRUE(ReadAndStore().ok());
  struct stat folder {
  }, file{};
  ASSERT_EQ(stat(options_.directory.c_str(), &folder), 0);
  ASSERT_EQ(stat(Saved().path().c_str(), &file), 0);
  EXPECT_EQ(folder.st_mode & 0777, 0700u);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(options_.directory)) ++files;
  EXPECT_EQ(files, 1u);
}

TEST_F(SavedTraceTest, SmallTracesPipesAndUnfinishedOnesAreNotKept) {
  options_.least_bytes = uint64_t{1} << 40;
  EXPECT_EQ(Saved().path(), "");
  options_.least_bytes = 0;
  EXPECT_EQ(Of("-").path(), "");
  EXPECT_EQ(Of("/dev/null").path(), "");
  EXPECT_EQ(Of(path_ + "_is_missing").path(), "");

  Diagnostics diags;
  const Result<TraceModel> model = LoadPaths({&path_, 1}, diags);
  EXPECT_TRUE(Saved().IsToKeep(diags));
  EXPECT_FALSE(Of("-").IsToKeep(diags));
  diags.Skip("tlt_not_closed", path_);
  EXPECT_FALSE(Saved().IsToKeep(diags));
  EXPECT_TRUE(Saved().Store(*model, diags).ok());
  EXPECT_FALSE(IsThere());
}

TEST_F(SavedTraceTest, TheOldestGoWhenThereIsTooMuch) {
  EXPECT_TRUE(ReadAndStore().ok());
  const std::string first = Saved().path();
  fs::last_write_time(first, fs::last_write_time(first) - std::chrono::hours(1));
  options_.most_bytes = fs::file_size(first) + 1;
  fs::copy_file(path_, path_ + "1");
  path_ += "1";
  EXPECT_TRUE(ReadAndStore().ok());
  EXPECT_FALSE(fs::exists(first));
  EXPECT_TRUE(IsThere());
}

TEST_F(SavedTraceTest, WhatAnEndedProcessLeftHalfWrittenGoesAfterAnHour) {
  const std::string left = Saved().path() + ".12", being_written = Saved().path() + ".34";
  const std::string foreign = options_.directory + "/a file of the user's";
  fs::create_directories(options_.directory);
  for (const std::string& path : {left, being_written, foreign}) Write(path, "half");
  for (const std::string& path : {left, foreign})
    fs::last_write_time(path, fs::last_write_time(path) - std::chrono::hours(2));
  EXPECT_TRUE(ReadAndStore().ok());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(being_written));
  EXPECT_TRUE(fs::exists(foreign));
}

TEST_F(SavedTraceTest, AnUnusableFolderIsAnErrorOfOneLine) {
  Write(options_.directory, "a file, not a folder");
  Diagnostics diags;
  const Result<TraceModel> model = LoadPaths({&path_, 1}, diags);
  const Status status = Saved().Store(*model, diags);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.message().find('\n'), std::string::npos);
}

TEST(SavedModel, WhoseDependenciesDifferByTheirEndsIsRefused) {
  const std::string path = "tests/data/starpu/stencil_2k";
  Diagnostics diags;
  Result<TraceModel> model = LoadPaths({&path, 1}, diags);
  ASSERT_TRUE(model.ok());
  EXPECT_TRUE(CheckModel(*model).ok());
  auto& ends = model->successors.items;
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const size_t one = random() % ends.size(), other = random() % ends.size();
    const DepEnd of_one = ends[one], of_other = ends[other];
    DepEnd changed = of_one;
    if (round % 2 == 0) changed.task = static_cast<uint32_t>(random() % model->tasks.size());
    if (round % 2 == 1) changed.task = of_other.task, ends.Set(other, of_one);  // exchanged
    if (changed.task == of_one.task) continue;
    ends.Set(one, changed);
    EXPECT_EQ(CheckModel(*model).code(), ErrorCode::kCorrupt) << "round " << round;
    ends.Set(one, of_one);
    ends.Set(other, of_other);
  }
  EXPECT_TRUE(CheckModel(*model).ok());
}

// Bytes with a right checksum that no program of ours wrote.
TEST(SavedModel, AnyBytesGiveAModelThatKeepsItsPromisesOrAnError) {
  const std::string path = "tests/data/starpu/mpi2";
  Diagnostics diags;
  const Result<TraceModel> model = LoadPaths({&path, 1}, diags);
  ASSERT_TRUE(model.ok());
  const std::string bytes = Bytes(*model, diags);
  std::mt19937_64 random(7);
  int usable = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = bytes;
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      const size_t at = random() % damaged.size();
      damaged[at] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    if (random() % 10 == 0) damaged.resize(damaged.size() - random() % damaged.size() / 8 * 8);
    // Aligned, as a mapped file is.
    std::vector<uint64_t> words((damaged.size() + 7) / 8);
    std::memcpy(words.data(), damaged.data(), damaged.size());
    Diagnostics said;
    const Result<TraceModel> loaded =
        LoadModel(std::as_bytes(std::span(words)).first(damaged.size()), nullptr, said);
    if (!loaded.ok()) {
      EXPECT_EQ(loaded.status().code(), ErrorCode::kCorrupt);
      continue;
    }
    ++usable;
    std::string again = Bytes(*loaded, said);
    EXPECT_FALSE(again.empty());
  }
  std::printf("%d of 3000 damaged models could be used\n", usable);
}

}  // namespace
}  // namespace tasklens
