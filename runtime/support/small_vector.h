// SPDX-License-Identifier: Apache-2.0
// A vector of trivial values with inline room for the first elements. It keeps its memory when
// cleared, so that a recycled owner allocates nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tasklens::runtime {

template <class T, uint32_t kInline>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  ~SmallVector() {
    if (data_ != inline_) delete[] data_;
  }
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;

  void push_back(T value) {
    if (size_ == capacity_) Grow();
    data_[size_++] = value;
  }
  void clear() { size_ = 0; }
  void resize(uint32_t size) {
    while (capacity_ < size) Grow();
    size_ = size;
  }
  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](uint32_t i) { return data_[i]; }
  const T& operator[](uint32_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  void Grow() {
    T* bigger = new T[capacity_ * 2];
    std::copy(data_, data_ + size_, bigger);
    if (data_ != inline_) delete[] data_;
    data_ = bigger;
    capacity_ *= 2;
  }
  uint32_t size_ = 0;
  uint32_t capacity_ = kInline;
  T* data_ = inline_;
  T inline_[kInline];
};

}  // namespace tasklens::runtime
