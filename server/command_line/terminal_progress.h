// SPDX-License-Identifier: Apache-2.0
// Shows the progress of a command on a terminal; prints nothing in a pipe, or in the first second.
#pragma once

#include <chrono>
#include <string>

#include "trace/support/progress.h"

namespace tasklens {

class TerminalProgress : public Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `what` precedes the percentage, as in "reading trace_0: 37 %". The first second counts from
  // `since`, the start of the command.
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
