// SPDX-License-Identifier: Apache-2.0
// One line on standard error, rewritten at most five times a second.
#include "server/command_line/terminal_progress.h"

#include <unistd.h>

#include <cstdio>

namespace tasklens {

TerminalProgress::TerminalProgress(std::string what, Clock::time_point since)
    : what_(std::move(what)),
      on_terminal_(isatty(STDERR_FILENO) == 1),
      next_(since + std::chrono::seconds(1)) {}

TerminalProgress::~TerminalProgress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

bool TerminalProgress::Report(uint64_t done, uint64_t total) {
  if (!on_terminal_ || Clock::now() < next_) return true;
  next_ = Clock::now() + std::chrono::milliseconds(200);
  const double amount = static_cast<double>(done);
  if (total > 0)
    std::fprintf(stderr, "\r\033[K%s: %.0f %%", what_.c_str(),
                 100 * amount / static_cast<double>(total));
  else
    std::fprintf(stderr, "\r\033[K%s: %.0f MB", what_.c_str(), amount / 1e6);
  std::fflush(stderr);
  shown_ = true;
  return true;
}

}  // namespace tasklens
