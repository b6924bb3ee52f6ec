// SPDX-License-Identifier: Apache-2.0
// A disk of the test's own, which goes on when the test says so.
#pragma once

#include <starpu.h>
#include <sys/types.h>

#include <condition_variable>
#include <cstring>
#include <mutex>

#include "tests/runtime/on_disk.h"

namespace tasklens::testing::on_disk {

// Where one thread, the next that comes, stands until it is let go.
class Gate {
 public:
  void Close() {
    const std::lock_guard guard(lock_);
    state_ = kClosed;
  }
  void AwaitSomebody() {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [this] { return state_ == kHolds; });
  }
  void Open() {
    const std::lock_guard guard(lock_);
    state_ = kOpen;
    changed_.notify_all();
  }
  void Pass() {
    std::unique_lock guard(lock_);
    if (state_ != kClosed) return;
    state_ = kHolds;
    changed_.notify_all();
    changed_.wait(guard, [this] { return state_ == kOpen; });
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  enum { kOpen, kClosed, kHolds } state_ = kOpen;
};
inline Gate* gate = nullptr;  // of the disk

// What it is asked for it does at once, or rather when somebody opens the gate.
inline const starpu_disk_ops kSlowDisk = [] {
  starpu_disk_ops ops = MemoryDisk();
  ops.read = [](void*, void* object, void* buffer, off_t offset, size_t bytes) {
    gate->Pass();
    memcpy(buffer, At(object, offset), bytes);
    return static_cast<int>(bytes);
  };
  ops.write = [](void*, void* object, const void* buffer, off_t offset, size_t bytes) {
    gate->Pass();
    memcpy(At(object, offset), buffer, bytes);
    return 0;
  };
  return ops;
}();

}  // namespace tasklens::testing::on_disk
