// SPDX-License-Identifier: Apache-2.0
// Work between threads: functions posted to the main thread, and a pool of workers.
//
// Only the main thread touches Qt; all that crosses threads goes through these two classes.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class QSocketNotifier;

namespace tasklens {

// Runs posted functions on the thread that made it, from its Qt event loop, in order.
class MainQueue {
 public:
  MainQueue();
  ~MainQueue();
  MainQueue(const MainQueue&) = delete;
  MainQueue& operator=(const MainQueue&) = delete;

  // Any thread. What is still queued when this is destroyed is never run.
  void Post(std::function<void()> function);

 private:
  void Drain();

  int event_fd_;
  std::mutex mutex_;
  std::vector<std::function<void()>> queue_;
  std::unique_ptr<QSocketNotifier> notifier_;
};

// Threads that run what they are given, in the order given.
class Pool {
 public:
  enum class Ground { kFore, kBack };
  explicit Pool(int threads, Ground ground = Ground::kFore);
  // Drops what has not begun, waits for what has.
  ~Pool();

  // Any thread.
  void Submit(std::function<void()> function);
  bool IsIdle();

 private:
  void Work();

  const Ground ground_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  int running_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tasklens
