// SPDX-License-Identifier: Apache-2.0
// Waits in the way that suits the caller: an OpenMP task pauses, so that its worker runs other
// tasks; a thread sleeps; a thread in a worker's place (place.h) runs tasks.
//
// The waiting side makes a Waiter, registers it somewhere under that object's lock, unlocks, and
// calls Wait(). The waking side removes the Waiter under the lock, unlocks, and calls Wake(), after
// which the Waiter may be destroyed. No code of the program runs under such a lock.
#pragma once

#include <atomic>
#include <cstdint>

namespace tasklens::runtime {
class Pausable;
struct Worker;
}  // namespace tasklens::runtime

namespace tasklens::runtime::openmp {

class Waiter {
 public:
  // For the calling task or thread; with `in_place_of`, for the thread in that worker's place.
  explicit Waiter(Worker* in_place_of = nullptr);
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // Each is called once; Wake() may come first.
  void Wait();
  void Wake();

 private:
  friend class WaitList;
  enum : uint32_t { kNobody, kWaits, kWoken };
  Pausable* const pausable_;
  Worker* const in_place_of_;
  std::atomic<uint32_t> state_{kNobody};  // a futex
  Waiter* next_ = nullptr;                // in a WaitList
};

// A FIFO of Waiters, guarded by its owner's lock.
class WaitList {
 public:
  bool empty() const { return !first_; }
  void Add(Waiter& waiter);
  void AddFirst(Waiter& waiter);
  // Returns nullptr if the list is empty.
  Waiter* TakeFirst();
  // Removes and returns all Waiters.
  WaitList TakeAll();
  // Wakes all Waiters. REQUIRES: the lock is not held.
  void WakeAll();

 private:
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
};

}  // namespace tasklens::runtime::openmp
