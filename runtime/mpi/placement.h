// SPDX-License-Identifier: Apache-2.0
// Selects the rank that runs a task which writes data of several ranks.
#pragma once

#include <starpu_mpi.h>

namespace tasklens::mpi {

// Calls the policy with that number, or the current one (STARPU_MPI_NODE_SELECTION_CURRENT_POLICY).
int SelectRank(MPI_Comm comm, starpu_data_descr* data, int count, int policy);

}  // namespace tasklens::mpi
