// SPDX-License-Identifier: Apache-2.0
// An eventfd wakes the main thread; a condition variable wakes the workers.
#include "server/session/loop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <QSocketNotifier>
#include <cstdint>

#include "server/traces/background.h"

namespace tasklens {

MainQueue::MainQueue()
    : event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      notifier_(std::make_unique<QSocketNotifier>(event_fd_, QSocketNotifier::Read)) {
  QObject::connect(notifier_.get(), &QSocketNotifier::activated, [this] { Drain(); });
}

MainQueue::~MainQueue() {
  notifier_.reset();
  close(event_fd_);
}

void MainQueue::Post(std::function<void()> function) {
  const std::lock_guard<std::mutex> lock(mutex_);
  queue_.push_back(std::move(function));
  // Writes under the lock, so that the file descriptor is not closed meanwhile.
  const uint64_t one = 1;
  if (write(event_fd_, &one, sizeof one) < 0) return;  // the thread is awake already
}

void MainQueue::Drain() {
  uint64_t count;
  if (read(event_fd_, &count, sizeof count) < 0) return;
  std::vector<std::function<void()>> functions;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    functions.swap(queue_);
  }
  for (const auto& function : functions) function();
}

Pool::Pool(int threads, Ground ground) : ground_(ground) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

Pool::~Pool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    queue_.clear();
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Pool::Submit(std::function<void()> function) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(function));
  }
  wake_.notify_one();
}

bool Pool::IsIdle() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return running_ == 0 && queue_.empty();
}

void Pool::Work() {
  if (ground_ == Ground::kBack) StayInBackground();
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    const std::function<void()> function = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    lock.unlock();
    function();
    lock.lock();
    --running_;
  }
}

}  // namespace tasklens
