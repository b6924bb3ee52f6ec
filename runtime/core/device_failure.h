// SPDX-License-Identifier: Apache-2.0
// Ends the program when a device reports a failure.
#pragma once

namespace tasklens::runtime {

// Aborts with `what`. A failed kernel is only reported by the next call to the device, so the
// message names the task that the calling worker runs on its device, if any.
[[noreturn]] void FailOnDeviceTask(const char* what);

}  // namespace tasklens::runtime
