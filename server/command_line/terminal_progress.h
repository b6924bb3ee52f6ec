// SPDX-License-Identifier: Apache-2.0
// Progress of a command on a terminal; nothing at all in a pipe, or below a second of work.
#pragma once

#include <chrono>
#include <string>

#include "trace/support/progress.h"

namespace tasklens {

class TerminalProgress : public Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `what` is shown before the share, as in "reading trace_0: 37 %". The second of work counts from
  // `since`, when the command began.
  explicit TerminalProgress(std::string what, Clock::time_point since = Clock::now());
  ~TerminalProgress() override;  // wipes the line

  bool Report(uint64_t done, uint64_t total) override;  // never stops the work

 private:
  std::string what_;
  bool on_terminal_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace tasklens
