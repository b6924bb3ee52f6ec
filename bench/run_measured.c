// SPDX-License-Identifier: Apache-2.0
// Runs a program and prints on a line of its own what it took:
//
//     run_measured FOLDER PROGRAM [ARGUMENT]...
//     exit_status wall_ms processor_ms peak_kib
//
// It runs in FOLDER, its standard output goes nowhere. A small program for this, as a process
// begins with the memory of the one that starts it: of a script 10 MB, which hide a smaller peak.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double Ms(struct timeval time) {
  return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const pid_t child = fork();
  if (child < 0) {
    perror("fork");
    return 1;
  }
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || chdir(argv[1]) != 0) {
      perror(argv[1]);
      _exit(127);
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) < 0) {
    perror("wait4");
    return 1;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%d %.3f %.3f %ld\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
         (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6,
         Ms(usage.ru_utime) + Ms(usage.ru_stime), usage.ru_maxrss);
  return 0;
}
