// SPDX-License-Identifier: Apache-2.0
// Acquisitions that run code, in both languages.
#include "tests/runtime/started.h"

extern "C" int read_and_add(starpu_data_handle_t handle, int more);

namespace tasklens {
namespace {

class Acquire : public ::testing::Test {
 protected:
  Acquire() {
    starpu_variable_data_register(&handle_, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value_),
                                  sizeof(value_));
    add_.cpu_funcs[0] = [](void** buffers, void*) {
      *reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[0])) += 1;
    };
    add_.nbuffers = 1;
    add_.modes[0] = STARPU_RW;
  }
  void AddOne() { ASSERT_EQ(0, starpu_task_insert(&add_, STARPU_RW, handle_, 0)); }

  Started started_{2};
  int value_ = 40;
  starpu_data_handle_t handle_;
  starpu_codelet add_ = {};
};

TEST_F(Acquire, RunsCodeWithCopiesOfWhatItUses) {
  static int seen;
  seen = 0;
  {
    const int more = 100;  // gone when the code runs
    starpu_pause();
    AddOne();
    STARPU_DATA_ACQUIRE_CB(handle_, STARPU_RW, {
      seen = value_ + more;
      ++value_;
    });
  }
  AddOne();
  starpu_resume();
  starpu_data_unregister(handle_);
  EXPECT_EQ(141, seen);
  EXPECT_EQ(43, value_);
}

TEST_F(Acquire, RunsCodeInC) {
  AddOne();
  EXPECT_EQ(48, read_and_add(handle_, 7));
  starpu_data_unregister(handle_);
}

TEST_F(Acquire, HasANumberAmongTheTasks) {
  long before = -1, after = -1;
  starpu_pause();
  starpu_task* const task = starpu_task_create();
  task->destroy = 0;
  ASSERT_EQ(0, starpu_task_submit(task));
  const auto of_task = static_cast<long>(starpu_task_get_job_id(task));
  starpu_task_destroy(task);
  AddOne();
  static starpu_data_handle_t handle;
  handle = handle_;
  ASSERT_EQ(0, starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(
                   handle_, STARPU_MAIN_RAM, STARPU_R, [](void*) { starpu_data_release(handle); },
                   nullptr, 1, 0, &before, &after));
  EXPECT_EQ(of_task + 2, before);
  EXPECT_EQ(of_task + 2, after);
  EXPECT_EQ(-EINVAL, starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(
                         handle_, 77, STARPU_R, [](void*) {}, nullptr, 1, 0, nullptr, nullptr));
  starpu_resume();
  starpu_data_unregister(handle_);
}

TEST(Locks, ForManyReadersCanBeTried) {
  starpu_pthread_rwlock_t lock = STARPU_PTHREAD_RWLOCK_INITIALIZER;
  EXPECT_EQ(0, STARPU_PTHREAD_RWLOCK_TRYRDLOCK(&lock));
  EXPECT_EQ(0, STARPU_PTHREAD_RWLOCK_TRYRDLOCK(&lock));
  EXPECT_EQ(EBUSY, STARPU_PTHREAD_RWLOCK_TRYWRLOCK(&lock));
  STARPU_PTHREAD_RWLOCK_UNLOCK(&lock);
  STARPU_PTHREAD_RWLOCK_UNLOCK(&lock);
  EXPECT_EQ(0, STARPU_PTHREAD_RWLOCK_TRYWRLOCK(&lock));
  EXPECT_EQ(EBUSY, STARPU_PTHREAD_RWLOCK_TRYRDLOCK(&lock));
  STARPU_PTHREAD_RWLOCK_UNLOCK(&lock);
}

}  // namespace
}  // namespace tasklens
