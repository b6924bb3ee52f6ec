// SPDX-License-Identifier: Apache-2.0
// Out of core: data that do not fit the main memory's limit wait on a disk, and come back; data
// that live on a disk come into memory, and go home.
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tests/runtime/on_disk.h"
#include "tests/runtime/recorded.h"

namespace tasklens {
namespace {

using namespace testing::on_disk;  // NOLINT: what these tests are about

struct Kind {
  const char* name;
  starpu_disk_ops* ops;
};
constexpr Kind kKinds[] = {{"unistd", &starpu_disk_unistd_ops},
                           {"unistd_o_direct", &starpu_disk_unistd_o_direct_ops},
                           {"stdio", &starpu_disk_stdio_ops}};

class Disk : public ::testing::TestWithParam<Kind> {
 protected:
  void Start(int workers, const char* mebibytes) {
    setenv("STARPU_LIMIT_CPU_MEM", mebibytes, 1);
    started_ = std::make_unique<Started>(workers);
    unsetenv("STARPU_LIMIT_CPU_MEM");
    const int node = starpu_disk_register(GetParam().ops, folder_.path(), -1);
    ASSERT_EQ(1, node);
    node_ = static_cast<unsigned>(node);
  }
  Folder folder_;
  std::unique_ptr<Started> started_;
  unsigned node_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Kinds, Disk, ::testing::ValuesIn(kKinds),
                         [](const auto& kind) { return kind.param.name; });

starpu_codelet* AddTo() {
  static starpu_codelet codelet = MakeCodelet(
      [](void** buffers, void*) {
        for (size_t i = 0; i < Count(buffers[0]); ++i) Words(buffers[0])[i] += Words(buffers[1])[i];
      },
      {STARPU_RW, STARPU_R});
  return &codelet;
}

TEST_P(Disk, TakesWhatDoesNotFitTheMemory) {
  Start(2, "4");
  // Ten times as much as there is room for.
  std::vector<starpu_data_handle_t> handles(40);
  for (size_t i = 0; i < handles.size(); ++i) {
    starpu_vector_data_register(&handles[i], -1, 0, kMebibyte / 8, sizeof(uint64_t));
    const uint64_t first = i * 1000;
    ASSERT_EQ(0, starpu_task_insert(Fill(), STARPU_W, handles[i], STARPU_VALUE, &first,
                                    sizeof(first), 0));
  }
  for (int round = 0; round < 3; ++round) {
    for (starpu_data_handle_t handle : handles)
      ASSERT_EQ(0, starpu_task_insert(Increment(), STARPU_RW, handle, 0));
  }
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_LE(starpu_memory_get_used(STARPU_MAIN_RAM), 4 * kMebibyte);
  EXPECT_GE(starpu_memory_get_used(node_), 36 * kMebibyte);
  for (size_t i = 0; i < handles.size(); ++i) {
    ExpectCountsFrom(i * 1000 + 3, handles[i]);
    starpu_data_unregister(handles[i]);
  }
  EXPECT_EQ(0u, starpu_memory_get_used(STARPU_MAIN_RAM));
  EXPECT_EQ(0u, starpu_memory_get_used(node_));
}

TEST_P(Disk, ServesTasksOfSeveralDataThatFillTheMemoryTogether) {
  Start(4, "4");
  // Four workers that want three of four places each: they have to go on one after the other.
  std::vector<starpu_data_handle_t> handles(8);
  for (starpu_data_handle_t& handle : handles) {
    starpu_vector_data_register(&handle, -1, 0, kMebibyte / 8 * 4 / 3, sizeof(uint64_t));
    const uint64_t zero = 0;
    ASSERT_EQ(0,
              starpu_task_insert(Fill(), STARPU_W, handle, STARPU_VALUE, &zero, sizeof(zero), 0));
  }
  for (size_t i = 0; i < 200; ++i) {
    ASSERT_EQ(0, starpu_task_insert(AddTo(), STARPU_RW, handles[i % 4], STARPU_R,
                                    handles[4 + i * 7 % 4], 0));
  }
  ASSERT_EQ(0, starpu_task_wait_for_all());
  for (size_t i = 0; i < handles.size(); ++i) {
    ASSERT_EQ(0, starpu_data_acquire(handles[i], STARPU_R));
    EXPECT_EQ(i < 4 ? 5 * 51u : 5u,
              static_cast<uint64_t*>(starpu_data_get_local_ptr(handles[i]))[5]);
    starpu_data_release(handles[i]);
    starpu_data_unregister(handles[i]);
  }
}

TEST_P(Disk, CountsWhatItsBusesCarry) {
  ::testing::internal::CaptureStderr();
  Start(1, "4");
  EXPECT_EQ(2, starpu_bus_get_count());
  const int out = starpu_bus_get_id(STARPU_MAIN_RAM, static_cast<int>(node_));
  const int back = starpu_bus_get_id(static_cast<int>(node_), STARPU_MAIN_RAM);
  EXPECT_EQ(std::make_pair(0, 1), std::make_pair(starpu_bus_get_src(out), starpu_bus_get_dst(out)));
  EXPECT_EQ(std::make_pair(1, 0),
            std::make_pair(starpu_bus_get_src(back), starpu_bus_get_dst(back)));
  EXPECT_EQ(-1, starpu_bus_get_id(0, 2));
  EXPECT_EQ(-EINVAL, starpu_bus_get_src(2));
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, -1, 0, kMebibyte / 8, sizeof(uint64_t));
  const uint64_t zero = 0;
  ASSERT_EQ(0, starpu_task_insert(Fill(), STARPU_W, handle, STARPU_VALUE, &zero, sizeof(zero), 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  ASSERT_EQ(0, starpu_data_evict_from_node(handle, STARPU_MAIN_RAM));
  starpu_profiling_bus_info info;
  ASSERT_EQ(0, starpu_bus_get_profiling_info(out, &info));
  EXPECT_EQ(1, info.transfer_count);
  EXPECT_EQ(static_cast<long long>(kMebibyte), info.transferred_bytes);
  ASSERT_EQ(0, starpu_bus_get_profiling_info(out, &info));
  EXPECT_EQ(0, info.transfer_count) << "it was read";
  ExpectCountsFrom(0, handle);
  starpu_data_unregister(handle);
  setenv("STARPU_BUS_STATS", "1", 1);
  starpu_profiling_bus_helper_display_summary();
  unsetenv("STARPU_BUS_STATS");
  started_.reset();
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(std::string::npos, text.find("\tDisk 0 -> NUMA 0\t0.0010 GB\t")) << text;
  EXPECT_NE(std::string::npos, text.find("\t(transfers : 1 - avg 1.0000 MB)\n")) << text;
  EXPECT_NE(std::string::npos, text.find("\nTotal transfers: 0.0010 GB\n")) << text;
}

TEST(Buses, KeepTheirNumbersWhenThereAreMoreDisks) {
  Folder folder;
  Started started(1);
  for (int disks = 1; disks <= 4; ++disks) {
    ASSERT_EQ(disks, starpu_disk_register(&starpu_disk_unistd_ops, folder.path(), -1));
    ASSERT_EQ(disks * (disks + 1), starpu_bus_get_count());
    for (int id = 0; id < starpu_bus_get_count(); ++id) {
      EXPECT_EQ(id, starpu_bus_get_id(starpu_bus_get_src(id), starpu_bus_get_dst(id)));
    }
    EXPECT_EQ(0, starpu_bus_get_id(0, 1));
    EXPECT_EQ(1, starpu_bus_get_id(1, 0));
  }
}

std::string FileOf(const std::vector<uint64_t>& words, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(words.data()),
             static_cast<std::streamsize>(words.size() * sizeof(words[0])));
  return path;
}

TEST_P(Disk, HoldsDataOfTheProgramThatGoHomeAtTheirEnd) {
  Start(2, "64");
  std::vector<uint64_t> words(10000);
  std::iota(words.begin(), words.end(), 7);
  char name[] = "own";
  const std::string path = FileOf(words, std::string(folder_.path()) + "/" + name);
  const size_t bytes = words.size() * sizeof(words[0]);
  void* object = starpu_disk_open(node_, name, bytes);
  ASSERT_NE(nullptr, object);
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, static_cast<int>(node_), reinterpret_cast<uintptr_t>(object),
                              static_cast<uint32_t>(words.size()), sizeof(uint64_t));
  EXPECT_TRUE(starpu_data_is_on_node(handle, node_));
  EXPECT_FALSE(starpu_data_is_on_node(handle, STARPU_MAIN_RAM));
  ExpectCountsFrom(7, handle);
  EXPECT_TRUE(starpu_data_is_on_node(handle, node_)) << "it was only read";
  ASSERT_EQ(0, starpu_task_insert(Increment(), STARPU_RW, handle, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_FALSE(starpu_data_is_on_node(handle, node_));
  starpu_data_unregister(handle);
  starpu_disk_close(node_, object, bytes);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(bytes));
  EXPECT_EQ(static_cast<std::streamsize>(bytes), file.gcount());
  for (size_t i = 0; i < words.size(); ++i) ASSERT_EQ(8 + i, words[i]);
  unlink(path.c_str());
}

TEST_P(Disk, IsAcquiredLikeAnyMemoryNode) {
  Start(1, "64");
  std::vector<uint64_t> words(1000, 5);
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(words.data()),
                              1000, sizeof(uint64_t));
  ASSERT_EQ(0, starpu_data_acquire_on_node(handle, static_cast<int>(node_), STARPU_RW));
  EXPECT_TRUE(starpu_data_is_on_node(handle, node_));
  EXPECT_FALSE(starpu_data_is_on_node(handle, STARPU_MAIN_RAM));
  starpu_data_release_on_node(handle, static_cast<int>(node_));
  std::fill(words.begin(), words.end(), 0);  // only the disk has them
  ASSERT_EQ(0, starpu_task_insert(Increment(), STARPU_RW, handle, 0));
  starpu_data_unregister(handle);
  EXPECT_EQ(std::vector<uint64_t>(1000, 6), words);
  EXPECT_EQ(-EINVAL, starpu_data_acquire_on_node(handle, 7, STARPU_R));
}

TEST_P(Disk, TakesEveryInterface) {
  Start(1, "64");
  // Each is filled with bytes 0, 1, 2... in memory, evicted, and looked at again.
  struct Array {
    const char* name;
    starpu_data_handle_t handle;
  };
  std::vector<Array> arrays;
  const auto add = [&](const char* name, auto&& reg) {
    starpu_data_handle_t handle;
    reg(&handle);
    arrays.push_back({name, handle});
  };
  uint32_t extents[] = {3, 4, 5}, distances[] = {1, 3, 12};
  add("variable", [](auto* h) { starpu_variable_data_register(h, -1, 0, 100); });
  add("vector", [](auto* h) { starpu_vector_data_register(h, -1, 0, 25, 4); });
  add("matrix", [](auto* h) { starpu_matrix_data_register(h, -1, 0, 6, 6, 7, 4); });
  add("block", [](auto* h) { starpu_block_data_register(h, -1, 0, 3, 12, 3, 4, 5, 4); });
  add("tensor", [](auto* h) { starpu_tensor_data_register(h, -1, 0, 2, 6, 24, 2, 3, 4, 5, 4); });
  add("ndim", [&](auto* h) { starpu_ndim_data_register(h, -1, 0, distances, extents, 3, 4); });
  for (const Array& array : arrays) {
    SCOPED_TRACE(array.name);
    ASSERT_EQ(0, starpu_data_acquire(array.handle, STARPU_W));
    auto* bytes = static_cast<uint8_t*>(starpu_data_get_local_ptr(array.handle));
    const size_t size = starpu_data_get_size(array.handle);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 3);
    EXPECT_EQ(0, starpu_data_can_evict(array.handle, STARPU_MAIN_RAM, 0)) << "it is in use";
    EXPECT_EQ(-1, starpu_data_evict_from_node(array.handle, STARPU_MAIN_RAM));
    starpu_data_release(array.handle);
    EXPECT_EQ(1, starpu_data_can_evict(array.handle, STARPU_MAIN_RAM, 0));
    EXPECT_EQ(0, starpu_data_evict_from_node(array.handle, STARPU_MAIN_RAM));
    EXPECT_EQ(nullptr, starpu_data_get_local_ptr(array.handle));
    ASSERT_EQ(0, starpu_data_acquire(array.handle, STARPU_R));
    bytes = static_cast<uint8_t*>(starpu_data_get_local_ptr(array.handle));
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(static_cast<uint8_t>(i * 3), bytes[i]) << i;
    starpu_data_release(array.handle);
    starpu_data_unregister(array.handle);
  }
}

TEST_P(Disk, LeavesWhatIsCutIntoPartsAlone) {
  Start(2, "4");
  starpu_data_handle_t whole, other[4];
  starpu_vector_data_register(&whole, -1, 0, kMebibyte / 8, sizeof(uint64_t));
  const uint64_t first = 50;
  ASSERT_EQ(0, starpu_task_insert(Fill(), STARPU_W, whole, STARPU_VALUE, &first, sizeof(first), 0));
  starpu_data_filter halves = {};
  halves.filter_func = starpu_vector_filter_block;
  halves.nchildren = 2;
  starpu_data_handle_t parts[2];
  starpu_data_partition_plan(whole, &halves, parts);
  for (starpu_data_handle_t& handle : other) {
    starpu_vector_data_register(&handle, -1, 0, kMebibyte / 8, sizeof(uint64_t));
    ASSERT_EQ(0,
              starpu_task_insert(Fill(), STARPU_W, handle, STARPU_VALUE, &first, sizeof(first), 0));
    for (starpu_data_handle_t part : parts)
      ASSERT_EQ(0, starpu_task_insert(Increment(), STARPU_RW, part, 0));
  }
  starpu_data_partition_clean(whole, 2, parts);
  ASSERT_EQ(0, starpu_task_wait_for_all());
  starpu_data_evict_from_node(whole, STARPU_MAIN_RAM);
  EXPECT_FALSE(starpu_data_is_on_node(whole, STARPU_MAIN_RAM)) << "it is whole again";
  ExpectCountsFrom(54, whole);
  starpu_data_unregister(whole);
  for (starpu_data_handle_t handle : other) starpu_data_unregister(handle);
}

TEST(Swap, IsAskedForByTheEnvironment) {
  Folder folder;
  setenv("STARPU_DISK_SWAP", folder.path(), 1);
  setenv("STARPU_DISK_SWAP_SIZE", "20", 1);
  setenv("STARPU_LIMIT_CPU_MEM", "1", 1);
  {
    Started started(1);
    EXPECT_EQ(1, starpu_disk_swap_node);
    EXPECT_EQ(2u, starpu_memory_nodes_get_count());
    EXPECT_EQ(STARPU_DISK_RAM, starpu_node_get_kind(1));
    EXPECT_EQ(static_cast<starpu_ssize_t>(20 * kMebibyte), starpu_memory_get_total(1));
    char name[32];
    starpu_memory_node_get_name(1, name, sizeof(name));
    EXPECT_STREQ("Disk 0", name);
    starpu_data_handle_t handles[4];
    for (starpu_data_handle_t& handle : handles) {
      starpu_vector_data_register(&handle, -1, 0, kMebibyte / 16, sizeof(uint64_t));
      const uint64_t first = 1;
      ASSERT_EQ(
          0, starpu_task_insert(Fill(), STARPU_W, handle, STARPU_VALUE, &first, sizeof(first), 0));
    }
    for (starpu_data_handle_t handle : handles) {
      ExpectCountsFrom(1, handle);
      starpu_data_unregister(handle);
    }
  }
  EXPECT_EQ(-1, starpu_disk_swap_node);
  setenv("STARPU_DISK_SWAP_BACKEND", "leveldb", 1);
  ::testing::internal::CaptureStderr();
  { Started started(1); }
  EXPECT_EQ(
      "tasklens: STARPU_DISK_SWAP_BACKEND=leveldb is none of unistd, unistd_o_direct, stdio: no "
      "data are put on a disk\n",
      ::testing::internal::GetCapturedStderr());
  setenv("STARPU_DISK_SWAP_BACKEND", "unistd", 1);
  setenv("STARPU_DISK_SWAP", "/proc/nowhere", 1);
  ::testing::internal::CaptureStderr();
  { Started started(1); }
  EXPECT_EQ(
      "tasklens: /proc/nowhere cannot be used as a disk: No such file or directory\n"
      "tasklens: STARPU_DISK_SWAP=/proc/nowhere cannot be used: No such file or directory\n",
      ::testing::internal::GetCapturedStderr());
  for (const char* name : {"STARPU_DISK_SWAP", "STARPU_DISK_SWAP_SIZE", "STARPU_DISK_SWAP_BACKEND",
                           "STARPU_LIMIT_CPU_MEM"}) {
    unsetenv(name);
  }
}

TEST(Swap, IsRefusedWhenTooSmallOrOneTooMany) {
  Folder folder;
  Started started(1);
  EXPECT_EQ(-EINVAL, starpu_disk_register(&starpu_disk_unistd_ops, folder.path(), 4096));
  for (int i = 1; i < STARPU_MAXNODES; ++i) {
    EXPECT_EQ(i, starpu_disk_register(&starpu_disk_unistd_ops, folder.path(), -1));
  }
  EXPECT_EQ(-ENOSPC, starpu_disk_register(&starpu_disk_unistd_ops, folder.path(), -1));
}

TEST(Swap, IsThereForWhatWontBeUsedFirst) {
  Folder folder;
  setenv("STARPU_LIMIT_CPU_MEM", "4", 1);
  Started started(1);
  unsetenv("STARPU_LIMIT_CPU_MEM");
  ASSERT_EQ(1, starpu_disk_register(&starpu_disk_unistd_ops, folder.path(), -1));
  starpu_data_handle_t handles[5];
  const uint64_t first = 9;
  for (int i = 0; i < 5; ++i) {
    starpu_vector_data_register(&handles[i], -1, 0, kMebibyte / 8, sizeof(uint64_t));
    ASSERT_EQ(0, starpu_task_insert(Fill(), STARPU_W, handles[i], STARPU_VALUE, &first,
                                    sizeof(first), 0));
    if (i == 3) starpu_data_wont_use(handles[2]);
  }
  ASSERT_EQ(0, starpu_task_wait_for_all());
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(i != 2, starpu_data_is_on_node(handles[i], STARPU_MAIN_RAM)) << i;
  }
  // There is no room for it, then there is.
  EXPECT_EQ(0, starpu_data_prefetch_on_node(handles[2], STARPU_MAIN_RAM, 0));
  EXPECT_FALSE(starpu_data_is_on_node(handles[2], STARPU_MAIN_RAM));
  starpu_data_unregister(handles[0]);
  EXPECT_EQ(0, starpu_data_prefetch_on_node(handles[2], STARPU_MAIN_RAM, 0));
  EXPECT_TRUE(starpu_data_is_on_node(handles[2], STARPU_MAIN_RAM));
  for (int i = 1; i < 5; ++i) starpu_data_unregister(handles[i]);
}

TEST(Swap, IsFilledAheadWhenTheProgramTidiesUp) {
  Folder folder;
  setenv("STARPU_LIMIT_CPU_MEM", "4", 1);
  Started started(1);
  unsetenv("STARPU_LIMIT_CPU_MEM");
  ASSERT_EQ(1, starpu_disk_register(&starpu_disk_unistd_ops, folder.path(), -1));
  starpu_data_handle_t handles[3];
  const uint64_t first = 9;
  for (starpu_data_handle_t& handle : handles) {
    starpu_vector_data_register(&handle, -1, 0, kMebibyte / 8, sizeof(uint64_t));
    ASSERT_EQ(0, starpu_task_insert(Fill(), STARPU_W, handle, STARPU_VALUE, &first, sizeof(first),
                                    STARPU_TASK_SYNCHRONOUS, 1, 0));
  }
  const auto in_memory = [&] {
    int count = 0;
    for (starpu_data_handle_t handle : handles)
      count += static_cast<int>(starpu_data_is_on_node(handle, STARPU_MAIN_RAM));
    return count;
  };
  starpu_memchunk_tidy(STARPU_MAIN_RAM);  // nothing is asked for
  EXPECT_EQ(3, in_memory());
  setenv("STARPU_MINIMUM_AVAILABLE_MEM", "20", 1);
  setenv("STARPU_TARGET_AVAILABLE_MEM", "60", 1);
  starpu_memchunk_tidy(STARPU_MAIN_RAM);  // a quarter is free
  EXPECT_EQ(3, in_memory());
  setenv("STARPU_MINIMUM_AVAILABLE_MEM", "30", 1);
  starpu_memchunk_tidy(STARPU_MAIN_RAM);
  EXPECT_EQ(1, in_memory());
  unsetenv("STARPU_MINIMUM_AVAILABLE_MEM");
  unsetenv("STARPU_TARGET_AVAILABLE_MEM");
  for (starpu_data_handle_t handle : handles) {
    ExpectCountsFrom(9, handle);
    starpu_data_unregister(handle);
  }
}

TEST(Scratch, MakesRoomWhileNobodyUsesIt) {
  setenv("STARPU_LIMIT_CPU_MEM", "4", 1);
  Started started(1);
  unsetenv("STARPU_LIMIT_CPU_MEM");
  starpu_data_handle_t scratch, large;
  starpu_vector_data_register(&scratch, -1, 0, 2 * kMebibyte / 8, sizeof(uint64_t));
  starpu_vector_data_register(&large, -1, 0, 3 * kMebibyte / 8, sizeof(uint64_t));
  static starpu_codelet use = MakeCodelet(
      [](void** buffers, void*) {
        std::iota(Words(buffers[0]), Words(buffers[0]) + Count(buffers[0]), 1);
      },
      {STARPU_SCRATCH});
  ASSERT_EQ(0, starpu_task_insert(&use, STARPU_SCRATCH, scratch, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(2 * kMebibyte, static_cast<size_t>(starpu_memory_get_used(STARPU_MAIN_RAM)));
  const uint64_t first = 5;
  ASSERT_EQ(0, starpu_task_insert(Fill(), STARPU_W, large, STARPU_VALUE, &first, sizeof(first), 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(3 * kMebibyte, static_cast<size_t>(starpu_memory_get_used(STARPU_MAIN_RAM)));
  ExpectCountsFrom(5, large);
  starpu_data_unregister(large);
  // It is made again.
  ASSERT_EQ(0, starpu_task_insert(&use, STARPU_SCRATCH, scratch, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(2 * kMebibyte, static_cast<size_t>(starpu_memory_get_used(STARPU_MAIN_RAM)));
  starpu_data_unregister(scratch);
}

TEST_P(Disk, IsMeasuredWhenItIsRegistered) {
  Start(1, "4");
  for (const auto& [from, to] : {std::pair(0u, node_), std::pair(node_, 0u)}) {
    EXPECT_GT(starpu_transfer_bandwidth(from, to), 0);  // bytes a microsecond
    EXPECT_GT(starpu_transfer_latency(from, to), 0);
    EXPECT_GT(starpu_transfer_predict(from, to, 100 * kMebibyte),
              starpu_transfer_predict(from, to, 4096));
  }
}

TEST(SwapDeathTest, SaysWhatIsMissingWhenThereIsNone) {
  setenv("STARPU_LIMIT_CPU_MEM", "1", 1);
  EXPECT_DEATH(
      {
        Started started(1);
        starpu_data_handle_t handle;
        starpu_vector_data_register(&handle, -1, 0, kMebibyte / 4, sizeof(uint64_t));
        const uint64_t first = 0;
        (void)starpu_task_insert(Fill(), STARPU_W, handle, STARPU_VALUE, &first, sizeof(first), 0);
        starpu_task_wait_for_all();
      },
      "no memory for handle 0x[0-9a-f]*, V262144x8: 0 of the 1048576 bytes of STARPU_LIMIT_CPU_MEM "
      "are in use, and nothing can be evicted: a disk \\(STARPU_DISK_SWAP\\) would take");
  unsetenv("STARPU_LIMIT_CPU_MEM");
}

TEST(Swap, IsInTheTrace) {
  Folder folder;
  setenv("STARPU_LIMIT_CPU_MEM", "1", 1);
  const TraceModel model = Recorded({.name = "swap", .workers = 1}, [&] {
    ASSERT_EQ(1, starpu_disk_register(&starpu_disk_unistd_ops, folder.path(), -1));
    starpu_data_handle_t handles[2];
    for (starpu_data_handle_t& handle : handles) {
      starpu_vector_data_register(&handle, -1, 0, kMebibyte / 8, sizeof(uint64_t));
      const uint64_t first = 9;
      ASSERT_EQ(0, starpu_task_insert(Fill(), STARPU_W, handle, STARPU_VALUE, &first, sizeof(first),
                                      STARPU_TASK_SYNCHRONOUS, 1, 0));
    }
    ExpectCountsFrom(9, handles[0]);
    for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  });
  unsetenv("STARPU_LIMIT_CPU_MEM");
  ASSERT_EQ(2u, model.memory_nodes.size());
  EXPECT_EQ("Disk 0", model.str(model.memory_nodes.name[1]));
  // Out and in for the first, out for the second.
  ASSERT_EQ(3u, model.transfers.size());
  const std::pair<uint32_t, uint32_t> ways[] = {{0, 1}, {0, 1}, {1, 0}};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(kMebibyte, model.transfers.size_bytes[i]);
    EXPECT_EQ(ways[i],
              std::make_pair(model.transfers.source_node[i], model.transfers.target_node[i]))
        << i;
  }
}

}  // namespace
}  // namespace tasklens
