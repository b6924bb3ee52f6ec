// SPDX-License-Identifier: Apache-2.0
// Lines for the user, written whole, so that those of several threads do not mix.
#include "runtime/support/message.h"

#include <starpu.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tasklens::runtime {
namespace {

void Print(const char* format, va_list args) {
  char text[1024];
  vsnprintf(text, sizeof(text), format, args);
  fprintf(stderr, "tasklens: %s\n", text);
}

}  // namespace

void Warn(const char* format, ...) {
  const char* silent = getenv("STARPU_SILENT");
  if (silent && atoi(silent) > 0) return;
  va_list args;
  va_start(args, format);
  Print(format, args);
  va_end(args);
}

void Fatal(const char* format, ...) {
  va_list args;
  va_start(args, format);
  Print(format, args);
  va_end(args);
  abort();
}

}  // namespace tasklens::runtime

extern "C" {

void _starpu_abort_at(const char* file, int line, const char* function, const char* format, ...) {
  char text[768];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  tasklens::runtime::Fatal("%s:%d: %s: %s", file, line, function, text);
}

void _starpu_check_failed(int err, int expected, const char* file, int line, const char* format,
                          ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  if (expected == 0) {
    tasklens::runtime::Fatal("%s:%d: %s returned %d (%s)", file, line, text, err,
                             strerror(err < 0 ? -err : err));
  }
  tasklens::runtime::Fatal("%s:%d: %s returned %d instead of %d", file, line, text, err, expected);
}

}  // extern "C"
