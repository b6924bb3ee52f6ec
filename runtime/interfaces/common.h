// SPDX-License-Identifier: Apache-2.0
// What the built-in interfaces share: the check of the kind, packing, and the table of operations.
#pragma once

#include <starpu.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tasklens::runtime {

// Returns the main-memory interface of a handle. Ends the program with a message that names
// `function` if the interface is not of kind `id`.
void* InterfaceOf(starpu_data_handle_t handle, starpu_data_interface_id id, const char* function);

// Base of the structs of operations: the kind of interface that they are for.
template <class Interface, starpu_data_interface_id kId>
struct Kind {
  using Type = Interface;
  static constexpr starpu_data_interface_id kKind = kId;
  static Interface& Of(starpu_data_handle_t handle, const char* function) {
    return *static_cast<Interface*>(InterfaceOf(handle, kId, function));
  }
};

// Defines starpu_KIND_get_NAME(), which returns an expression of the members of the interface. Ops
// is a Kind.
#define INTERFACE_GETTER(Ops, kind, Result, name, member)          \
  Result starpu_##kind##_get_##name(starpu_data_handle_t handle) { \
    return Ops::Of(handle, "starpu_" #kind "_get_" #name).member;  \
  }

// Returns the interface of Ops behind a pointer or in the main memory of a handle.
template <class Ops>
typename Ops::Type& As(void* interface) {
  return *static_cast<typename Ops::Type*>(interface);
}
template <class Ops>
typename Ops::Type& As(starpu_data_handle_t handle) {
  return As<Ops>(starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM));
}

// pack_data and peek_data. Ops::ForEachPiece(interface, f) calls f(address, bytes) for the pieces
// of the contents, which follow each other when packed.
template <class Ops>
int Pack(starpu_data_handle_t handle, unsigned, void** pointer, starpu_ssize_t* count) {
  const auto& interface = As<Ops>(handle);
  const size_t size = Ops::Bytes(interface);
  *count = static_cast<starpu_ssize_t>(size);
  if (!pointer) return 0;
  auto* target = reinterpret_cast<char*>(starpu_malloc_on_node(STARPU_MAIN_RAM, size));
  if (!target) return -ENOMEM;
  *pointer = target;
  Ops::ForEachPiece(interface, [&](uintptr_t piece, size_t bytes) {
    memcpy(target, reinterpret_cast<const void*>(piece), bytes);
    target += bytes;
  });
  return 0;
}
template <class Ops>
int Peek(starpu_data_handle_t handle, unsigned, void* pointer, size_t count) {
  const auto& interface = As<Ops>(handle);
  if (count != Ops::Bytes(interface)) return -EINVAL;
  const auto* source = static_cast<const char*>(pointer);
  Ops::ForEachPiece(interface, [&](uintptr_t piece, size_t bytes) {
    memcpy(reinterpret_cast<void*>(piece), source, bytes);
    source += bytes;
  });
  return 0;
}
// Frees the packed contents after reading them.
template <class Ops>
int Unpack(starpu_data_handle_t handle, unsigned node, void* pointer, size_t count) {
  const int error = Peek<Ops>(handle, node, pointer, count);
  starpu_free_on_node(node, reinterpret_cast<uintptr_t>(pointer), count);
  return error;
}

template <class Ops>
inline constexpr starpu_data_copy_methods kCopyMethods = {
    .any_to_any = [](void* source, unsigned source_node, void* target, unsigned target_node,
                     void* async) {
      return Ops::Copy(As<Ops>(source), source_node, As<Ops>(target), target_node, async);
    }};

// Returns the table of the operations of Ops, a Kind with the functions that are called here.
template <class Ops>
constexpr starpu_data_interface_ops TableOf(const char* name) {
  return {
      .allocate_data_on_node =
          [](void* interface, unsigned node) { return Ops::Allocate(As<Ops>(interface), node); },
      .free_data_on_node = [](void* interface,
                              unsigned node) { Ops::Free(As<Ops>(interface), node); },
      .copy_methods = &kCopyMethods<Ops>,
      .to_pointer = [](void* interface,
                       unsigned node) { return Ops::Values(As<Ops>(interface), node); },
      .get_size = [](starpu_data_handle_t handle) { return Ops::Bytes(As<Ops>(handle)); },
      .footprint = [](starpu_data_handle_t handle) { return Ops::Footprint(As<Ops>(handle)); },
      .compare = [](void* a, void* b) -> int { return Ops::AreAlike(As<Ops>(a), As<Ops>(b)); },
      .describe = [](void* interface, char* text, size_t room) -> starpu_ssize_t {
        return Ops::Describe(As<Ops>(interface), text, room);
      },
      .interfaceid = Ops::kKind,
      .interface_size = sizeof(typename Ops::Type),
      .pack_data = Pack<Ops>,
      .peek_data = Peek<Ops>,
      .unpack_data = Unpack<Ops>,
      .name = name,
  };
}

}  // namespace tasklens::runtime
