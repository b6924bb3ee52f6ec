// SPDX-License-Identifier: Apache-2.0
// A disk that is at something holds up nobody but those who need that: one of the test's own, which
// goes on when the test says so.
#include "tests/runtime/slow_disk.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/on_disk.h"
#include "tests/runtime/started.h"

namespace tasklens {
namespace {

using namespace testing::on_disk;  // NOLINT: what these tests are about

// Requests are carried out when they are waited for.
struct Request {
  void* to;
  const void* from;
  size_t bytes;
  bool is_done = false;
};

starpu_disk_ops Asked() {
  starpu_disk_ops ops = kSlowDisk;
  ops.async_write = [](void*, void* object, void* buffer, off_t offset, size_t bytes) -> void* {
    return new Request{At(object, offset), buffer, bytes};
  };
  ops.async_read = [](void*, void* object, void* buffer, off_t offset, size_t bytes) -> void* {
    return new Request{buffer, At(object, offset), bytes};
  };
  ops.wait_request = [](void* of) {
    auto* const request = static_cast<Request*>(of);
    gate->Pass();
    memcpy(request->to, request->from, request->bytes);
    request->is_done = true;
  };
  ops.test_request = [](void* request) -> int { return static_cast<Request*>(request)->is_done; };
  ops.free_request = [](void* request) { delete static_cast<Request*>(request); };
  return ops;
}

starpu_data_handle_t NewVector(uint64_t first) {
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, -1, 0, kWords, sizeof(uint64_t));
  EXPECT_EQ(0, starpu_task_insert(Fill(), STARPU_W, handle, STARPU_VALUE, &first, sizeof(first),
                                  STARPU_TASK_SYNCHRONOUS, 1, 0));
  return handle;
}
void Increase(starpu_data_handle_t handle) {
  EXPECT_EQ(0, starpu_task_insert(Increment(), STARPU_RW, handle, STARPU_TASK_SYNCHRONOUS, 1, 0));
}

// What needs the disk, done by a thread of its own or, for it, by a worker. The first of the values
// is 5 before, and 5 or 6 after.
struct Need {
  const char* name;
  bool is_on_disk;                                          // before
  void (*act)(starpu_data_handle_t handle, unsigned node);  // the next one is a disk, too
  uint64_t first_after;
};
const Need kNeeds[] = {
    {"Task", true, [](starpu_data_handle_t handle, unsigned) { Increase(handle); }, 6},
    {"Acquire", true,
     [](starpu_data_handle_t handle, unsigned) {
       EXPECT_EQ(0, starpu_data_acquire(handle, STARPU_R));
       starpu_data_release(handle);
     },
     5},
    {"Fetch", true,
     [](starpu_data_handle_t handle, unsigned) {
       EXPECT_EQ(0, starpu_data_fetch_on_node(handle, STARPU_MAIN_RAM, 0));
     },
     5},
    {"Allocation", false,
     [](starpu_data_handle_t, unsigned) { starpu_data_unregister(NewVector(3)); }, 5},
    {"Malloc", false,
     [](starpu_data_handle_t, unsigned) {
       void* memory;
       EXPECT_EQ(0, starpu_malloc_flags(&memory, kMebibyte, STARPU_MALLOC_COUNT));
       starpu_free_flags(memory, kMebibyte, STARPU_MALLOC_COUNT);
     },
     5},
    {"Eviction", false,
     [](starpu_data_handle_t handle, unsigned) {
       EXPECT_EQ(0, starpu_data_evict_from_node(handle, STARPU_MAIN_RAM));
     },
     5},
    {"AcquireOnIt", false,
     [](starpu_data_handle_t handle, unsigned node) {
       EXPECT_EQ(0, starpu_data_acquire_on_node(handle, static_cast<int>(node), STARPU_RW));
       starpu_data_release_on_node(handle, static_cast<int>(node));
     },
     5},
    {"FetchToAnother", true,
     [](starpu_data_handle_t handle, unsigned node) {
       EXPECT_EQ(0, starpu_data_fetch_on_node(handle, node + 1, 0));
     },
     5},
    {"AcquireOnAnother", true,
     [](starpu_data_handle_t handle, unsigned node) {
       const int other = static_cast<int>(node) + 1;
       EXPECT_EQ(0, starpu_data_acquire_on_node(handle, other, STARPU_RW));
       starpu_data_release_on_node(handle, other);
     },
     5},
    {"FetchToIt", false,
     [](starpu_data_handle_t handle, unsigned node) {
       EXPECT_EQ(0, starpu_data_fetch_on_node(handle, node, 0));
     },
     5},
};

enum class Kind { kAtOnce, kAsked };

class SlowDisk : public ::testing::TestWithParam<std::tuple<Need, Kind>> {
 protected:
  SlowDisk() : ops_(std::get<1>(GetParam()) == Kind::kAtOnce ? kSlowDisk : Asked()) {
    gate = &gate_;
    setenv("STARPU_LIMIT_CPU_MEM", "4", 1);
    started_ = std::make_unique<Started>(2);
    unsetenv("STARPU_LIMIT_CPU_MEM");
    node_ = static_cast<unsigned>(starpu_disk_register(&ops_, this, -1));
    EXPECT_EQ(static_cast<int>(node_) + 1, starpu_disk_register(&ops_, this, -1));
  }
  Gate gate_;
  starpu_disk_ops ops_;
  std::unique_ptr<Started> started_;
  unsigned node_;
};

TEST_P(SlowDisk, HoldsUpNobodyElse) {
  const Need& need = std::get<0>(GetParam());
  starpu_data_handle_t handle = NewVector(5), on_disk = NewVector(10), shared = NewVector(20);
  // Who writes what both have must see to it that the disk's is of no use.
  EXPECT_EQ(0, starpu_data_fetch_on_node(shared, node_, 0));
  EXPECT_EQ(0, starpu_data_evict_from_node(on_disk, STARPU_MAIN_RAM));
  starpu_data_handle_t more = NewVector(30), of_no_use = NewVector(40);
  if (need.is_on_disk) {
    EXPECT_EQ(0, starpu_data_evict_from_node(handle, STARPU_MAIN_RAM));
    starpu_data_unregister(of_no_use);
  }
  gate_.Close();
  std::thread other([&] { need.act(handle, node_); });
  gate_.AwaitSomebody();

  Increase(shared);
  if (!need.is_on_disk) starpu_data_unregister(of_no_use);
  Increase(on_disk);
  Increase(more);
  EXPECT_TRUE(starpu_data_is_on_node(on_disk, STARPU_MAIN_RAM));

  gate_.Open();
  other.join();
  ExpectCountsFrom(need.first_after, handle);
  ExpectCountsFrom(11, on_disk);
  ExpectCountsFrom(21, shared);
  ExpectCountsFrom(31, more);
  for (starpu_data_handle_t each : {handle, on_disk, shared, more}) starpu_data_unregister(each);
  EXPECT_EQ(0u, starpu_memory_get_used(STARPU_MAIN_RAM));
  for (const unsigned node : {node_, node_ + 1}) EXPECT_EQ(0u, starpu_memory_get_used(node));
}

INSTANTIATE_TEST_SUITE_P(Needs, SlowDisk,
                         ::testing::Combine(::testing::ValuesIn(kNeeds),
                                            ::testing::Values(Kind::kAtOnce, Kind::kAsked)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (std::get<1>(info.param) == Kind::kAtOnce ? "AtOnce" : "Asked");
                         });

// The same for a task that had to wait until others had ended.
TEST(SlowEviction, HoldsUpNobodyElseWhenItWasWaitedFor) {
  Gate of_this;
  gate = &of_this;
  starpu_disk_ops ops = kSlowDisk;
  setenv("STARPU_LIMIT_CPU_MEM", "4", 1);
  Started started(2);
  unsetenv("STARPU_LIMIT_CPU_MEM");
  const int node = starpu_disk_register(&ops, &of_this, -1);
  ASSERT_EQ(1, node);
  std::vector<starpu_data_handle_t> handles;
  for (uint64_t i = 0; i < 4; ++i) handles.push_back(NewVector(10 * i));
  EXPECT_EQ(0, starpu_data_fetch_on_node(handles[3], 1, 0));
  for (starpu_data_handle_t handle : handles) EXPECT_EQ(0, starpu_data_acquire(handle, STARPU_R));
  of_this.Close();
  std::thread other([] { starpu_data_unregister(NewVector(3)); });
  // Time to wait. (The outcome is the same without.)
  for (int i = 0; i < 10'000; ++i) std::this_thread::yield();
  starpu_data_release(handles[0]);
  of_this.AwaitSomebody();
  for (int i = 1; i < 4; ++i) starpu_data_release(handles[i]);
  for (int i = 1; i < 4; ++i) Increase(handles[i]);
  of_this.Open();
  other.join();
  for (uint64_t i = 0; i < 4; ++i) {
    ExpectCountsFrom(10 * i + (i > 0), handles[i]);
    starpu_data_unregister(handles[i]);
  }
}

// A prefetch that is under way is waited for by those who need the value: several of them.
TEST(SlowPrefetch, HoldsUpThoseWhoNeedIt) {
  Gate of_this;
  gate = &of_this;
  starpu_disk_ops ops = Asked();
  Started started(3);
  const int node = starpu_disk_register(&ops, &of_this, -1);
  ASSERT_EQ(1, node);
  starpu_data_handle_t handle = NewVector(5), other = NewVector(10);
  for (starpu_data_handle_t each : {handle, other})
    EXPECT_EQ(0, starpu_data_evict_from_node(each, STARPU_MAIN_RAM));
  of_this.Close();
  EXPECT_EQ(0, starpu_data_prefetch_on_node(handle, STARPU_MAIN_RAM, 1));
  static starpu_codelet read =
      MakeCodelet([](void** buffers, void*) { EXPECT_EQ(5u, Words(buffers[0])[0]); }, {STARPU_R});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(0, starpu_task_insert(&read, STARPU_R, handle, 0));
  of_this.AwaitSomebody();
  Increase(other);
  Increase(other);
  of_this.Open();
  EXPECT_EQ(0, starpu_task_wait_for_all());
  ExpectCountsFrom(5, handle);
  ExpectCountsFrom(12, other);
  for (starpu_data_handle_t each : {handle, other}) starpu_data_unregister(each);
}

}  // namespace
}  // namespace tasklens
