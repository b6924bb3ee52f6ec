// SPDX-License-Identifier: Apache-2.0
// What a device or its driver did wrong ends the program, with a line that names the task that is
// at fault, as far as the caller of these rooms knows one.
#pragma once

namespace tasklens::runtime {

using FailOnDevice = void(const char* what);  // does not return

}  // namespace tasklens::runtime
