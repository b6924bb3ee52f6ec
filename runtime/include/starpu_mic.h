/* SPDX-License-Identifier: Apache-2.0
 * Intel's Many Integrated Cores, of StarPU 1.3. There are none: programs may include this header,
 * and find nothing in it without STARPU_USE_MIC, which is never defined. */
#ifndef __STARPU_MIC_H__
#define __STARPU_MIC_H__

#include <starpu_config.h>

#endif
