// SPDX-License-Identifier: Apache-2.0
// Pages that are asked for at once.
#include "trace/support/pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace tasklens {
namespace {

// How many of these pages are in memory.
size_t Resident(void* pages, size_t count) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> resident(count);
  if (mincore(pages, count * page, resident.data()) != 0) std::abort();
  return std::accumulate(resident.begin(), resident.end(), size_t{0},
                         [](size_t sum, unsigned char is) { return sum + (is & 1); });
}

TEST(Pages, AreThereBeforeTheyAreTouched) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  constexpr size_t kPages = 32;
  void* const memory =
      mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  // Whether this kernel knows it at all: Linux 5.14.
  constexpr int kPopulateWrite = 23;
  if (madvise(memory, page, kPopulateWrite) != 0) {
    ASSERT_EQ(errno, EINVAL);
    GTEST_SKIP() << "the kernel is older than Linux 5.14, which first takes pages at once";
  }
  ASSERT_EQ(Resident(memory, kPages), 1u);
  // From within the second page to within the ninth.
  TakePages(static_cast<char*>(memory) + page + 100, 7 * page);
  EXPECT_EQ(Resident(memory, kPages), 9u);
  munmap(memory, kPages * page);
}

TEST(Pages, KeepWhatIsInThem) {
  std::vector<uint32_t> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::vector<uint32_t> before = numbers;
  TakePages(numbers.data(), numbers.size() * sizeof numbers[0]);
  EXPECT_EQ(numbers, before);
}

}  // namespace
}  // namespace tasklens
