// SPDX-License-Identifier: Apache-2.0
// The keeper, the guard and the program: each is the child of the one before. The keeper and the
// guard are forked from a process with many threads and never execute another program, so after
// fork() they may only make system calls.
#include "server/runs/guarded_process.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>

namespace tasklens {
namespace {

namespace fs = std::filesystem;

// A message in the report pipe and the report file; each is one write.
struct Report {
  enum Kind : int { kExecFailed = 1, kEnded = 2 };
  int kind;
  int value;  // errno, or the status of waitpid()
  int left_behind;
};

// Identifies a process until the machine restarts, although process numbers are reused.
struct ProcessName {
  pid_t pid = -1;
  uint64_t start_ticks = 0;  // since the machine booted
  bool operator==(const ProcessName&) const = default;
};

// The beginning of a report file.
struct Identity {
  static constexpr int kKind = 3;  // differs from the kinds of reports
  int kind = kKind;
  ProcessName guard, starter;
};

// A path with a process number in it. Does not allocate memory.
class NumberedPath {
 public:
  NumberedPath(const char* before, pid_t pid, const char* after) {
    char digits[16];
    int count = 0;
    for (; pid > 0; pid /= 10) digits[count++] = static_cast<char>('0' + pid % 10);
    char* end = stpcpy(text_, before);
    while (count > 0) *end++ = digits[--count];
    stpcpy(end, after);
  }
  const char* text() const { return text_; }

 private:
  char text_[64];
};

// Does not allocate memory. start_ticks is 0 if there is no such process.
ProcessName NameOf(pid_t pid) {
  ProcessName name{pid, 0};
  const int fd = open(NumberedPath("/proc/", pid, "/stat").text(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return name;
  char text[1024];
  const ssize_t got = read(fd, text, sizeof text);
  close(fd);
  // "12 (name) S ...": the name may contain any character. The start time is the twentieth word
  // after it.
  const ssize_t length = std::max<ssize_t>(got, 0);
  ssize_t i = length;
  while (i > 0 && text[i - 1] != ')') --i;
  if (i + 1 >= length || text[i + 1] == 'Z') return name;  // a zombie does not count
  for (int blanks = 0; i < length && blanks < 20; ++i) blanks += text[i] == ' ';
  for (; i < length && text[i] >= '0' && text[i] <= '9'; ++i)
    name.start_ticks = name.start_ticks * 10 + static_cast<uint64_t>(text[i] - '0');
  return name;
}

constexpr int kGuardsFile = 4;  // descriptor of the report file in a guard

void Send(int fd, Report report) {
  // The write may fail: the pipe takes this little at once unless nobody reads it any more.
  if (write(fd, &report, sizeof report) < 0) return;
}

[[noreturn]] void BecomeProgram(const char* program, char* const* argv, char* const* environment,
                                const char* directory, int report_fd) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (chdir(directory) == 0) execve(program, argv, environment);
  Send(report_fd, {Report::kExecFailed, errno, 0});
  _exit(127);
}

// Calls act(pid) for each child of this process, including adopted ones. Returns false on failure.
template <class Act>
bool ForEachChild(const char* children_path, Act act) {
  const int fd = open(children_path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char buffer[4096];
  pid_t pid = 0;
  for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;) {
    for (ssize_t i = 0; i < got; ++i) {
      if (buffer[i] >= '0' && buffer[i] <= '9') {
        pid = pid * 10 + (buffer[i] - '0');
      } else {
        if (pid > 0) act(pid);
        pid = 0;
      }
    }
  }
  if (pid > 0) act(pid);
  close(fd);
  return true;
}

// The file with the children of the calling process.
NumberedPath ChildrenPath() { return {"/proc/self/task/", getpid(), "/children"}; }

int64_t NanosecondsOf(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

class Guard {
 public:
  Guard(pid_t program, int report_fd, int file_fd, int patience_s)
      : program_(program), report_fd_(report_fd), file_fd_(file_fd), patience_s_(patience_s) {}

  // REQUIRES: `signals` are blocked.
  [[noreturn]] void Run(const sigset_t& signals) {
    while (true) {
      const int signal = sigwaitinfo(&signals, nullptr);
      if (signal == SIGTERM) {
        is_asked_ = true;
        SignalAll(SIGTERM);
      }
      if (signal == SIGUSR1 && is_asked_) {
        EndAll();
        Finish();
      }
      if (signal == SIGHUP || signal == SIGUSR1) End(signals, patience_s_);
      if (!Reap()) Finish();
      if (program_ended_) EndLeftBehind(signals);
    }
  }

 private:
  // Returns false if no process is left.
  bool Reap() {
    while (true) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid == 0) return true;
      if (pid < 0) return errno != ECHILD;
      Note(pid, status);
    }
  }

  void Note(pid_t pid, int status) {
    if (pid != program_) return;
    program_ended_ = true;
    status_ = status;
  }

  void SignalAll(int signal) {
    // The group's number is the program's. It is not reused while the group has members.
    kill(-program_, signal);
    ForEachChild(children_path_.text(), [&](pid_t pid) { kill(pid, signal); });
  }

  // The children of killed processes become ours, so this loops until none is left.
  void EndAll() {
    while (true) {
      kill(-program_, SIGKILL);
      const bool is_known =
          ForEachChild(children_path_.text(), [](pid_t pid) { kill(pid, SIGKILL); });
      int status = 0;
      const pid_t pid = waitpid(-1, &status, is_known ? 0 : WNOHANG);
      if (pid > 0) Note(pid, status);
      if (pid == 0 || (pid < 0 && errno == ECHILD)) return;
    }
  }

  // Ends the other processes after the program itself has ended.
  void EndLeftBehind(const sigset_t& signals) {
    ForEachChild(children_path_.text(), [&](pid_t) { ++left_behind_; });
    if (left_behind_ == 0) left_behind_ = 1;
    End(signals, 1);
  }

  // Asks all processes to end, and kills them after patience_s.
  [[noreturn]] void End(const sigset_t& signals, int patience_s) {
    SignalAll(SIGTERM);
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t last_ns = NanosecondsOf(now) + patience_s * int64_t{1'000'000'000};
    for (int signal = 0; signal != SIGUSR1;) {
      clock_gettime(CLOCK_MONOTONIC, &now);
      const int64_t left_ns = last_ns - NanosecondsOf(now);
      if (left_ns <= 0) break;
      const timespec left{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
      signal = sigtimedwait(&signals, nullptr, &left);
      if (signal == SIGCHLD && !Reap()) Finish();
    }
    EndAll();
    Finish();
  }

  [[noreturn]] void Finish() {
    // The file is written first: if nobody reads the pipe any more, writing to it kills this
    // process.
    if (file_fd_ >= 0) Send(file_fd_, {Report::kEnded, status_, left_behind_});
    Send(report_fd_, {Report::kEnded, status_, left_behind_});
    _exit(0);
  }

  const pid_t program_;
  const int report_fd_;
  const int file_fd_;  // -1: none
  const NumberedPath children_path_ = ChildrenPath();
  const int patience_s_;
  bool is_asked_ = false;  // by SIGTERM
  bool program_ended_ = false;
  int status_ = 0;
  int left_behind_ = 0;
};

// The parent of the guard. It forwards signals to the guard. If the guard is killed, the keeper
// adopts the remaining processes and ends them. If the keeper is killed, the guard ends everything.
class Keeper {
 public:
  explicit Keeper(pid_t guard) : guard_(guard) {}

  // REQUIRES: `signals` are blocked.
  [[noreturn]] void Run(const sigset_t& signals) {
    while (true) {
      const int signal = sigwaitinfo(&signals, nullptr);
      if (signal == SIGHUP || signal == SIGTERM || signal == SIGUSR1) kill(guard_, signal);
      int status = 0;
      if (waitpid(guard_, &status, WNOHANG) <= 0) continue;
      // A guard that exits normally has ended all processes.
      if (!WIFEXITED(status)) EndAll();
      _exit(0);
    }
  }

 private:
  // The children of killed processes become ours.
  static void EndAll() {
    const NumberedPath children_path = ChildrenPath();
    bool is_known = false;
    do {
      is_known = ForEachChild(children_path.text(), [](pid_t pid) { kill(pid, SIGKILL); });
    } while (waitpid(-1, nullptr, is_known ? 0 : WNOHANG) > 0);
  }

  const pid_t guard_;
};

// All data for keeper and guard, because nothing may be allocated after fork().
struct Start {
  const char* program;
  char* const* argv;
  char* const* environment;
  const char* directory;
  int null_fd, out_fd, err_fd, report_fd;
  int file_fd;  // -1: none
  int patience_s;
  bool outlives;
  ProcessName starter;
  sigset_t signals;  // blocked
};

// Redirects standard input and outputs to /dev/null.
void BecomeQuiet(int null_fd) {
  for (const int fd : {0, 1, 2}) dup2(null_fd, fd);
}

// REQUIRES: called just after fork(). `parent` may have died already.
void Attach(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGHUP);
  if (getppid() != parent) _exit(1);
}

[[noreturn]] void BecomeGuard(const Start& start) {
  dup2(start.null_fd, 0);
  dup2(start.out_fd, 1);
  dup2(start.err_fd, 2);
  // Where locks belong to a process (NFS), this process takes the lock when its parents close the
  // file.
  if (start.file_fd >= 0) flock(start.file_fd, LOCK_EX);
  const Identity identity{Identity::kKind, NameOf(getpid()), start.starter};
  // If the disk is full, other processes cannot end the program; it still runs.
  if (start.file_fd >= 0 && write(start.file_fd, &identity, sizeof identity) < 0) errno = 0;
  const pid_t program = fork();
  if (program == 0)
    BecomeProgram(start.program, start.argv, start.environment, start.directory, start.report_fd);
  if (program < 0) {
    Send(start.report_fd, {Report::kExecFailed, errno, 0});
    _exit(1);
  }
  setpgid(program, program);  // parent and child both set it: either may be first
  // Closes inherited descriptors: the client's pipes and the outputs of the program.
  BecomeQuiet(start.null_fd);
  // Uses unused numbers in between, since a descriptor may already be 3 or 4.
  const int high_report = fcntl(start.report_fd, F_DUPFD, 64);
  const int high_file = start.file_fd < 0 ? -1 : fcntl(start.file_fd, F_DUPFD, 64);
  const int report_fd = dup2(high_report, 3);
  const int file_fd = start.file_fd < 0 ? -1 : dup2(high_file, kGuardsFile);
  close_range(start.file_fd < 0 ? kGuardsFile : kGuardsFile + 1, ~0U, 0);
  Guard(program, report_fd, file_fd, start.patience_s).Run(start.signals);
}

[[noreturn]] void BecomeKeeper(const Start& start, pid_t parent) {
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (!start.outlives) Attach(parent);
  const pid_t keeper = getpid();
  const pid_t guard = fork();
  if (guard == 0) {
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    Attach(keeper);
    BecomeGuard(start);
  }
  if (guard < 0) {
    Send(start.report_fd, {Report::kExecFailed, errno, 0});
    _exit(1);
  }
  BecomeQuiet(start.null_fd);
  close_range(3, ~0U, 0);
  Keeper(guard).Run(start.signals);
}

// Opens the reading and the writing end of an output. On failure returns false and sets errno.
bool OpenOutput(const std::string& log_directory, const char* name, int (&ends)[2]) {
  if (log_directory.empty()) return pipe2(ends, O_CLOEXEC) == 0;
  const std::string path = log_directory + "/" + name;
  ends[1] = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  ends[0] = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  return ends[0] >= 0 && ends[1] >= 0;
}

// Locks the file before others can see it. On failure returns false and sets errno.
bool OpenReportFile(const std::string& path, int& fd) {
  if (path.empty()) return true;
  fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return fd >= 0 && flock(fd, LOCK_EX) == 0;
}

void CloseAll(std::initializer_list<int> fds) {
  for (const int fd : fds)
    if (fd >= 0) close(fd);
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<std::string> FindProgram(const std::string& program, const std::string& directory,
                                const std::string& search_path) {
  if (program.empty()) return Status(ErrorCode::kInvalidArgument, "no program is given");
  auto usable = [](const fs::path& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return errno;
    if (S_ISDIR(status.st_mode)) return EISDIR;
    return access(path.c_str(), X_OK) == 0 ? 0 : EACCES;
  };
  if (program.find('/') != std::string::npos) {
    const fs::path path = (fs::path(directory) / program).lexically_normal();
    const int error = usable(path);
    if (error == 0) return path.string();
    if (error == EACCES && access(path.c_str(), F_OK) == 0)
      return Status(ErrorCode::kIo, path.string() + ": not executable (chmod +x?)");
    return Status(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                  path.string() + ": " +
                      (error == ENOENT ? "no such program; is it built?" : std::strerror(error)));
  }
  for (size_t start = 0; start <= search_path.size();) {
    const size_t end = std::min(search_path.find(':', start), search_path.size());
    const fs::path path = fs::path(directory) / search_path.substr(start, end - start) / program;
    if (usable(path) == 0) return path.lexically_normal().string();
    start = end + 1;
  }
  if (usable(fs::path(directory) / program) == 0)
    return Status(ErrorCode::kNotFound, program + ": not in PATH; did you mean ./" + program + "?");
  return Status(ErrorCode::kNotFound, program + ": no such program in PATH");
}

Result<GuardedProcess> StartGuarded(const Launch& launch) {
  int out[2] = {-1, -1}, err[2] = {-1, -1}, report[2] = {-1, -1}, file = -1;
  const int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  const bool outlives = !launch.log_directory.empty();
  if (null_fd < 0 || !OpenOutput(launch.log_directory, "stdout.txt", out) ||
      !OpenOutput(launch.log_directory, "stderr.txt", err) || pipe2(report, O_CLOEXEC) != 0 ||
      !OpenReportFile(launch.report_file, file)) {
    const Status error(ErrorCode::kIo, std::string("cannot open a pipe or file for output: ") +
                                           std::strerror(errno));
    CloseAll({null_fd, out[0], out[1], err[0], err[1], report[0], report[1], file});
    return error;
  }
  // All allocations happen before fork().
  std::vector<std::string> arguments = launch.arguments;
  std::vector<std::string> environment = launch.environment;
  const std::vector<char*> argv = Pointers(arguments), envp = Pointers(environment);
  sigset_t signals, old_signals;
  sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGHUP, SIGTERM, SIGUSR1, SIGINT, SIGQUIT})
    sigaddset(&signals, signal);
  // Blocked before the guard exists, so that it misses no signal.
  pthread_sigmask(SIG_BLOCK, &signals, &old_signals);

  const Start start{launch.program.c_str(),
                    argv.data(),
                    envp.data(),
                    launch.directory.c_str(),
                    null_fd,
                    out[1],
                    err[1],
                    report[1],
                    file,
                    launch.patience_s,
                    outlives,
                    NameOf(getpid()),
                    signals};
  // See EndOrphans().
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t parent = getpid();
  const pid_t keeper = fork();
  if (keeper == 0) BecomeKeeper(start, parent);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &old_signals, nullptr);
  CloseAll({null_fd, out[1], err[1], report[1], file});
  if (keeper < 0) {
    CloseAll({out[0], err[0], report[0]});
    return Status(ErrorCode::kIo, std::string("cannot start a process: ") + std::strerror(error));
  }
  return GuardedProcess{keeper, out[0], err[0], report[0]};
}

void AskToEnd(const GuardedProcess& process) { kill(process.keeper, SIGTERM); }
void EndNow(const GuardedProcess& process) { kill(process.keeper, SIGUSR1); }

void EndOrphans(const std::vector<pid_t>& keepers) {
  const pid_t session = getsid(0);
  bool is_any = false;
  const auto end = [&](pid_t pid) {
    const bool is_keeper = std::find(keepers.begin(), keepers.end(), pid) != keepers.end();
    if (is_keeper || getsid(pid) == session) return;
    is_any = true;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  };
  do {  // the children of killed processes become ours
    is_any = false;
    std::error_code error;
    for (const fs::directory_entry& thread : fs::directory_iterator("/proc/self/task", error))
      ForEachChild((thread.path() / "children").c_str(), end);
  } while (is_any);
}

namespace {

// Returns nullopt if the guard reported no end.
std::optional<ProcessEnd> EndOf(std::string_view report) {
  std::optional<ProcessEnd> end;
  for (; report.size() >= sizeof(Report); report.remove_prefix(sizeof(Report))) {
    Report part;
    std::memcpy(&part, report.data(), sizeof part);
    if (!end) end.emplace();
    if (part.kind == Report::kExecFailed) {
      end->exec_errno = part.value;
    } else if (end->exec_errno == 0) {
      end->left_behind = part.left_behind;
      if (WIFSIGNALED(part.value)) end->signal = WTERMSIG(part.value);
      if (WIFEXITED(part.value)) end->exit_status = WEXITSTATUS(part.value);
    }
  }
  return end;
}

}  // namespace

bool IsEndReported(const std::string& report) { return EndOf(report).has_value(); }

ProcessEnd Collect(const GuardedProcess& process, const std::string& report) {
  int keeper_status = 0;
  while (waitpid(process.keeper, &keeper_status, 0) < 0 && errno == EINTR) {
  }
  // Without an end in the report, the guard was killed, and with it the program.
  return EndOf(report).value_or(ProcessEnd{.signal = SIGKILL});
}

namespace {

// The present contents of a report file.
struct ReportFile {
  bool is_there = false, is_locked = false;
  dev_t device = 0;
  ino_t inode = 0;
  std::optional<Identity> identity;
  std::string reports;
};

ReportFile ReadReportFile(const std::string& path) {
  // The file is in a workspace, where the name may belong to something else.
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return {};
  ReportFile file;
  file.is_there = true;
  file.is_locked = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat status {};
  if (fstat(fd, &status) == 0) {
    file.device = status.st_dev;
    file.inode = status.st_ino;
  }
  char buffer[sizeof(Identity) + sizeof(Report)];
  const ssize_t got = read(fd, buffer, sizeof buffer);
  close(fd);
  file.reports.assign(buffer, static_cast<size_t>(std::max<ssize_t>(got, 0)));
  if (Identity identity; file.reports.size() >= sizeof identity) {
    std::memcpy(&identity, file.reports.data(), sizeof identity);
    if (identity.kind == Identity::kKind) {
      file.identity = identity;
      file.reports.erase(0, sizeof identity);
    }
  }
  return file;
}

bool IsThere(const ProcessName& process) {
  return process.start_ticks > 0 && NameOf(process.pid) == process;
}

}  // namespace

PastEnd PastEndOf(const std::string& report_file) {
  const ReportFile file = ReadReportFile(report_file);
  PastEnd past;
  past.is_known = file.is_there;
  past.is_running = file.is_locked;
  past.is_alone = file.is_locked && file.identity && !IsThere(file.identity->starter);
  if (!file.is_locked) past.end = EndOf(file.reports);
  return past;
}

Status EndPast(const std::string& report_file) {
  const Status none(
      ErrorCode::kNotFound,
      report_file +
          ": its program is no longer running, or its guard process is on another machine");
  const ReportFile file = ReadReportFile(report_file);
  if (!file.is_locked || !file.identity || file.identity->guard.pid <= 0) return none;
  const ProcessName& guard = file.identity->guard;
  // From here on the descriptor refers to one process, even if the number is reused.
  const int process = static_cast<int>(syscall(SYS_pidfd_open, guard.pid, 0));
  if (process < 0) return none;
  const std::string open_file =
      "/proc/" + std::to_string(guard.pid) + "/fd/" + std::to_string(kGuardsFile);
  struct stat status {};
  const bool is_it = IsThere(guard) && stat(open_file.c_str(), &status) == 0 &&
                     status.st_dev == file.device && status.st_ino == file.inode;
  const bool is_told = is_it && syscall(SYS_pidfd_send_signal, process, SIGHUP, nullptr, 0) == 0;
  close(process);
  return is_told ? Status::Ok() : none;
}

std::string Describe(const ProcessEnd& end) {
  if (end.exec_errno != 0)
    return std::string("cannot be run: ") +
           (end.exec_errno == ENOEXEC ? "neither a program for this machine nor a script with #!"
                                      : std::strerror(end.exec_errno));
  if (end.signal != 0) {
    const char* name = sigabbrev_np(end.signal);
    const char* text = strsignal(end.signal);
    return "was ended by " + (name ? "SIG" + std::string(name) : std::to_string(end.signal)) +
           (text ? " (" + std::string(text) + ")" : "");
  }
  return "exited with status " + std::to_string(end.exit_status);
}

}  // namespace tasklens
