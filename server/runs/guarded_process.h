// SPDX-License-Identifier: Apache-2.0
// A program that never outlives us, with everything it starts.
//
// Between us and the program stands a guard: a small process of ours that waits for the program
// and adopts whatever the program leaves behind (it is a "child subreaper"). The guard ends all of
// them when it is asked to, when the program has ended, and when we die, however we die. A second
// one, the keeper, stands between us and the guard and does the same when the guard is killed; when
// both are killed at once, we do. The program has a process group of its own, no terminal, and an
// empty standard input.
//
// A program that is to outlive us has a guard that does not end it when we die, and writes to files
// instead of pipes. What the guard reports lies in a file besides, for those who come after us.
//
// Threads: StartGuarded() on a thread that lives as long as the process (the main thread), because
// the kernel tells the guard about the death of that thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

struct Launch {
  std::string program;  // a path; see FindProgram()
  // The first is the program's name as the user gave it: mpirun, called by a path, takes the path
  // for where all its parts are, on other machines too.
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // "NAME=value", all of it
  std::string directory;                 // to work in
  // Not "": the program outlives us, and writes to stdout.txt and stderr.txt in this folder.
  std::string log_directory;
  // Not "": the guard keeps this file locked as long as it lives, and leaves in it how the program
  // ended; see PastEndOf().
  std::string report_file;
  // So long has the program to end after it was asked, when we go. srun needs it to end what it
  // started on other machines.
  int patience_s = 1;
};

struct GuardedProcess {
  pid_t keeper = -1;  // our child, the guard's parent
  // The reading ends, owned by the caller: the program's outputs (pipes, or the files of
  // log_directory), and the guard's report.
  int out_fd = -1, err_fd = -1, report_fd = -1;
};

struct ProcessEnd {
  int exec_errno = 0;    // not 0: the program could not be started
  int exit_status = -1;  // -1: it did not exit by itself
  int signal = 0;        // that ended it, or 0
  int left_behind = 0;   // processes that it had started and that were still there
};

// The file that `program` means to somebody in `directory` whose PATH is `search_path`, absolute.
// Fails with one line when there is none, or when it cannot be executed.
Result<std::string> FindProgram(const std::string& program, const std::string& directory,
                                const std::string& search_path);

Result<GuardedProcess> StartGuarded(const Launch& launch);

// Asks the program and its processes to end (SIGTERM); or ends them (SIGKILL): at once where they
// were asked before, else after they were asked and had their patience_s.
void AskToEnd(const GuardedProcess& process);
void EndNow(const GuardedProcess& process);

// Ends what a program has left when somebody has killed its guard and its keeper at once: then it
// has come to us. `keepers`: of programs that run. REQUIRES: all that we have started besides is in
// our session.
void EndOrphans(const std::vector<pid_t>& keepers);

// Whether the guard saw the end of the program: else somebody killed the guard. `report` is all
// that report_fd brought.
bool IsEndReported(const std::string& report);

// Waits for the keeper and says how the program ended. `report` is all that report_fd brought.
// REQUIRES: report_fd is at its end.
ProcessEnd Collect(const GuardedProcess& process, const std::string& report);

// What a report_file says later, to any process.
struct PastEnd {
  bool is_known = false;  // false: there is no such file
  bool is_running = false;
  bool is_alone = false;          // runs, and who started it has gone
  std::optional<ProcessEnd> end;  // of a program that does not run; nothing: its guard died first
};
PastEnd PastEndOf(const std::string& report_file);

// Asks a program that another process has started to end, and ends it when its patience_s are over.
// Returns at once. Only the guard that has this very file open is told, by the number and the time
// of its start that it left there: a number may be somebody else's by now. kNotFound: none is
// there.
Status EndPast(const std::string& report_file);

// "exited with status 3", "was ended by SIGSEGV (Segmentation fault)".
std::string Describe(const ProcessEnd& end);

}  // namespace tasklens
