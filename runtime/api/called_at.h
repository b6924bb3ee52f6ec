// SPDX-License-Identifier: Apache-2.0
// The line of a call, which the macros of starpu_call_sites.h give.
#pragma once

#include "runtime/jobs/thread_state.h"

namespace tasklens::runtime {

inline Site SiteOf(const char* file, int line, const char* function) {
  return {file, function, static_cast<uint32_t>(line)};
}

// For calls that wait, and that order tasks. While it lives, this thread is in the call at that
// line. The innermost counts.
class CalledAt {
 public:
  CalledAt(const char* file, int line, const char* function)
      : call_(ThisThread().call), before_(call_) {
    call_ = SiteOf(file, line, function);
  }
  ~CalledAt() { call_ = before_; }
  CalledAt(const CalledAt&) = delete;
  CalledAt& operator=(const CalledAt&) = delete;

 private:
  Site& call_;
  const Site before_;
};

}  // namespace tasklens::runtime
