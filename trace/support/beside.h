// SPDX-License-Identifier: Apache-2.0
// Work that is done while the caller goes on.
#pragma once

#include <future>
#include <utility>

namespace tasklens {

// Calls work() on a thread of its own; where none can be had, in get(). What it uses must outlive
// the future, whose destructor waits for a thread that runs.
template <class Work>
auto Beside(Work work) {
  return std::async(std::launch::async | std::launch::deferred, std::move(work));
}

// The same where it `is_worth_a_thread`; else in get().
template <class Work>
auto BesideIf(bool is_worth_a_thread, Work work) {
  return is_worth_a_thread ? Beside(std::move(work))
                           : std::async(std::launch::deferred, std::move(work));
}

}  // namespace tasklens
