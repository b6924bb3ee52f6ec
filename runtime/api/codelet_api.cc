// SPDX-License-Identifier: Apache-2.0
// The public functions about codelets, and the codelet that does nothing.
#include <starpu.h>

#include <cstdio>
#include <cstring>

#include "runtime/jobs/codelet.h"
#include "trace/support/plain_numbers.h"

namespace tasklens::runtime {
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
