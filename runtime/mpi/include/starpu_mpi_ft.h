/* SPDX-License-Identifier: Apache-2.0
 * Checkpoints of programs with several processes: there are none (STARPU_USE_MPI_FT is not
 * defined), and what asks for them changes nothing, as in a StarPU that was built without. */
#ifndef __STARPU_MPI_FT_H__
#define __STARPU_MPI_FT_H__

#include <starpu.h>

#ifdef __cplusplus
extern "C" {
#endif

struct _starpu_mpi_checkpoint_template;
typedef struct _starpu_mpi_checkpoint_template* starpu_mpi_checkpoint_template_t;

static inline int starpu_mpi_checkpoint_init(void) { return 0; }
static inline int starpu_mpi_checkpoint_shutdown(void) { return 0; }
static inline int starpu_mpi_ft_turn_on(void) { return 0; }
static inline int starpu_mpi_ft_turn_off(void) { return 0; }
static inline int starpu_mpi_checkpoint_template_register(
    starpu_mpi_checkpoint_template_t* cp_template, int cp_id, int cp_domain, ...) {
  (void)cp_template, (void)cp_id, (void)cp_domain;
  return 0;
}
static inline int starpu_mpi_checkpoint_template_create(
    starpu_mpi_checkpoint_template_t* cp_template, int cp_id, int cp_domain) {
  (void)cp_template, (void)cp_id, (void)cp_domain;
  return 0;
}
static inline int starpu_mpi_checkpoint_template_add_entry(
    starpu_mpi_checkpoint_template_t* cp_template, ...) {
  (void)cp_template;
  return 0;
}
static inline int starpu_mpi_checkpoint_template_freeze(
    starpu_mpi_checkpoint_template_t* cp_template) {
  (void)cp_template;
  return 0;
}
static inline int starpu_mpi_checkpoint_template_submit(
    starpu_mpi_checkpoint_template_t cp_template, int prio) {
  (void)cp_template, (void)prio;
  return 0;
}
static inline int starpu_mpi_checkpoint_template_print(
    starpu_mpi_checkpoint_template_t cp_template) {
  (void)cp_template;
  return 0;
}

#ifdef __cplusplus
}
#endif

#endif
