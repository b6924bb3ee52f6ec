// SPDX-License-Identifier: Apache-2.0
// Packing and unpacking, with the public functions for both.
#include "runtime/core/packed_args.h"

#include <starpu.h>

#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "runtime/support/message.h"

namespace tasklens::runtime {

ArgumentPacker::~ArgumentPacker() {
  if (owned_) free(buffer_);
}

void ArgumentPacker::Add(const void* value, size_t size) {
  const size_t wanted = size_ + sizeof(size_t) + size;
  if (wanted > capacity_) {
    const size_t capacity = std::max<size_t>({wanted, capacity_ * 2, 128});
    char* bigger = static_cast<char*>(malloc(capacity));
    if (!bigger) Fatal("no memory for %zu bytes of task arguments", capacity);
    if (buffer_) memcpy(bigger, buffer_, size_);
    if (owned_) free(buffer_);
    buffer_ = bigger;
    capacity_ = capacity;
    owned_ = true;
  }
  memcpy(buffer_ + size_, &size, sizeof(size));
  if (size) memcpy(buffer_ + size_ + sizeof(size), value, size);
  size_ = wanted;
  ++count_;
}

char* ArgumentPacker::Take(bool* owned) {
  if (buffer_) memcpy(buffer_, &count_, sizeof(count_));
  *owned = owned_;
  owned_ = false;
  return buffer_;
}

ArgumentReader::ArgumentReader(const void* buffer) {
  memcpy(&left_, buffer, sizeof(left_));
  at_ = static_cast<const char*>(buffer) + sizeof(left_);
}

bool ArgumentReader::Next(const char** value, size_t* size) {
  if (left_ <= 0) return false;
  --left_;
  memcpy(size, at_, sizeof(*size));
  *value = at_ + sizeof(*size);
  at_ = *value + *size;
  return true;
}

}  // namespace tasklens::runtime

using tasklens::runtime::ArgumentPacker;
using tasklens::runtime::ArgumentReader;
using tasklens::runtime::Fatal;

namespace {

void CheckPacked(const void* buffer, const char* function) {
  if (!buffer) Fatal("%s(): the task has no packed arguments (cl_arg is NULL)", function);
}

// Copies values into the pointers of `args` until a NULL one.
void Unpack(ArgumentReader& reader, va_list args) {
  while (reader.left() > 0) {
    void* target = va_arg(args, void*);
    if (!target) return;
    const char* value;
    size_t size;
    reader.Next(&value, &size);
    memcpy(target, value, size);
  }
}

}  // namespace

extern "C" {

void starpu_codelet_pack_args(void** buffer, size_t* buffer_size, ...) {
  ArgumentPacker packer(nullptr, 0);
  va_list args;
  va_start(args, buffer_size);
  while (const int kind = va_arg(args, int)) {
    if (kind != STARPU_VALUE) Fatal("starpu_codelet_pack_args() takes only STARPU_VALUE");
    const void* value = va_arg(args, void*);
    packer.Add(value, va_arg(args, size_t));
  }
  va_end(args);
  *buffer_size = packer.size();
  bool owned;
  *buffer = packer.Take(&owned);
  if (!*buffer) {
    *buffer = calloc(1, sizeof(int));
    if (!*buffer) Fatal("no memory for task arguments");
  }
}

void starpu_codelet_pack_arg_init(starpu_codelet_pack_arg_data* state) { *state = {}; }

void starpu_codelet_pack_arg(starpu_codelet_pack_arg_data* state, const void* value, size_t size) {
  if (state->current_offset == 0) state->current_offset = sizeof(int);
  const size_t wanted = state->current_offset + sizeof(size) + size;
  if (wanted > state->arg_buffer_size) {
    const size_t capacity = std::max(wanted, state->arg_buffer_size * 2);
    char* bigger = static_cast<char*>(realloc(state->arg_buffer, capacity));
    if (!bigger) Fatal("no memory for %zu bytes of task arguments", capacity);
    state->arg_buffer = bigger;
    state->arg_buffer_size = capacity;
  }
  memcpy(state->arg_buffer + state->current_offset, &size, sizeof(size));
  if (size) memcpy(state->arg_buffer + state->current_offset + sizeof(size), value, size);
  state->current_offset = wanted;
  ++state->nargs;
}

void starpu_codelet_pack_arg_fini(starpu_codelet_pack_arg_data* state, void** buffer,
                                  size_t* buffer_size) {
  if (!state->arg_buffer) {
    state->arg_buffer = static_cast<char*>(calloc(1, sizeof(int)));
    if (!state->arg_buffer) Fatal("no memory for task arguments");
    state->current_offset = sizeof(int);
  }
  memcpy(state->arg_buffer, &state->nargs, sizeof(state->nargs));
  *buffer = state->arg_buffer;
  *buffer_size = state->current_offset;
}

void starpu_codelet_unpack_args(void* buffer, ...) {
  CheckPacked(buffer, "starpu_codelet_unpack_args");
  ArgumentReader reader(buffer);
  va_list args;
  va_start(args, buffer);
  Unpack(reader, args);
  va_end(args);
}

void starpu_codelet_unpack_args_and_copyleft(void* buffer, void* rest, size_t rest_size, ...) {
  CheckPacked(buffer, "starpu_codelet_unpack_args_and_copyleft");
  ArgumentReader reader(buffer);
  va_list args;
  va_start(args, rest_size);
  Unpack(reader, args);
  va_end(args);
  ArgumentPacker packer(static_cast<char*>(rest), rest_size);
  const char* value;
  size_t size;
  while (reader.Next(&value, &size)) {
    if (packer.size() + sizeof(size) + size > rest_size) {
      Fatal("starpu_codelet_unpack_args_and_copyleft(): the values left need more than %zu bytes",
            rest_size);
    }
    packer.Add(value, size);
  }
  bool owned;
  packer.Take(&owned);
}

void starpu_codelet_unpack_arg_init(starpu_codelet_pack_arg_data* state, void* buffer,
                                    size_t size) {
  CheckPacked(buffer, "starpu_codelet_unpack_arg_init");
  *state = {};
  state->arg_buffer = static_cast<char*>(buffer);
  state->arg_buffer_size = size;
  memcpy(&state->nargs, buffer, sizeof(state->nargs));
  state->current_offset = sizeof(int);
}

void starpu_codelet_pick_arg(starpu_codelet_pack_arg_data* state, void** value, size_t* size) {
  if (state->current_offset + sizeof(*size) > state->arg_buffer_size) {
    Fatal("there are no more packed task arguments");
  }
  memcpy(size, state->arg_buffer + state->current_offset, sizeof(*size));
  *value = state->arg_buffer + state->current_offset + sizeof(*size);
  state->current_offset += sizeof(*size) + *size;
}

void starpu_codelet_unpack_arg(starpu_codelet_pack_arg_data* state, void* target, size_t size) {
  void* value;
  size_t packed;
  starpu_codelet_pick_arg(state, &value, &packed);
  if (packed != size) Fatal("a packed task argument has %zu bytes, not %zu", packed, size);
  memcpy(target, value, size);
}

void starpu_codelet_dup_arg(starpu_codelet_pack_arg_data* state, void** copy, size_t* size) {
  void* value;
  starpu_codelet_pick_arg(state, &value, size);
  *copy = malloc(*size ? *size : 1);
  if (!*copy) Fatal("no memory for %zu bytes of task arguments", *size);
  memcpy(*copy, value, *size);
}

void starpu_codelet_unpack_discard_arg(starpu_codelet_pack_arg_data* state) {
  void* value;
  size_t size;
  starpu_codelet_pick_arg(state, &value, &size);
}

void starpu_codelet_unpack_arg_fini(starpu_codelet_pack_arg_data*) {}

}  // extern "C"
