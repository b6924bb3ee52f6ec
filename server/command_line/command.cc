// SPDX-License-Identifier: Apache-2.0
// Reports the error of a command.
#include "server/command_line/command.h"

#include <cstdio>

#include "trace/support/printable.h"

namespace tasklens {

int Fail(const Status& status) {
  std::fprintf(stderr, "tasklens: %s\n", Printable(status.message()).c_str());
  return status.code() == ErrorCode::kInvalidArgument ? kExitUsage : kExitFault;
}

}  // namespace tasklens
