// SPDX-License-Identifier: Apache-2.0
// Values packed into one buffer for a codelet: int count, then for each a size_t and the bytes.
#pragma once

#include <cstddef>

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

// Walks over packed values.
class ArgumentReader {
 public:
  explicit ArgumentReader(const void* buffer);
  // The next value and its size; false at the end.
  bool Next(const char** value, size_t* size);
  // Where the next value's size stands, for copying the rest.
  const char* position() const { return at_; }
  int left() const { return left_; }

 private:
  const char* at_;
  int left_;
};

}  // namespace tasklens::runtime
