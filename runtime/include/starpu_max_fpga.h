/* SPDX-License-Identifier: Apache-2.0
 * As in a StarPU that was built without Maxeler FPGAs: the header is there, and nothing in it.
 */
#ifndef __STARPU_MAX_FPGA_H__
#define __STARPU_MAX_FPGA_H__
#endif
