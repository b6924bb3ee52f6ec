// SPDX-License-Identifier: Apache-2.0
// Reductions between ranks: each has accumulated a value of its own, and the owner adds them.
#pragma once

#include <starpu_mpi.h>

namespace tasklens::mpi {

// A task of rank `executor` adds to the handle's value there. Called by all ranks.
void NoteContribution(MPI_Comm comm, starpu_data_handle_t handle, int executor);
// Adds the values of a reduction that is under way, if there is one. By all ranks.
void FinishReduction(starpu_data_handle_t handle);
// The handle is given up.
void ForgetReduction(starpu_data_handle_t handle);
// All that are under way, in the order in which they began.
void FinishReductions();

}  // namespace tasklens::mpi
