// SPDX-License-Identifier: Apache-2.0
// starpu_disk_*: disks as memory nodes.
#include <starpu.h>

#include "runtime/core/runtime.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

int starpu_disk_register(starpu_disk_ops* ops, void* parameter, starpu_ssize_t size) {
  return Runtime::Get(__func__).disks().Register(ops, parameter, size);
}
void* starpu_disk_open(unsigned node, void* pos, size_t size) {
  Disk* disk = Runtime::Get(__func__).disks().At(node);
  return disk && disk->ops->open ? disk->ops->open(disk->base, pos, size) : nullptr;
}
void starpu_disk_close(unsigned node, void* object, size_t size) {
  Disk* disk = Runtime::Get(__func__).disks().At(node);
  if (!disk) Fatal("starpu_disk_close(): memory node %u is no disk", node);
  disk->ops->close(disk->base, object, size);
}

}  // extern "C"
