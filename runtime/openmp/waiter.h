// SPDX-License-Identifier: Apache-2.0
// Waiting in the way that the caller can: a task of OpenMP's pauses, so that its worker runs
// others; a thread sleeps; a thread in a worker's place (place.h) runs what there is.
//
// Who waits makes a Waiter, hands it to somebody under that one's lock, leaves the lock and calls
// Wait(). Who wakes takes the Waiter out of where it is under the lock, leaves it, and calls
// Wake(), after which the Waiter may be gone. Nothing of the program runs under such a lock.
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
  // For the calling task or thread; with a worker, for the thread that is in its place.
  explicit Waiter(Worker* in_place_of = nullptr);
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // Once each. Wake() may come first.
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

// First in, first out. Guarded by its owner's lock.
class WaitList {
 public:
  bool empty() const { return !first_; }
  void Add(Waiter& waiter);
  void AddFirst(Waiter& waiter);
  // nullptr: there is none.
  Waiter* TakeFirst();
  // The whole list, which is empty then.
  WaitList TakeAll();
  // All of them, without the lock.
  void WakeAll();

 private:
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
};

}  // namespace tasklens::runtime::openmp
