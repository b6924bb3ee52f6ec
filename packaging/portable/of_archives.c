// SPDX-License-Identifier: Apache-2.0
// What libraries made of Debian's static archives have in place of what is not there:
// link_archives.sh.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

// Archives are compiled for programs, where variables of glibc are found at a fixed distance.
// Theirs have these names instead, of glibc's values.
HIDDEN FILE* own_stderr;
HIDDEN FILE* own_stdin;
HIDDEN FILE* own_stdout;
HIDDEN char* own_program_invocation_name;

__attribute__((constructor(101))) static void SetVariables(void) {
  own_stderr = stderr;
  own_stdin = stdin;
  own_stdout = stdout;
  own_program_invocation_name = program_invocation_name;
}

// The system's plugins of hwloc are another hwloc's: none are looked for, but where the user says.
HIDDEN char* own_getenv(const char* name) {
  static char nowhere[] = "";
  char* const value = getenv(name);
  return !value && strcmp(name, "HWLOC_PLUGINS_PATH") == 0 ? nowhere : value;
}

// hwloc asks udev for names of disks. Without it, it reads the files of udev's data base itself.
HIDDEN void* udev_new(void) { return NULL; }
HIDDEN void* udev_unref(void* udev) {
  (void)udev;
  return NULL;
}
HIDDEN void* udev_device_new_from_subsystem_sysname(void* udev, const char* subsystem,
                                                    const char* name) {
  (void)udev, (void)subsystem, (void)name;
  return NULL;
}
HIDDEN void* udev_device_unref(void* device) {
  (void)device;
  return NULL;
}
HIDDEN const char* udev_device_get_property_value(void* device, const char* key) {
  (void)device, (void)key;
  return NULL;
}

// LAPACK's end at an argument that nobody may give it; its own needs all of Fortran.
HIDDEN void xerbla_(const char* routine, const int* argument, size_t length) {
  fprintf(stderr, "%.*s: argument %d is wrong\n", (int)length, routine, *argument);
  abort();
}
