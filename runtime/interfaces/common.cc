// SPDX-License-Identifier: Apache-2.0
// Checks the kind of a handle's interface.
#include "runtime/interfaces/common.h"

#include "runtime/data/handle.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {

void* InterfaceOf(starpu_data_handle_t handle, starpu_data_interface_id id, const char* function) {
  if (!handle) Fatal("%s(NULL)", function);
  if (handle->ops->interfaceid != id) {
    Fatal("%s(): %s is of another kind: %s", function, Describe(handle).c_str(),
          DescribeShape(handle).c_str());
  }
  return handle->interface;
}

}  // namespace tasklens::runtime
