// SPDX-License-Identifier: Apache-2.0
// Which rank runs a task that writes data of several.
#pragma once

#include <starpu_mpi.h>

namespace tasklens::mpi {

// Asks the policy of that number, or the current one (STARPU_MPI_NODE_SELECTION_CURRENT_POLICY).
int SelectRank(MPI_Comm comm, starpu_data_descr* data, int count, int policy);

}  // namespace tasklens::mpi
