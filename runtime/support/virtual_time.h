// SPDX-License-Identifier: Apache-2.0
// The time of simulated machines: it stands still while a thread of the runtime runs, and goes on
// to the next date that somebody waits for when all of them wait.
//
// While it is on, the threads that take part (the one that called starpu_init(), and the workers)
// run one at a time, in an order that follows from what they do alone: the same program with the
// same input gets the same dates. All waiting of the runtime comes here (support/sync.h). Other
// threads of the program run beside, unseen: they may submit and wait, and time goes on meanwhile.
//
// Outside of the runtime's instance, as the trace begins before it and ends after it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace tasklens::runtime {

class VirtualTime {
 public:
  static bool On() { return on_.load(std::memory_order_relaxed); }
  static uint64_t NowNs() { return now_ns_.load(std::memory_order_acquire); }

  // The calling thread takes part from one to the other.
  static void Start();
  static void Stop();
  // In a child of fork(), which has none of the other threads.
  static void Forget() { on_.store(false, std::memory_order_relaxed); }

  // A thread that is about to be made: it runs, from Enter() on, when its turn comes.
  struct Thread;
  static Thread* Announce();
  static void Enter(Thread* announced);
  static void Leave();
  // For the time of a block the thread waits for something that is not seen here.
  class Outside {
   public:
    Outside();
    ~Outside();
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;
  };

  // Returns at once where time is not virtual.
  static void SleepUntil(uint64_t date_ns);
  // Calls `action` then; it may read the time, and no more of this class.
  static void At(uint64_t date_ns, std::function<void()> action);
  // As FutexWait(), FutexWake() and std::this_thread::yield().
  static void Wait(std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns);
  static void Wake(std::atomic<uint32_t>& word, int count);
  static void Yield();

 private:
  friend struct VirtualTimeState;
  static inline std::atomic<bool> on_{false};
  static inline std::atomic<uint64_t> now_ns_{0};
};

}  // namespace tasklens::runtime
