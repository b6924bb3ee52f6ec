// SPDX-License-Identifier: Apache-2.0
// Runs a program that cannot outlive this process, together with everything it starts.
//
// Between this process and the program stands a guard: a small process that waits for the program
// and adopts the processes that the program leaves behind (a "child subreaper"). The guard ends all
// of them on request, when the program has ended, or when this process dies for any reason. A
// second process, the keeper, stands between this process and the guard and does the same if the
// guard is killed. If both are killed at once, this process does it. The program has its own
// process group, no terminal, and an empty standard input.
//
// A program that may outlive this process has a guard that does not end it when this process dies;
// the program then writes to files instead of pipes. The guard's report is also kept in a file, for
// later processes.
//
// Threads: call StartGuarded() on a thread that lives as long as the process (the main thread),
// because the kernel notifies the guard when that thread dies.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

struct Launch {
  std::string program;  // a path; see FindProgram()
  // The first argument is the name of the program as the user typed it: if mpirun is called with a
  // path, it expects its parts below that path, also on other machines.
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // "NAME=value", all of it
  std::string directory;                 // working directory
  // If not empty: the program may outlive this process, and writes to stdout.txt and stderr.txt in
  // this folder.
  std::string log_directory;
  // If not empty: the guard keeps this file locked while it lives, and records in it how the
  // program ended; see PastEndOf().
  std::string report_file;
  // The seconds between the request to end and the forced end of the program when this process
  // ends. srun needs them to end its processes on other machines.
  int patience_s = 1;
};

struct GuardedProcess {
  pid_t keeper = -1;  // our child, the guard's parent
  // Reading ends, owned by the caller: the output of the program (pipes, or files in
  // log_directory), and the guard's report.
  int out_fd = -1, err_fd = -1, report_fd = -1;
};

struct ProcessEnd {
  int exec_errno = 0;    // not 0: exec failed
  int exit_status = -1;  // -1: it did not exit normally
  int signal = 0;        // signal that ended it, or 0
  int left_behind = 0;   // number of its processes that were still alive
};

// Resolves `program` as a shell in `directory` with the PATH `search_path` does; the result is
// absolute. Fails with a one-line message if there is no such program or it is not executable.
Result<std::string> FindProgram(const std::string& program, const std::string& directory,
                                const std::string& search_path);

Result<GuardedProcess> StartGuarded(const Launch& launch);

// AskToEnd() sends SIGTERM to the program and its processes. EndNow() kills them (SIGKILL): at once
// if they were asked before, else after asking and waiting for patience_s.
void AskToEnd(const GuardedProcess& process);
void EndNow(const GuardedProcess& process);

// Ends the processes that a program left when its guard and its keeper were killed at once: this
// process has adopted them. `keepers`: those of running programs. REQUIRES: all other children of
// this process are in its session.
void EndOrphans(const std::vector<pid_t>& keepers);

// True if the guard saw the end of the program; false if the guard was killed. `report` is all data
// read from report_fd.
bool IsEndReported(const std::string& report);

// Waits for the keeper and returns how the program ended. `report` is all data read from report_fd.
// REQUIRES: report_fd is at its end.
ProcessEnd Collect(const GuardedProcess& process, const std::string& report);

// The contents of a report_file, readable by any process.
struct PastEnd {
  bool is_known = false;  // false: there is no such file
  bool is_running = false;
  bool is_alone = false;          // it runs, but the process that started it has gone
  std::optional<ProcessEnd> end;  // if it has ended; nullopt: its guard died first
};
PastEnd PastEndOf(const std::string& report_file);

// Asks a program that another process started to end, and ends it after its patience_s. Returns at
// once. The signal goes only to the guard that holds this file open, identified by the process
// number and start time in the file, because the number may have been reused. kNotFound: there is
// no such guard.
Status EndPast(const std::string& report_file);

// "exited with status 3", "was ended by SIGSEGV (Segmentation fault)".
std::string Describe(const ProcessEnd& end);

}  // namespace tasklens
