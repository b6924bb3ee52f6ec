// SPDX-License-Identifier: Apache-2.0
// A booking is a team whose members idle.
#include "runtime/core/bookings.h"

#include <algorithm>

#include "runtime/core/runtime.h"
#include "runtime/core/team.h"
#include "runtime/jobs/thread_state.h"

namespace tasklens::runtime {

bool Bookings::IsBooked(int worker) const {
  return std::ranges::any_of(bookings_, [worker](const Booking& booking) {
    return std::ranges::count(booking.workers, worker) > 0;
  });
}

bool Bookings::Book(Runtime& runtime, unsigned context, const std::vector<int>& workers) {
  const Worker* const self = ThisThread().worker;
  const bool waits = !self;
  Team* team = nullptr;
  {
    MutexLock guard(lock_);
    if (self && IsBooked(self->id)) return false;
    for (const int id : workers)
      if (IsBooked(id)) return false;
    if (workers.size() > 1)
      team = Team::Hold(runtime, std::vector<int>(workers.begin() + 1, workers.end()),
                        /*owners=*/waits ? 2 : 1);
    bookings_.push_back({context, workers, team});
  }
  if (team && waits) team->Close();
  return true;
}

template <class IsWanted>
std::vector<Team*> Bookings::Take(IsWanted&& is_wanted) {
  std::vector<Team*> teams;
  MutexLock guard(lock_);
  std::erase_if(bookings_, [&](const Booking& booking) {
    if (!is_wanted(booking)) return false;
    if (booking.team) teams.push_back(booking.team);
    return true;
  });
  return teams;
}

bool Bookings::Release(unsigned context, int master) {
  bool found = false;
  const std::vector<Team*> teams = Take([&](const Booking& booking) {
    const bool is_it = booking.context == context && booking.workers.front() == master;
    found |= is_it;
    return is_it;
  });
  for (Team* team : teams) team->OpenAndLeave();
  return found;
}

void Bookings::ReleaseAll(unsigned context) {
  for (Team* team : Take([&](const Booking& one) { return one.context == context; }))
    team->OpenAndLeave();
}

std::vector<Team*> Bookings::OpenAll() {
  const std::vector<Team*> teams = Take([](const Booking&) { return true; });
  for (Team* team : teams) team->Open();
  return teams;
}

}  // namespace tasklens::runtime
