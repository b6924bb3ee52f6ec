// SPDX-License-Identifier: Apache-2.0
// Workers that are booked for a task: one of them, the master, runs it, and the others leave their
// processors to it.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

class Runtime;
class Team;

class Bookings {
 public:
  // Books the workers, of which the first is the master. A thread that is no worker waits until the
  // others rest; a worker does not, as one of them might wait for its task. False where one of them
  // is booked already, or the calling worker is.
  bool Book(Runtime& runtime, unsigned context, const std::vector<int>& workers);
  // The others go on. False where nothing is booked for that master in the context.
  bool Release(unsigned context, int master);
  void ReleaseAll(unsigned context);
  // All that there are; the caller closes them.
  std::vector<Team*> OpenAll();

 private:
  struct Booking {
    unsigned context;
    std::vector<int> workers;  // the first is the master
    Team* team;                // of the others; nullptr: there are none
  };
  bool IsBooked(int worker) const REQUIRES(lock_);
  template <class IsWanted>
  std::vector<Team*> Take(IsWanted&& is_wanted);

  Mutex lock_;
  std::vector<Booking> bookings_ GUARDED_BY(lock_);
};

}  // namespace tasklens::runtime
