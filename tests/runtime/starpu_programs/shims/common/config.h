/* SPDX-License-Identifier: Apache-2.0
 * Stands for the private header of this name that StarPU's test programs include: what the machine
 * has, as far as they ask. */
#ifndef TASKLENS_SHIM_CONFIG_H
#define TASKLENS_SHIM_CONFIG_H

#include <starpu_config.h>

#define HAVE_GETRLIMIT 1
#define HAVE_MKDTEMP 1
#define HAVE_UNISTD_H 1
#define HAVE_AIO_H 0

#endif
