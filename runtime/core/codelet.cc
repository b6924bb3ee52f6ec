// SPDX-License-Identifier: Apache-2.0
// Reading codelets, and the public functions about them.
#include "runtime/core/codelet.h"

#include <cstring>

#include "runtime/data/handle.h"
#include "trace/support/plain_numbers.h"

namespace tasklens::runtime {

const char* NameOf(const starpu_task& task) {
  if (task.name) return task.name;
  if (!task.cl) return "empty";
  if (task.cl->name) return task.cl->name;
  if (task.cl->model && task.cl->model->symbol) return task.cl->model->symbol;
  return "unknown";
}

uint64_t BytesOf(const starpu_task& task) {
  uint64_t bytes = 0;
  const unsigned count = BufferCount(task);
  for (unsigned i = 0; i < count; ++i) bytes += BufferHandle(task, i)->size_bytes;
  return bytes;
}

const char* ModelOf(const starpu_task& task) {
  if (!task.cl) return nullptr;
  if (task.cl->model && task.cl->model->symbol) return task.cl->model->symbol;
  return task.cl->name;
}

namespace {
void NoOperation(void**, void*) {}
}  // namespace

}  // namespace tasklens::runtime

extern "C" {

starpu_perfmodel starpu_perfmodel_nop = {
    .type = STARPU_HISTORY_BASED,
    .symbol = "nop",
};
starpu_codelet starpu_codelet_nop = {
    .cpu_funcs = {tasklens::runtime::NoOperation},
    .cpu_funcs_name = {"nop"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &starpu_perfmodel_nop,
    .name = "nop",
};

void starpu_codelet_init(starpu_codelet* codelet) {
  std::memset(static_cast<void*>(codelet), 0, sizeof(*codelet));
}

void starpu_codelet_display_stats(starpu_codelet* codelet) {
  const tasklens::PlainNumbers plain;
  unsigned long total = 0;
  const unsigned workers = starpu_worker_get_count();
  for (unsigned i = 0; i < workers; ++i) total += codelet->per_worker_stats[i];
  fprintf(stderr, "Statistics for codelet %s\n", codelet->name ? codelet->name : "(no name)");
  for (unsigned i = 0; i < workers; ++i) {
    char name[64];
    starpu_worker_get_name(static_cast<int>(i), name, sizeof(name));
    const double share = total ? 100.0 * static_cast<double>(codelet->per_worker_stats[i]) /
                                     static_cast<double>(total)
                               : 0;
    fprintf(stderr, "\t%s -> %lu / %lu (%2.2f %%)\n", name, codelet->per_worker_stats[i], total,
            share);
  }
}

const char* starpu_task_get_name(starpu_task* task) {
  return task ? tasklens::runtime::NameOf(*task) : nullptr;
}
const char* starpu_task_get_model_name(starpu_task* task) {
  return task && task->cl && task->cl->model ? task->cl->model->symbol : nullptr;
}

}  // extern "C"
