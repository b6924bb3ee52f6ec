// SPDX-License-Identifier: Apache-2.0
// VirtualTime: the time of simulated machines. It stands still while any thread of the runtime
// runs. When all of them wait, it advances to the earliest date that a thread waits for.
//
// While it is on, the participating threads (the one that called starpu_init(), and the workers)
// run one at a time, in an order that depends only on their actions: the same program with the same
// input gets the same dates. All waiting of the runtime goes through here (support/sync.h). Other
// threads of the program run concurrently and do not participate: they may submit and wait, and
// time advances meanwhile.
//
// Not part of the runtime's instance, as the trace starts before it and ends after it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace tasklens::runtime {

class VirtualTime {
 public:
  static bool On() { return on_.load(std::memory_order_relaxed); }
  static uint64_t NowNs() { return now_ns_.load(std::memory_order_acquire); }

  // The calling thread participates from Start() to Stop().
  static void Start();
  static void Stop();
  // Called in a child of fork(), which has only one thread.
  static void Forget() { on_.store(false, std::memory_order_relaxed); }

  // Announce() registers a thread that is about to be created; the thread calls Enter(), and runs
  // when its turn comes.
  struct Thread;
  static Thread* Announce();
  static void Enter(Thread* announced);
  static void Leave();
  // The thread waits for something outside of virtual time, while the object lives.
  class Outside {
   public:
    Outside();
    ~Outside();
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;
  };

  // Returns at once if virtual time is off.
  static void SleepUntil(uint64_t date_ns);
  // Calls `action` at that date; it may read the time, but call nothing else of this class.
  static void At(uint64_t date_ns, std::function<void()> action);
  // The same as FutexWait(), FutexWake() and std::this_thread::yield().
  static void Wait(std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns);
  static void Wake(std::atomic<uint32_t>& word, int count);
  static void Yield();

 private:
  friend struct VirtualTimeState;
  static inline std::atomic<bool> on_{false};
  static inline std::atomic<uint64_t> now_ns_{0};
};

}  // namespace tasklens::runtime
