// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/footprint.h"

#include "runtime/data/handle.h"
#include "runtime/jobs/codelet.h"
#include "runtime/perfmodel/models.h"
#include "runtime/support/crc32c.h"

namespace tasklens::runtime {

uint32_t FootprintOfData(const starpu_task& task) {
  uint32_t footprint = 0;
  const unsigned count = BufferCount(task);
  for (unsigned i = 0; i < count; ++i) {
    if (BufferMode(task, i) & STARPU_NOFOOTPRINT) continue;
    footprint = Crc32c(BufferHandle(task, i)->footprint, footprint);
  }
  return footprint;
}

uint32_t FootprintOfTask(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
                         unsigned implementation) {
  if (model && model->footprint) return model->footprint(task);
  const auto of_size = [](size_t size) { return Crc32c(&size, sizeof(size), 0); };
  if (model && arch) {
    if (const auto size_base = SizeBaseOf(model, *arch, implementation))
      return of_size(size_base(task, arch, implementation));
  }
  if (model && model->size_base) return of_size(model->size_base(task, implementation));
  return FootprintOfData(*task);
}

}  // namespace tasklens::runtime
