// SPDX-License-Identifier: Apache-2.0
// Columns of a table, packed into as few bytes as their values need, and lists of variable length.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "trace/model/block_codes.h"
#include "trace/support/block_store.h"

namespace tasklens {

// 64-bit words by row. Each block of rows has a base and a width of 0, 1, 2, 4 or 8 bytes, and
// stores the differences from the base in that width. A block whose rows are all the same takes no
// memory.
//
// Rows may be written in any order; writing near the last written row is the fastest. A value that
// does not fit makes its block twice as wide, at most three times. When a block is added, the block
// two before it is packed anew.
class PackedWords {
 public:
  // Rows that were never written have the word `empty`. `zero`: a word close to the words of small
  // numbers.
  PackedWords(uint64_t empty, uint64_t zero) : empty_(empty), zero_(zero) {}

  // From now on, packed blocks are moved to `store`, which must outlive this; nullptr: they stay in
  // memory.
  void UseStore(BlockStream* store) { store_ = store; }
  BlockStream* store() const { return store_; }

  size_t size() const { return size_; }

  // REQUIRES: i < size().
  uint64_t Get(size_t i) const {
    const Block& block = blocks_[i / kRows];
    const uint64_t code = block.CodeAt(i % kRows);
    return code == 0 ? block.empty : block.base + code;
  }

  // Sets row i. Rows between size() and `i` become empty.
  void Set(size_t i, uint64_t word) {
    if (i >= size_) Resize(i + 1);
    Block& block = blocks_[i / kRows];
    const uint64_t code = word - block.base;
    if (code - 1 < block.mask)  // neither 0, which means empty, nor too large
      block.Store(i % kRows, code);
    else
      SetSlow(block, i % kRows, word);
  }

  // Appends kRows rows, packed at once, in half the time of appending them one by one. If `rows` is
  // less, these are the last rows; the other words of the block must be `empty`.
  // REQUIRES: size() is a multiple of kRows.
  void AppendBlock(const uint64_t* words, size_t rows = kRows);

  // New rows are empty.
  void Resize(size_t rows) {
    if (rows < size_) RemoveRows(rows);
    if (rows > blocks_.size() * kRows) AddBlocks(rows);
    size_ = rows;
  }

  // Replaces each word by f(row, word), packed anew.
  template <class F>
  void Transform(F f) {
    uint64_t words[kRows];
    for (size_t first = 0; first < size_; first += kRows) {
      const size_t count = size_ - first < kRows ? size_ - first : kRows;
      Block& block = blocks_[first / kRows];
      Unpack(block, words);
      bool changed = !block.borrowed;
      for (size_t i = 0; i < count; ++i) {
        const uint64_t word = f(first + i, words[i]);
        changed |= word != words[i];
        words[i] = word;
      }
      for (size_t i = count; i < kRows; ++i) words[i] = empty_;
      if (changed) Pack(block, words);
    }
  }

  // Adds `delta` to every word that is not empty, modulo 2^64. REQUIRES: none becomes empty.
  void AddToAll(uint64_t delta);

  // Calls f(row, word) for the rows of [begin, end), faster than Get(). REQUIRES: end <= size().
  template <class F>
  void ForEach(size_t begin, size_t end, F f) const {
    uint64_t words[kRows];
    for (size_t first = begin / kRows * kRows; first < end; first += kRows) {
      Unpack(blocks_[first / kRows], words);
      const size_t from = first < begin ? begin - first : 0;
      const size_t to = end - first < kRows ? end - first : kRows;
      for (size_t i = from; i < to; ++i) f(first + i, words[i]);
    }
  }

  // Removes all rows and frees their memory.
  void Clear();
  void ShrinkToFit();
  bool AllEmpty() const;
  size_t MemoryBytes() const;

  // Whether every word that is not empty lies in [least, most].
  bool Within(uint64_t least, uint64_t most) const;
  // Whether no word is smaller than the one before, save in the rows for which `may(row)`.
  template <class May>
  bool IsSorted(May may) const {
    uint64_t before = 0;
    bool sorted = true;
    const auto look_at = [&](size_t row, uint64_t word) {
      if (word < before && !may(row)) sorted = false;
      before = word;
    };
    for (size_t first = 0; first < size_ && sorted; first += kRows) {
      const size_t count = size_ - first < kRows ? size_ - first : kRows;
      if (NeverFalls(blocks_[first / kRows], count)) {
        look_at(first, Get(first));
        before = Get(first + count - 1);
      } else {
        ForEach(first, first + count, look_at);
      }
    }
    return sorted;
  }
  // Whether no word is larger than that of `other` in its row. REQUIRES: both have as many rows.
  bool AtMost(const PackedWords& other) const;

  // For saving: blocks of kRows rows, each as a form and kRows * width bytes of codes.
  static constexpr size_t kRows = BlockCodes::kRows;
  struct Form {
    uint64_t base, empty, width;
  };
  // Calls f(form, codes) for each block in order.
  template <class F>
  void ForEachBlock(F f) const {
    for (const Block& block : blocks_)
      f(Form{block.width == 0 ? 0 : block.base, block.empty, block.width},
        std::span(block.data, kRows * block.width));
  }
  // Takes `rows` rows whose codes stay in place, one block after the other. The codes must outlive
  // this, be aligned for 8 bytes and readable 7 bytes further; the column must not be written to
  // afterwards. REQUIRES: a form for every kRows rows; widths of 0, 1, 2, 4 or 8.
  void Borrow(size_t rows, std::span<const Form> forms, const std::byte* codes);

 private:
  static constexpr std::byte kNoData[8] = {};
  // Never written to: its width is 0.
  static std::byte* NoData() { return const_cast<std::byte*>(kNoData); }

  // Row i is `empty` where its code is 0, else base + code.
  struct Block {
    explicit Block(uint64_t empty) : empty(empty) {}
    Block(Block&& other) noexcept
        : data(std::exchange(other.data, NoData())),
          base(other.base),
          mask(other.mask),
          empty(other.empty),
          width(std::exchange(other.width, 0)),
          borrowed(other.borrowed) {}
    Block& operator=(Block&& other) noexcept {
      std::swap(data, other.data);
      std::swap(width, other.width);
      std::swap(borrowed, other.borrowed);
      base = other.base, mask = other.mask, empty = other.empty;
      return *this;
    }
    ~Block() { Free(); }

    void Free();
    void Allocate(unsigned bytes);
    uint64_t CodeAt(size_t row) const {
      uint64_t code;
      std::memcpy(&code, data + row * width, sizeof code);
      return code & mask;
    }
    void Store(size_t row, uint64_t code) {
      std::byte* at = data + row * width;
      switch (width) {
        case 1: *at = static_cast<std::byte>(code); break;
        case 2: std::memcpy(at, &code, 2); break;
        case 4: std::memcpy(at, &code, 4); break;
        case 8: std::memcpy(at, &code, 8); break;
      }
    }

    std::byte* data = NoData();
    uint64_t base = 0;
    uint64_t mask = 0;  // of `width` bytes
    uint64_t empty;
    uint8_t width = 0;
    bool borrowed = false;  // `data` lie in store_ or in the caller's memory, which frees them
  };
  static_assert(std::endian::native == std::endian::little, "codes are read from their low bytes");

  void AddBlocks(size_t rows);
  void RemoveRows(size_t rows);
  void SetSlow(Block& block, size_t row, uint64_t word);
  void Reserve(Block& block, const WordRange& range, unsigned width);
  void Unpack(const Block& block, uint64_t* words) const;
  static bool NeverFalls(const Block& block, size_t count);
  void Encode(const Block& block, const uint64_t* words) const;
  void PackAnew(Block& block);
  void MoveIntoStore(Block& block);
  void Pack(Block& block, const uint64_t* words);
  bool PutIntoStore(Block& block, unsigned width, const uint64_t* words);

  uint64_t empty_, zero_;
  size_t size_ = 0;
  unsigned usual_width_ = 1;
  std::vector<Block> blocks_;
  BlockStream* store_ = nullptr;
};

// Iterates over anything with operator[], by value.
template <class Table>
class RowIterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using reference = decltype(std::declval<const Table&>()[0]);
  using value_type = std::remove_cvref_t<reference>;
  using pointer = void;

  RowIterator() = default;
  RowIterator(const Table& table, size_t row)
      : table_(&table), row_(static_cast<difference_type>(row)) {}

  reference operator*() const { return (*table_)[static_cast<size_t>(row_)]; }
  reference operator[](difference_type n) const { return *(*this + n); }
  RowIterator& operator+=(difference_type n) { return row_ += n, *this; }
  RowIterator& operator-=(difference_type n) { return row_ -= n, *this; }
  RowIterator& operator++() { return *this += 1; }
  RowIterator& operator--() { return *this -= 1; }
  RowIterator operator++(int) { return std::exchange(*this, *this + 1); }
  RowIterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend RowIterator operator+(RowIterator it, difference_type n) { return it += n; }
  friend RowIterator operator+(difference_type n, RowIterator it) { return it += n; }
  friend RowIterator operator-(RowIterator it, difference_type n) { return it -= n; }
  friend difference_type operator-(const RowIterator& a, const RowIterator& b) {
    return a.row_ - b.row_;
  }
  bool operator==(const RowIterator& other) const { return row_ == other.row_; }
  auto operator<=>(const RowIterator& other) const { return row_ <=> other.row_; }

 private:
  const Table* table_ = nullptr;
  difference_type row_ = 0;
};

// One column of a table: integers, enumerations or doubles, packed (see PackedWords). Values are
// read and written whole, never by reference. Reading a row that was never written gives the
// default: most traces use few of the fields of a task (tags, colours, contexts, ...), and
// such columns stay empty.
//
// Threads: any number while nobody writes.
template <class T>
class Column {
 public:
  Column() : Column(T{}) {}
  explicit Column(T default_value)
      : default_(default_value), words_(ToWord(default_value), ToWord(T{})) {}

  T operator[](size_t i) const { return i < words_.size() ? FromWord(words_.Get(i)) : default_; }

  // The rows up to the last one written.
  size_t size() const { return words_.size(); }
  bool empty() const { return size() == 0; }
  T front() const { return (*this)[0]; }
  T back() const { return (*this)[size() - 1]; }
  auto begin() const { return RowIterator(*this, 0); }
  auto end() const { return RowIterator(*this, size()); }
  bool operator==(const Column& other) const { return std::ranges::equal(*this, other); }
  bool operator==(const std::vector<T>& values) const { return std::ranges::equal(*this, values); }

  void Set(size_t i, T value) {
    if (i >= size() && value == default_) return;
    words_.Set(i, ToWord(value));
  }
  void push_back(T value) { words_.Set(size(), ToWord(value)); }
  // Appends a block of rows: value(i) for every i below PackedWords::kRows, or below `rows` for the
  // last block. REQUIRES: the rows so far fill whole blocks.
  template <class Value>
  void AppendBlock(const Value& value, size_t rows = PackedWords::kRows) {
    uint64_t words[PackedWords::kRows];
    for (size_t i = 0; i < rows; ++i) words[i] = ToWord(value(i));
    for (size_t i = rows; i < PackedWords::kRows; ++i) words[i] = ToWord(default_);
    words_.AppendBlock(words, rows);
  }
  // New rows have the default.
  void Resize(size_t rows) { words_.Resize(rows); }

  // Replaces each value by f(row, value). REQUIRES: f(row, default) == default.
  template <class F>
  void Transform(F f) {
    words_.Transform([&](size_t row, uint64_t word) { return ToWord(f(row, FromWord(word))); });
  }

  // Adds `delta` to every value but the default. REQUIRES: integers; none becomes the default.
  void AddToAll(T delta) { words_.AddToAll(static_cast<uint64_t>(delta)); }

  // Calls f(row, value) for the rows of [begin, end), faster than asking for each.
  template <class F>
  void ForEach(size_t begin, size_t end, F f) const {
    const size_t written = end < size() ? end : size();
    if (begin < written)
      words_.ForEach(begin, written, [&](size_t row, uint64_t word) { f(row, FromWord(word)); });
    for (size_t row = begin < written ? written : begin; row < end; ++row) f(row, default_);
  }

  // Reorders: row i gets the value that row order[i] had. An empty order changes nothing.
  void Reorder(std::span<const uint32_t> order) {
    if (AllDefault() || order.empty()) return;
    Column sorted(default_);
    sorted.UseStore(words_.store());
    for (uint32_t row : order) sorted.push_back((*this)[row]);
    Clear();
    *this = std::move(sorted);
  }

  bool AllDefault() const { return words_.AllEmpty(); }
  // See PackedWords. With a BlockStore, this column gets a stream of its own.
  void UseStore(BlockStream* store) { words_.UseStore(store); }
  void UseStore(BlockStore* store) { UseStore(store ? store->NewStream() : nullptr); }
  void Clear() { words_.Clear(); }
  void ShrinkToFit() { words_.ShrinkToFit(); }
  size_t MemoryBytes() const { return words_.MemoryBytes(); }

  // Whether every value lies in [least, most] or is the default. REQUIRES: no column of doubles.
  bool Within(T least, T most) const { return words_.Within(ToWord(least), ToWord(most)); }
  // Whether no value is smaller than the one before, save in the rows for which `may(row)`.
  template <class May>
  bool IsSorted(May may) const {
    return words_.IsSorted(may);
  }
  bool IsSorted() const {
    return IsSorted([](size_t) { return false; });
  }
  // Whether no value is larger than that of `other` in its row.
  bool AtMost(const Column& other) const {
    if (size() == other.size()) return words_.AtMost(other.words_);
    const size_t rows = size() < other.size() ? other.size() : size();
    for (size_t row = 0; row < rows; ++row)
      if ((*this)[row] > other[row]) return false;
    return true;
  }

  // For saving.
  const PackedWords& words() const { return words_; }
  PackedWords& words() { return words_; }

 private:
  static constexpr uint64_t kSign = uint64_t{1} << 63;

  // Words of integers keep the order of the numbers. Doubles with few digits end in zero bytes,
  // which come first in the word.
  static uint64_t ToWord(T value) {
    if constexpr (std::is_floating_point_v<T>)
      return __builtin_bswap64(std::bit_cast<uint64_t>(value));
    else if constexpr (std::is_signed_v<T>)
      return static_cast<uint64_t>(static_cast<int64_t>(value)) ^ kSign;
    else
      return static_cast<uint64_t>(value);
  }
  static T FromWord(uint64_t word) {
    if constexpr (std::is_floating_point_v<T>)
      return std::bit_cast<T>(__builtin_bswap64(word));
    else if constexpr (std::is_signed_v<T>)
      return static_cast<T>(static_cast<int64_t>(word ^ kSign));
    else
      return static_cast<T>(word);
  }

  T default_;
  PackedWords words_;
};

// Calls f(row, value...) for the rows of [begin, end), with the value of each of `columns`. Decodes
// whole blocks, which is faster than reading row by row.
template <class F, class... T>
void ForEachRow(size_t begin, size_t end, F f, const Column<T>&... columns) {
  constexpr size_t kRows = PackedWords::kRows;
  std::tuple<std::array<T, kRows>...> blocks;
  for (size_t first = begin, last; first < end; first = last) {
    last = std::min(end, (first / kRows + 1) * kRows);
    std::apply(
        [&](auto&... block) {
          (columns.ForEach(first, last, [&](size_t row, T value) { block[row - first] = value; }),
           ...);
          for (size_t row = first; row < last; ++row) f(row, block[row - first]...);
        },
        blocks);
  }
}

// Fills an empty column value by value, but packs them a block at a time: faster than push_back().
// The column has all of them after Finish().
template <class T>
class ColumnFiller {
 public:
  explicit ColumnFiller(Column<T>& column) : column_(&column) {}

  void Add(T value) {
    block_[count_] = value;
    if (++count_ == block_.size()) Finish();
  }
  void Finish() {
    if (count_ > 0) column_->AppendBlock([&](size_t i) { return block_[i]; }, count_);
    count_ = 0;
  }

 private:
  Column<T>* column_;
  size_t count_ = 0;
  std::array<T, PackedWords::kRows> block_;
};

// Structs by row, each of the fields named in a column of its own:
// Records<DepEnd, &DepEnd::task, &DepEnd::label>. Fields have the defaults of T{}.
template <class T, auto... kFields>
class Records {
 public:
  using value_type = T;

  T operator[](size_t i) const { return Get(i, std::make_index_sequence<sizeof...(kFields)>()); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  auto begin() const { return RowIterator(*this, 0); }
  auto end() const { return RowIterator(*this, size_); }

  void Set(size_t i, const T& value) {
    if (i >= size_) size_ = i + 1;
    SetFields(i, value, std::make_index_sequence<sizeof...(kFields)>());
  }
  void push_back(const T& value) { Set(size_, value); }
  void Resize(size_t rows) {
    size_ = rows;
    std::apply([&](auto&... column) { (ShrinkRows(column, rows), ...); }, columns_);
  }
  // All columns share one stream.
  void UseStore(BlockStore* store) {
    BlockStream* stream = store ? store->NewStream() : nullptr;
    std::apply([&](auto&... column) { (column.UseStore(stream), ...); }, columns_);
  }
  void Clear() {
    size_ = 0;
    std::apply([](auto&... column) { (column.Clear(), ...); }, columns_);
  }
  void ShrinkToFit() {
    std::apply([](auto&... column) { (column.ShrinkToFit(), ...); }, columns_);
  }
  size_t MemoryBytes() const {
    return std::apply([](auto&... column) { return (column.MemoryBytes() + ... + 0); }, columns_);
  }

  // The column of the n-th field.
  template <size_t kIndex>
  const auto& Field() const {
    return std::get<kIndex>(columns_);
  }
  // For saving: f(size, columns...).
  template <class F>
  void Visit(F f) {
    std::apply([&](auto&... column) { f(size_, column...); }, columns_);
  }
  template <class F>
  void Visit(F f) const {
    std::apply([&](const auto&... column) { f(size_, column...); }, columns_);
  }

 private:
  template <auto kField>
  using ColumnOf = Column<std::remove_cvref_t<decltype(std::declval<T>().*kField)>>;

  template <class C>
  static void ShrinkRows(C& column, size_t rows) {
    if (column.size() > rows) column.Resize(rows);
  }
  template <size_t... kIndex>
  T Get(size_t i, std::index_sequence<kIndex...>) const {
    T value{};
    ((value.*kFields = std::get<kIndex>(columns_)[i]), ...);
    return value;
  }
  template <size_t... kIndex>
  void SetFields(size_t i, const T& value, std::index_sequence<kIndex...>) {
    (std::get<kIndex>(columns_).Set(i, value.*kFields), ...);
  }

  size_t size_ = 0;
  std::tuple<ColumnOf<kFields>...> columns_{ColumnOf<kFields>(T{}.*kFields)...};
};

// A range of rows of a column or of records.
template <class Items>
class Slice {
 public:
  Slice() = default;
  Slice(const Items& items, size_t begin, size_t end)
      : items_(&items), begin_(begin), size_(end - begin) {}

  auto operator[](size_t i) const { return (*items_)[begin_ + i]; }
  auto front() const { return (*this)[0]; }
  auto back() const { return (*this)[size_ - 1]; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  auto begin() const { return RowIterator(*this, 0); }
  auto end() const { return RowIterator(*this, size_); }
  // REQUIRES: count <= size().
  Slice first(size_t count) const { return Slice(*items_, begin_, begin_ + count); }

 private:
  const Items* items_ = nullptr;
  size_t begin_ = 0, size_ = 0;
};

// Lists of variable length, one per row: row i is items[offsets[i] .. offsets[i+1]). `Items` is a
// Column or Records.
template <class Items>
struct PackedLists {
  Column<uint32_t> offsets = First();
  Items items;

  size_t size() const { return offsets.size() - 1; }
  Slice<Items> operator[](size_t i) const {
    if (i + 1 >= offsets.size()) return {};
    return {items, offsets[i], offsets[i + 1]};
  }
  void UseStore(BlockStore* store) {
    offsets.UseStore(store);
    items.UseStore(store);
  }
  size_t MemoryBytes() const { return offsets.MemoryBytes() + items.MemoryBytes(); }
  void ShrinkToFit() {
    offsets.ShrinkToFit();
    items.ShrinkToFit();
  }

 private:
  static Column<uint32_t> First() {
    Column<uint32_t> offsets;
    offsets.push_back(0);
    return offsets;
  }
};

// The same in plain arrays, for short-lived lists.
template <class T>
struct Lists {
  std::vector<uint32_t> offsets{0};
  std::vector<T> items;

  size_t size() const { return offsets.size() - 1; }
  std::span<const T> operator[](size_t i) const {
    if (i + 1 >= offsets.size()) return {};
    return {items.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
};

}  // namespace tasklens
