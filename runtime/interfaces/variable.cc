// SPDX-License-Identifier: Apache-2.0
// variable: one object of any size.
#include <starpu.h>

#include <cerrno>
#include <cstdio>

#include "runtime/interfaces/common.h"
#include "runtime/support/crc32c.h"

using tasklens::runtime::InterfaceOf;

namespace {

using Variable = starpu_variable_interface;

Variable* Of(starpu_data_handle_t handle, const char* function) {
  return static_cast<Variable*>(InterfaceOf(handle, STARPU_VARIABLE_INTERFACE_ID, function));
}

int Copy(void* source, unsigned source_node, void* target, unsigned target_node, void* async) {
  const auto* from = static_cast<Variable*>(source);
  auto* to = static_cast<Variable*>(target);
  return starpu_interface_copy(from->dev_handle, from->offset, source_node, to->dev_handle,
                               to->offset, target_node, from->elemsize, async);
}
const starpu_data_copy_methods kCopy = {
    .can_copy = nullptr, .ram_to_ram = nullptr, .any_to_any = Copy};

starpu_ssize_t Allocate(void* interface, unsigned node) {
  auto* variable = static_cast<Variable*>(interface);
  return tasklens::runtime::AllocateFor(variable, node, variable->elemsize);
}
void Free(void* interface, unsigned node) {
  auto* variable = static_cast<Variable*>(interface);
  starpu_free_on_node(node, variable->dev_handle, variable->elemsize);
  variable->ptr = variable->dev_handle = 0;
}
void* ToPointer(void* interface, unsigned) {
  return reinterpret_cast<void*>(static_cast<Variable*>(interface)->ptr);
}
int IsInside(void* interface, unsigned, void* pointer) {
  const auto* variable = static_cast<Variable*>(interface);
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  return address >= variable->ptr && address < variable->ptr + variable->elemsize;
}
size_t Size(starpu_data_handle_t handle) { return Of(handle, "size")->elemsize; }
uint32_t Footprint(starpu_data_handle_t handle) {
  return tasklens::runtime::Crc32c(static_cast<uint32_t>(Size(handle)), 0);
}
int Compare(void* a, void* b) {
  return static_cast<Variable*>(a)->elemsize == static_cast<Variable*>(b)->elemsize;
}
starpu_ssize_t DescribeVariable(void* interface, char* text, size_t room) {
  return snprintf(text, room, "v%zu", static_cast<Variable*>(interface)->elemsize);
}
int Pack(starpu_data_handle_t handle, unsigned, void** pointer, starpu_ssize_t* count) {
  const Variable* variable = Of(handle, "starpu_data_pack");
  return tasklens::runtime::PackRows(reinterpret_cast<char*>(variable->ptr), variable->elemsize, 1,
                                     0, 1, 0, pointer, count);
}
int Peek(starpu_data_handle_t handle, unsigned, void* pointer, size_t count) {
  const Variable* variable = Of(handle, "starpu_data_peek");
  return tasklens::runtime::PeekRows(reinterpret_cast<char*>(variable->ptr), variable->elemsize, 1,
                                     0, 1, 0, pointer, count);
}

}  // namespace

extern "C" {

starpu_data_interface_ops starpu_interface_variable_ops = {
    .allocate_data_on_node = Allocate,
    .free_data_on_node = Free,
    .copy_methods = &kCopy,
    .to_pointer = ToPointer,
    .pointer_is_inside = IsInside,
    .get_size = Size,
    .footprint = Footprint,
    .compare = Compare,
    .describe = DescribeVariable,
    .interfaceid = STARPU_VARIABLE_INTERFACE_ID,
    .interface_size = sizeof(Variable),
    .pack_data = Pack,
    .peek_data = Peek,
    .unpack_data = tasklens::runtime::UnpackWith<Peek>,
    .name = "STARPU_VARIABLE_INTERFACE",
};

void starpu_variable_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                                   size_t size) {
  Variable variable = {STARPU_VARIABLE_INTERFACE_ID, ptr, ptr, 0, size};
  starpu_data_register(handle, home_node, &variable, &starpu_interface_variable_ops);
}
void starpu_variable_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                                  uintptr_t dev_handle, size_t offset) {
  Variable* variable = Of(handle, "starpu_variable_ptr_register");
  variable->ptr = ptr;
  variable->dev_handle = dev_handle;
  variable->offset = offset;
  starpu_data_ptr_register(handle, node);
}
size_t starpu_variable_get_elemsize(starpu_data_handle_t handle) {
  return Of(handle, "starpu_variable_get_elemsize")->elemsize;
}
uintptr_t starpu_variable_get_local_ptr(starpu_data_handle_t handle) {
  return Of(handle, "starpu_variable_get_local_ptr")->ptr;
}

}  // extern "C"
