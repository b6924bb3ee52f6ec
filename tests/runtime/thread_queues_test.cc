// SPDX-License-Identifier: Apache-2.0
// Threads that wait for several queues of the program's own (starpu_pthread_wait_t).
#include <gtest/gtest.h>
#include <starpu.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <thread>
#include <vector>

namespace {

constexpr int kQueues = 3, kConsumers = 2, kItems = 20'000;

struct Queue {
  starpu_pthread_queue_t waiters;
  std::atomic<int> items{0};
};

// Each consumer waits for all queues, and takes what is there until everything was taken.
TEST(ThreadQueues, LoseNothingBetweenProducersAndConsumers) {
  std::array<Queue, kQueues> queues;
  for (Queue& queue : queues) ASSERT_EQ(0, starpu_pthread_queue_init(&queue.waiters));
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kConsumers; ++i) {
    threads.emplace_back([&] {
      starpu_pthread_wait_t wait;
      ASSERT_EQ(0, starpu_pthread_wait_init(&wait));
      for (Queue& queue : queues)
        ASSERT_EQ(0, starpu_pthread_queue_register(&wait, &queue.waiters));
      while (true) {
        ASSERT_EQ(0, starpu_pthread_wait_reset(&wait));
        int found = 0;
        for (Queue& queue : queues) found += queue.items.exchange(0);
        if (taken.fetch_add(found) + found == kQueues * kItems) break;
        if (found > 0) continue;
        ASSERT_EQ(0, starpu_pthread_wait_wait(&wait));
      }
      // The last word for those that still wait.
      for (Queue& queue : queues) starpu_pthread_queue_broadcast(&queue.waiters);
      for (Queue& queue : queues)
        ASSERT_EQ(0, starpu_pthread_queue_unregister(&wait, &queue.waiters));
      EXPECT_EQ(EINVAL, starpu_pthread_queue_unregister(&wait, &queues[0].waiters));
      starpu_pthread_wait_destroy(&wait);
    });
  }
  for (Queue& queue : queues) {
    threads.emplace_back([&queue] {
      for (int item = 0; item < kItems; ++item) {
        ++queue.items;
        ASSERT_EQ(0, starpu_pthread_queue_signal(&queue.waiters));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(kQueues * kItems, taken.load());
  for (Queue& queue : queues) starpu_pthread_queue_destroy(&queue.waiters);
}

TEST(ThreadQueues, AWaitThatNobodyEndsEndsInTime) {
  starpu_pthread_wait_t wait;
  starpu_pthread_queue_t queue;
  starpu_pthread_wait_init(&wait);
  starpu_pthread_queue_init(&queue);
  starpu_pthread_queue_register(&wait, &queue);
  timespec past = {};
  EXPECT_EQ(ETIMEDOUT, starpu_pthread_wait_timedwait(&wait, &past));
  starpu_pthread_queue_signal(&queue);
  EXPECT_EQ(0, starpu_pthread_wait_timedwait(&wait, &past)) << "it was woken before";
  starpu_pthread_queue_unregister(&wait, &queue);
  starpu_pthread_queue_destroy(&queue);
  starpu_pthread_wait_destroy(&wait);
}

TEST(ThreadQueues, ASignalWakesOneAndABroadcastAll) {
  starpu_pthread_wait_t waits[3];
  starpu_pthread_queue_t queue;
  starpu_pthread_queue_init(&queue);
  for (auto& wait : waits) {
    starpu_pthread_wait_init(&wait);
    starpu_pthread_queue_register(&wait, &queue);
  }
  const auto woken = [&waits] {
    const timespec past = {};
    int count = 0;
    for (auto& wait : waits) count += starpu_pthread_wait_timedwait(&wait, &past) == 0;
    return count;
  };
  for (int signals = 1; signals <= 3; ++signals) {
    starpu_pthread_queue_signal(&queue);
    EXPECT_EQ(signals, woken());
  }
  for (auto& wait : waits) starpu_pthread_wait_reset(&wait);
  EXPECT_EQ(0, woken());
  starpu_pthread_queue_broadcast(&queue);
  EXPECT_EQ(3, woken());
  for (auto& wait : waits) starpu_pthread_wait_destroy(&wait);
  starpu_pthread_queue_destroy(&queue);
}

}  // namespace
