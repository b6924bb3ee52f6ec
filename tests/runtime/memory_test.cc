// SPDX-License-Identifier: Apache-2.0
// STARPU_LIMIT_CPU_MEM: what counts, and what there is without room.
#include <cerrno>
#include <thread>

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
constexpr size_t kMebibyte = 1 << 20;

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

}  // namespace
}  // namespace tasklens
