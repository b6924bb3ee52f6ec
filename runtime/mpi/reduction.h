// SPDX-License-Identifier: Apache-2.0
// Reductions between ranks: each rank has accumulated a value of its own, and the owner adds them
// up.
#pragma once

#include <starpu_mpi.h>

namespace tasklens::mpi {

// Records that a task of rank `executor` adds to the handle's value there. Called by all ranks.
void NoteContribution(MPI_Comm comm, starpu_data_handle_t handle, int executor);
// Adds up the values of a reduction in progress, if there is one. Called by all ranks.
void FinishReduction(starpu_data_handle_t handle);
// Called when the handle is unregistered.
void ForgetReduction(starpu_data_handle_t handle);
// Finishes all reductions in progress, in the order in which they began.
void FinishReductions();

}  // namespace tasklens::mpi
