// SPDX-License-Identifier: Apache-2.0
// Messages are written in one call, so that lines of several threads do not mix.
#include "runtime/support/message.h"

#include <cstdio>
#include <cstdlib>

#include "runtime/support/arguments.h"

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
  WITH_ARGS_AFTER(format, Print(format, args));
}

void Fatal(const char* format, ...) {
  WITH_ARGS_AFTER(format, Print(format, args));
  abort();
}

}  // namespace tasklens::runtime
