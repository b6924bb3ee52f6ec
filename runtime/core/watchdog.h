// SPDX-License-Identifier: Apache-2.0
// Reports when tasks are left and none has ended for a while (STARPU_WATCHDOG_TIMEOUT).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <thread>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

class Runtime;

class Watchdog {
 public:
  // Returns nullptr unless STARPU_WATCHDOG_TIMEOUT (microseconds) is set. The watchdog starts after
  // STARPU_WATCHDOG_DELAY microseconds. With STARPU_WATCHDOG_CRASH=1 it aborts, else it prints one
  // warning each time that tasks stop ending.
  static std::unique_ptr<Watchdog> FromEnvironment(Runtime& runtime);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Sets a function to call instead of printing the warning; nullptr: print the warning.
  void SetHook(void (*hook)(void*), void* argument);

 private:
  Watchdog(Runtime& runtime, uint64_t timeout_us, uint64_t delay_us, bool crash);
  void Watch();
  void Bark(uint64_t outstanding);
  // Sleeps; returns false when the watchdog must end.
  bool Sleep(uint64_t us);

  Runtime& runtime_;
  const uint64_t timeout_us_, delay_us_;
  const bool crash_;
  Mutex lock_;  // guards the rest
  std::condition_variable_any end_;
  bool ending_ GUARDED_BY(lock_) = false;
  void (*hook_)(void*) = nullptr;
  void* hook_argument_ GUARDED_BY(lock_) = nullptr;
  std::thread thread_;
};

}  // namespace tasklens::runtime
