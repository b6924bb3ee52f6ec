/* SPDX-License-Identifier: Apache-2.0
 * As in a StarPU that was built without OpenCL: the header is there, and nothing in it.
 */
#ifndef __STARPU_OPENCL_H__
#define __STARPU_OPENCL_H__
#endif
