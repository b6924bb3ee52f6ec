// SPDX-License-Identifier: Apache-2.0
// What the runtime says to the user: one line on standard error, beginning with "tasklens:".
#pragma once

namespace tasklens::runtime {

// Something is wrong, the program goes on. Silent with STARPU_SILENT=1.
void Warn(const char* format, ...) __attribute__((format(printf, 1, 2)));
// The program used the interface in a way that cannot go on. Aborts.
[[noreturn]] void Fatal(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace tasklens::runtime
