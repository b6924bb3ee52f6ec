// SPDX-License-Identifier: Apache-2.0
// Messages to the user: one line on standard error, beginning with "tasklens:".
#pragma once

namespace tasklens::runtime {

// A warning: the program goes on. Silent with STARPU_SILENT=1.
void Warn(const char* format, ...) __attribute__((format(printf, 1, 2)));
// An error after which the program cannot go on. Aborts.
[[noreturn]] void Fatal(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace tasklens::runtime
