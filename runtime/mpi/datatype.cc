// SPDX-License-Identifier: Apache-2.0
// Every known shape is a block of bytes, repeated along some dimensions.
#include "runtime/mpi/datatype.h"

#include <cerrno>
#include <climits>
#include <initializer_list>
#include <map>
#include <mutex>
#include <span>

#include "runtime/core/communication.h"

namespace tasklens::mpi {
namespace {

// The functions that the program registered for an interface.
struct Registered {
  starpu_mpi_datatype_allocate_func_t allocate = nullptr;
  starpu_mpi_datatype_node_allocate_func_t allocate_on_node = nullptr;
  starpu_mpi_datatype_free_func_t free = nullptr;
};
struct Interfaces {
  std::mutex lock;
  std::map<int, Registered> by_id;
};
Interfaces& TheInterfaces() {
  static Interfaces* const interfaces = new Interfaces;  // requests may outlive main()
  return *interfaces;
}

Registered RegisteredFor(int id) {
  Interfaces& interfaces = TheInterfaces();
  const std::lock_guard guard(interfaces.lock);
  const auto found = interfaces.by_id.find(id);
  return found == interfaces.by_id.end() ? Registered{} : found->second;
}

int Register(int id, const Registered& registered) {
  Interfaces& interfaces = TheInterfaces();
  const std::lock_guard guard(interfaces.lock);
  interfaces.by_id[id] = registered;
  return 0;
}

int Unregister(int id) {
  Interfaces& interfaces = TheInterfaces();
  const std::lock_guard guard(interfaces.lock);
  return interfaces.by_id.erase(id) ? 0 : -ENOENT;
}

// A dimension: `count` items of the inner dimension, `stride` elements apart.
struct Dimension {
  size_t count;
  size_t stride;  // 1 for the innermost dimension
};

// Describes an array; the innermost dimension is first.
Layout DescribeDimensions(uintptr_t at, std::span<const Dimension> dimensions, size_t element) {
  size_t bytes = element;
  size_t row = element;  // contiguous bytes
  size_t rows = 0;       // number of dimensions that are contiguous
  for (const Dimension& dimension : dimensions) {
    bytes *= dimension.count;
    // A dimension of one has no gaps, whatever its stride is.
    if (rows == static_cast<size_t>(&dimension - dimensions.data()) &&
        (dimension.stride * element == row || dimension.count <= 1)) {
      row *= dimension.count;
      ++rows;
    }
  }
  Layout layout = DescribeBytes(reinterpret_cast<void*>(at), bytes == 0 ? 0 : row);
  layout.bytes = bytes;
  if (bytes == 0 || rows == dimensions.size()) return layout;
  // Nest types; the layout's count becomes part of the innermost.
  MPI_Datatype type = layout.type;
  const bool had_own = layout.owned;
  MPI_Datatype made;
  MPI_Type_contiguous(layout.count, type, &made);
  if (had_own) MPI_Type_free(&type);
  type = made;
  for (const Dimension& dimension : dimensions.subspan(rows)) {
    MPI_Type_create_hvector(static_cast<int>(dimension.count), 1,
                            static_cast<MPI_Aint>(dimension.stride * element), type, &made);
    MPI_Type_free(&type);
    type = made;
  }
  MPI_Type_commit(&type);
  layout.count = 1;
  layout.type = type;
  layout.owned = true;
  return layout;
}

bool DescribeRegistered(starpu_data_handle_t handle, const Registered& registered, Layout* layout) {
  MPI_Datatype type;
  int error = -ENOENT;
  if (registered.allocate_on_node)
    error = registered.allocate_on_node(handle, STARPU_MAIN_RAM, &type);
  else if (registered.allocate)
    error = registered.allocate(handle, &type);
  if (error) return false;
  int size = 0;
  MPI_Type_size(type, &size);
  *layout = {.at = starpu_data_handle_to_pointer(handle, STARPU_MAIN_RAM),
             .count = 1,
             .type = type,
             .bytes = static_cast<size_t>(size),
             .program_free = registered.free,
             .owned = false};
  return true;
}

}  // namespace

void Layout::Free() {
  if (program_free) program_free(&type);
  if (owned) MPI_Type_free(&type);
  program_free = nullptr;
  owned = false;
}

Layout DescribeBytes(void* at, size_t bytes) {
  Layout layout{.at = at, .bytes = bytes};
  if (bytes <= INT_MAX) {
    layout.count = static_cast<int>(bytes);
    return layout;
  }
  // MPI's counts are ints, so describe whole megabytes, and the rest.
  constexpr size_t kLarge = size_t{1} << 20;
  MPI_Datatype megabyte, parts[2];
  MPI_Type_contiguous(static_cast<int>(kLarge), MPI_BYTE, &megabyte);
  MPI_Type_contiguous(static_cast<int>(bytes / kLarge), megabyte, &parts[0]);
  MPI_Type_contiguous(static_cast<int>(bytes % kLarge), MPI_BYTE, &parts[1]);
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, static_cast<MPI_Aint>(bytes / kLarge * kLarge)};
  MPI_Type_create_struct(2, lengths, places, parts, &layout.type);
  MPI_Type_commit(&layout.type);
  MPI_Type_free(&megabyte);
  MPI_Type_free(&parts[0]);
  MPI_Type_free(&parts[1]);
  layout.count = 1;
  layout.owned = true;
  return layout;
}

Form FormOf(starpu_data_handle_t handle) {
  const int id = starpu_data_get_interface_id(handle);
  const Registered registered = RegisteredFor(id);
  if (registered.allocate || registered.allocate_on_node) return Form::kProgram;
  switch (id) {
    case STARPU_VOID_INTERFACE_ID:
    case STARPU_VARIABLE_INTERFACE_ID:
    case STARPU_VECTOR_INTERFACE_ID:
    case STARPU_MATRIX_INTERFACE_ID:
    case STARPU_BLOCK_INTERFACE_ID:
    case STARPU_TENSOR_INTERFACE_ID:
    case STARPU_NDIM_INTERFACE_ID: return Form::kShape;
    default: return Form::kPiece;
  }
}

bool DescribeMemory(starpu_data_handle_t handle, Layout* layout) {
  const int id = starpu_data_get_interface_id(handle);
  const Registered registered = RegisteredFor(id);
  if (registered.allocate || registered.allocate_on_node)
    return DescribeRegistered(handle, registered, layout);
  const void* const interface = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
  const auto describe = [layout](const auto& data, std::initializer_list<Dimension> dimensions) {
    *layout = DescribeDimensions(data.ptr, {dimensions.begin(), dimensions.size()}, data.elemsize);
    return true;
  };
  switch (id) {
    case STARPU_VOID_INTERFACE_ID: *layout = DescribeBytes(nullptr, 0); return true;
    case STARPU_VARIABLE_INTERFACE_ID:
      return describe(*static_cast<const starpu_variable_interface*>(interface), {});
    case STARPU_VECTOR_INTERFACE_ID: {
      const auto& data = *static_cast<const starpu_vector_interface*>(interface);
      return describe(data, {{data.nx, 1}});
    }
    case STARPU_MATRIX_INTERFACE_ID: {
      const auto& data = *static_cast<const starpu_matrix_interface*>(interface);
      return describe(data, {{data.nx, 1}, {data.ny, data.ld}});
    }
    case STARPU_BLOCK_INTERFACE_ID: {
      const auto& data = *static_cast<const starpu_block_interface*>(interface);
      return describe(data, {{data.nx, 1}, {data.ny, data.ldy}, {data.nz, data.ldz}});
    }
    case STARPU_TENSOR_INTERFACE_ID: {
      const auto& data = *static_cast<const starpu_tensor_interface*>(interface);
      return describe(
          data, {{data.nx, 1}, {data.ny, data.ldy}, {data.nz, data.ldz}, {data.nt, data.ldt}});
    }
    case STARPU_NDIM_INTERFACE_ID: {
      const auto& data = *static_cast<const starpu_ndim_interface*>(interface);
      Dimension dimensions[STARPU_NDIM_MAXDIMS];
      for (size_t i = 0; i < data.ndim; ++i) dimensions[i] = {data.nn[i], data.ldn[i]};
      *layout = DescribeDimensions(data.ptr, {dimensions, data.ndim}, data.elemsize);
      return true;
    }
    default: return false;
  }
}

}  // namespace tasklens::mpi

using tasklens::mpi::Register;
using tasklens::mpi::Unregister;

extern "C" {

int starpu_mpi_interface_datatype_register(starpu_data_interface_id id,
                                           starpu_mpi_datatype_allocate_func_t allocate,
                                           starpu_mpi_datatype_free_func_t free) {
  return Register(id, {.allocate = allocate, .free = free});
}
int starpu_mpi_interface_datatype_node_register(starpu_data_interface_id id,
                                                starpu_mpi_datatype_node_allocate_func_t allocate,
                                                starpu_mpi_datatype_free_func_t free) {
  return Register(id, {.allocate_on_node = allocate, .free = free});
}
int starpu_mpi_interface_datatype_unregister(starpu_data_interface_id id) { return Unregister(id); }
int starpu_mpi_datatype_register(starpu_data_handle_t handle,
                                 starpu_mpi_datatype_allocate_func_t allocate,
                                 starpu_mpi_datatype_free_func_t free) {
  return Register(starpu_data_get_interface_id(handle), {.allocate = allocate, .free = free});
}
int starpu_mpi_datatype_node_register(starpu_data_handle_t handle,
                                      starpu_mpi_datatype_node_allocate_func_t allocate,
                                      starpu_mpi_datatype_free_func_t free) {
  return Register(starpu_data_get_interface_id(handle),
                  {.allocate_on_node = allocate, .free = free});
}
int starpu_mpi_datatype_unregister(starpu_data_handle_t handle) {
  return Unregister(starpu_data_get_interface_id(handle));
}

}  // extern "C"
