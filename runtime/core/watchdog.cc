// SPDX-License-Identifier: Apache-2.0
// Watches the count of ended jobs, and reports the running tasks when it stands still.
#include "runtime/core/watchdog.h"

#include <starpu.h>

#include <chrono>
#include <string>

#include "runtime/core/runtime.h"
#include "runtime/support/environment.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {

std::unique_ptr<Watchdog> Watchdog::FromEnvironment(Runtime& runtime) {
  const int timeout = EnvironmentNumber("STARPU_WATCHDOG_TIMEOUT").value_or(0);
  if (timeout == 0) return nullptr;
  const int delay = EnvironmentNumber("STARPU_WATCHDOG_DELAY").value_or(0);
  const bool crash = EnvironmentNumber("STARPU_WATCHDOG_CRASH").value_or(0) > 0;
  return std::unique_ptr<Watchdog>(
      new Watchdog(runtime, static_cast<uint64_t>(timeout), static_cast<uint64_t>(delay), crash));
}

Watchdog::Watchdog(Runtime& runtime, uint64_t timeout_us, uint64_t delay_us, bool crash)
    : runtime_(runtime), timeout_us_(timeout_us), delay_us_(delay_us), crash_(crash) {
  thread_ = std::thread([this] { Watch(); });
}

Watchdog::~Watchdog() {
  {
    MutexLock guard(lock_);
    ending_ = true;
  }
  end_.notify_all();
  thread_.join();
}

void Watchdog::SetHook(void (*hook)(void*), void* argument) {
  MutexLock guard(lock_);
  hook_ = hook;
  hook_argument_ = argument;
}

bool Watchdog::Sleep(uint64_t us) {
  MutexLock guard(lock_);
  return !end_.wait_for(guard, std::chrono::microseconds(us),
                        [this]() NO_THREAD_SAFETY_ANALYSIS { return ending_; });  // with the lock
}

void Watchdog::Watch() {
  if (!Sleep(delay_us_)) return;
  uint64_t ended = runtime_.job_counts().Ended();
  bool barked = false;
  while (Sleep(timeout_us_)) {
    const uint64_t now = runtime_.job_counts().Ended();
    const uint64_t outstanding = runtime_.job_counts().Outstanding();
    if (now != ended || outstanding == 0 || runtime_.pauses().paused()) {
      barked = false;
    } else if (!barked) {
      barked = true;
      Bark(outstanding);
    }
    ended = now;
  }
}

void Watchdog::Bark(uint64_t outstanding) {
  std::string running;
  for (const auto& worker : runtime_.workers()) {
    const Job* job = worker->running.load(std::memory_order_acquire);
    if (!job) continue;
    // The task may end at any moment; the fields of the job that are read here stay valid. A task
    // in the program's memory may be freed, so its line is not read.
    running += (running.empty() ? "" : ", ") + worker->name + " runs task " +
               std::to_string(job->id.load(std::memory_order_relaxed));
    MutexLock guard(const_cast<Job*>(job)->lock);
    // The thread that clears `running` takes this lock before it reuses the task's memory.
    if (worker->running.load(std::memory_order_acquire) != job) continue;
    if (const starpu_task* const task = job->storage; job->OwnsTask() && task->file) {
      running += std::string(" of ") + task->file + ":" + std::to_string(task->line);
    }
  }
  if (running.empty()) running = "no worker runs one: they wait for something that does not come";
  const double seconds = static_cast<double>(timeout_us_) * 1e-6;
  void (*hook)(void*);
  void* argument;
  {
    MutexLock guard(lock_);
    hook = hook_;
    argument = hook_argument_;
  }
  if (hook) {
    hook(argument);
  } else if (!crash_) {
    Warn("no task has ended for %g s (STARPU_WATCHDOG_TIMEOUT), %llu are left: %s", seconds,
         static_cast<unsigned long long>(outstanding), running.c_str());
  }
  if (crash_) {
    Fatal("no task has ended for %g s (STARPU_WATCHDOG_TIMEOUT), %llu are left: %s", seconds,
          static_cast<unsigned long long>(outstanding), running.c_str());
  }
}

}  // namespace tasklens::runtime
