/* SPDX-License-Identifier: Apache-2.0
 * Stands for the private header of this name: what StarPU's test programs use of it. */
#ifndef TASKLENS_SHIM_PERFMODEL_H
#define TASKLENS_SHIM_PERFMODEL_H

#include <common/utils.h>
#include <starpu.h>

/* The folder of models in the form that both have. */
#define _STARPU_PERFMODEL_VERSION 45

#endif
