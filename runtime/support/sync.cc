// SPDX-License-Identifier: Apache-2.0
// Waits in the system, or in virtual time.
#include "runtime/support/sync.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <thread>

#include "runtime/support/virtual_time.h"

namespace tasklens::runtime {

void FutexWait(std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns) {
  if (VirtualTime::On()) return VirtualTime::Wait(word, expected, timeout_ns);
  timespec limit{static_cast<time_t>(timeout_ns / 1000000000),
                 static_cast<long>(timeout_ns % 1000000000)};
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected,
          timeout_ns ? &limit : nullptr, nullptr, 0);
}

void FutexWake(std::atomic<uint32_t>& word, int count) {
  if (VirtualTime::On()) return VirtualTime::Wake(word, count);
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, count, nullptr,
          nullptr, 0);
}

UnevenFence::UnevenFence()
    : reaches_all_threads_(
          syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0) {}

void UnevenFence::Rare() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (reaches_all_threads_) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

void LetOthersRun() { VirtualTime::On() ? VirtualTime::Yield() : std::this_thread::yield(); }

}  // namespace tasklens::runtime
