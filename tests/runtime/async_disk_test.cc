// SPDX-License-Identifier: Apache-2.0
// Disks that read and write beside the tasks: a back end of the test's own, which does what it was
// asked when the test says so, and the folders.
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/on_disk.h"
#include "tests/runtime/started.h"

namespace tasklens {
namespace {

using namespace testing::on_disk;  // NOLINT: what these tests are about

// What the back end was asked for. One disk at a time.
struct Back {
  struct Request {
    void* to;
    const void* from;
    size_t bytes;
  };
  std::mutex lock;
  std::set<Request*> open;
  bool holds = false;    // requests are not done, and nobody should wait for one
  bool refuses = false;  // it takes none
  int reads = 0, writes = 0, copies = 0, freed = 0, at_once = 0, waits_while_held = 0;

  void* Take(int& count, void* to, const void* from, size_t bytes) {
    const std::lock_guard guard(lock);
    if (refuses) return nullptr;
    ++count;
    auto* request = new Request{to, from, bytes};
    open.insert(request);
    return request;
  }
  void Do(Request* request) {
    if (open.erase(request)) memcpy(request->to, request->from, request->bytes);
  }
};
Back* back = nullptr;

const starpu_disk_ops kOps = [] {
  starpu_disk_ops ops = MemoryDisk();
  ops.read = [](void*, void* object, void* buffer, off_t offset, size_t bytes) {
    ++back->at_once;
    memcpy(buffer, At(object, offset), bytes);
    return static_cast<int>(bytes);
  };
  ops.write = [](void*, void* object, const void* buffer, off_t offset, size_t bytes) {
    ++back->at_once;
    memcpy(At(object, offset), buffer, bytes);
    return 0;
  };
  ops.async_write = [](void*, void* object, void* buffer, off_t offset, size_t bytes) {
    return back->Take(back->writes, At(object, offset), buffer, bytes);
  };
  ops.async_read = [](void*, void* object, void* buffer, off_t offset, size_t bytes) {
    return back->Take(back->reads, buffer, At(object, offset), bytes);
  };
  ops.copy = [](void*, void* from, off_t from_offset, void*, void* to, off_t to_offset,
                size_t bytes) {
    return back->Take(back->copies, At(to, to_offset), At(from, from_offset), bytes);
  };
  ops.wait_request = [](void* request) {
    const std::lock_guard guard(back->lock);
    if (back->holds) ++back->waits_while_held;
    back->Do(static_cast<Back::Request*>(request));
  };
  ops.test_request = [](void* request) {
    const std::lock_guard guard(back->lock);
    if (!back->holds) back->Do(static_cast<Back::Request*>(request));
    return static_cast<int>(!back->open.contains(static_cast<Back::Request*>(request)));
  };
  ops.free_request = [](void* request) {
    const std::lock_guard guard(back->lock);
    ++back->freed;
    EXPECT_FALSE(back->open.contains(static_cast<Back::Request*>(request)));
    delete static_cast<Back::Request*>(request);
  };
  return ops;
}();

starpu_data_handle_t NewVector(uint64_t first) {
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, -1, 0, kWords, sizeof(uint64_t));
  EXPECT_EQ(0,
            starpu_task_insert(Fill(), STARPU_W, handle, STARPU_VALUE, &first, sizeof(first), 0));
  return handle;
}
// As starpu_data_query_status2() tells. What is requested is being loaded.
std::string StatusOf(starpu_data_handle_t handle, unsigned node) {
  int allocated = -1, valid = -1, loading = -1, requested = -1, of_old = -1;
  starpu_data_query_status2(handle, static_cast<int>(node), &allocated, &valid, &loading,
                            &requested);
  starpu_data_query_status(handle, static_cast<int>(node), nullptr, nullptr, &of_old);
  EXPECT_EQ(requested, loading);
  EXPECT_EQ(requested, of_old);
  std::string text;
  const auto add = [&](int is_so, const char* word) {
    if (is_so) text += text.empty() ? word : std::string(", ") + word;
  };
  add(allocated, "allocated");
  add(valid, "valid");
  add(requested, "requested");
  return text;
}
class AsyncDisk : public ::testing::Test {
 protected:
  AsyncDisk() {
    back = &back_;
    setenv("STARPU_LIMIT_CPU_MEM", "4", 1);
    started_ = std::make_unique<Started>(2);
    unsetenv("STARPU_LIMIT_CPU_MEM");
    ops_ = kOps;
    node_ = static_cast<unsigned>(starpu_disk_register(&ops_, &back_, -1));
    EXPECT_EQ(1u, node_);
  }
  ~AsyncDisk() override {
    started_.reset();
    EXPECT_EQ(back_.reads + back_.writes + back_.copies, back_.freed) << "each once";
    EXPECT_TRUE(back_.open.empty());
  }
  // A value that only the disk has.
  starpu_data_handle_t OnDisk(uint64_t first) {
    starpu_data_handle_t handle = NewVector(first);
    EXPECT_EQ(0, starpu_task_wait_for_all());
    EXPECT_EQ(0, starpu_data_evict_from_node(handle, STARPU_MAIN_RAM));
    EXPECT_FALSE(starpu_data_is_on_node(handle, STARPU_MAIN_RAM));
    return handle;
  }

  Back back_;
  starpu_disk_ops ops_;
  std::unique_ptr<Started> started_;
  unsigned node_ = 0;
};

TEST_F(AsyncDisk, PrefetchesWhileTasksRun) {
  starpu_data_handle_t handle = OnDisk(7), other = NewVector(3);
  back_.holds = true;
  ASSERT_EQ(0, starpu_data_prefetch_on_node(handle, STARPU_MAIN_RAM, 1));
  for (int i = 0; i < 10; ++i) ASSERT_EQ(0, starpu_task_insert(Increment(), STARPU_RW, other, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(1, back_.reads);
  EXPECT_FALSE(starpu_data_is_on_node(handle, STARPU_MAIN_RAM)) << "the disk is at it";
  EXPECT_EQ("allocated, requested", StatusOf(handle, STARPU_MAIN_RAM));
  EXPECT_EQ("allocated, valid", StatusOf(handle, node_));
  EXPECT_EQ(0, back_.waits_while_held);
  // Another prefetch asks for nothing more.
  ASSERT_EQ(0, starpu_data_prefetch_on_node(handle, STARPU_MAIN_RAM, 1));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(1, back_.reads);
  {
    const std::lock_guard guard(back_.lock);
    back_.holds = false;
  }
  while (!starpu_data_is_on_node(handle, STARPU_MAIN_RAM)) {
  }
  EXPECT_EQ("allocated, valid", StatusOf(handle, STARPU_MAIN_RAM));
  ExpectCountsFrom(7, handle);
  ExpectCountsFrom(13, other);
  EXPECT_EQ(1, back_.reads);
  starpu_data_unregister(handle);
  starpu_data_unregister(other);
}

TEST_F(AsyncDisk, IsWaitedForByWhoNeedsTheValue) {
  starpu_data_handle_t handle = OnDisk(7);
  back_.holds = true;
  ASSERT_EQ(0, starpu_data_prefetch_on_node(handle, STARPU_MAIN_RAM, 1));
  ASSERT_EQ(0, starpu_task_insert(Increment(), STARPU_RW, handle, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(1, back_.waits_while_held);
  back_.holds = false;
  ExpectCountsFrom(8, handle);
  EXPECT_FALSE(starpu_data_is_on_node(handle, node_)) << "that is the value before";
  starpu_data_unregister(handle);
}

TEST_F(AsyncDisk, IsReadFromWhileItIsWritten) {
  starpu_data_handle_t handle = NewVector(5);
  ASSERT_EQ(0, starpu_task_wait_for_all());
  back_.holds = true;
  ASSERT_EQ(0, starpu_data_prefetch_on_node(handle, node_, 1));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(1, back_.writes);
  ExpectCountsFrom(5, handle);
  EXPECT_FALSE(starpu_data_is_on_node(handle, node_));
  EXPECT_EQ("requested", StatusOf(handle, node_));
  EXPECT_EQ("allocated, valid", StatusOf(handle, STARPU_MAIN_RAM));
  EXPECT_EQ(0, back_.waits_while_held) << "a reader needs not wait";
  // A writer does, and what the disk has then is of no use.
  ASSERT_EQ(0, starpu_task_insert(Increment(), STARPU_RW, handle, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(1, back_.waits_while_held);
  back_.holds = false;
  EXPECT_FALSE(starpu_data_is_on_node(handle, node_));
  ExpectCountsFrom(6, handle);
  starpu_data_unregister(handle);
}

TEST_F(AsyncDisk, IsWrittenAheadOfWhatNeedsTheMemory) {
  std::vector<starpu_data_handle_t> handles;
  for (uint64_t i = 0; i < 4; ++i) handles.push_back(NewVector(i));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(0, back_.writes) << "there is room yet";
  handles.push_back(NewVector(4));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(1, back_.writes) << "one had to go, the next one is written";
  // (An idle worker ends that; who wants room meanwhile does not wait for it, and takes another.)
  const auto are_on_disk = [&] {
    return std::count_if(handles.begin(), handles.end(), [&](starpu_data_handle_t handle) {
      return starpu_data_is_on_node(handle, node_) != 0;
    });
  };
  while (are_on_disk() < 2) std::this_thread::yield();
  const int at_once = back_.at_once;
  handles.push_back(NewVector(5));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(at_once, back_.at_once) << "its room is there";
  EXPECT_EQ(2, back_.writes);
  for (uint64_t i = 0; i < handles.size(); ++i) {
    ExpectCountsFrom(i, handles[i]);
    starpu_data_unregister(handles[i]);
  }
}

TEST_F(AsyncDisk, IsWrittenWhenDataAreSaidToBeOfNoUse) {
  starpu_data_handle_t handle = NewVector(5);
  ASSERT_EQ(0, starpu_task_wait_for_all());
  starpu_data_wont_use(handle);
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(1, back_.writes);
  EXPECT_TRUE(starpu_data_is_on_node(handle, STARPU_MAIN_RAM));
  EXPECT_EQ(0, starpu_data_evict_from_node(handle, STARPU_MAIN_RAM));
  EXPECT_EQ(0, back_.at_once);
  ExpectCountsFrom(5, handle);
  starpu_data_unregister(handle);
}

TEST_F(AsyncDisk, ThatTakesNoRequestIsReadAndWrittenAtOnce) {
  back_.refuses = true;
  starpu_data_handle_t handle = NewVector(5);
  ASSERT_EQ(0, starpu_task_wait_for_all());
  ASSERT_EQ(0, starpu_data_prefetch_on_node(handle, node_, 1));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_TRUE(starpu_data_is_on_node(handle, node_));
  EXPECT_EQ(0, starpu_data_evict_from_node(handle, STARPU_MAIN_RAM));
  ASSERT_EQ(0, starpu_data_prefetch_on_node(handle, STARPU_MAIN_RAM, 0));
  EXPECT_TRUE(starpu_data_is_on_node(handle, STARPU_MAIN_RAM));
  EXPECT_EQ(2, back_.at_once);
  ExpectCountsFrom(5, handle);
  starpu_data_unregister(handle);
}

TEST_F(AsyncDisk, MayEndWithSomethingUnderWay) {
  starpu_data_handle_t handle = OnDisk(5), written = NewVector(6);
  ASSERT_EQ(0, starpu_task_wait_for_all());
  back_.holds = true;
  ASSERT_EQ(0, starpu_data_prefetch_on_node(handle, STARPU_MAIN_RAM, 1));
  ASSERT_EQ(0, starpu_data_prefetch_on_node(written, node_, 1));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  starpu_data_unregister(handle);
  EXPECT_EQ(1, back_.waits_while_held);
  started_.reset();  // the other one is still registered
  EXPECT_EQ(2, back_.waits_while_held);
}

TEST_F(AsyncDisk, CopiesToAnotherOfItsKind) {
  const int second = starpu_disk_register(&ops_, &back_, -1);
  ASSERT_EQ(2, second);
  starpu_data_handle_t handle = OnDisk(5);
  ASSERT_EQ(0, starpu_data_prefetch_on_node(handle, static_cast<unsigned>(second), 0));
  EXPECT_EQ(1, back_.copies);
  EXPECT_TRUE(starpu_data_is_on_node(handle, static_cast<unsigned>(second)));
  EXPECT_FALSE(starpu_data_is_on_node(handle, STARPU_MAIN_RAM));
  ExpectCountsFrom(5, handle);
  starpu_data_unregister(handle);
}

// A folder of the test's own.
class FolderDisk : public ::testing::TestWithParam<starpu_disk_ops*> {
 protected:
  unsigned Register() {
    const int node = starpu_disk_register(GetParam(), folder_.path(), -1);
    EXPECT_EQ(1, node);
    return 1;
  }
  Folder folder_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, FolderDisk,
                         ::testing::Values(&starpu_disk_unistd_ops,
                                           &starpu_disk_unistd_o_direct_ops));

TEST_P(FolderDisk, WritesAndReadsBesideTheTasks) {
  setenv("STARPU_LIMIT_CPU_MEM", "4", 1);
  Started started(2);
  unsetenv("STARPU_LIMIT_CPU_MEM");
  const unsigned node = Register();
  std::vector<starpu_data_handle_t> handles;
  for (uint64_t i = 0; i < 20; ++i) handles.push_back(NewVector(i * 100));
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < handles.size(); ++i) {
      ASSERT_EQ(
          0, starpu_data_prefetch_on_node(handles[(i + 1) % handles.size()], STARPU_MAIN_RAM, 1));
      ASSERT_EQ(0, starpu_task_insert(Increment(), STARPU_RW, handles[i], 0));
      if (i % 3 == 0) starpu_data_wont_use(handles[i]);
    }
  }
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_LE(starpu_memory_get_used(STARPU_MAIN_RAM), 4 * kMebibyte);
  for (size_t i = 0; i < handles.size(); ++i) {
    ExpectCountsFrom(i * 100 + 3, handles[i]);
    starpu_data_unregister(handles[i]);
  }
  EXPECT_EQ(0u, starpu_memory_get_used(STARPU_MAIN_RAM));
  EXPECT_EQ(0u, starpu_memory_get_used(node));
}

TEST_P(FolderDisk, KeepsTheValueInMemoryWhenItCannotBeWritten) {
  Started started(1);
  const unsigned node = Register();
  starpu_data_handle_t handle = NewVector(5);
  ASSERT_EQ(0, starpu_task_wait_for_all());
  rlimit before;
  ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &before));
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit little = {4096, before.rlim_max};
  ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &little));
  EXPECT_EQ(0, starpu_data_prefetch_on_node(handle, node, 0));
  EXPECT_FALSE(starpu_data_is_on_node(handle, node));
  EXPECT_EQ(-1, starpu_data_evict_from_node(handle, STARPU_MAIN_RAM));
  ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &before));
  signal(SIGXFSZ, handler);
  ExpectCountsFrom(5, handle);
  EXPECT_EQ(0, starpu_data_evict_from_node(handle, STARPU_MAIN_RAM));
  ExpectCountsFrom(5, handle);
  starpu_data_unregister(handle);
}

// Packed interfaces go as one piece.
TEST_P(FolderDisk, TakesPackedDataToo) {
  Started started(1);
  const unsigned node = Register();
  // A matrix in compressed rows has three arrays of its own.
  std::vector<double> values = {1, 2, 3, 4, 5};
  std::vector<uint32_t> columns = {0, 1, 2, 0, 3}, rows = {0, 2, 3, 5};
  starpu_data_handle_t handle;
  starpu_csr_data_register(&handle, STARPU_MAIN_RAM, 5, 3,
                           reinterpret_cast<uintptr_t>(values.data()), columns.data(), rows.data(),
                           0, sizeof(double));
  ASSERT_EQ(0, starpu_data_acquire_on_node(handle, static_cast<int>(node), STARPU_RW));
  starpu_data_release_on_node(handle, static_cast<int>(node));
  std::fill(values.begin(), values.end(), 0);
  ASSERT_EQ(0, starpu_data_prefetch_on_node(handle, STARPU_MAIN_RAM, 1));
  starpu_data_unregister(handle);
  EXPECT_EQ((std::vector<double>{1, 2, 3, 4, 5}), values);
}

}  // namespace
}  // namespace tasklens
