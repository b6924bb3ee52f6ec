/* SPDX-License-Identifier: Apache-2.0
 * Stands for the private header of this name, of which StarPU's test programs use nothing that is
 * not public. */
#ifndef TASKLENS_SHIM_PERFMODEL_H
#define TASKLENS_SHIM_PERFMODEL_H

#include <starpu.h>

#endif
