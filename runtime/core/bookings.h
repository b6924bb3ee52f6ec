// SPDX-License-Identifier: Apache-2.0
// Groups of workers that are booked for a task: the master runs it, and the other workers idle so
// that it can use their processors.
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
  // Books the workers; the first is the master. A thread that is not a worker waits until the
  // others idle; a worker does not, since one of them might be waiting for its task. Returns false
  // if one of the workers or the calling worker is booked already.
  bool Book(Runtime& runtime, unsigned context, const std::vector<int>& workers);
  // Lets the other workers go on. Returns false if the context has no booking with that master.
  bool Release(unsigned context, int master);
  void ReleaseAll(unsigned context);
  // Ends all bookings and returns their opened teams, which the caller must close.
  std::vector<Team*> OpenAll();

 private:
  struct Booking {
    unsigned context;
    std::vector<int> workers;  // the first is the master
    Team* team;                // the workers but the master; nullptr if there are none
  };
  bool IsBooked(int worker) const REQUIRES(lock_);
  template <class IsWanted>
  std::vector<Team*> Take(IsWanted&& is_wanted);

  Mutex lock_;
  std::vector<Booking> bookings_ GUARDED_BY(lock_);
};

}  // namespace tasklens::runtime
