/* SPDX-License-Identifier: Apache-2.0
 * Stands for the private header of this name, of which StarPU's test programs use a handle's
 * operations, and change them. */
#ifndef TASKLENS_SHIM_COHERENCY_H
#define TASKLENS_SHIM_COHERENCY_H

#include <starpu.h>

/* How our handles begin. */
struct _starpu_data_state {
  struct starpu_data_interface_ops* ops;
};

#endif
