/* SPDX-License-Identifier: Apache-2.0
 * The name of 1.3. */
#include <starpu_parallel_worker.h>
