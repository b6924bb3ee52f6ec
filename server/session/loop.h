// SPDX-License-Identifier: Apache-2.0
// Hands work between threads: functions posted to the main thread, and a pool of worker threads.
//
// Only the main thread uses Qt. All data crosses threads through these two classes.
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

// Runs posted functions in order, on the Qt event loop of the thread that created the queue.
class MainQueue {
 public:
  MainQueue();
  ~MainQueue();
  MainQueue(const MainQueue&) = delete;
  MainQueue& operator=(const MainQueue&) = delete;

  // Any thread. Functions that are still queued when the queue is destroyed are never run.
  void Post(std::function<void()> function);

 private:
  void Drain();

  int event_fd_;
  std::mutex mutex_;
  std::vector<std::function<void()>> queue_;
  std::unique_ptr<QSocketNotifier> notifier_;
};

// Threads that run submitted functions in order.
class Pool {
 public:
  enum class Ground { kFore, kBack };
  explicit Pool(int threads, Ground ground = Ground::kFore);
  // Drops the functions that have not started, waits for those that have.
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
