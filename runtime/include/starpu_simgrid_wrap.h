/* SPDX-License-Identifier: Apache-2.0
 * As in a StarPU that was built without SimGrid: the header is there, and nothing in it.
 */
#ifndef __STARPU_SIMGRID_WRAP_H__
#define __STARPU_SIMGRID_WRAP_H__
#endif
