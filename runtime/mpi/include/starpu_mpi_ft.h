/* SPDX-License-Identifier: Apache-2.0
 * Checkpoints of programs with several processes: values of one moment, copied into the memory of
 * other ranks while the program goes on. As in StarPU 1.4, nothing restarts from them.
 *
 * A template says which data are kept by which rank: an entry is added by the owner, the keeper and
 * who takes part in a reduction of them at least, one of a value by all ranks. All ranks submit the
 * same checkpoints in the same order. Functions return 0, or -EINVAL and a line on standard error.
 */
#ifndef __STARPU_MPI_FT_H__
#define __STARPU_MPI_FT_H__

#include <starpu.h>

#ifndef STARPU_USE_MPI_FT
#define STARPU_USE_MPI_FT 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct _starpu_mpi_checkpoint_template;
typedef struct _starpu_mpi_checkpoint_template* starpu_mpi_checkpoint_template_t;

/* Part of starpu_mpi_init*() and starpu_mpi_shutdown(): they do nothing. */
int starpu_mpi_checkpoint_init(void);
int starpu_mpi_checkpoint_shutdown(void);
/* While it is off, by all ranks, starpu_mpi_checkpoint_template_submit() does nothing. */
int starpu_mpi_ft_turn_on(void);
int starpu_mpi_ft_turn_off(void);

/* cp_id: its number, of no other one. cp_domain: a complete checkpoint replaces those before it in
 * the same domain. Templates live until starpu_mpi_shutdown(). */
int starpu_mpi_checkpoint_template_create(starpu_mpi_checkpoint_template_t* cp_template, int cp_id,
                                          int cp_domain);
/* One entry:
 *   STARPU_R, handle, int rank that keeps it
 *   STARPU_DATA_ARRAY, starpu_data_handle_t* handles, int count, int rank that keeps them
 *   STARPU_VALUE, address, int bytes, starpu_mpi_tag_t tag, int (*)(int): of each rank the rank
 * that keeps its value, which has to exist as long as checkpoints are submitted Handles have a tag
 * and an owner (starpu_mpi_data_register()). */
int starpu_mpi_checkpoint_template_add_entry(starpu_mpi_checkpoint_template_t* cp_template, ...);
/* From now on it can be submitted, and has no more entries. Returns how many it has. */
int starpu_mpi_checkpoint_template_freeze(starpu_mpi_checkpoint_template_t* cp_template);
/* All three; entries are followed by 0. */
int starpu_mpi_checkpoint_template_register(starpu_mpi_checkpoint_template_t* cp_template,
                                            int cp_id, int cp_domain, ...);
/* Copies data as the tasks submitted before leave them, and values as they are now. The first one
 * waits for all ranks. starpu_mpi_wait_for_all() waits until it is complete in all ranks. */
int starpu_mpi_checkpoint_template_submit(starpu_mpi_checkpoint_template_t cp_template, int prio);
/* Lines on standard error: its entries, and what this rank keeps of its latest complete checkpoint,
 * with the first bytes. */
int starpu_mpi_checkpoint_template_print(starpu_mpi_checkpoint_template_t cp_template);

#ifdef __cplusplus
}
#endif

#endif
