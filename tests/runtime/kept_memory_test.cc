// SPDX-License-Identifier: Apache-2.0
// What the runtime keeps for its next use is as free as any memory to AddressSanitizer, so that a
// program that uses it, or the runtime itself, is found out.
#include <atomic>

#include "tests/runtime/started.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace tasklens {
namespace {

#if defined(__SANITIZE_ADDRESS__)
bool IsFree(const volatile void* memory) { return __asan_address_is_poisoned(memory) != 0; }
#define NEEDS_THE_SANITIZER()
#else
bool IsFree(const volatile void*) { return false; }
#define NEEDS_THE_SANITIZER() \
  GTEST_SKIP() << "AddressSanitizer is what is asked; run it with --config=asan"
#endif

TEST(KeptMemory, OfAHandleIsFreeOnceItIsUnregistered) {
  NEEDS_THE_SANITIZER();
  Started started(1);
  for (int i = 0; i < 3; ++i) {
    int value = 0;
    starpu_data_handle_t handle;
    starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value),
                                  sizeof(value));
    EXPECT_FALSE(IsFree(handle));
    starpu_data_unregister(handle);
    EXPECT_TRUE(IsFree(handle));
  }
}

TEST(KeptMemory, OfATaskAndItsArgumentsIsFreeOnceItHasEnded) {
  NEEDS_THE_SANITIZER();
  Started started(1);
  static std::atomic<const void*> seen;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void* arguments) {
    EXPECT_FALSE(IsFree(arguments));
    seen = arguments;
  };
  for (int i = 0; i < 3; ++i) {
    starpu_task* const task = starpu_task_build(&codelet, STARPU_VALUE, &i, sizeof(i), 0);
    EXPECT_FALSE(IsFree(task));
    ASSERT_EQ(0, starpu_task_submit(task));
    ASSERT_EQ(0, starpu_task_wait_for_all());
    EXPECT_TRUE(IsFree(task));
    EXPECT_TRUE(IsFree(seen));
  }
}

}  // namespace
}  // namespace tasklens
