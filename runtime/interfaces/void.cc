// SPDX-License-Identifier: Apache-2.0
// void: a handle without data, only for the order of tasks.
#include <starpu.h>

#include <cstdio>

namespace {

int CopyNothing(void*, unsigned, void*, unsigned, void*) { return 0; }
const starpu_data_copy_methods kCopy = {
    .can_copy = nullptr, .ram_to_ram = nullptr, .any_to_any = CopyNothing};

starpu_ssize_t Allocate(void*, unsigned) { return 0; }
void Free(void*, unsigned) {}
size_t Size(starpu_data_handle_t) { return 0; }
uint32_t Footprint(starpu_data_handle_t) { return 0; }
int Compare(void*, void*) { return 1; }
starpu_ssize_t DescribeVoid(void*, char* text, size_t room) { return snprintf(text, room, "0"); }
int Pack(starpu_data_handle_t, unsigned, void** pointer, starpu_ssize_t* count) {
  *count = 0;
  if (pointer) *pointer = nullptr;
  return 0;
}
int Peek(starpu_data_handle_t, unsigned, void*, size_t) { return 0; }

}  // namespace

extern "C" {

starpu_data_interface_ops starpu_interface_void_ops = {
    .allocate_data_on_node = Allocate,
    .free_data_on_node = Free,
    .copy_methods = &kCopy,
    .get_size = Size,
    .footprint = Footprint,
    .compare = Compare,
    .describe = DescribeVoid,
    .interfaceid = STARPU_VOID_INTERFACE_ID,
    .interface_size = 0,
    .pack_data = Pack,
    .peek_data = Peek,
    .unpack_data = Peek,
    .name = "STARPU_VOID_INTERFACE",
};

void starpu_void_data_register(starpu_data_handle_t* handle) {
  starpu_data_register(handle, STARPU_MAIN_RAM, nullptr, &starpu_interface_void_ops);
}

}  // extern "C"
