/* SPDX-License-Identifier: Apache-2.0
 * As in a StarPU that was built without HIP: the header is there, and nothing in it.
 */
#ifndef __STARPU_HIP_H__
#define __STARPU_HIP_H__
#endif
