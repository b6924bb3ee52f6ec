// SPDX-License-Identifier: Apache-2.0
// Ends the program after an error of a device or its driver, with a message that names the task at
// fault, if the caller knows one.
#pragma once

namespace tasklens::runtime {

using FailOnDevice = void(const char* what);  // does not return

}  // namespace tasklens::runtime
