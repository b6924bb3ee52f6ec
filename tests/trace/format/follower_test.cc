// SPDX-License-Identifier: Apache-2.0
// What Follower reads piece by piece is what ReadTrace() reads at once.
#include "trace/format/follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "tests/testing/tlt_file.h"

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using testing::EventLog;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TempFolder;

// A program that records tasks by number.
class Program {
 public:
  explicit Program(const std::string& path) {
    // The least chunks there are, so that they fill and move.
    tlt::WriterOptions options;
    options.path = path;
    options.first_chunk_bytes = options.max_chunk_bytes = 4096;
    EXPECT_TRUE(writer_.Open(options).ok());
  }
  ~Program() { End(); }

  void Task(tlt::ThreadBuffer& buffer, uint64_t job) {
    const uint64_t args[] = {job};
    EXPECT_TRUE(writer_.AppendEvent(buffer, EventKind::kTaskDone, writer_.Now(), args));
  }
  void Name(tlt::ThreadBuffer& buffer, uint64_t job, uint32_t id, std::string_view name) {
    const uint64_t args[] = {job, id};
    EXPECT_TRUE(writer_.AppendString(buffer, id, name, writer_.Now()));
    EXPECT_TRUE(writer_.AppendEvent(buffer, EventKind::kTaskName, writer_.Now(), args));
  }
  void Leave(tlt::ThreadBuffer& buffer) { writer_.Leave(buffer); }
  void End() { EXPECT_TRUE(writer_.Close().ok()); }

 private:
  tlt::Writer writer_;
};

// Until what was recorded before the call has come: what is a moment old waits for the next time.
void ReadAll(tlt::Follower& follower, EventLog& log, size_t events) {
  do ASSERT_TRUE(follower.ReadNew(log).ok());
  while (log.entries().size() < events);
}

TEST(Follower, DeliversEachTimeWhatIsNew) {
  const TempFolder folder;
  Program program(folder.File("x.tlt"));
  tlt::ThreadBuffer buffer;
  tlt::Follower follower(folder.File("x.tlt"));
  EventLog log;
  program.Name(buffer, 1, 7, "potrf");
  ReadAll(follower, log, 1);
  EXPECT_THAT(log.Lines(), ElementsAre("task_name job=1 name='potrf'"));
  program.Task(buffer, 1);
  ReadAll(follower, log, 2);
  ASSERT_TRUE(follower.ReadNew(log).ok());
  EXPECT_THAT(log.Lines(), ElementsAre("task_name job=1 name='potrf'", "task_done job=1"));
  program.Leave(buffer);
}

TEST(Follower, FollowsAChunkThatIsEmptiedAndUsedAgain) {
  const TempFolder folder;
  Program program(folder.File("x.tlt"));
  tlt::ThreadBuffer buffer;
  tlt::Follower follower(folder.File("x.tlt"));
  EventLog log;
  // Some 250 tasks fill a chunk.
  uint64_t job = 0;
  for (const int count : {100, 100, 100, 700, 1, 3000, 17}) {
    for (int i = 0; i < count; ++i) program.Task(buffer, ++job);
    ReadAll(follower, log, job);
  }
  ASSERT_EQ(log.entries().size(), job);
  for (uint64_t i = 0; i < job; ++i) EXPECT_EQ(log.entries()[i].args[0], i + 1);
  program.Leave(buffer);
}

TEST(Follower, MissesNothingOfThreadsThatRecordMeanwhile) {
  constexpr int kThreads = 4;
  constexpr uint64_t kTasks = 20'000;
  const TempFolder folder;
  const std::string path = folder.File("x.tlt");
  auto program = std::make_unique<Program>(path);
  std::vector<std::thread> threads;
  std::atomic<int> running = kThreads;
  for (uint64_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      tlt::ThreadBuffer buffer;
      for (uint64_t task = 0; task < kTasks; ++task) program->Task(buffer, thread << 32 | task);
      program->Leave(buffer);
      --running;
    });
  tlt::Follower follower(path);
  EventLog log;
  while (running > 0) ASSERT_TRUE(follower.ReadNew(log).ok());
  for (std::thread& thread : threads) thread.join();
  program.reset();
  ReadAll(follower, log, kThreads * kTasks);
  ASSERT_TRUE(follower.ReadNew(log).ok());

  std::map<uint64_t, uint64_t> next;  // by thread
  for (const EventLog::Entry& entry : log.entries())
    ASSERT_EQ(entry.args[0] & 0xffffffff, next[entry.args[0] >> 32]++) << entry.text;
  EXPECT_EQ(next.size(), kThreads);
  for (const auto& [thread, count] : next) EXPECT_EQ(count, kTasks);
  EXPECT_THAT(log.violations(), IsEmpty());
}

// A large file is read in several steps, none of which may bring a thread's events before those
// of another that came earlier.
TEST(Follower, KeepsTheOrderOfThreadsWhereItIsBehind) {
  const TempFolder folder;
  const std::string path = folder.File("x.tlt");
  {
    Program program(path);
    tlt::ThreadBuffer a, b;
    std::string long_name(16'000, 'x');
    for (uint32_t i = 1; i <= 3'000; ++i) {
      program.Name(a, i, i, std::to_string(i) + long_name);
      program.Task(b, i);
    }
    program.Leave(a);
    program.Leave(b);
  }
  tlt::Follower follower(path);
  EventLog log;
  int steps = 0;
  do {
    ASSERT_TRUE(follower.ReadNew(log).ok());
    ++steps;
  } while (follower.is_behind());
  EXPECT_GT(steps, 1);
  ASSERT_EQ(log.entries().size(), 6'000u);
  for (uint64_t i = 0; i < 6'000; ++i) EXPECT_EQ(log.entries()[i].args[0], i / 2 + 1);
}

TEST(Follower, SaysWhatCannotBeRead) {
  const TempFolder folder;
  EventLog log;
  tlt::Follower missing(folder.File("missing.tlt"));
  EXPECT_EQ(missing.ReadNew(log).code(), ErrorCode::kIo);
  std::ofstream(folder.File("text.tlt")) << "no trace";
  tlt::Follower text(folder.File("text.tlt"));
  EXPECT_EQ(text.ReadNew(log).code(), ErrorCode::kCorrupt);
  EXPECT_THAT(text.ReadNew(log).message(), HasSubstr("text.tlt"));
  tlt::Follower directory(folder.path());
  EXPECT_FALSE(directory.ReadNew(log).ok());
}

TEST(Follower, SurvivesDamage) {
  const std::string whole = testing::RecordedBytes(
      [](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
        for (uint64_t job = 0; job < 2'000; ++job) {
          const uint64_t args[] = {job};
          writer.AppendEvent(buffer, EventKind::kTaskDone, writer.Now(), args);
        }
      },
      {.first_chunk_bytes = 4096, .max_chunk_bytes = 4096});
  const TempFolder folder;
  std::mt19937 random(1);
  const auto below = [&](size_t most) { return random() % most; };
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole.substr(0, round % 3 == 0 ? below(whole.size()) : whole.size());
    for (int i = 0; i < 20 && !bytes.empty(); ++i) {
      // Headers of chunks and first records, more often than others.
      const size_t at =
          below(2) ? below(bytes.size()) : below(bytes.size()) / 4096 * 4096 + below(80);
      if (at < bytes.size()) bytes[at] = static_cast<char>(random());
    }
    const std::string path = folder.File(std::to_string(round));
    std::ofstream(path, std::ios::binary) << bytes;
    tlt::Follower follower(path);
    EventLog log;
    for (int i = 0; i < 3; ++i) (void)follower.ReadNew(log);
    EXPECT_THAT(log.violations(), IsEmpty());
  }
}

}  // namespace
}  // namespace tasklens
