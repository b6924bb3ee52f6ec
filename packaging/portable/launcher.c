// SPDX-License-Identifier: Apache-2.0
// PREFIX/bin/tasklens of the folder that runs everywhere. It starts the program by the dynamic
// loader that lies beside it, with the libraries that lie there; no variable of the environment
// says so, and what the program starts itself finds the system's.
//
// It is linked statically, as it is what runs before there is a loader.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "/lib/tasklens/program/"

static int Fail(const char* what) {
  fprintf(stderr, "tasklens: %s: %s\n", what, strerror(errno));
  return 127;
}

// `path` without what follows its last slash.
static void ToParent(char* path) {
  char* const slash = strrchr(path, '/');
  if (slash) *slash = '\0';
}

int main(int argc, char** argv) {
  char prefix[PATH_MAX], loader[PATH_MAX + 64], program[PATH_MAX + 64];
  const ssize_t length = readlink("/proc/self/exe", prefix, sizeof prefix - 1);
  if (length < 0) return Fail("/proc/self/exe");
  prefix[length] = '\0';
  ToParent(prefix);
  ToParent(prefix);
  snprintf(loader, sizeof loader, "%s" FOLDER "ld-linux-x86-64.so.2", prefix);
  snprintf(program, sizeof program, "%s" FOLDER "tasklens", prefix);

  // $ORIGIN is the loader's folder: a path with a colon in it would be two.
  char* const before[] = {loader,    "--inhibit-cache", "--library-path",
                          "$ORIGIN", "--argv0",         argc > 0 ? argv[0] : "tasklens",
                          program};
  const size_t count = sizeof before / sizeof *before;
  char** const words = calloc(count + (size_t)argc + 1, sizeof *words);
  if (!words) return Fail("its arguments");
  memcpy(words, before, sizeof before);
  for (int i = 1; i < argc; ++i) words[count + (size_t)i - 1] = argv[i];
  execv(loader, words);
  return Fail(loader);
}
