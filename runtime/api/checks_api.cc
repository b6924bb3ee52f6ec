// SPDX-License-Identifier: Apache-2.0
// The functions that STARPU_ASSERT(), STARPU_ABORT() and STARPU_CHECK_RETURN_VALUE() call on
// failure.
#include <starpu.h>

#include <cstdio>
#include <cstring>

#include "runtime/support/arguments.h"
#include "runtime/support/message.h"

using tasklens::runtime::Fatal;

void _starpu_abort_at(const char* file, int line, const char* function, const char* format, ...) {
  char text[768];
  WITH_ARGS_AFTER(format, vsnprintf(text, sizeof(text), format, args));
  Fatal("%s:%d: %s: %s", file, line, function, text);
}

void _starpu_check_failed(int err, int expected, const char* file, int line, const char* format,
                          ...) {
  char text[512];
  WITH_ARGS_AFTER(format, vsnprintf(text, sizeof(text), format, args));
  if (expected == 0) {
    Fatal("%s:%d: %s returned %d (%s)", file, line, text, err, strerror(err < 0 ? -err : err));
  }
  Fatal("%s:%d: %s returned %d instead of %d", file, line, text, err, expected);
}
