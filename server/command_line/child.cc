// SPDX-License-Identifier: Apache-2.0
// fork, exec, and a pipe that carries exec's errno back.
#include "server/command_line/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace tasklens {
namespace {

// The child that receives our signals; 0: none. A global, because a signal handler has no other way
// to find it.
std::atomic<pid_t> signalled_child{0};

void PassOn(int signal) {
  if (const pid_t child = signalled_child.load()) kill(child, signal);
}

// Handles a signal with `handler` during its lifetime.
class ScopedSignal {
 public:
  ScopedSignal(int signal, void (*handler)(int)) : signal_(signal) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, &old_);
  }
  ~ScopedSignal() { sigaction(signal_, &old_, nullptr); }
  void RestoreInChild() const { sigaction(signal_, &old_, nullptr); }

 private:
  int signal_;
  struct sigaction old_ {};
};

// Waits for exec. Returns the errno with which it failed; 0 if the pipe was closed, because exec
// succeeded.
int ReadExecError(int fd) {
  int error = 0;
  ssize_t got;
  do got = read(fd, &error, sizeof error);
  while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

}  // namespace

Result<ChildEnd> RunChild(const std::vector<std::string>& arguments,
                          const std::vector<std::pair<std::string, std::string>>& environment,
                          const std::string& working_directory) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  int exec_error[2];
  if (pipe2(exec_error, O_CLOEXEC) != 0)
    return Status(ErrorCode::kIo, std::string("pipe: ") + std::strerror(errno));
  const ScopedSignal interrupt(SIGINT, SIG_IGN), quit(SIGQUIT, SIG_IGN);
  const ScopedSignal terminate(SIGTERM, PassOn), hangup(SIGHUP, PassOn);

  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    close(exec_error[0]);
    close(exec_error[1]);
    return Status(ErrorCode::kIo, std::string("fork: ") + std::strerror(error));
  }
  if (child == 0) {
    for (const ScopedSignal* signal : {&interrupt, &quit, &terminate, &hangup})
      signal->RestoreInChild();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(127);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    if (working_directory.empty() || chdir(working_directory.c_str()) == 0)
      execvp(argv[0], argv.data());
    const int error = errno;
    if (write(exec_error[1], &error, sizeof error) < 0) _exit(126);
    _exit(127);
  }
  signalled_child = child;
  close(exec_error[1]);
  const int error = ReadExecError(exec_error[0]);
  close(exec_error[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  signalled_child = 0;
  if (error != 0) {
    const ErrorCode code = error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    const std::string where = working_directory.empty() ? "" : " in " + working_directory;
    return Status(code, arguments[0] + ": cannot be run" + where + ": " + std::strerror(error));
  }
  ChildEnd end;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.exit_status = WEXITSTATUS(status);
  }
  return end;
}

std::string Describe(const ChildEnd& end) {
  if (end.signal != 0) {
    const char* name = sigabbrev_np(end.signal);
    return "was killed by " + (name ? "SIG" + std::string(name) : std::to_string(end.signal)) +
           " (" + strsignal(end.signal) + ")";
  }
  if (end.exit_status != 0) return "exited with status " + std::to_string(end.exit_status);
  return "";
}

}  // namespace tasklens
