/* SPDX-License-Identifier: Apache-2.0
 * Stands for the private header of this name: what StarPU's test programs tell the simulator, which
 * is not there. */
#ifndef TASKLENS_SHIM_SIMGRID_H
#define TASKLENS_SHIM_SIMGRID_H

#include <starpu.h>

#define _starpu_simgrid_data_new(size) ((void)(size))
#define _starpu_simgrid_data_alloc(size) ((void)(size))
#define _starpu_simgrid_data_free(size) ((void)(size))
#define _starpu_simgrid_data_increase(size) ((void)(size))

#endif
