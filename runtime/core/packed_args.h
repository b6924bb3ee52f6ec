// SPDX-License-Identifier: Apache-2.0
// Packs values into one buffer for a codelet. Format: an int count, then a size_t size and the
// bytes for each value.
#pragma once

#include <starpu.h>

#include <cstdarg>
#include <cstddef>
#include <cstring>

namespace tasklens::runtime {

// Packs into the caller's buffer while the values fit, else into one from malloc(), which grows.
class ArgumentPacker {
 public:
  ArgumentPacker(char* buffer, size_t capacity) : buffer_(buffer), capacity_(capacity) {}
  ~ArgumentPacker();
  ArgumentPacker(const ArgumentPacker&) = delete;
  ArgumentPacker& operator=(const ArgumentPacker&) = delete;

  void Add(const void* value, size_t size);
  int count() const { return count_; }
  size_t size() const { return size_; }
  // Returns the buffer; *owned tells whether the caller must free() it.
  char* Take(bool* owned);

 private:
  char* buffer_;
  size_t capacity_;
  size_t size_ = sizeof(int);
  int count_ = 0;
  bool owned_ = false;
};

// Iterates over packed values. Inline, since it runs for each task with arguments.
class ArgumentReader {
 public:
  explicit ArgumentReader(const void* buffer)
      : at_(static_cast<const char*>(buffer) + sizeof(int)) {
    memcpy(&left_, buffer, sizeof(left_));
  }
  // Sets the next value and its size; returns false at the end.
  bool Next(const char** value, size_t* size) {
    if (left_ <= 0) return false;
    --left_;
    memcpy(size, at_, sizeof(*size));
    *value = at_ + sizeof(*size);
    at_ = *value + *size;
    return true;
  }
  // Copies the next values to the pointers in `args`, up to a NULL pointer.
  void CopyTo(va_list args) {
    while (left_ > 0) {
      void* target = va_arg(args, void*);
      const char* value;
      size_t size;
      if (!target || !Next(&value, &size)) return;
      memcpy(target, value, size);
    }
  }
  // Packs the remaining values into the buffer `rest`; aborts if they do not fit.
  void CopyRest(char* rest, size_t rest_size);

 private:
  const char* at_;
  int left_;
};

// Packs the list STARPU_VALUE, pointer, size, ..., 0 into a buffer from malloc().
void PackValues(va_list args, void** buffer, size_t* size);

// Pack values one by one, as starpu_codelet_pack_arg() does: AddPacked() adds a value, TakePacked()
// returns the buffer.
void AddPacked(starpu_codelet_pack_arg_data& state, const void* value, size_t size);
void TakePacked(starpu_codelet_pack_arg_data& state, void** buffer, size_t* size);

// Unpack values one by one. Abort with a message if there is no next value, or, when copying, if
// its size is not `size`.
void BeginUnpacking(starpu_codelet_pack_arg_data& state, void* buffer, size_t size);
void* NextPacked(starpu_codelet_pack_arg_data& state, size_t* size);
void CopyNextPacked(starpu_codelet_pack_arg_data& state, void* target, size_t size);
// Returns a copy from malloc().
void* DuplicateNextPacked(starpu_codelet_pack_arg_data& state, size_t* size);

}  // namespace tasklens::runtime
