// SPDX-License-Identifier: Apache-2.0
// Values packed into one buffer for a codelet: int count, then for each a size_t and the bytes.
#pragma once

#include <starpu.h>

#include <cstdarg>
#include <cstddef>
#include <cstring>

namespace tasklens::runtime {

// Grows a buffer of malloc(), or of the caller as long as it fits.
class ArgumentPacker {
 public:
  ArgumentPacker(char* buffer, size_t capacity) : buffer_(buffer), capacity_(capacity) {}
  ~ArgumentPacker();
  ArgumentPacker(const ArgumentPacker&) = delete;
  ArgumentPacker& operator=(const ArgumentPacker&) = delete;

  void Add(const void* value, size_t size);
  int count() const { return count_; }
  size_t size() const { return size_; }
  // Hands the buffer out; *owned says whether it is the caller's to free().
  char* Take(bool* owned);

 private:
  char* buffer_;
  size_t capacity_;
  size_t size_ = sizeof(int);
  int count_ = 0;
  bool owned_ = false;
};

// Walks over packed values, for each task that has some: inline.
class ArgumentReader {
 public:
  explicit ArgumentReader(const void* buffer)
      : at_(static_cast<const char*>(buffer) + sizeof(int)) {
    memcpy(&left_, buffer, sizeof(left_));
  }
  // The next value and its size; false at the end.
  bool Next(const char** value, size_t* size) {
    if (left_ <= 0) return false;
    --left_;
    memcpy(size, at_, sizeof(*size));
    *value = at_ + sizeof(*size);
    at_ = *value + *size;
    return true;
  }
  // Copies values to the pointers of `args` until a NULL one.
  void CopyTo(va_list args) {
    while (left_ > 0) {
      void* target = va_arg(args, void*);
      const char* value;
      size_t size;
      if (!target || !Next(&value, &size)) return;
      memcpy(target, value, size);
    }
  }
  // Packs the values that are left into a buffer of the caller's.
  void CopyRest(char* rest, size_t rest_size);

 private:
  const char* at_;
  int left_;
};

// The values of STARPU_VALUE, pointer, size, ... until 0, into a buffer of malloc().
void PackValues(va_list args, void** buffer, size_t* size);

// One after the other, as starpu_codelet_pack_arg() does: adds a value; hands the buffer out.
void AddPacked(starpu_codelet_pack_arg_data& state, const void* value, size_t size);
void TakePacked(starpu_codelet_pack_arg_data& state, void** buffer, size_t* size);

// Reads them likewise. The next value ends the program where there is none, or, when it is copied,
// where its size is another one.
void BeginUnpacking(starpu_codelet_pack_arg_data& state, void* buffer, size_t size);
void* NextPacked(starpu_codelet_pack_arg_data& state, size_t* size);
void CopyNextPacked(starpu_codelet_pack_arg_data& state, void* target, size_t size);
// A copy of malloc().
void* DuplicateNextPacked(starpu_codelet_pack_arg_data& state, size_t* size);

}  // namespace tasklens::runtime
