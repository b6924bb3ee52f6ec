// SPDX-License-Identifier: Apache-2.0
// Layouts: MPI datatypes for the main memory of handles.
#pragma once

#include <starpu_mpi.h>

#include <cstddef>

namespace tasklens::mpi {

// Memory and its MPI datatype. Creating a layout, and Free(), call MPI if the memory has gaps or
// the program made the type.
struct Layout {
  void* at = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
  size_t bytes = 0;                                        // not counting gaps
  starpu_mpi_datatype_free_func_t program_free = nullptr;  // set if the program made the type
  bool owned = false;                                      // the type was created here

  void Free();
};

// kShape: the interface is known to the runtime, and describes the memory. kProgram: the program
// registered datatypes. kPiece: the data must be packed, and only the sender knows the size.
enum class Form { kShape, kProgram, kPiece };
Form FormOf(starpu_data_handle_t handle);

// Describes the handle's memory, which the caller has acquired. Returns false if its form is
// kPiece, or the program gave no type for it.
bool DescribeMemory(starpu_data_handle_t handle, Layout* layout);
// Describes contiguous bytes, any number of them.
Layout DescribeBytes(void* at, size_t bytes);

}  // namespace tasklens::mpi
