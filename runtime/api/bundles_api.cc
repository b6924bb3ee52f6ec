// SPDX-License-Identifier: Apache-2.0
// starpu_task_bundle_*: tasks that should run together.
#include <starpu.h>

#include "runtime/core/bundle.h"

extern "C" {

void starpu_task_bundle_create(starpu_task_bundle_t* bundle) { *bundle = new _starpu_task_bundle; }
int starpu_task_bundle_insert(starpu_task_bundle_t bundle, starpu_task* task) {
  return bundle->Insert(task);
}
int starpu_task_bundle_remove(starpu_task_bundle_t bundle, starpu_task* task) {
  return bundle->Remove(task);
}
void starpu_task_bundle_close(starpu_task_bundle_t bundle) { bundle->Close(); }

double starpu_task_bundle_expected_length(starpu_task_bundle_t bundle, starpu_perfmodel_arch* arch,
                                          unsigned implementation) {
  return bundle->Expected(starpu_task_expected_length, arch, implementation);
}
double starpu_task_bundle_expected_energy(starpu_task_bundle_t bundle, starpu_perfmodel_arch* arch,
                                          unsigned implementation) {
  return bundle->Expected(starpu_task_expected_energy, arch, implementation);
}
double starpu_task_bundle_expected_data_transfer_time(starpu_task_bundle_t bundle, unsigned node) {
  return bundle->ExpectedTransferTime(node);
}

}  // extern "C"
