/* SPDX-License-Identifier: Apache-2.0
 * Checkpoints of programs with several processes: values of one moment, copied into the memory of
 * other ranks while the program goes on. As in StarPU 1.4, nothing restarts from them.
 *
 * A template lists data and the ranks that keep copies of them. An entry with a handle must be
 * added at least by the owner, by the keeper and by the ranks that take part in a reduction of the
 * data; an entry with a value by all ranks. All ranks submit the same checkpoints in the same
 * order. Functions return 0, or print a warning and return -EINVAL. */
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

/* These do nothing: starpu_mpi_init*() and starpu_mpi_shutdown() do their work. */
int starpu_mpi_checkpoint_init(void);
int starpu_mpi_checkpoint_shutdown(void);
/* Called by all ranks. While off, starpu_mpi_checkpoint_template_submit() does nothing. */
int starpu_mpi_ft_turn_on(void);
int starpu_mpi_ft_turn_off(void);

/* cp_id: a unique number. cp_domain: a complete checkpoint replaces earlier ones of the same
 * domain. Templates live until starpu_mpi_shutdown(). */
int starpu_mpi_checkpoint_template_create(starpu_mpi_checkpoint_template_t* cp_template, int cp_id,
                                          int cp_domain);
/* Adds one entry:
 *   STARPU_R, handle, int rank that keeps it
 *   STARPU_DATA_ARRAY, starpu_data_handle_t* handles, int count, int rank that keeps them
 *   STARPU_VALUE, address, int bytes, starpu_mpi_tag_t tag, int (*)(int): a function that returns
 *     for each rank the rank that keeps its value. The value must exist as long as checkpoints are
 *     submitted.
 * Handles must have a tag and an owner (starpu_mpi_data_register()). */
int starpu_mpi_checkpoint_template_add_entry(starpu_mpi_checkpoint_template_t* cp_template, ...);
/* Ends the list of entries; the template can be submitted from now on. Returns the number of
 * entries. */
int starpu_mpi_checkpoint_template_freeze(starpu_mpi_checkpoint_template_t* cp_template);
/* Creates a template, adds the entries, which are followed by 0, and freezes it. */
int starpu_mpi_checkpoint_template_register(starpu_mpi_checkpoint_template_t* cp_template,
                                            int cp_id, int cp_domain, ...);
/* Copies the data as the tasks submitted before leave them, and the values as they are now. The
 * first call waits for all ranks. starpu_mpi_wait_for_all() waits until the checkpoint is
 * complete in all ranks. */
int starpu_mpi_checkpoint_template_submit(starpu_mpi_checkpoint_template_t cp_template, int prio);
/* Prints on standard error the entries, and the copies that this rank keeps of the latest
 * complete checkpoint, with their first bytes. */
int starpu_mpi_checkpoint_template_print(starpu_mpi_checkpoint_template_t cp_template);

#ifdef __cplusplus
}
#endif

#endif
