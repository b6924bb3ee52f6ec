// SPDX-License-Identifier: Apache-2.0
// Writes columns of every kind as bytes that can be used in place, and reads them back. Used by
// saved_model.h and by the code that saves more data beside a model.
//
// Untrusted input: any bytes give columns that can be read, or an error. The caller checks the
// meaning of the values. Memory is proportional to the bytes.
//
// Threads: none of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "trace/model/column.h"
#include "trace/model/trace_model.h"
#include "trace/support/diagnostics.h"

namespace tasklens {

namespace internal {

// Stands at the end, so that 8 bytes can be read at the last codes.
inline constexpr uint64_t kEndMark = 0x4c45444f4d444e45;

inline constexpr size_t Padding(size_t bytes) { return (8 - bytes % 8) % 8; }

}  // namespace internal

// Writes its arguments as pieces of bytes, each a multiple of 8 in size.
class ColumnSaver {
 public:
  explicit ColumnSaver(const std::function<void(std::string_view)>& write) : write_(write) {}

  void operator()(int64_t value) { Number(static_cast<uint64_t>(value)); }
  void operator()(uint64_t value) { Number(value); }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(const std::vector<T>& values) {
    Number(values.size());
    Bytes(values.data(), values.size() * sizeof(T));
  }
  void operator()(const std::vector<bool>& values) {
    (*this)(std::vector<uint8_t>(values.begin(), values.end()));
  }
  template <class A, class B>
  void operator()(const std::vector<std::pair<A, B>>& pairs) {
    std::vector<A> first;
    std::vector<B> second;
    for (const auto& [a, b] : pairs) {
      first.push_back(a);
      second.push_back(b);
    }
    (*this)(first);
    (*this)(second);
  }
  template <class T>
  void operator()(const Column<T>& column) {
    std::vector<PackedWords::Form> forms;
    column.words().ForEachBlock([&](const auto& form, auto) { forms.push_back(form); });
    Number(column.size());
    (*this)(forms);
    column.words().ForEachBlock([&](auto, auto codes) { Bytes(codes.data(), codes.size()); });
  }
  template <class T, auto... kFields>
  void operator()(const Records<T, kFields...>& records) {
    records.Visit([&](size_t size, const auto&... columns) {
      Number(size);
      ((*this)(columns), ...);
    });
  }
  template <class Items>
  void operator()(const PackedLists<Items>& lists) {
    (*this)(lists.offsets);
    (*this)(lists.items);
  }
  template <class T>
  void operator()(const Lists<T>& lists) {
    (*this)(lists.offsets);
    (*this)(lists.items);
  }
  void operator()(const std::vector<CounterSeries>& counters) {
    Number(counters.size());
    for (const CounterSeries& series : counters) {
      Number(static_cast<uint64_t>(series.kind));
      Number(series.rank_index);
      Number(series.track);
      Number(series.name);
      (*this)(series.time_ns);
      (*this)(series.value);
    }
  }
  void operator()(const StringPool& strings) {
    Number(strings.size());
    for (StringId id = 0; id < strings.size(); ++id) Text(strings.Get(id));
  }
  void operator()(const Diagnostics& diags) {
    Number(diags.counts().size());
    for (const auto& [kind, count] : diags.counts()) {
      Text(kind);
      Text(count.first_where);
      Number(count.count);
    }
  }
  void End() { Number(internal::kEndMark); }

 private:
  void Number(uint64_t value) { Bytes(&value, sizeof value); }
  void Text(std::string_view text) {
    Number(text.size());
    Bytes(text.data(), text.size());
  }
  void Bytes(const void* data, size_t size) {
    static constexpr char kZeros[8] = {};
    write_({static_cast<const char*>(data), size});
    write_({kZeros, internal::Padding(size)});
  }

  const std::function<void(std::string_view)>& write_;
};

// Reads the bytes of a ColumnSaver that was called with the same arguments in the same order. After
// the first impossible value, ok() is false and everything is empty. Columns stay where they are in
// `bytes`, which must be aligned for 8 bytes and outlive them; the rest is copied.
class ColumnLoader {
 public:
  explicit ColumnLoader(std::span<const std::byte> bytes) : left_(bytes) {}

  bool ok() const { return ok_; }

  void operator()(int64_t& value) { value = static_cast<int64_t>(Number()); }
  void operator()(uint64_t& value) { value = Number(); }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(std::vector<T>& values) {
    const uint64_t size = Number();
    const std::byte* data = Take(size, sizeof(T));
    if (data == nullptr) return;
    values.resize(size);
    if (size > 0) std::memcpy(values.data(), data, size * sizeof(T));
  }
  void operator()(std::vector<bool>& values) {
    std::vector<uint8_t> bytes;
    (*this)(bytes);
    values.assign(bytes.begin(), bytes.end());
  }
  template <class A, class B>
  void operator()(std::vector<std::pair<A, B>>& pairs) {
    std::vector<A> first;
    std::vector<B> second;
    (*this)(first);
    (*this)(second);
    if (first.size() != second.size()) return Fail();
    for (size_t i = 0; i < first.size(); ++i) pairs.emplace_back(first[i], second[i]);
  }
  template <class T>
  void operator()(Column<T>& column) {
    const uint64_t rows = Number();
    std::vector<PackedWords::Form> forms;
    (*this)(forms);
    if (rows > forms.size() * PackedWords::kRows ||
        rows + PackedWords::kRows <= forms.size() * PackedWords::kRows)
      return Fail();
    uint64_t width = 0;  // of all blocks
    for (const PackedWords::Form& form : forms) {
      const uint64_t w = form.width;
      if (w != 0 && w != 1 && w != 2 && w != 4 && w != 8) return Fail();
      width += w;
    }
    const std::byte* codes = Take(width, PackedWords::kRows);
    if (codes != nullptr) column.words().Borrow(rows, forms, codes);
  }
  template <class T, auto... kFields>
  void operator()(Records<T, kFields...>& records) {
    records.Visit([&](size_t& size, auto&... columns) {
      const uint64_t rows = Number();
      ((*this)(columns), ...);
      const bool fits = ((columns.size() <= rows) && ...) && ((columns.size() == rows) || ...);
      if (!fits) return Fail();
      size = rows;
    });
  }
  template <class Items>
  void operator()(PackedLists<Items>& lists) {
    (*this)(lists.offsets);
    (*this)(lists.items);
  }
  template <class T>
  void operator()(Lists<T>& lists) {
    (*this)(lists.offsets);
    (*this)(lists.items);
  }
  void operator()(std::vector<CounterSeries>& counters) {
    for (uint64_t count = Number(); count > 0 && ok_; --count) {
      CounterSeries& series = counters.emplace_back();
      series.kind = static_cast<CounterKind>(Number());
      series.rank_index = static_cast<uint32_t>(Number());
      series.track = static_cast<uint32_t>(Number());
      series.name = static_cast<StringId>(Number());
      (*this)(series.time_ns);
      (*this)(series.value);
    }
  }
  void operator()(StringPool& strings) {
    const uint64_t count = Number();
    for (uint64_t id = 0; id < count && ok_; ++id)
      if (strings.Intern(Text()) != id) Fail();
  }
  void operator()(Diagnostics& diags) {
    for (uint64_t count = Number(); count > 0 && ok_; --count) {
      const std::string_view kind = Text(), where = Text();
      diags.Skip(kind, where, Number());
    }
  }
  void End() {
    if (Number() != internal::kEndMark || !left_.empty()) Fail();
  }

 private:
  void Fail() {
    ok_ = false;
    left_ = {};
  }
  uint64_t Number() {
    uint64_t value = 0;
    if (const std::byte* data = Take(1, sizeof value)) std::memcpy(&value, data, sizeof value);
    return value;
  }
  std::string_view Text() {
    const uint64_t size = Number();
    const std::byte* data = Take(size, 1);
    return data == nullptr ? "" : std::string_view(reinterpret_cast<const char*>(data), size);
  }
  // Takes `count` times `size` bytes and the padding to a multiple of 8; returns nullptr if fewer
  // are left.
  const std::byte* Take(uint64_t count, size_t size) {
    const size_t most = left_.size() / size;
    if (!ok_ || count > most) return Fail(), nullptr;
    const size_t bytes = count * size, all = bytes + internal::Padding(bytes);
    if (all > left_.size()) return Fail(), nullptr;
    const std::byte* data = left_.data();
    left_ = left_.subspan(all);
    return data;
  }

  std::span<const std::byte> left_;
  bool ok_ = true;
};

}  // namespace tasklens
