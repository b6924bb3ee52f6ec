// SPDX-License-Identifier: Apache-2.0
// The source line of a call, passed by the macros of starpu_call_sites.h.
#pragma once

#include "runtime/jobs/thread_state.h"

namespace tasklens::runtime {

inline Site SiteOf(const char* file, int line, const char* function) {
  return {file, function, static_cast<uint32_t>(line)};
}

// Sets this thread's call line for the time of a block, for calls that wait or that order tasks. If
// nested, the innermost one applies.
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
