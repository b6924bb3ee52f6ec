// SPDX-License-Identifier: Apache-2.0
// The end of the program when a device said that something failed.
#pragma once

namespace tasklens::runtime {

// A kernel that went wrong shows at the next call, whatever that is: the line names the task that
// the calling worker has on its device, if any.
[[noreturn]] void FailOnDeviceTask(const char* what);

}  // namespace tasklens::runtime
