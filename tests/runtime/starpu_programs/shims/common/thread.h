/* SPDX-License-Identifier: Apache-2.0
 * Stands for the private header of this name that StarPU's test programs include. */
#ifndef TASKLENS_SHIM_THREAD_H
#define TASKLENS_SHIM_THREAD_H

#include <common/utils.h>

#endif
