// SPDX-License-Identifier: Apache-2.0
// What a trace outlives: kill -9, a segmentation fault, abort, exit, fork, exec, a full disk.
// Every child here is a real process that really ends that way.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "runtime/recorder/recorder.h"
#include "tests/testing/tlt_file.h"

namespace tasklens {
namespace {

using testing::ReadBack;
using testing::ReadTlt;

// Runs `body` in a child and waits for it; its exit status as waitpid() gives it.
template <class Body>
int InChild(Body body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::_Exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

// A child that talks back through a pipe.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_), 0); }
  ~Pipe() { close(ends_[0]), close(ends_[1]); }
  void Send(uint64_t value) const {
    if (write(ends_[1], &value, sizeof value) != sizeof value) std::_Exit(99);
  }
  uint64_t Receive() const {
    uint64_t value = 0;
    EXPECT_EQ(read(ends_[0], &value, sizeof value), static_cast<ssize_t>(sizeof value));
    return value;
  }

 private:
  int ends_[2];
};

RecorderOptions At(const std::string& path) {
  RecorderOptions options;
  options.path = path;
  return options;
}

void MustStart(const RecorderOptions& options) {
  const Status status = Recorder::Start(options);
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::_Exit(98);
}

// The numbers 0, 1, 2, ... that user_event carries, without a gap; how many.
uint64_t CountInOrder(const ReadBack& back) {
  uint64_t next = 0;
  for (const auto& entry : back.log.entries()) {
    if (entry.kind != EventKind::kUserEvent) continue;
    EXPECT_EQ(entry.args[0], next);
    next = entry.args[0] + 1;
  }
  return next;
}

// The child is killed at arbitrary moments while it records as fast as it can. It tells how many
// events it had published at least.
TEST(Survival, NothingPublishedIsLostByKillMinusNine) {
  for (int round = 0; round < 10; ++round) {
    testing::TempFolder folder;
    const std::string path = folder.File("x_0.tlt");
    Pipe pipe;
    const pid_t child = fork();
    if (child == 0) {
      MustStart(At(path));
      // Says a number it has passed, from time to time, and dies somewhere behind the last.
      for (uint64_t i = 0;; ++i) {
        Record<EventKind::kUserEvent>(i);
        Record<EventKind::kTaskSite>(i, 1, "file.c", "text " + std::to_string(i % 1000));
        if (i % 1000 == 0) pipe.Send(i);
        if (i > 300'000) pause();
      }
    }
    // At different fillings of the chunk, in the first one and in those that are used again.
    uint64_t published = 0;
    for (int i = 0; i < 1 + round * 3; ++i) published = pipe.Receive();
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));

    const ReadBack back = ReadTlt(testing::FileBytes(path));
    ASSERT_TRUE(back.status.ok()) << back.status.message();
    EXPECT_GT(CountInOrder(back), published);
    EXPECT_EQ(back.diags.Count("tlt_not_closed"), 1u);
    EXPECT_FALSE(back.diags.HasDataLoss()) << back.diags.Summary();
    EXPECT_EQ(back.diags.Count("tlt_missing_text"), 0u);
  }
}

// The exact number: the last event before the end is in the file.
void ExpectAllEventsAfter(int signal, void (*end)()) {
  testing::TempFolder folder;
  const std::string path = folder.File("x_0.tlt");
  const int status = InChild([&] {
    ::signal(signal, SIG_DFL);  // sanitizers have handlers of their own
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    MustStart(At(path));
    for (uint64_t i = 0; i < 30'000; ++i) Record<EventKind::kUserEvent>(i);
    std::thread([] {
      for (uint64_t i = 0; i < 10; ++i) Record<EventKind::kMessage>("from a thread that ended");
    }).join();
    end();
  });
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(WTERMSIG(status), signal);
  const ReadBack back = ReadTlt(testing::FileBytes(path));
  EXPECT_EQ(CountInOrder(back), 30'000u);
  EXPECT_EQ(back.log.Lines(EventKind::kMessage).size(), 10u);
  EXPECT_EQ(back.diags.Count("tlt_not_closed"), 1u);
  EXPECT_FALSE(back.diags.HasDataLoss()) << back.diags.Summary();
}

TEST(Survival, TheLastEventBeforeASegmentationFaultIsThere) {
  ExpectAllEventsAfter(SIGSEGV, [] {
    volatile uintptr_t nowhere = 8;
    *reinterpret_cast<volatile int*>(nowhere) = 1;
  });
}

TEST(Survival, TheLastEventBeforeAbortIsThere) { ExpectAllEventsAfter(SIGABRT, &std::abort); }

TEST(Survival, ExitWithoutStopClosesTheTrace) {
  testing::TempFolder folder;
  const std::string path = folder.File("x_0.tlt");
  InChild([&] {
    MustStart(At(path));
    Record<EventKind::kUserEvent>(0);
    std::exit(0);
  });
  const ReadBack back = ReadTlt(testing::FileBytes(path));
  EXPECT_EQ(CountInOrder(back), 1u);
  EXPECT_EQ(back.diags.Summary(), "");
}

TEST(Survival, AFileIsReadWhileItIsWritten) {
  testing::TempFolder folder;
  MustStart(At(folder.File("x_0.tlt")));
  std::atomic<bool> stop{false};
  // How far the writer may go: a reader that is slower must not have ever more to read.
  std::atomic<uint64_t> allowed{0}, recorded{0};
  std::thread writer([&] {
    for (uint64_t i = 0; !stop;) {
      if (i == allowed) {
        sched_yield();
        continue;
      }
      Record<EventKind::kUserEvent>(i);
      if (i % 100 == 0) Record<EventKind::kMessage>("number " + std::to_string(i));
      recorded.store(++i, std::memory_order_release);
    }
  });
  uint64_t seen = 0;
  for (int round = 0; round < 12; ++round) {
    allowed += 10'000;
    while (recorded + 9'000 < allowed) sched_yield();
    const uint64_t before = recorded.load(std::memory_order_acquire);
    const ReadBack back = testing::ReadTltFile(Recorder::Path());
    ASSERT_TRUE(back.status.ok());
    seen = CountInOrder(back);
    EXPECT_GE(seen, before);
    EXPECT_FALSE(back.diags.HasDataLoss()) << back.diags.Summary();
  }
  stop = true;
  writer.join();
  EXPECT_GE(seen, 100'000u);
  Recorder::Stop();
  EXPECT_EQ(CountInOrder(ReadTlt(testing::FileBytes(Recorder::Path()))), recorded.load());
}

// --- fork --------------------------------------------------------------------------------------

TEST(Survival, AForkedChildDoesNotWriteIntoItsParentsTrace) {
  testing::TempFolder folder;
  const std::string path = folder.File("x_0.tlt");
  MustStart(At(path));
  for (uint64_t i = 0; i < 100; ++i) Record<EventKind::kUserEvent>(i);
  const int status = InChild([] {
    if (Recorder::Started()) std::_Exit(1);
    for (uint64_t i = 0; i < 100'000; ++i) Record<EventKind::kUserEvent>(7777);
    Recorder::Intern("a text of the child");
    Recorder::Pause(), Recorder::Resume(), Recorder::Stop();
    std::exit(0);
  });
  EXPECT_EQ(status, 0);
  for (uint64_t i = 100; i < 200; ++i) Record<EventKind::kUserEvent>(i);
  Recorder::Stop();
  const ReadBack back = ReadTlt(testing::FileBytes(path));
  EXPECT_EQ(CountInOrder(back), 200u);
  EXPECT_EQ(back.diags.Summary(), "");
}

TEST(Survival, AForkedChildMayRecordATraceOfItsOwn) {
  testing::TempFolder folder;
  const std::string path = folder.File("x_0.tlt");
  MustStart(At(path));
  Record<EventKind::kMessage>("before fork");
  Pipe pipe;
  const int status = InChild([&] {
    MustStart(At(path));  // the same name, as starpu_init() in the child would ask for
    for (uint64_t i = 0; i < 10; ++i) Record<EventKind::kUserEvent>(i);
    Record<EventKind::kMessage>("before fork");
    Recorder::Stop();
    pipe.Send(static_cast<uint64_t>(getpid()));
  });
  EXPECT_EQ(status, 0);
  Recorder::Stop();
  const std::string other = folder.File("x_0." + std::to_string(pipe.Receive()) + ".tlt");
  const ReadBack child = ReadTlt(testing::FileBytes(other));
  EXPECT_EQ(CountInOrder(child), 10u);
  EXPECT_EQ(child.log.Lines(EventKind::kMessage).size(), 1u);
  EXPECT_EQ(child.diags.Summary(), "");
  const ReadBack parent = ReadTlt(testing::FileBytes(path));
  EXPECT_EQ(CountInOrder(parent), 0u);
  EXPECT_EQ(parent.log.Lines(EventKind::kMessage).size(), 1u);
  EXPECT_EQ(parent.diags.Summary(), "");
}

TEST(Survival, ForkWhileOtherThreadsRecordLeavesBothSidesAlive) {
  testing::TempFolder folder;
  MustStart(At(folder.File("x_0.tlt")));
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> recorded{0};
  std::thread writer([&] {
    for (; !stop; ++recorded) {
      Record<EventKind::kUserEvent>(recorded.load());
      Record<EventKind::kMessage>("text " + std::to_string(recorded));
      if (recorded > 20'000) sched_yield();
    }
  });
  for (int i = 0; i < 10; ++i) {
    const int status = InChild([] {
      Record<EventKind::kUserEvent>(7777);
      Recorder::Intern("from the child");
    });
    EXPECT_EQ(status, 0);
  }
  stop = true;
  writer.join();
  Recorder::Stop();
  const ReadBack back = ReadTlt(testing::FileBytes(Recorder::Path()));
  EXPECT_EQ(CountInOrder(back), recorded.load());
  EXPECT_EQ(back.diags.Summary(), "");
}

// --- No room -----------------------------------------------------------------------------------

// Records until something was refused; then what the child and the file say.
void ExpectALossThatIsCounted(const std::string& path, const std::string& log, uint64_t events,
                              const std::string& reason) {
  const ReadBack back = ReadTlt(testing::FileBytes(path));
  ASSERT_TRUE(back.status.ok()) << back.status.message();
  const uint64_t kept = CountInOrder(back);
  const uint64_t dropped = back.diags.Count("tlt_dropped");
  EXPECT_GT(kept, 1000u);
  EXPECT_GT(dropped, 0u);
  EXPECT_EQ(kept + dropped, events);
  EXPECT_EQ(back.diags.Count("tlt_bad_chunk"), 0u) << back.diags.Summary();
  const std::string text = testing::FileBytes(log);
  EXPECT_EQ(text, "[tasklens] " + path + ": " + std::to_string(dropped) +
                      " events were lost: " + reason + "\n");
}

void RecordManyWithErrorsIn(const std::string& path, const std::string& log, uint64_t events) {
  if (std::freopen(log.c_str(), "w", stderr) == nullptr) std::_Exit(97);
  MustStart(At(path));
  for (uint64_t i = 0; i < events; ++i) Record<EventKind::kUserEvent>(i);
  Recorder::Stop();
  std::fflush(stderr);
}

TEST(Survival, ALimitOfTheFileSizeCostsEventsAndNothingElse) {
  testing::TempFolder folder;
  const std::string path = folder.File("x_0.tlt"), log = folder.File("log");
  constexpr uint64_t kEvents = 200'000;
  const int status = InChild([&] {
    const rlimit limit{600'000, 600'000};  // SIGXFSZ would end the process
    setrlimit(RLIMIT_FSIZE, &limit);
    RecordManyWithErrorsIn(path, log, kEvents);
  });
  EXPECT_EQ(status, 0);
  ExpectALossThatIsCounted(path, log, kEvents, "File too large");
}

// From here on this process may mount what no other sees; whether it could. A user who is not root
// is one in a name space of its own, where a file can only belong to a user that is mapped.
bool EnterOwnMounts() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (user == 0 && unshare(CLONE_NEWNS) == 0) return true;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  return geteuid() == 0;
}

// A file system that is really full: a small one in memory, in a name space of its own.
TEST(Survival, AFullDiskCostsEventsAndNothingElse) {
  testing::TempFolder folder;
  const std::string disk = folder.File("disk"), log = folder.File("log");
  std::filesystem::create_directory(disk);
  constexpr uint64_t kEvents = 200'000;
  constexpr int kCannotMount = 77;
  const int status = InChild([&] {
    if (!EnterOwnMounts()) std::_Exit(kCannotMount);
    mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=600k") != 0) std::_Exit(kCannotMount);
    RecordManyWithErrorsIn(disk + "/x_0.tlt", log, kEvents);
    // The disk is gone with this process: keep the trace.
    std::filesystem::copy_file(disk + "/x_0.tlt", folder.File("copy"));
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotMount)
    GTEST_SKIP() << "this user may not mount a file system to fill it";
  ASSERT_EQ(status, 0);
  const std::string text = testing::FileBytes(log);
  const ReadBack back = ReadTlt(testing::FileBytes(folder.File("copy")));
  const uint64_t dropped = back.diags.Count("tlt_dropped");
  EXPECT_GT(dropped, 0u);
  EXPECT_GT(CountInOrder(back), 10'000u);
  EXPECT_EQ(CountInOrder(back) + dropped, kEvents);
  EXPECT_EQ(text, "[tasklens] " + disk + "/x_0.tlt: " + std::to_string(dropped) +
                      " events were lost: No space left on device\n");
}

TEST(Survival, WhenThereIsRoomAgainRecordingGoesOn) {
  testing::TempFolder folder;
  const std::string path = folder.File("x_0.tlt");
  const int status = InChild([&] {
    const rlimit tight{300'000, RLIM_INFINITY}, wide{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &tight);
    MustStart(At(path));
    for (uint64_t i = 0; i < 50'000; ++i) Record<EventKind::kUserEvent>(i);
    if (internal::recorder_state.writer.dropped() == 0) std::_Exit(1);
    setrlimit(RLIMIT_FSIZE, &wide);
    // The recorder asks again after a while: until an event is no longer dropped.
    for (uint64_t before = 0, now = 1; before != now;) {
      before = internal::recorder_state.writer.dropped();
      Record<EventKind::kMessage>("is there room?");
      now = internal::recorder_state.writer.dropped();
    }
    for (uint64_t i = 0; i < 100; ++i) Record<EventKind::kThreadMessage>("after");
    if (std::freopen("/dev/null", "w", stderr) == nullptr) std::_Exit(97);
    Recorder::Stop();
  });
  EXPECT_EQ(status, 0);
  const ReadBack back = ReadTlt(testing::FileBytes(path));
  EXPECT_EQ(back.log.Lines(EventKind::kThreadMessage).size(), 100u);
  EXPECT_GT(back.diags.Count("tlt_dropped"), 0u);
  EXPECT_EQ(back.diags.Count("tlt_bad_record"), 0u) << back.diags.Summary();
}

TEST(Survival, WithoutRoomForTheHeaderThereIsNoTraceAndAReason) {
  testing::TempFolder folder;
  const std::string path = folder.File("x_0.tlt");
  const int status = InChild([&] {
    const rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Status started = Recorder::Start(At(path));
    if (started.message() != path + ": cannot create the trace: File too large") std::_Exit(1);
    Record<EventKind::kUserEvent>(1);
    Recorder::Stop();
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Survival, NoFileOfAFailedStartIsLeftBehind) {
  testing::TempFolder folder;
  std::filesystem::create_directory(folder.File("x_0.tlt"));
  EXPECT_FALSE(Recorder::Start(At(folder.File("x_0.tlt"))).ok());
  size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
    ++entries;
  EXPECT_EQ(entries, 1u);
}

}  // namespace
}  // namespace tasklens
