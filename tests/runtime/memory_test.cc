// SPDX-License-Identifier: Apache-2.0
// STARPU_LIMIT_CPU_MEM: what counts, and what there is without room.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <thread>

#include "tests/runtime/on_disk.h"
#include "tests/runtime/started.h"

namespace tasklens {
namespace {

struct MemoryLimit {
  MemoryLimit() {
    setenv("STARPU_LIMIT_CPU_MEM", "10", 1);
    starpu_conf conf;
    starpu_conf_init(&conf);
    EXPECT_EQ(0, starpu_init(&conf));
  }
  ~MemoryLimit() {
    starpu_shutdown();
    unsetenv("STARPU_LIMIT_CPU_MEM");
  }
};
using testing::on_disk::kMebibyte;

TEST(MemoryLimits, AreOfWhatIsCounted) {
  MemoryLimit limit;
  EXPECT_EQ(static_cast<starpu_ssize_t>(10 * kMebibyte), starpu_memory_get_total(STARPU_MAIN_RAM));
  void *counted, *other;
  EXPECT_EQ(0, starpu_malloc_flags(&counted, 8 * kMebibyte, STARPU_MALLOC_COUNT));
  EXPECT_EQ(static_cast<starpu_ssize_t>(2 * kMebibyte), starpu_memory_get_available_all_nodes());
  EXPECT_EQ(8 * kMebibyte, starpu_memory_get_used(STARPU_MAIN_RAM));
  EXPECT_EQ(-ENOMEM, starpu_malloc_flags(&other, 3 * kMebibyte, STARPU_MALLOC_COUNT));
  EXPECT_EQ(nullptr, other);
  EXPECT_EQ(0u, starpu_malloc_on_node(STARPU_MAIN_RAM, 3 * kMebibyte));
  EXPECT_EQ(-ENOMEM, starpu_memory_allocate(STARPU_MAIN_RAM, 3 * kMebibyte, 0));
  EXPECT_EQ(0, starpu_malloc(&other, 3 * kMebibyte));  // not counted
  EXPECT_EQ(0, starpu_free_noflag(other, 3 * kMebibyte));
  EXPECT_EQ(
      0, starpu_malloc_flags(&other, 3 * kMebibyte, STARPU_MALLOC_COUNT | STARPU_MEMORY_OVERFLOW));
  EXPECT_EQ(0, starpu_memory_get_available(STARPU_MAIN_RAM));
  EXPECT_EQ(0, starpu_free_flags(other, 3 * kMebibyte, STARPU_MALLOC_COUNT));
  EXPECT_EQ(0, starpu_free_flags(counted, 8 * kMebibyte, STARPU_MALLOC_COUNT));
  EXPECT_EQ(0u, starpu_memory_get_used_all_nodes());
}

TEST(MemoryLimits, AreWaitedFor) {
  MemoryLimit limit;
  EXPECT_EQ(0, starpu_memory_allocate(STARPU_MAIN_RAM, 8 * kMebibyte, 0));
  std::thread other([] {
    EXPECT_EQ(0, starpu_memory_allocate(STARPU_MAIN_RAM, 8 * kMebibyte, STARPU_MEMORY_WAIT));
    starpu_memory_deallocate(STARPU_MAIN_RAM, 8 * kMebibyte);
  });
  starpu_memory_deallocate(STARPU_MAIN_RAM, 8 * kMebibyte);
  other.join();
  starpu_memory_wait_available(STARPU_MAIN_RAM, 10 * kMebibyte);
  EXPECT_EQ(-ENOMEM, starpu_memory_allocate(STARPU_MAIN_RAM, 11 * kMebibyte, STARPU_MEMORY_WAIT));
}

TEST(MemoryLimits, AreNotThereWithoutTheVariable) {
  Started started(1);
  EXPECT_EQ(-1, starpu_memory_get_total(STARPU_MAIN_RAM));
  EXPECT_EQ(-1, starpu_memory_get_available_all_nodes());
  starpu_memory_wait_available(STARPU_MAIN_RAM, kMebibyte);
}

// --- Who waits for room
// ---------------------------------------------------------------------------

// Four mebibytes, of which a task that has begun needs three when others have three, and two
// workers. What the other one does waits for Await(), which gives the first one time to find that
// there is no room. (The outcome is the same without that time.)
class RoomTest : public ::testing::Test {
 protected:
  RoomTest() {
    setenv("STARPU_LIMIT_CPU_MEM", "4", 1);
    started_ = std::make_unique<Started>(2);
    unsetenv("STARPU_LIMIT_CPU_MEM");
    has_begun = 0;
  }
  static void Await(int begun) {
    while (has_begun < begun) std::this_thread::yield();
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  }
  static starpu_data_handle_t NewData(size_t mebibytes) {
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, -1, 0, static_cast<uint32_t>(mebibytes * kMebibyte / 8),
                                sizeof(uint64_t));
    return handle;
  }
  static void Write(starpu_data_handle_t handle, bool is_waited_for = false,
                    void (*callback)(void*) = nullptr) {
    static const uint64_t first = 7;
    EXPECT_EQ(0, starpu_task_insert(testing::on_disk::Fill(), STARPU_W, handle, STARPU_VALUE,
                                    &first, sizeof(first), STARPU_TASK_SYNCHRONOUS,
                                    static_cast<int>(is_waited_for), STARPU_PROLOGUE_CALLBACK_POP,
                                    &Begin, STARPU_CALLBACK_WITH_ARG_NFREE, callback, handle, 0));
  }
  static void Begin(void*) { ++has_begun; }
  // Returns when the callback has begun that forgets the data, when another task has.
  static void WriteAndForget(starpu_data_handle_t handle) {
    static std::atomic<bool> ends;
    ends = false;
    Write(handle, /*is_waited_for=*/false, [](void* of) {
      ends = true;
      Await(2);
      starpu_data_unregister_submit(static_cast<starpu_data_handle_t>(of));
    });
    while (!ends) std::this_thread::yield();
  }

  static std::atomic<int> has_begun;  // tasks
  std::unique_ptr<Started> started_;
};
std::atomic<int> RoomTest::has_begun;

TEST_F(RoomTest, IsWaitedForWhileACallbackMayMakeIt) {
  starpu_data_handle_t first = NewData(3), second = NewData(3);
  WriteAndForget(first);
  Write(second);
  EXPECT_EQ(0, starpu_task_wait_for_all());
  starpu_data_unregister(second);
}

TEST_F(RoomTest, IsWaitedForWithoutHoldingUpWhoMakesIt) {
  // Memory of data is waited for where it is taken, says the program.
  starpu_malloc_on_node_set_default_flags(
      STARPU_MAIN_RAM, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT | STARPU_MEMORY_WAIT);
  starpu_data_handle_t first = NewData(3), second = NewData(3);
  WriteAndForget(first);
  Write(second);
  EXPECT_EQ(0, starpu_task_wait_for_all());
  starpu_malloc_on_node_set_default_flags(STARPU_MAIN_RAM,
                                          STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT);
  starpu_data_unregister(second);
}

TEST_F(RoomTest, IsThereForTheProgramWhenDataMayGo) {
  testing::on_disk::Folder folder;
  ASSERT_EQ(1, starpu_disk_register(&starpu_disk_unistd_ops, folder.path(), -1));
  starpu_data_handle_t handle = NewData(3);
  Write(handle, /*is_waited_for=*/true);
  static starpu_codelet use =
      testing::on_disk::MakeCodelet([](void**, void*) { Await(2); }, {STARPU_R});
  EXPECT_EQ(0, starpu_task_insert(&use, STARPU_R, handle, 0));
  std::thread other([] {
    Begin(nullptr);
    void* memory;
    EXPECT_EQ(
        0, starpu_malloc_flags(&memory, 3 * kMebibyte, STARPU_MALLOC_COUNT | STARPU_MEMORY_WAIT));
    EXPECT_EQ(0, starpu_free_flags(memory, 3 * kMebibyte, STARPU_MALLOC_COUNT));
  });
  other.join();
  testing::on_disk::ExpectCountsFrom(7, handle);
  starpu_data_unregister(handle);
  started_.reset();  // the folder is a disk until then
}

// What is given up at the very moment in which somebody finds that nobody has anything.
TEST_F(RoomTest, IsThereAsSoonAsTheProgramReleasesIt) {
  testing::on_disk::Folder folder;
  ASSERT_EQ(1, starpu_disk_register(&starpu_disk_unistd_ops, folder.path(), -1));
  starpu_data_handle_t held = NewData(3), wanted = NewData(3);
  for (int round = 0; round < 300; ++round) {
    ASSERT_EQ(0, starpu_data_acquire(held, STARPU_W));
    Write(wanted);
    starpu_data_release(held);
  }
  starpu_task_wait_for_all();
  starpu_data_unregister(held);
  starpu_data_unregister(wanted);
  started_.reset();  // the folder is a disk until then
}

// The disk of a folder, and how many objects it has.
std::atomic<int> objects;
starpu_disk_ops CountingDisk() {
  starpu_disk_ops ops = starpu_disk_unistd_ops;
  ops.alloc = [](void* base, size_t bytes) {
    ++objects;
    return starpu_disk_unistd_ops.alloc(base, bytes);
  };
  ops.free = [](void* base, void* object, size_t bytes) {
    --objects;
    starpu_disk_unistd_ops.free(base, object, bytes);
  };
  return ops;
}

// A worker that makes room finds data that the program forgets at this moment.
TEST_F(RoomTest, IsNotMadeByWritingWhatIsForgotten) {
  testing::on_disk::Folder folder;
  starpu_disk_ops ops = CountingDisk();
  ASSERT_EQ(1, starpu_disk_register(&ops, folder.path(), -1));
  objects = 0;
  const starpu_data_handle_t wanted[] = {NewData(2), NewData(2)};
  for (int round = 0; round < 300; ++round) {
    starpu_data_handle_t forgotten[64];
    for (starpu_data_handle_t& handle : forgotten) {
      starpu_vector_data_register(&handle, -1, 0, 4096, sizeof(uint64_t));
      Write(handle);
    }
    starpu_task_wait_for_all();
    for (starpu_data_handle_t handle : wanted) Write(handle);
    for (starpu_data_handle_t handle : forgotten) starpu_data_unregister(handle);
  }
  for (starpu_data_handle_t handle : wanted) starpu_data_unregister(handle);
  EXPECT_EQ(0, objects);
  started_.reset();  // the folder is a disk until then
}

using RoomDeathTest = RoomTest;
TEST_F(RoomDeathTest, IsMissedWhenTheLastTaskHasEndedThatMightHaveMadeIt) {
  started_.reset();
  EXPECT_DEATH(
      {
        setenv("STARPU_LIMIT_CPU_MEM", "4", 1);
        const Started started(2);
        starpu_data_handle_t first = NewData(3);
        Write(first, /*is_waited_for=*/true);
        static starpu_codelet works =
            testing::on_disk::MakeCodelet([](void**, void*) { Await(3); }, {});
        has_begun = 1;
        EXPECT_EQ(0, starpu_task_insert(&works, STARPU_PROLOGUE_CALLBACK_POP, &Begin, 0));
        Write(NewData(3));
        starpu_task_wait_for_all();
      },
      "no memory for handle");
}

TEST_F(RoomDeathTest, IsMissedWhenAllWorkersWaitForIt) {
  started_.reset();
  EXPECT_DEATH(
      {
        setenv("STARPU_LIMIT_CPU_MEM", "4", 1);
        const Started started(2);
        starpu_data_handle_t first = NewData(3);
        Write(first, /*is_waited_for=*/true);
        Write(NewData(3));
        Write(NewData(3));
        starpu_task_wait_for_all();
      },
      "no memory for handle");
}

}  // namespace
}  // namespace tasklens
