// SPDX-License-Identifier: Apache-2.0
// starpu_codelet_pack_*, starpu_codelet_unpack_*: values packed into one buffer for a codelet.
#include <starpu.h>

#include "runtime/core/packed_args.h"
#include "runtime/support/arguments.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

void CheckPacked(const void* buffer, const char* function) {
  if (!buffer) Fatal("%s(): the task has no packed arguments (cl_arg is NULL)", function);
}

}  // namespace

extern "C" {

void starpu_codelet_pack_args(void** buffer, size_t* buffer_size, ...) {
  WITH_ARGS_AFTER(buffer_size, PackValues(args, buffer, buffer_size));
}

void starpu_codelet_pack_arg_init(starpu_codelet_pack_arg_data* state) { *state = {}; }
void starpu_codelet_pack_arg(starpu_codelet_pack_arg_data* state, const void* value, size_t size) {
  AddPacked(*state, value, size);
}
void starpu_codelet_pack_arg_fini(starpu_codelet_pack_arg_data* state, void** buffer,
                                  size_t* buffer_size) {
  TakePacked(*state, buffer, buffer_size);
}

void starpu_codelet_unpack_args(void* buffer, ...) {
  CheckPacked(buffer, __func__);
  WITH_ARGS_AFTER(buffer, ArgumentReader(buffer).CopyTo(args));
}
void starpu_codelet_unpack_args_and_copyleft(void* buffer, void* rest, size_t rest_size, ...) {
  CheckPacked(buffer, __func__);
  ArgumentReader reader(buffer);
  WITH_ARGS_AFTER(rest_size, reader.CopyTo(args));
  reader.CopyRest(static_cast<char*>(rest), rest_size);
}

void starpu_codelet_unpack_arg_init(starpu_codelet_pack_arg_data* state, void* buffer,
                                    size_t size) {
  CheckPacked(buffer, __func__);
  BeginUnpacking(*state, buffer, size);
}
void starpu_codelet_pick_arg(starpu_codelet_pack_arg_data* state, void** value, size_t* size) {
  *value = NextPacked(*state, size);
}
void starpu_codelet_unpack_arg(starpu_codelet_pack_arg_data* state, void* target, size_t size) {
  CopyNextPacked(*state, target, size);
}
void starpu_codelet_dup_arg(starpu_codelet_pack_arg_data* state, void** copy, size_t* size) {
  *copy = DuplicateNextPacked(*state, size);
}
void starpu_codelet_unpack_discard_arg(starpu_codelet_pack_arg_data* state) {
  size_t size;
  (void)NextPacked(*state, &size);
}
void starpu_codelet_unpack_arg_fini(starpu_codelet_pack_arg_data*) {}

}  // extern "C"
