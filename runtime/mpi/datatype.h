// SPDX-License-Identifier: Apache-2.0
// How MPI sees the main memory of a handle.
#pragma once

#include <starpu_mpi.h>

#include <cstddef>

namespace tasklens::mpi {

// A part of the memory. Calls MPI where the memory has gaps or the program made the type; so does
// Free().
struct Layout {
  void* at = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
  size_t bytes = 0;                                        // without gaps
  starpu_mpi_datatype_free_func_t program_free = nullptr;  // of a type of the program's
  bool owned = false;                                      // made here

  void Free();
};

// kShape: its interface is one that the runtime knows, and says all. kProgram: the program has
// registered types for it. kPiece: it has to be packed, and only the sender knows how much that is.
enum class Form { kShape, kProgram, kPiece };
Form FormOf(starpu_data_handle_t handle);

// The handle's memory, which the caller has acquired. False: its form is kPiece, or the program
// gave no type for it.
bool DescribeMemory(starpu_data_handle_t handle, Layout* layout);
// Bytes in a row, any number of them.
Layout DescribeBytes(void* at, size_t bytes);

}  // namespace tasklens::mpi
