// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/packed_args.h"

#include <algorithm>
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

void ArgumentReader::CopyRest(char* rest, size_t rest_size) {
  ArgumentPacker packer(rest, rest_size);
  const char* value;
  size_t size;
  while (Next(&value, &size)) {
    if (packer.size() + sizeof(size) + size > rest_size) {
      Fatal("starpu_codelet_unpack_args_and_copyleft(): the values left need more than %zu bytes",
            rest_size);
    }
    packer.Add(value, size);
  }
  bool owned;
  packer.Take(&owned);
}

void PackValues(va_list args, void** buffer, size_t* size) {
  ArgumentPacker packer(nullptr, 0);
  while (const int kind = va_arg(args, int)) {
    if (kind != STARPU_VALUE) Fatal("starpu_codelet_pack_args() takes only STARPU_VALUE");
    const void* value = va_arg(args, void*);
    packer.Add(value, va_arg(args, size_t));
  }
  *size = packer.size();
  bool owned;
  *buffer = packer.Take(&owned);
  if (!*buffer) {
    *buffer = calloc(1, sizeof(int));
    if (!*buffer) Fatal("no memory for task arguments");
  }
}

void AddPacked(starpu_codelet_pack_arg_data& state, const void* value, size_t size) {
  if (state.current_offset == 0) state.current_offset = sizeof(int);
  const size_t wanted = state.current_offset + sizeof(size) + size;
  if (wanted > state.arg_buffer_size) {
    const size_t capacity = std::max(wanted, state.arg_buffer_size * 2);
    char* bigger = static_cast<char*>(realloc(state.arg_buffer, capacity));
    if (!bigger) Fatal("no memory for %zu bytes of task arguments", capacity);
    state.arg_buffer = bigger;
    state.arg_buffer_size = capacity;
  }
  memcpy(state.arg_buffer + state.current_offset, &size, sizeof(size));
  if (size) memcpy(state.arg_buffer + state.current_offset + sizeof(size), value, size);
  state.current_offset = wanted;
  ++state.nargs;
}

void TakePacked(starpu_codelet_pack_arg_data& state, void** buffer, size_t* size) {
  if (!state.arg_buffer) {
    state.arg_buffer = static_cast<char*>(calloc(1, sizeof(int)));
    if (!state.arg_buffer) Fatal("no memory for task arguments");
    state.current_offset = sizeof(int);
  }
  memcpy(state.arg_buffer, &state.nargs, sizeof(state.nargs));
  *buffer = state.arg_buffer;
  *size = state.current_offset;
}

void BeginUnpacking(starpu_codelet_pack_arg_data& state, void* buffer, size_t size) {
  state = {};
  state.arg_buffer = static_cast<char*>(buffer);
  state.arg_buffer_size = size;
  memcpy(&state.nargs, buffer, sizeof(state.nargs));
  state.current_offset = sizeof(int);
}

void* NextPacked(starpu_codelet_pack_arg_data& state, size_t* size) {
  if (state.current_offset + sizeof(*size) > state.arg_buffer_size) {
    Fatal("there are no more packed task arguments");
  }
  memcpy(size, state.arg_buffer + state.current_offset, sizeof(*size));
  char* const value = state.arg_buffer + state.current_offset + sizeof(*size);
  state.current_offset += sizeof(*size) + *size;
  return value;
}

void CopyNextPacked(starpu_codelet_pack_arg_data& state, void* target, size_t size) {
  size_t packed;
  const void* value = NextPacked(state, &packed);
  if (packed != size) Fatal("a packed task argument has %zu bytes, not %zu", packed, size);
  memcpy(target, value, size);
}

void* DuplicateNextPacked(starpu_codelet_pack_arg_data& state, size_t* size) {
  const void* value = NextPacked(state, size);
  void* const copy = malloc(*size ? *size : 1);
  if (!copy) Fatal("no memory for %zu bytes of task arguments", *size);
  memcpy(copy, value, *size);
  return copy;
}

}  // namespace tasklens::runtime
