/* SPDX-License-Identifier: Apache-2.0
 * starpu_calibrate_bus: measures what transfers between memory nodes take, into the host's bus
 * files, as StarPU's program of that name does. The runtime does it when it starts. */
#include <starpu.h>
#include <stdio.h>
#include <string.h>

static const char kUsage[] =
    "usage: starpu_calibrate_bus\n"
    "Measures what transfers between memory nodes take, into the bus files of this host.\n"
    "  -h, -v  this text, the version\n";

static int Is(const char* word, const char* option, const char* long_option) {
  return strcmp(word, option) == 0 || strcmp(word, long_option) == 0;
}

int main(int argc, char** argv) {
  if (argc > 1) {
    if (Is(argv[1], "-v", "--version")) {
      printf("starpu_calibrate_bus (TaskLens) %d.%d.%d\n", STARPU_MAJOR_VERSION,
             STARPU_MINOR_VERSION, STARPU_RELEASE_VERSION);
      return 0;
    }
    if (Is(argv[1], "-h", "--help")) {
      fputs(kUsage, stdout);
      return 0;
    }
    fprintf(stderr, "starpu_calibrate_bus: unknown option '%s'; -h says what there is\n", argv[1]);
    return 1;
  }
  struct starpu_conf conf;
  starpu_conf_init(&conf);
  conf.bus_calibrate = 1;
  conf.precedence_over_environment_variables = 1;
  if (starpu_init(&conf) != 0) return 1;
  starpu_shutdown();
  return 0;
}
