// SPDX-License-Identifier: Apache-2.0
// The signal handler writes to an eventfd. (A signalfd would need the signals blocked in all
// threads.)
#include "server/command_line/ending_signals.h"

#include <sys/eventfd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace tasklens {
namespace {

// The eventfd. A global, because a signal handler has no other way to find it.
std::atomic<int> told_fd{-1};

void Tell(int) {
  const int error = errno;
  eventfd_write(told_fd, 1);
  errno = error;
}

}  // namespace

Result<int> FdOfEndingSignals() {
  told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (told_fd < 0)
    return Status(ErrorCode::kIo, std::string("cannot wait for signals: ") + std::strerror(errno));
  struct sigaction action {};
  action.sa_handler = &Tell;
  action.sa_flags = SA_RESTART;
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) {
    sigaction(signal, &action, nullptr);
    sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);  // they may be blocked by the parent process
  return told_fd.load();
}

}  // namespace tasklens
