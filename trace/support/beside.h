// SPDX-License-Identifier: Apache-2.0
// Runs work on another thread while the caller continues.
#pragma once

#include <future>
#include <utility>

namespace tasklens {

// Calls work() on a thread of its own; if no thread can be started, in get(). Everything that
// work() uses must outlive the future, whose destructor waits for the thread.
template <class Work>
auto Beside(Work work) {
  return std::async(std::launch::async | std::launch::deferred, std::move(work));
}

// The same if `is_worth_a_thread`; else calls work() in get().
template <class Work>
auto BesideIf(bool is_worth_a_thread, Work work) {
  return is_worth_a_thread ? Beside(std::move(work))
                           : std::async(std::launch::deferred, std::move(work));
}

}  // namespace tasklens
